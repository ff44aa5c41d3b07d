package analysis

import (
	"slices"
	"testing"

	"nirc/ir"
)

// TestPreambleIfs: an if whose condition moves stays a branch where it guards something, or where what it leaves out costs more
// than the limit; what stands in it counts for the if around it too.
func TestPreambleIfs(t *testing.T) {
	for _, c := range []struct {
		cost, limit  int32
		guarded, can bool
		inner, outer bool
	}{
		{cost: 9, limit: 10, can: true}, {cost: 10, limit: 10, can: true}, {cost: 11, limit: 10, can: true, inner: true, outer: true},
		{cost: 6, limit: 10, can: true}, {cost: 11, limit: 10},
		{cost: 0, limit: 10, guarded: true, can: true, inner: true, outer: true}, {cost: 0, limit: 10, guarded: true}, {cost: 0, limit: 0, can: true},
		{cost: 1, limit: 0, can: true, inner: true, outer: true},
	} {
		s := ir.NewShader(ir.StageCompute, nil)
		f := s.NewFunction("main")
		f.IsEntry = true
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		cond := b.Ine(b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0), b.Imm32(0))
		outer := b.PushIf(cond)
		inner := b.PushIf(cond)
		value := b.Iadd(b.Imm32(1), b.Imm32(2))
		b.PopIf(inner)
		b.PopIf(outer)
		f.Impl.Require(ir.MetaBlockIndex)
		var p PreambleIfs
		p.Begin(f.Impl, c.limit)
		p.Computes(value.Instr, c.cost, c.guarded)
		can := make([]bool, f.Impl.NumDefs)
		can[cond.Index] = c.can
		blocks := slices.Collect(f.Impl.Blocks())
		for _, x := range slices.Backward(blocks) {
			p.Enter(x, can)
		}
		if p.Kept(inner) != c.inner || p.Kept(outer) != c.outer {
			t.Errorf("%+v: the inner if is a branch: %v, the outer: %v", c, p.Kept(inner), p.Kept(outer))
		}
	}
}
