package spirv

import "nirc/frontend/spirv/spv"

// Kernels bring control flow without merge instructions, or with some that are only hints, and so
// any graph. It becomes the same tree that structure.go makes of shaders: plan.go says where
// each block goes, cycles.go which loops there are. Here the tree is woven: what comes after a
// block or a loop is where control falls to from a group around it, and a branch to there an exit.
// No block is copied. What would nest too deep becomes a loop that picks blocks by number (dispatch.go).

// flowLimits bound how deep the tree of an unstructured function nests.
type flowLimits struct {
	// open bounds the constructs that are open at one place, and so what an exit passes through.
	open int
	// groups bounds the groups around one thing.
	groups int
	// branches is up to where branches are nested in one another. Deeper, all but the largest
	// side of each end in jumps, and the largest follows.
	branches int
}

var kernelLimits = flowLimits{open: 64, groups: 8, branches: 100}

const ruleEntry = "SPIR-V 2.4: no branch leads to a function's first block"

// unmerged reports whether functions may do without merge instructions.
func (t *translator) unmerged() bool { return t.kernel }

// unstructured builds and resolves the tree of a function whose branches need no merge instructions.
func (t *translator) unstructured() {
	f := t.f
	clear(t.caseOf)
	t.findParents()
	if list := t.parents.of(0); len(list) > 0 {
		t.word = int(t.m.Insts[f.blocks[list[0]].term].Offset)
		t.broken(ruleEntry, f.blocks[0].label, "a branch leads to the function's first block")
	}
	f.routes = append(f.routes[:0], route{})
	f.plan = t.makePlan()
	if f.plan.limits = kernelLimits; t.opts.limits != nil {
		f.plan.limits = *t.opts.limits
	}
	f.tree = t.weave(nil, unit{0, -1})
	t.resolve(f.tree, nil)
}

// weave adds to a list the nodes of a unit and of all that is placed after it.
func (t *translator) weave(out []node, u unit) []node {
	p := t.f.plan
	for {
		after := p.after(u)
		groups := len(after)
		if groups > p.limits.groups {
			groups = 1
		}
		opens := groups
		if u.cycle >= 0 {
			opens++
		}
		switch {
		case opens > 0 && p.open+opens > p.limits.open:
			return t.flat(out, u)
		case len(after) > p.limits.groups:
			return t.dispatchAfter(out, u, after)
		}
		var next int32
		if len(after) > 0 {
			out, next = t.grouped(out, u, after), after[len(after)-1]
		} else {
			out, next = t.core(out, u, &construct{kind: ctLoop})
		}
		if next < 0 {
			return out
		}
		u = p.unitOf(next)
	}
}

// grouped adds the nodes of a unit and of what is placed after it but the last.
func (t *translator) grouped(out []node, u unit, after []int32) []node {
	p := t.f.plan
	cts := make([]*construct, len(after))
	for i, b := range after {
		cts[i] = &construct{}
		if i == 0 && u.cycle >= 0 {
			cts[i].kind = ctLoop
		}
		t.expect(b, cts[i])
	}
	p.open += len(after)
	list, next := t.core(nil, u, cts[0])
	if next >= 0 {
		list = t.weave(list, p.unitOf(next))
	}
	for i, b := range after {
		p.open--
		if cts[i].kind != ctLoop {
			list = []node{{kind: nGroup, ct: cts[i], a: list}}
		}
		for _, h := range p.heads(b) {
			t.mark(h, target{})
		}
		if i < len(after)-1 {
			list = t.weave(list, p.unitOf(b))
		}
	}
	return append(out, list...)
}

// expect marks what is placed at b, after the construct ct.
func (t *translator) expect(b int32, ct *construct) {
	p := t.f.plan
	l := p.irreducible[b]
	if l < 0 {
		t.mark(b, target{ct: ct})
		return
	}
	for i, h := range p.list[l].heads {
		t.mark(h, target{ct: ct, route: t.route(t.pathOf(l), i)})
	}
}

