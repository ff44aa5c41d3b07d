package ir_test

import (
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// reach marks what can be reached from the start without passing through not.
func reach(impl *ir.Impl, not *ir.Block) []bool {
	seen := make([]bool, impl.NumBlocks)
	if impl.Start() == not {
		return seen
	}
	seen[impl.Start().Index] = true
	for work := []*ir.Block{impl.Start()}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succ {
			if s != nil && s != not && !seen[s.Index] {
				seen[s.Index] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

// TestDominanceAgainstModel compares with the definition: a dominates b if b
// cannot be reached without a.
func TestDominanceAgainstModel(t *testing.T) {
	for seed := range uint64(25) {
		s := irtest.RandomShader(seed, 400)
		impl := s.Entry().Impl
		impl.Require(ir.MetaDominance) // of which nothing stays after edits
		e := newEditor(seed+1000, s)
		for range 15 {
			edits[e.r.IntN(len(edits))].do(e)
		}
		impl.Preserve(ir.MetaNone)
		impl.Require(ir.MetaDominance)
		var blocks []*ir.Block
		for b := range impl.Blocks() {
			blocks = append(blocks, b)
		}
		blocks = append(blocks, impl.End)
		compareDominance(t, impl, blocks)
	}
}

// TestDominanceOfManyExits: returns, each in an if deeper than the one before, lead to the end block. To
// walk up from each takes more steps than the iteration is given.
func TestDominanceOfManyExits(t *testing.T) {
	const depth = 3000
	f := ir.NewShader(ir.StageCompute, nil).NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	cond := b.ImmBool(true)
	dominators := map[*ir.Block]*ir.Block{f.Impl.End: f.Impl.Start()}
	for range depth {
		up := b.Cursor.Block
		i := b.PushIf(cond)
		dominators[b.Cursor.Block] = up
		b.Jump(ir.JumpReturn)
		b.PushElse(i)
		dominators[b.Cursor.Block] = up
	}
	f.Impl.Require(ir.MetaDominance)
	for b, up := range dominators {
		if b.IDom() != up {
			t.Fatalf("the immediate dominator of block %d is %v, not block %d", b.Index, b.IDom(), up.Index)
		}
	}
}

func compareDominance(t *testing.T, impl *ir.Impl, blocks []*ir.Block) {
	t.Helper()
	n := len(blocks)
	all := reach(impl, nil)
	dom := make([][]bool, n) // dom[a][b]
	for a := range blocks {
		without := reach(impl, blocks[a])
		dom[a] = make([]bool, n)
		for b := range blocks {
			dom[a][b] = !all[b] || !without[b] || a == b
		}
	}
	count := func(b int) (k int) { // strict dominators of b
		for a := range blocks {
			if all[a] && a != b && dom[a][b] {
				k++
			}
		}
		return k
	}
	for b, bb := range blocks {
		if bb.Reachable() != all[b] {
			t.Fatalf("block %d: reachable %t", b, bb.Reachable())
		}
		for a, ab := range blocks {
			if all[a] && ab.Dominates(bb) != dom[a][b] {
				t.Fatalf("block %d dominates %d: %t", a, b, !dom[a][b])
			}
		}
		if !all[b] {
			if bb.IDom() != nil {
				t.Fatalf("unreachable block %d has a dominator", b)
			}
			continue
		}
		// The immediate dominator is the strict one that all others dominate.
		if d := bb.IDom(); b == 0 && d != nil || b != 0 && (d == nil || !dom[d.Index][b] || int(d.Index) == b || count(int(d.Index)) != count(b)-1) {
			t.Fatalf("block %d: immediate dominator %v", b, d)
		}
		front := map[*ir.Block]bool{}
		for _, f := range bb.DomFrontier() {
			if front[f] {
				t.Fatalf("block %d twice in a frontier", f.Index)
			}
			front[f] = true
		}
		for c, cb := range blocks {
			want := false
			for _, p := range cb.Preds {
				want = want || all[p.Index] && dom[b][p.Index]
			}
			want = want && !(b != c && dom[b][c])
			if want != front[cb] {
				t.Fatalf("block %d in the frontier of %d: %t\n%s", c, b, front[cb], ir.Print(impl.Shader))
			}
		}
		for a, ab := range blocks {
			lca := ir.CommonDominator(ab, bb)
			switch {
			case !all[a]:
				if lca != bb {
					t.Fatalf("common dominator with the unreachable block %d", a)
				}
			case !dom[lca.Index][a] || !dom[lca.Index][b]:
				t.Fatalf("common dominator of %d and %d is %d", a, b, lca.Index)
			default:
				for c := range blocks {
					if all[c] && dom[c][a] && dom[c][b] && !dom[c][lca.Index] {
						t.Fatalf("common dominator of %d and %d is %d, but %d is lower", a, b, lca.Index, c)
					}
				}
			}
		}
	}
	seen := map[*ir.Block]bool{}
	for _, b := range impl.ReversePostOrder() {
		if d := b.IDom(); d != nil && !seen[d] {
			t.Fatalf("block %d before its dominator in reverse post order", b.Index)
		}
		seen[b] = true
	}
}
