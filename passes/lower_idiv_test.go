package passes

import (
	"math/rand"
	"testing"

	"nirc/ir"
)

// TestExactReciprocals divides by divisors that are the same for a draw, written out by their exact reciprocals: edges
// and random ones, by multiples of the divisor and their neighbours among others.
func TestExactReciprocals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	all := newDivisionTest(t, "lower_idiv(preamble=true)", r)
	for _, op := range []ir.Op{ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod} {
		for k := range 32 {
			for _, d := range []uint64{1 << k, 1<<k + 1, 1<<k - 1, randomBits(r, 32), randomBits(r, 32) >> k} {
				if d &= 1<<32 - 1; d != 0 {
					all.divide(t, op, 32, d)
				}
			}
		}
	}
}