// core adds the nodes of a unit without what is placed after it: of a block and what is placed
// in its branches, or of a loop that is ct. What is placed at next comes next in the same list; -1 if nothing.
func (t *translator) core(out []node, u unit, ct *construct) (list []node, next int32) {
	if u.cycle >= 0 {
		return append(out, t.cycleNode(u, ct)), -1
	}
	f := t.f
	blk := &f.blocks[u.block]
	in := &t.m.Insts[blk.term]
	t.word = int(in.Offset)
	if blk.visited {
		t.bug("a block is placed twice")
	}
	blk.visited = true
	out = append(out, node{kind: nBlock, block: u.block})
	switch in.Op {
	case spv.OpBranch:
		return t.goTo(out, t.blockOf(in.Arg(0)))
	case spv.OpBranchConditional:
		x, y := t.blockOf(in.Arg(1)), t.blockOf(in.Arg(2))
		if x == y {
			return t.goTo(out, x)
		}
		next = t.follower(x, y)
		f.plan.branches++
		n := node{kind: nIf, block: u.block, a: t.side(x, next), b: t.side(y, next)}
		f.plan.branches--
		return append(out, n), next
	case spv.OpSwitch:
		return t.cases(out, u.block)
	}
	return out, -1
}

// goTo adds what a branch to b does: an exit, or b is next.
func (t *translator) goTo(out []node, b int32) (list []node, next int32) {
	if t.f.blocks[b].target.ct == nil {
		return out, b
	}
	return t.exits(out, b), -1
}

// exits adds an exit to b, with what it stores.
func (t *translator) exits(out []node, b int32) []node {
	if r := t.f.blocks[b].target.route; r != 0 {
		out = append(out, node{kind: nRoute, block: r})
	}
	return append(out, t.exitTo(b))
}

// side returns the nodes of a side of a branch, none if it is what follows.
func (t *translator) side(b, follower int32) []node {
	switch {
	case b == follower:
		return nil
	case t.f.blocks[b].target.ct != nil:
		return t.exits(nil, b)
	}
	return t.weave(nil, t.f.plan.unitOf(b))
}

// follower returns which target of a branch follows it in the list instead of being nested, -1 if none: what
// a loop is not left to, and the largest of all where branches are nested deep already.
func (t *translator) follower(targets ...int32) int32 {
	p := t.f.plan
	deep := p.branches >= p.limits.branches
	best := int32(-1)
	for _, b := range targets {
		switch tg := &t.f.blocks[b].target; {
		case tg.ct == nil && (best < 0 || p.size[b] > p.size[best]):
			best = b
		case tg.ct != nil && tg.ct.kind == ctLoop && tg.kind == exMerge && len(targets) == 2:
			deep = true
		}
	}
	if !deep {
		return -1
	}
	return best
}

// cases adds the node of an OpSwitch.
func (t *translator) cases(out []node, b int32) (list []node, next int32) {
	p := t.f.plan
	sw := &switchInfo{}
	t.findCases(sw, &t.m.Insts[t.f.blocks[b].term])
	targets := make([]int32, len(sw.cases))
	for i := range sw.cases {
		targets[i] = sw.cases[i].target
	}
	next = t.follower(targets...)
	p.branches++
	for i, to := range targets {
		c := &sw.cases[i]
		c.ct = &construct{caseNum: int32(i)}
		c.body = []node{{kind: nGroup, ct: c.ct, a: t.side(to, next)}}
	}
	p.branches--
	return append(out, node{kind: nSwitch, block: b, ct: &construct{sw: sw}}), next
}

// cycleNode makes the loop ct of a cycle.
func (t *translator) cycleNode(u unit, ct *construct) node {
	p := t.f.plan
	if l := &p.list[u.cycle]; len(l.heads) > 1 {
		heads := l.heads
		return t.dispatch(ct, t.pathOf(u.cycle), heads, func(i int) []node { return t.weave(nil, p.head(heads[i])) })
	}
	old := t.mark(u.block, target{ct: ct, kind: exContinue})
	p.open++
	n := node{kind: nLoop, block: u.block, ct: ct, a: t.weave(nil, unit{u.block, -1})}
	p.open--
	t.mark(u.block, old)
	return n
}
