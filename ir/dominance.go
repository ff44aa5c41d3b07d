package ir

// domTree is the working memory of the dominance computation.
type domTree struct {
	rpo   []*Block // reverse post order
	order []int32  // by block index: position in rpo, -1 unreachable
	stack []domFrame
	kids  []*Block // the lists domChildren, one after the other
}

// emptied returns the memory of the computations so far.
func (d *domTree) emptied() domTree {
	clear(d.stack[:cap(d.stack)])
	return domTree{rpo: emptied(d.rpo[:cap(d.rpo)]), order: d.order, stack: d.stack[:0], kids: emptied(d.kids[:cap(d.kids)])}
}

// domFrame is a block of a depth-first walk, and the next of its successors or
// children to go to.
type domFrame struct {
	b *Block
	i int
}

// computeDominance finds immediate dominators by iterating the two-finger
// intersection over reverse post order (Cooper, Harvey, Kennedy: "A Simple,
// Fast Dominance Algorithm"), then numbers the tree and collects frontiers.
func (impl *Impl) computeDominance() {
	impl.reversePostOrder()
	rpo, order := impl.dom.rpo, impl.dom.order
	for b := range impl.Blocks() {
		b.resetDom()
	}
	impl.End.resetDom()
	start := impl.Start()
	start.idom = start
	if !iterateDominance(rpo, order) {
		impl.largeDominance()
	}
	start.idom = nil
	impl.dom.children()
	impl.dom.number(start)
	for _, b := range rpo {
		b.addToFrontiers()
	}
}

// iterateDominance finds immediate dominators, unless that takes more steps than befit the number of blocks.
func iterateDominance(rpo []*Block, order []int32) bool {
	steps := 64 * len(rpo)
	for changed := true; changed; {
		changed = false
		for _, b := range rpo[1:] {
			var d *Block
			for _, p := range b.Preds {
				if p.idom == nil {
					continue
				}
				if d == nil {
					d = p
				} else {
					d = intersect(order, d, p, &steps)
				}
				if steps < 0 {
					return false
				}
			}
			if b.idom != d {
				b.idom = d
				changed = true
			}
		}
	}
	return true
}

func (b *Block) resetDom() {
	b.idom = nil
	b.domChildren = nil
	b.domFrontier = b.domFrontier[:0]
	// An unreachable block is dominated by every block: see Dominates.
	b.domPre, b.domPost = ^uint32(0), 0
}

func intersect(order []int32, a, b *Block, steps *int) *Block {
	n := 0
	for a != b {
		for order[a.Index] > order[b.Index] {
			a = a.idom
			n++
		}
		for order[b.Index] > order[a.Index] {
			b = b.idom
			n++
		}
	}
	*steps -= n
	return a
}

// reversePostOrder fills dom.rpo with the reachable blocks.
func (impl *Impl) reversePostOrder() {
	d := &impl.dom
	d.rpo = d.rpo[:0]
	if cap(d.order) < int(impl.NumBlocks) {
		d.order = make([]int32, impl.NumBlocks, impl.NumBlocks+impl.NumBlocks/2)
	}
	d.order = d.order[:impl.NumBlocks]
	for i := range d.order {
		d.order[i] = -1
	}
	stack := append(d.stack[:0], domFrame{impl.Start(), 0})
	d.order[impl.Start().Index] = 0
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.i < 2 {
			s := f.b.Succ[f.i]
			f.i++
			if s != nil && d.order[s.Index] < 0 {
				d.order[s.Index] = 0
				stack = append(stack, domFrame{s, 0})
			}
			continue
		}
		d.rpo = append(d.rpo, f.b)
		stack = stack[:len(stack)-1]
	}
	d.stack = stack
	for i, j := 0, len(d.rpo)-1; i < j; i, j = i+1, j-1 {
		d.rpo[i], d.rpo[j] = d.rpo[j], d.rpo[i]
	}
	for i, b := range d.rpo {
		d.order[b.Index] = int32(i)
	}
}

