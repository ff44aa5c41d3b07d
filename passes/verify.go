package passes

import (
	"bytes"
	"errors"
	"fmt"

	"nirc/ir"
	"nirc/passes/analysis"
)

// verifier holds what a pass found, to test what it says afterwards.
type verifier struct {
	// before is the binary form of the shader, nil if the last pass changed it.
	before []byte
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

// begin makes core metadata and all analyses valid, so that a pass that forgets to say
// what it broke is caught, and remembers what the shader is.
func (v *verifier) begin(s *ir.Shader) {
	for _, f := range s.Functions {
		if f.Impl != nil {
			f.Impl.Require(coreMeta)
			for i := range analyses {
				analyses[i].require(f.Impl)
			}
		}
	}
	if v.before == nil {
		v.before = ir.Serialize(s, ir.SerializeOptions{})
	}
}

// VerifyStep runs a step of a code generator that rewrites the IR, and tests what it left as a pass is tested: all metadata and
// analyses are made valid before, so that a step which does not say what it broke is caught. An error of the step comes back as it is.
func VerifyStep(name string, s *ir.Shader, run func() error) error {
	v := verifier{before: []byte{}} // it need not say whether it changed anything
	v.begin(s)
	if err := run(); err != nil {
		return err
	}
	if err := v.end(s, true); err != nil {
		return fmt.Errorf("step %s: %w", name, err)
	}
	return nil
}

// end checks the shader after the pass. The validator recomputes the core
// metadata that is claimed to be valid; what package analysis keeps is checked here.
func (v *verifier) end(s *ir.Shader, changed bool) error {
	if err := ir.Validate(s); err != nil {
		said := ""
		if !changed {
			said = "said that it changed nothing, but "
		}
		return fmt.Errorf("%sleft an invalid shader: %w", said, err)
	}
	if changed {
		v.before = nil
	} else if !bytes.Equal(v.before, ir.Serialize(s, ir.SerializeOptions{})) {
		return errors.New("said that it changed nothing, but it did")
	}
	for _, f := range s.Functions {
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
