package passes

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/ir"
)

//go:embed testdata/ir/liar_shader.nir
var liarShader string

// instrOf returns the first instruction of a function that f picks.
func instrOf(s *ir.Shader, f func(*ir.Instr) bool) *ir.Instr {
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if f(in) {
				return in
			}
		}
	}
	return nil
}

// liars change the shader so that an analysis does not hold any more.
var liars = []struct {
	keeps  ir.Metadata
	change func(s *ir.Shader, lane, store *ir.Instr)
}{
	// A value lives into the loop that did not.
	{ir.MetaLiveness, func(_ *ir.Shader, lane, store *ir.Instr) { store.Srcs[0].Set(&lane.Def) }},
	// Lanes store at different places.
	{ir.MetaDivergence, func(_ *ir.Shader, lane, store *ir.Instr) { store.Srcs[1].Def.Instr.Srcs[0].Set(&lane.Def) }},
	// The loop ends sooner.
	{ir.MetaLoops, func(s *ir.Shader, _, _ *ir.Instr) {
		exit := instrOf(s, func(in *ir.Instr) bool { return in.IsALU(ir.OpUge) })
		exit.Srcs[1].Def.Instr.Imm[0] = 8
	}},
	// The place could be anything, and is bounded now.
	{ir.MetaRange, func(_ *ir.Shader, _, store *ir.Instr) {
		sum := store.Srcs[1].Def.Instr
		sum.Srcs[0].Set(sum.Srcs[1].Def)
	}},
}

// TestLiarsAreNamed: under VerifyEach each analysis that a pass wrongly says
// it kept is named; the same change passes if it says so.
func TestLiarsAreNamed(t *testing.T) {
	for _, l := range liars {
		for _, honest := range []bool{false, true} {
			s, err := ir.Parse(liarShader)
			if err != nil {
				t.Fatal(err)
			}
			p := &Pass{Name: "liar", Run: func(_ *Context, s *ir.Shader) (bool, error) {
				lane := instrOf(s, func(in *ir.Instr) bool { return in.IsIntrinsic(ir.IntrLoadLocalInvocationIndex) })
				store := instrOf(s, func(in *ir.Instr) bool { return in.IsIntrinsic(ir.IntrStoreShared) })
				l.change(s, lane, store)
				if honest {
					s.Entry().Impl.Preserve(ir.MetaNone)
				} else {
					s.Entry().Impl.Preserve(ir.MetaControlFlow | l.keeps)
				}
				return true, nil
			}}
			_, err = (&runner{s: s, ins: NewInstrument(RunOptions{VerifyEach: true})}).runPass(NewContext(p), p)
			switch {
			case honest && err != nil:
				t.Errorf("%s: the honest pass is blamed: %v", l.keeps, err)
			case !honest && (err == nil || !strings.Contains(err.Error(), l.keeps.String())):
				t.Errorf("%s: the liar is not named: %v", l.keeps, err)
			}
		}
	}
}
