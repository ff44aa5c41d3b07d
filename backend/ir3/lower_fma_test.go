package ir3

import (
	"runtime/debug"
	"testing"

	"nirc/ir"
)

// TestOrderSumsRoom: sums that are in order make no garbage when they are looked at.
func TestOrderSumsRoom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pool
	s := fuseShader(func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def {
		x := b.Ffma(f[1], f[2], b.Fmul(f[0], f[3]))
		return b.Fadd(b.Ffma(x, b.Fmin(f[0], f[1]), b.Fmul(f[2], f[0])), f[1])
	})
	impl := s.Entry().Impl
	if !orderSums(impl) {
		t.Fatal("nothing to order")
	}
	for orderSums(impl) {
	}
	if n := testing.AllocsPerRun(50, func() { orderSums(impl) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
