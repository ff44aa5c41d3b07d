package spirv

// plan says where each block of a function without merge instructions goes. A block is placed
// with what dominates it directly: in a branch of it, if nothing else leads there, or after it. But what a loop
// is left to is placed after the loop, however deep in the loop its dominator is: the outermost that
// has the dominator and not the block. What is placed after one thing is in reverse
// post-order, and so control never goes from later to earlier: where it does there is a cycle, which goes
// as one. Ramsey, "Beyond Relooper" (ICFP 2022), has the placement by dominators.
type plan struct {
	*cycles
	order []int32 // by block: its place in reverse post-order
	// By block: what it dominates directly and is not placed elsewhere. Of an irreducible cycle only its first head stands there, and in after.
	kids   [][]int32
	inline []bool  // by block: it is placed in the branch that leads to it
	size   []int32 // by block: blocks placed with it

	paths  []route // by cycle: the variable that says by which head control enters
	limits flowLimits
	// What is open at the place under translation: constructs, branches.
	open, branches int
}

// unit is what is placed as one: a block with what is placed with it, or (cycle not -1) the
// cycle that it is the first head of.
type unit struct{ block, cycle int32 }

// unitOf returns the unit that begins at b, a cycle of several heads included.
func (p *plan) unitOf(b int32) unit {
	if l := p.irreducible[b]; l >= 0 {
		return unit{b, l}
	}
	return unit{b, p.natural[b]}
}

// head returns the unit that a head of an irreducible cycle begins in it.
func (p *plan) head(b int32) unit { return unit{b, p.natural[b]} }

// heads returns the blocks by which control enters what is placed at b.
func (p *plan) heads(b int32) []int32 {
	if l := p.irreducible[b]; l >= 0 {
		return p.list[l].heads
	}
	return []int32{b}
}

// after returns the blocks that are placed after a unit.
func (p *plan) after(u unit) []int32 {
	if u.cycle >= 0 {
		return p.list[u.cycle].after
	}
	var list []int32
	for _, k := range p.kids[u.block] {
		if !p.inline[k] {
			list = append(list, k)
		}
	}
	return list
}

// makePlan makes the function's plan.
func (t *translator) makePlan() *plan {
	f := t.f
	t.dominators()
	g := f.graph
	n := len(f.blocks)
	p := &plan{cycles: findCycles(g, f.domKids), order: g.order, kids: make([][]int32, n), inline: make([]bool, n), size: make([]int32, n)}
	p.paths = make([]route, len(p.list))
	for _, b := range g.rpo[1:] {
		if l := p.irreducible[b]; l >= 0 && p.list[l].heads[0] != b {
			continue
		}
		at := p.inner[f.idom[b]]
		if around := p.around(b); at != around {
			l := &p.list[p.below(around, at)]
			l.after = append(l.after, b)
			continue
		}
		d := f.idom[b]
		p.kids[d] = append(p.kids[d], b)
		p.inline[b] = p.irreducible[b] < 0 && p.enteredOnce(g, b)
	}
	for i := len(g.rpo) - 1; i >= 0; i-- {
		b := g.rpo[i]
		p.size[b] = 1 + p.sizes(p.kids[b])
		if l := p.natural[b]; l >= 0 {
			p.size[b] += p.sizes(p.list[l].after)
		}
	}
	return p
}

// around returns the innermost cycle that b is in and no head of.
func (p *plan) around(b int32) int32 {
	l := p.inner[b]
	if l == p.natural[b] {
		l = p.list[l].parent
	}
	if l == p.irreducible[b] {
		l = p.list[l].parent
	}
	return l
}

// enteredOnce reports whether one block leads to b, those of the loop with header b apart.
func (p *plan) enteredOnce(g *graph, b int32) bool {
	n := 0
	for _, from := range g.preds(b) {
		if g.order[from] < g.order[b] {
			n++
		}
	}
	return n == 1
}

// sizes counts the blocks of what is placed at each of a list.
func (p *plan) sizes(list []int32) int32 {
	n := int32(0)
	for _, b := range list {
		for _, h := range p.heads(b) {
			n += p.size[h]
		}
		if l := p.irreducible[b]; l >= 0 {
			n += p.sizes(p.list[l].after)
		}
	}
	return n
}
