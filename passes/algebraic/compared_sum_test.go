package algebraic

import (
	"testing"

	"nirc/ir"
)

// TestComparedSum: a sum with a constant that is compared with another is not made, whichever side it is on, unless others want it.
// Equality asks for the rounded sum.
func TestComparedSum(t *testing.T) {
	for _, c := range []struct {
		name    string
		compare func(b *ir.Builder, sum, k *ir.Def) *ir.Def
		used    bool
		sums    int
	}{
		{"less", (*ir.Builder).Flt, false, 0},
		{"less, turned", func(b *ir.Builder, sum, k *ir.Def) *ir.Def { return b.Flt(k, sum) }, false, 0},
		{"at least", (*ir.Builder).Fge, false, 0},
		{"used by others", (*ir.Builder).Flt, true, 1},
		{"equal", (*ir.Builder).Feq, false, 1},
	} {
		s := ir.NewShader(ir.StageFragment, &ir.Options{})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		sum := b.Fadd(b.Fsin(b.Undef(1, 32)), b.ImmFloat(-0.25, 32))
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.B2i32(c.compare(b, sum, b.ImmFloat(0.5, 32))), b.Imm32(0))
		if c.used {
			b.Intrinsic(ir.IntrStoreScratch, 0, 0, sum, b.Imm32(16))
		}
		if got := runAndCount(t, f, Main, ir.OpFadd); got != c.sums {
			t.Errorf("%s: %d sums, want %d", c.name, got, c.sums)
		}
	}
}

// TestChainStart: what is added last starts the chain of multiply-adds, where the chain begins with a product that is subtracted, too.
func TestChainStart(t *testing.T) {
	for n := 1; n <= 2; n++ {
		s := ir.NewShader(ir.StageFragment, &ir.Options{FuseFfma32: true})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		v := b.Fneg(b.Fmul(b.Undef(1, 32), b.Undef(1, 32)))
		for range n {
			v = b.Ffma(b.Undef(1, 32), b.Undef(1, 32), v)
		}
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Fadd(v, b.Fsin(b.Undef(1, 32))), b.Imm32(0))
		if got := runAndCount(t, f, Late, ir.OpFadd); got != 0 {
			t.Errorf("%d multiply-adds: %d sums remain", n, got)
		}
	}
}

// runAndCount runs the rules of a section, and counts what is left of op.
func runAndCount(t *testing.T, f *ir.Function, section Section, op ir.Op) (n int) {
	if _, err := Run(f.Impl, section, Env{}); err != nil {
		t.Fatal(err)
	}
	for blk := range f.Impl.Blocks() {
		for in := range blk.Instrs() {
			if in.IsALU(op) {
				n++
			}
		}
	}
	return n
}