// children lists the children of each block, in reverse post order.
func (d *domTree) children() {
	for _, b := range d.rpo {
		if b.idom != nil {
			b.idom.domPost++ // counts them until the tree is numbered
		}
	}
	if cap(d.kids) < len(d.rpo) {
		d.kids = make([]*Block, len(d.rpo), len(d.rpo)+len(d.rpo)/2)
	}
	rest := d.kids[:len(d.rpo)]
	for _, b := range d.rpo {
		n := b.domPost
		b.domChildren, rest = rest[:0:n], rest[n:]
	}
	for _, b := range d.rpo {
		if b.idom != nil {
			b.idom.domChildren = append(b.idom.domChildren, b)
		}
	}
}

// number gives each block of the tree an interval that encloses those
// of the blocks below.
func (d *domTree) number(root *Block) {
	n := uint32(0)
	stack := append(d.stack[:0], domFrame{root, 0})
	root.domPre = n
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.i < len(f.b.domChildren) {
			c := f.b.domChildren[f.i]
			f.i++
			n++
			c.domPre = n
			stack = append(stack, domFrame{c, 0})
			continue
		}
		n++
		f.b.domPost = n
		stack = stack[:len(stack)-1]
	}
	d.stack = stack
}

func (b *Block) addToFrontiers() {
	if len(b.Preds) < 2 {
		return
	}
	for _, p := range b.Preds {
		if p.idom == nil && len(p.Preds) == 0 && p != p.impl.Start() {
			continue // unreachable
		}
		for r := p; r != nil && r != b.idom; r = r.idom {
			if n := len(r.domFrontier); n > 0 && r.domFrontier[n-1] == b {
				break
			}
			r.domFrontier = b.impl.Shader.appendBlock(r.domFrontier, b)
		}
	}
}

// Dominates reports whether every path from the start to b goes through a (a
// dominates itself). Everything dominates an unreachable block. Needs MetaDominance.
func (a *Block) Dominates(b *Block) bool {
	if !b.Reachable() {
		return true
	}
	return a.domPre <= b.domPre && b.domPost <= a.domPost
}

// Reachable reports whether a path leads from the start to b. Needs MetaDominance.
func (b *Block) Reachable() bool { return b.domPre != ^uint32(0) }

// IDom is the immediate dominator, nil of the start and of unreachable blocks.
func (b *Block) IDom() *Block { return b.idom }

// DomChildren are the blocks whose immediate dominator b is, in reverse post order.
func (b *Block) DomChildren() []*Block { return b.domChildren }

// DomFrontier are the blocks that b does not strictly dominate but one of
// whose predecessors it dominates.
func (b *Block) DomFrontier() []*Block { return b.domFrontier }

// DomPreorder is b's number in a preorder walk of the dominator tree.
func (b *Block) DomPreorder() uint32 { return b.domPre }

// CommonDominator returns the lowest block that dominates both (either may be
// nil). Needs MetaDominance.
func CommonDominator(a, b *Block) *Block {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	if !a.Reachable() { // everything dominates it
		return b
	}
	for !a.Dominates(b) {
		a = a.idom
	}
	return a
}

// Dominates reports whether d is available at in: defined in a block that
// dominates in's, or before it in the same block. Needs MetaDominance, and
// MetaInstrIndex to be fast; without it the block is walked.
func (d *Def) Dominates(in *Instr) bool {
	if d.Instr.Block == in.Block {
		if in.Block.impl.valid&MetaInstrIndex != 0 {
			return d.Instr.Index < in.Index
		}
		return precedes(d.Instr, in)
	}
	return d.Instr.Block.Dominates(in.Block)
}

// ReversePostOrder returns the reachable blocks, each before its successors
// except for back edges. Needs MetaDominance; the slice is reused by the next computation.
func (impl *Impl) ReversePostOrder() []*Block { return impl.dom.rpo }
