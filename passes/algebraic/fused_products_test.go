package algebraic

import (
	"testing"

	"nirc/ir"
)

// TestProductOfSumAndDifference: a product that is added here and subtracted there is fused into both, unless something else reads
// it or what is subtracted.
func TestProductOfSumAndDifference(t *testing.T) {
	for _, c := range []struct {
		name             string
		product, negated bool // something else reads it
		exact            bool
		products         int
	}{
		{"only sums", false, false, false, 0}, {"the product", true, false, false, 1}, {"what is subtracted", false, true, false, 1}, {"exact", false, false, true, 1},
	} {
		s := ir.NewShader(ir.StageFragment, &ir.Options{FuseFfma32: true})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		b.Exact = c.exact
		store := func(d *ir.Def) { b.Intrinsic(ir.IntrStoreScratch, 0, 0, d, b.Imm32(0)) }
		x := b.Fsin(b.Undef(1, 32))
		m := b.Fmul(b.Undef(1, 32), b.Undef(1, 32))
		n := b.Fneg(m)
		store(b.Fadd(m, x))
		store(b.Fadd(x, n))
		store(b.Fadd(n, b.Fsin(x)))
		if c.product {
			store(m)
		}
		if c.negated {
			store(n)
		}
		if got := runAndCount(t, f, Late, ir.OpFmul); got != c.products {
			t.Errorf("%s: %d products remain, want %d", c.name, got, c.products)
		}
	}
}
