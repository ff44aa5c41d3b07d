package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestExplicitInterpolation: an input with the values of the vertices is read at one of them.
func TestExplicitInterpolation(t *testing.T) {
	for read, want := range map[string]string{"load_deref %0": `input "in" is not interpolated, and read at no vertex`,
		"interp_deref_at_centroid %0": "is not interpolated", "interp_deref_at_vertex %0, %1": ""} {
		s, err := ir.Parse("shader fragment \"main\" {\n  var @1 shader_in f32 \"in\" { location=VAR0 interp=explicit }\n  fn f0 \"main\" entry() {\n    b0:\n" +
			"      %0:32 = deref_var @1\n      %1:32 = load_const 1\n      %2:32 = " + read + "\n  }\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList("lower_io")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", read, err, want)
		}
	}
}
