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

// TestConstOffsetToBase runs a shader before and after its accesses name their slots alone.
func TestConstOffsetToBase(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x1
      %2:32 = load_const 0x2
      %3:32x2 = load_barycentric_pixel interp_mode=smooth
      %4:32x4 = load_interpolated_input %3, %2 base=32 dest_type=f32 io_semantics={VAR0 3}
      %5:32 = load_input %1 base=36 range=2 component=1 dest_type=f32 io_semantics={VAR4 2}
      store_output %4, %1 base=4 range=2 write_mask=xyzw src_type=f32 io_semantics={DATA0 2}
      store_output %5, %0 base=4 range=2 write_mask=x src_type=f32 io_semantics={DATA0 2}
  }
}`)
	text := ir.Print(comparePasses(t, s, "io_add_const_offset_to_base", stageInputs{}))
	for _, want := range []string{"{VAR2 1}", "{VAR5 1}", "{DATA1 1}", "{DATA0 2}"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if text := ir.Print(comparePasses(t, s, "io_add_const_offset_to_base(modes=shader_out)", stageInputs{})); !strings.Contains(text, "{VAR0 3}") {
		t.Errorf("inputs changed:\n%s", text)
	}
}
