package spirv

import (
	"cmp"
	"slices"

	"nirc/ir"
)

// A dispatch is a loop that picks by the number in a variable, the path, which of some blocks to go on at: a branch to
// one of them stores its number and continues the loop. So control enters an
// irreducible loop by any of its heads. And so is bounded what would nest too deep, in size that
// grows with the number of blocks and no faster.

// route is a number of a path.
type route struct {
	path *ir.Variable
	num  uint32
}

// route returns the place in cfg.routes of a number.
func (t *translator) route(path *ir.Variable, num int) int32 {
	t.f.routes = append(t.f.routes, route{path, uint32(num)})
	return int32(len(t.f.routes) - 1)
}

func (t *translator) newPath() *ir.Variable {
	return t.f.b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "")
}

// pathOf returns the path of an irreducible cycle.
func (t *translator) pathOf(cycle int32) *ir.Variable {
	r := &t.f.plan.paths[cycle]
	if r.path == nil {
		r.path = t.newPath()
	}
	return r.path
}

// dispatch makes the loop ct that picks among some blocks, -1 for one that no branch leads to.
// leaf makes the nodes from the i-th on.
func (t *translator) dispatch(ct *construct, path *ir.Variable, blocks []int32, leaf func(i int) []node) node {
	p := t.f.plan
	old := make([]target, len(blocks))
	for i, b := range blocks {
		if b >= 0 {
			old[i] = t.mark(b, target{ct: ct, kind: exContinue, route: t.route(path, i)})
		}
	}
	p.open++
	n := node{kind: nLoop, block: -1, ct: ct, a: t.pick(path, 0, len(blocks), leaf)}
	p.open--
	for i, b := range blocks {
		if b >= 0 {
			t.mark(b, old[i])
		}
	}
	return n
}

// pick makes the branches that choose by a path's number in [lo, hi).
func (t *translator) pick(path *ir.Variable, lo, hi int, leaf func(i int) []node) []node {
	if hi-lo == 1 {
		return leaf(lo)
	}
	mid := (lo + hi) / 2
	n := node{kind: nPick, block: t.route(path, mid)}
	n.a, n.b = t.pick(path, lo, mid, leaf), t.pick(path, mid, hi, leaf)
	return []node{n}
}

// dispatchAfter adds a unit and what is placed after it, too much for a group around each, as a loop that picks among them.
func (t *translator) dispatchAfter(out []node, u unit, after []int32) []node {
	p := t.f.plan
	blocks := p.appendHeads([]int32{-1}, after) // the loop of an irreducible cycle among them is this one
	slices.SortFunc(blocks[1:], p.compare)
	path := t.newPath()
	out = append(out, node{kind: nRoute, block: t.route(path, 0)})
	return append(out, t.dispatch(&construct{kind: ctLoop}, path, blocks, func(i int) []node {
		if i > 0 {
			return t.weave(nil, p.head(blocks[i]))
		}
		list, next := t.core(nil, u, &construct{kind: ctLoop})
		if next >= 0 {
			list = t.weave(list, p.unitOf(next))
		}
		return list
	}))
}

// flat adds a unit and all that is placed with it or after it as a loop that picks among single blocks.
func (t *translator) flat(out []node, u unit) []node {
	p := t.f.plan
	blocks := []int32{u.block}
	path := t.newPath()
	if l := u.cycle; l >= 0 && len(p.list[l].heads) > 1 {
		blocks, path = slices.Clone(p.list[l].heads), t.pathOf(l)
	} else {
		out = append(out, node{kind: nRoute, block: t.route(path, 0)})
	}
	heads := len(blocks)
	if u.cycle >= 0 {
		blocks = p.appendHeads(blocks, p.list[u.cycle].after)
	}
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		blocks = p.appendHeads(blocks, p.kids[b])
		if l := p.natural[b]; l >= 0 && (i > 0 || heads > 1) {
			blocks = p.appendHeads(blocks, p.list[l].after)
		}
	}
	slices.SortFunc(blocks[heads:], p.compare)
	return append(out, t.dispatch(&construct{kind: ctLoop}, path, blocks, func(i int) []node {
		list, _ := t.core(nil, unit{blocks[i], -1}, nil)
		return list
	}))
}

// appendHeads adds the heads of what is placed at some blocks, and of what is placed after
// irreducible cycles among them.
func (p *plan) appendHeads(out, list []int32) []int32 {
	for _, b := range list {
		out = append(out, p.heads(b)...)
		if l := p.irreducible[b]; l >= 0 {
			out = p.appendHeads(out, p.list[l].after)
		}
	}
	return out
}

// compare orders blocks in reverse post-order: what dominates comes first.
func (p *plan) compare(a, b int32) int { return cmp.Compare(p.order[a], p.order[b]) }

// emitRoute stores a path's number.
func (t *translator) emitRoute(n *node) {
	r := &t.f.routes[n.block]
	t.f.b.StoreVar(r.path, t.f.u32(r.num), 0)
}

// emitPick translates a choice by a path's number.
func (t *translator) emitPick(n *node) {
	b := t.f.b
	r := &t.f.routes[n.block]
	i := b.PushIf(b.Ult(b.LoadVar(r.path), t.f.u32(r.num)))
	t.emit(n.a)
	b.PushElse(i)
	t.emit(n.b)
	b.PopIf(i)
}
