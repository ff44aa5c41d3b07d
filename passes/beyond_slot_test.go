package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestComponentsBeyondSlots: variables that lie beyond the four components of their slot, which text can say, become no part of a vector.
func TestComponentsBeyondSlots(t *testing.T) {
	for component, merged := range map[string]bool{"1": true, "3": true, "4": false, "252": false, "255": false} {
		s := parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "a" { location=VAR0 interp=smooth }
  var @2 shader_in f32 "b" { location=VAR0 component=`+component+` interp=smooth }
  var @3 shader_out f32 "c" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = deref_var @1
      %1:32 = load_deref %0
      %2:32 = deref_var @2
      %3:32 = load_deref %2
      %4:32 = fadd %1, %3
      %5:32 = deref_var @3
      store_deref %5, %4 write_mask=x
  }
}`)
		runPasses(t, s, "lower_io_to_vector")
		inputs := strings.Count(ir.Print(s), " shader_in ")
		if (inputs == 1) != merged {
			t.Errorf("component %s: %d inputs\n%s", component, inputs, ir.Print(s))
		}
	}
}
