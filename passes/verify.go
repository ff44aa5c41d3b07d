package passes

import (
	"fmt"

	"nirc/ir"
	"nirc/passes/analysis"
)

// verifier holds what a pass found, to test what it says afterwards.
type verifier struct {
	s      *ir.Shader
	before string
}

// coreMeta is the metadata that is recomputed and compared.
const coreMeta = ir.MetaBlockIndex | ir.MetaDominance | ir.MetaInstrIndex

// analyses are those of package analysis whose results stay with a function:
// how to get each, and how to test that it still holds.
var analyses = []struct {
	meta    ir.Metadata
	require func(*ir.Impl)
	check   func(*ir.Impl) bool
}{
	{ir.MetaLiveness, func(f *ir.Impl) { analysis.RequireLiveness(f) }, analysis.CheckLiveness},
	{ir.MetaLoops, func(f *ir.Impl) { analysis.RequireLoops(f) }, analysis.CheckLoops},
	{ir.MetaDivergence, analysis.RequireDivergence, analysis.CheckDivergence},
	{ir.MetaRange, func(f *ir.Impl) { analysis.RequireRanges(f) }, analysis.CheckRanges},
}

// beginVerify makes core metadata and all analyses valid, so that a pass that forgets to
// say what it broke is caught, and remembers the shader's text.
func beginVerify(s *ir.Shader) *verifier {
	for _, f := range s.Functions {
		if f.Impl != nil {
			f.Impl.Require(coreMeta)
			for i := range analyses {
				analyses[i].require(f.Impl)
			}
		}
	}
	return &verifier{s: s, before: ir.Print(s)}
}

// end checks the shader after the pass. The validator recomputes the core
// metadata that is claimed to be valid; what package analysis keeps is checked here.
func (v *verifier) end(changed bool) error {
	if !changed && ir.Print(v.s) != v.before {
		return fmt.Errorf("said that it changed nothing, but it did")
	}
	if err := ir.Validate(v.s); err != nil {
		return fmt.Errorf("left an invalid shader: %w", err)
	}
	for _, f := range v.s.Functions {
		if f.Impl == nil {
			continue
		}
		for _, a := range analyses {
			if !a.check(f.Impl) {
				return fmt.Errorf("said that it kept %s of %s, but it did not", a.meta, f.Name)
			}
		}
	}
	return nil
}
