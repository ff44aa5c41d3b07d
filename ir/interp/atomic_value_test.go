package interp

import (
	"math"
	"testing"

	"nirc/ir"
)

// TestAtomicValues: what each atomic leaves, at each width, for numbers at the ends of it.
func TestAtomicValues(t *testing.T) {
	w := &Wave{p: &Program{}}
	for _, bits := range []uint8{32, 64} {
		all := lowBits(bits)
		sign := uint64(1) << (bits - 1)
		f := func(x float64) uint64 { return ir.FloatBits(x, bits) }
		signed := func(x uint64) int64 { return int64(x<<(64-bits)) >> (64 - bits) }
		words := []uint64{0, 1, 2, 7, 8, all, all - 1, sign, sign - 1, sign + 1}
		for _, old := range words {
			for _, a := range words {
				pick := func(first bool) uint64 {
					if first {
						return old
					}
					return a
				}
				exchanged, inc, dec := old, old+1, old-1
				if old == a {
					exchanged = 77
				}
				if old >= a {
					inc = 0
				}
				if old == 0 || old > a {
					dec = a
				}
				for _, c := range []struct {
					op   ir.AtomicOp
					want uint64
				}{
					{ir.AtomicXchg, a}, {ir.AtomicCmpXchg, exchanged}, {ir.AtomicIncWrap, inc}, {ir.AtomicDecWrap, dec},
					{ir.AtomicIAdd, (old + a) & all}, {ir.AtomicIAnd, old & a}, {ir.AtomicIOr, old | a}, {ir.AtomicIXor, old ^ a},
					{ir.AtomicUMin, min(old, a)}, {ir.AtomicUMax, max(old, a)}, {ir.AtomicIMin, pick(signed(old) <= signed(a))}, {ir.AtomicIMax, pick(signed(old) >= signed(a))},
				} {
					if got := w.atomicValue(c.op, bits, old, a, 77); got != c.want {
						t.Errorf("atomic %d of %d bits, %#x and %#x: %#x, want %#x", c.op, bits, old, a, got, c.want)
					}
				}
			}
		}
		zero, minus, nan := f(0), f(math.Copysign(0, -1)), f(math.NaN())
		for _, c := range []struct {
			op           ir.AtomicOp
			old, a, want uint64
		}{
			{ir.AtomicFAdd, f(1.5), f(2), f(3.5)}, {ir.AtomicFMin, f(1.5), f(-2), f(-2)}, {ir.AtomicFMax, f(1.5), f(-2), f(1.5)},
			{ir.AtomicFMin, nan, f(3), f(3)}, {ir.AtomicFMax, f(3), nan, f(3)},
			{ir.AtomicFCmpXchg, f(1), f(1), 77}, {ir.AtomicFCmpXchg, f(1), f(2), f(1)}, {ir.AtomicFCmpXchg, zero, minus, 77}, {ir.AtomicFCmpXchg, nan, nan, nan},
		} {
			if got := w.atomicValue(c.op, bits, c.old, c.a, 77); got != c.want {
				t.Errorf("atomic %d of %d bits, %#x and %#x: %#x, want %#x", c.op, bits, c.old, c.a, got, c.want)
			}
		}
	}
}
