package passes

import (
	"encoding/binary"
	"math"
	"testing"
)

// saturatedAt runs a lookup at 0.3 times the group's number plus a step, through passes, and gives what it stores.
func saturatedAt(t *testing.T, dim, coord, list string) (v []float32) {
	t.Helper()
	s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled`+dim+`<f32> "t" { set=0 binding=1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x3 = load_workgroup_id
      %2:32 = mov %1.x
      %3:32 = u2f32 %2
      %4:32 = load_const 0x3e99999a
      %5:32 = load_const 0xbf800000
      %6:32 = load_const 0x3f800000
      %7:32 = ffma %3, %4, %5
      %20:32 = fsat %7
      %8:32x2 = vec2 `+coord+`, %6
      %9:32 = deref_var @1
      %10:32x4 = txl texture_deref=%9 sampler_deref=%9 coord=%8 lod=%0 dim=`+dim+` dest=f32 coord_components=2
      %11:32 = load_const 0x4
      %12:32 = ishl %2, %11
      store_ssbo %10, %0, %12 write_mask=xyzw align_mul=16
  }
}`)
	runPasses(t, s, list)
	mem, err := execute(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < testGroups*16; i += 4 {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(mem[i:])))
	}
	return v
}

// TestSaturatedCoordinates: lookups whose coordinates lower_tex keeps in the texture find what lookups at kept coordinates do,
// and something else without.
func TestSaturatedCoordinates(t *testing.T) {
	want, got, plain := saturatedAt(t, "2D", "%20", "opt_dce"), saturatedAt(t, "2D", "%7", "lower_tex(saturate=s)"), saturatedAt(t, "2D", "%7", "opt_dce")
	differs := false
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("component %d is %v, want %v", i, got[i], want[i])
		}
		differs = differs || plain[i] != want[i]
	}
	if !differs {
		t.Error("the coordinates are in the texture anyway")
	}
}
