package passes

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// samplersShader fetches from an element of two arrays of three textures that
// each workgroup chooses, and from the last.
const samplersShader = `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform tex2D<u32>[3][2] "t" { set=0 binding=0 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %902:32 = load_const 0x2
      %903:32 = load_const 0x6
      %904:32 = load_const 0x3
      %10:32x2 = load_const (0x0, 0x0)
      %1:32x3 = load_workgroup_id
      %2:32 = mov %1.x
      %3:32 = iand %2, %901
      %4:32 = ushr %2, %901
      %5:32 = deref_var @1
      %6:32 = deref_array %5[%3]
      %7:32 = deref_array %6[%4]
      %8:32x4 = txf coord=%10 lod=%900 texture_deref=%7 dim=2D dest=u32 coord_components=2
      %11:32 = deref_array %5[%901]
      %12:32 = deref_array %11[%902]
      %13:32x4 = txf coord=%10 lod=%900 texture_deref=%12 dim=2D dest=u32 coord_components=2
      %14:32 = iadd %8.x, %13.x
      %15:32 = ishl %2, %902
      store_ssbo %14, %903, %15 write_mask=x align_mul=4
  }
}`

func TestSamplers(t *testing.T) {
	s := parseShader(t, samplersShader)
	before := runSamplers(t, s)
	runPasses(t, s, "lower_samplers")
	after := runSamplers(t, s)
	for i, v := range before {
		want := uint32(10+i%2*3+i/2) + 15 // element [i%2][i/2], and the last
		if v != want || after[i] != want {
			t.Errorf("workgroup %d: %d before, %d after, want %d", i, v, after[i], want)
		}
	}
	text := ir.Print(s)
	if strings.Contains(text, "texture_deref") || !strings.Contains(text, "texture_offset") {
		t.Errorf("left:\n%s", text)
	}
	other := parseShader(t, strings.ReplaceAll(samplersShader, "set=0", "set=1"))
	if _, err := lowerSamplers(nil, other); err == nil || !strings.Contains(err.Error(), "descriptor set 1") {
		t.Errorf("a texture of set 1: %v", err)
	}
}

// runSamplers gives the six textures the values 10 to 15.
func runSamplers(t *testing.T, s *ir.Shader) []uint32 {
	t.Helper()
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(64)
	var bind emu.Bindings
	var list []emu.Descriptor
	for i := range 6 {
		img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R32_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(img.Data, uint32(10+i))
		list = append(list, emu.Descriptor{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}})
	}
	bind.Set(0, 0, list)
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{6, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 6)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(buf.Data[4*i:])
	}
	return out
}
