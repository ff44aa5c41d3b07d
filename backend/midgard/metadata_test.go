package midgard

import (
	"testing"

	"nirc/ir"
)

// TestLoweringKeepsMetadataTrue compiles shaders whose instructions are numbered:
// what is lowered before selection invalidates that.
func TestLoweringKeepsMetadataTrue(t *testing.T) {
	programs.Hold(t)
	const head = `shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 `
	for name, text := range map[string]string{
		"offsets": head + `%1:32x2 = load_const (0x3e800000, 0x0) %2:32x2 = load_barycentric_at_offset %1 interp_mode=smooth
			%3:32 = load_interpolated_input %2, %0 dest_type=f32 io_semantics={VAR0 1}
			store_output %3, %0 write_mask=x src_type=f32 io_semantics={DATA0 1} } }`,
		"columns": head + `%1:32x4 = load_frag_coord %2:32x4 = fadd %1, %1
			%4:32x2 = vec2 %1.x, %2.x %5:32x2 = vec2 %1.y, %2.y %6:32 = fdot2 %1.xy, %4 %7:32 = fdot2 %1.xy, %5 %8:32x2 = vec2 %6, %7
			store_output %8, %0 write_mask=xy src_type=f32 io_semantics={DATA0 1} } }`,
	} {
		s, err := ir.Parse(text)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.Entry().Impl.Require(ir.MetaInstrIndex | ir.MetaDominance)
		if _, err := held(Compile(s, CompileOptions{Job: verifying()})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
