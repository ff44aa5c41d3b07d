package passes

import (
	"testing"

	"nirc/ir"
)

// TestSlotsOfPaths: members and elements have slots of their own, and what an index chooses all of an array's; compact arrays count
// by their own length, however many vertices there are; and components are no slots.
func TestSlotsOfPaths(t *testing.T) {
	s, err := ir.Parse(`shader geometry "main" {
  info { gs_max_vertices=3 }
  type $0 = struct "S" {
    "a": vec4f32[2]
    "b": f32
    "c": vec4f32[3]
  }
  var @1 shader_in f32[8][3] "clip" { location=CLIP_DIST0 compact }
  var @2 shader_in $0[3] "m" { location=VAR0 }
  var @3 shader_out vec4f32[2] "o" { location=VAR8 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x1
      %2:32 = load_const 0x7
      %3:32 = deref_var @1
      %4:32 = deref_array %3[%1]
      %5:32 = deref_array %4[%2]
      %6:32 = load_deref %5
      %7:32 = deref_var @2
      %8:32 = deref_array %7[%6]
      %9:32 = deref_struct %8.2
      %10:32 = deref_array %9[%1]
      %11:32x4 = load_deref %10
      %12:32 = deref_struct %8.1
      %13:32 = load_deref %12
      %14:32x4 = vec4 %13, %13, %13, %13
      %15:32x4 = fadd %11, %14
      %16:32 = deref_var @3
      %17:32 = deref_array %16[%1]
      %18:32 = deref_array %17[%6]
      store_deref %18, %13 write_mask=x
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := RunPass(s, "gather_info"); err != nil {
		t.Fatal(err)
	}
	slots := func(list ...ir.Slot) (m [2]uint64) {
		for _, x := range list {
			m[x>>6] |= 1 << (x & 63)
		}
		return m
	}
	if got, want := s.Info.InputsRead, slots(ir.SlotClipDist0, ir.SlotClipDist1, ir.SlotVar0+2, ir.SlotVar0+4); got != want {
		t.Errorf("read %#x, want %#x", got, want)
	}
	if got, want := s.Info.OutputsWritten, slots(ir.SlotVar0+9); got != want {
		t.Errorf("written %#x, want %#x", got, want)
	}
}
