package interp

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// TestMixedInputs: what a location has at each vertex leaves its other components as they are interpolated, whichever is read first.
func TestMixedInputs(t *testing.T) {
	const smooth = "%1:32 = deref_var @1\n      %2:32 = load_deref %1\n"
	const corner = "%3:32 = deref_var @2\n      %4:32 = deref_array %3[%0] inbounds\n      %5:32 = load_deref %4\n"
	for _, body := range []string{smooth + corner, corner + smooth} {
		made, err := newFromText(`shader fragment "main" {
  var @1 shader_in f32 "a" { location=VAR0 interp=smooth }
  var @2 shader_in f32[3] "b" { location=VAR0 interp=smooth component=1 per_vertex }
  var @3 shader_out vec2f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x1
      `+body+`
      %6:32 = deref_var @3
      %7:32x2 = vec2 %2, %5
      store_deref %6, %7 write_mask=xy
  }
}`, "")
		if err != nil {
			t.Fatal(err)
		}
		p := made.(*Program)
		at := p.inputAt[ir.SlotVar0]
		if at[0] < 0 || at[1] < 0 || at[2] >= 0 {
			t.Fatalf("the components that are read are %v", at)
		}
		if got := fmt.Sprint(p.inputs[at[0]].interp, p.inputs[at[1]].interp); got != fmt.Sprint(ir.InterpSmooth, ir.InterpFlat) {
			t.Errorf("the components are interpolated as %s, with\n%s", got, body)
		}
	}
}
