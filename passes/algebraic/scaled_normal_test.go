package algebraic

import (
	"testing"

	"nirc/ir"
)

// TestScaledNormal: a constant that a normalized component is multiplied with is multiplied before its length is known, where a step
// of a chain waits for the one before, unless others want the component as it is.
func TestScaledNormal(t *testing.T) {
	for _, c := range []struct {
		name        string
		waits, used bool
		early       bool
	}{{"waits", true, false, true}, {"does not wait", false, false, false}, {"used by others", true, true, false}} {
		s := ir.NewShader(ir.StageFragment, &ir.Options{ChainsWait: c.waits})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		n := b.Fmul(b.Undef(1, 32), b.Frsq(b.Undef(1, 32)))
		sum := b.Ffma(n, b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32))
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, sum, b.Imm32(0))
		if c.used {
			b.Intrinsic(ir.IntrStoreScratch, 0, 0, n, b.Imm32(16))
		}
		if _, err := Run(f.Impl, Late, Env{}); err != nil {
			t.Fatal(err)
		}
		early := false
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				early = early || in.IsALU(ir.OpFmul) && in.Srcs[1].Def.IsConst()
			}
		}
		if early != c.early {
			t.Errorf("%s: multiplied early %v, want %v", c.name, early, c.early)
		}
	}
}
