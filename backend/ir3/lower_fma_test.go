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

// TestOrderSumsTakenAway: a sum of three terms from which something is taken away stays as it is written, with two it is no matter.
func TestOrderSumsTakenAway(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *ir.Builder, one, n, a *ir.Def) *ir.Def
		want  bool
	}{
		{"1 - n*n + a*a", func(b *ir.Builder, one, n, a *ir.Def) *ir.Def { return b.Ffma(a, a, b.Ffma(b.Fneg(n), n, one)) }, false},
		{"1 - n*n + a*a by an addition", func(b *ir.Builder, one, n, a *ir.Def) *ir.Def {
			return b.Fadd(b.Ffma(n, b.Fneg(n), b.Fmul(a, a)), one)
		}, false},
		{"1 + n*n + a*a", func(b *ir.Builder, one, n, a *ir.Def) *ir.Def { return b.Ffma(a, a, b.Ffma(b.Fmax(n, one), n, one)) }, true},
		{"a*a - n*n", func(b *ir.Builder, one, n, a *ir.Def) *ir.Def { return b.Ffma(a, a, b.Fmul(b.Fneg(n), n)) }, true},
	} {
		s := fuseShader(func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def {
			a := b.Fmul(f[0], f[1])
			return c.build(b, b.ImmFloat(1, 32), f[0], a)
		})
		if orderSums(s.Entry().Impl) != c.want {
			t.Errorf("%s: ordered: %t, want %t\n%s", c.name, !c.want, c.want, ir.Print(s))
		}
	}
}
