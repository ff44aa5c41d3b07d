package midgard

import (
	"strings"
	"testing"

	"nirc/ir"
)

// halfVaryings reads 16-bit floats that are interpolated, from even and odd
// components on, and one that is not.
const halfVaryings = `
shader fragment "main" {
  info { inputs_read=0x700000000 outputs_written=0x10 io_lowered }
  var @1 shader_out vec4f32 "o" { location=DATA0 temporary }
  var @2 shader_in vec4f16 "a" { location=VAR0 interp=smooth }
  var @3 shader_in vec3f16 "b" { location=VAR1 interp=smooth component=1 }
  var @4 shader_in f16 "e" { location=VAR2 interp=flat component=2 }
  var @5 shader_in f16 "d" { location=VAR2 interp=smooth component=1 }
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = load_const 0x0 // 0
      %1:32x2 = load_barycentric_pixel interp_mode=smooth
      %2:16x4 = load_interpolated_input %1, %0 base=32 dest_type=f16 io_semantics={VAR0 1}
      %3:32x4 = f2f32 %2
      %4:16x3 = load_interpolated_input %1, %0 base=33 component=1 dest_type=f16 io_semantics={VAR1 1}
      %5:16 = load_input %0 base=34 range=1 component=2 dest_type=f16 io_semantics={VAR2 1}
      %6:16x3 = fmul %4.zyx, %5.xxx
      %7:32x3 = f2f32 %6
      %8:16 = load_interpolated_input %1, %0 base=34 component=1 dest_type=f16 io_semantics={VAR2 1}
      %9:16 = fmul %8, %2.x
      %10:32 = f2f32 %9
      %11:32x4 = vec4 %7.x, %7.y, %7.z, %10
      %12:32x4 = fadd %3, %11
      store_output %12, %0 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
  }
}
`

// Varyings of 16-bit floats come as such, two a word, where the hardware
// interpolates; the others are converted.
func TestHalfVaryings(t *testing.T) {
	s, err := ir.Parse(halfVaryings)
	if err != nil {
		t.Fatal(err)
	}
	_, text := listing(t, s, CompileOptions{})
	if n := strings.Count(text, "LD_VARY.f16"); n != 3 {
		t.Errorf("%d varyings are loaded as halves:\n%s", n, text)
	}
	if n := strings.Count(text, "LD_VARY.u32"); n != 1 {
		t.Errorf("%d flat varyings:\n%s", n, text)
	}
	expect(t, text, "LD_VARY.u32", "FMOV.f32", ".shrink")
}
