package midgard

import (
	"slices"

	"nirc/internal/parcopy"
	"nirc/ir"
)

// list selects a list of the control flow tree into the current block and new
// ones after it.
func (s *isel) list(l *ir.List) {
	for n := l.First(); n != nil && s.err == nil; n = ir.Next(n) {
		switch n := n.(type) {
		case *ir.Block:
			s.blocks[n.Index] = s.blk
			if !n.Reachable() {
				continue
			}
			s.block(n)
			s.jump(n)
			s.blocks[n.Index] = s.blk
		case *ir.If:
			s.ifNode(n)
		case *ir.Loop:
			s.loopNode(n)
		}
	}
}

// loop is an open loop: where it begins, and the branches that leave it.
type loop struct {
	head   int
	breaks []breakOut
	outer  *loop
}

type breakOut struct {
	from int
	in   *inst
}

func (s *isel) depth() int { return s.f.blocks[s.blk].depth }

// branch ends the current block with a jump to a block that may not be known yet.
func (s *isel) branch() *inst { return s.add(inst{kind: kindBranch, dst: regNone}) }

// jump ends a block that breaks, continues or halts.
func (s *isel) jump(b *ir.Block) {
	j := b.Jump()
	if j == nil {
		return
	}
	s.loc = j.Loc
	l := s.loopOf
	switch j.Jump {
	case ir.JumpBreak, ir.JumpContinue:
		if l == nil {
			s.broken(j, "a jump out of no loop")
			return
		}
		in := s.branch()
		if j.Jump == ir.JumpBreak {
			l.breaks = append(l.breaks, breakOut{s.blk, in})
			return
		}
		in.target = l.head
		s.edge(s.blk, l.head)
	case ir.JumpHalt, ir.JumpReturn:
		// After a discard nothing runs; else the outputs leave as they are.
		s.ends = append(s.ends, breakOut{s.blk, s.branch()})
	}
}

func (s *isel) ifNode(n *ir.If) {
	head := s.blk
	if !ir.Prev(n).(*ir.Block).Reachable() {
		s.list(&n.Then)
		s.list(&n.Else)
		return
	}
	s.loc = n.Cond.Def.Instr.Loc
	cond, inv := s.comp(n.Cond.Def, 0), true
	if not := n.Cond.Def.Instr; not.Kind == ir.KindALU && not.Op == ir.OpInot && not.Srcs[0].Def.BitSize == n.Cond.Def.BitSize {
		// The branch looks for the opposite.
		cond, inv = s.comp(not.Srcs[0].Def, not.Srcs[0].Swizzle.Lane(0)), false
	}
	br := s.branch()
	br.hasCond, br.inv, br.cond = true, inv, s.condition(cond)
	depth := s.depth()
	then := s.newBlock(depth)
	s.edge(head, then)
	s.list(&n.Then)
	thenEnd := s.blk
	falls := n.Then.LastBlock().Reachable() && n.Then.LastBlock().Jump() == nil
	els := s.newBlock(depth)
	br.target = els
	s.edge(head, els)
	s.list(&n.Else)
	elseEnd := s.blk
	elseFalls := n.Else.LastBlock().Reachable() && n.Else.LastBlock().Jump() == nil
	var skip *inst
	if falls {
		s.blk, s.loc = thenEnd, 0
		skip = s.branch()
	}
	after := s.newBlock(depth)
	if falls {
		skip.target = after
		s.edge(thenEnd, after)
	}
	if elseFalls {
		s.edge(elseEnd, after)
	}
}

func (s *isel) loopNode(n *ir.Loop) {
	s.f.loops++
	before := s.blk
	depth := s.depth()
	reachable := ir.Prev(n).(*ir.Block).Reachable()
	l := &loop{head: s.newBlock(depth + 1), outer: s.loopOf}
	if reachable {
		s.edge(before, l.head)
	}
	s.loopOf = l
	s.list(&n.Body)
	s.loopOf = l.outer
	if last := n.Body.LastBlock(); last.Reachable() && last.Jump() == nil {
		s.loc = 0
		in := s.branch()
		in.target = l.head
		s.edge(s.blk, l.head)
	}
	after := s.newBlock(depth)
	for _, b := range l.breaks {
		b.in.target = after
		s.edge(b.from, after)
	}
}

// fillPhis copies the sources of phis to their registers at the ends of the
// predecessors.
func (s *isel) fillPhis() {
	s.loc = 0
	for i := 0; i < len(s.phis); {
		b := s.phis[i].Block
		k := i
		for k < len(s.phis) && s.phis[k].Block == b {
			k++
		}
		for _, p := range b.Preds {
			if p.Reachable() { // else nothing in it was selected
				s.edgeCopies(s.phis[i:k], p)
			}
		}
		i = k
	}
}

// edgeCopies does the copies of one edge: at once, as it were.
func (s *isel) edgeCopies(phis []*ir.Instr, pred *ir.Block) {
	s.blk = s.blocks[pred.Index]
	b := &s.f.blocks[s.blk]
	var tail []*inst
	if k := len(b.list) - 1; k >= 0 && b.list[k].kind == kindBranch {
		tail = []*inst{b.list[k]}
		b.list = b.list[:k]
	}
	var copies edgeWriter
	for _, phi := range phis {
		q := phi.PhiSrc(pred)
		if q == nil {
			s.broken(phi, "a phi has no source for one of its predecessors")
			return
		}
		if q.Def.IsUndef() {
			q = nil
		}
		r := s.vals[phi.Def.Index].reg
		n := int(s.f.node(r).size)
		o := constant(0)
		if q != nil {
			o, _ = s.allWords(q.Def)
		}
		same := o.reg == r
		for c := range n {
			same = same && o.swz[c] == uint8(c)
		}
		if !same {
			copies.list = append(copies.list, edgeCopy{r, fullMask(n), o})
		}
	}
	copies.s = s
	for _, m := range slices.Backward(copies.list) { // the last that is ready goes first
		src := int32(parcopy.Nowhere)
		if m.src.reg.virtual() {
			src = int32(m.src.reg - firstVirtual)
		}
		s.copies.Add(int32(m.dst-firstVirtual), src, 1)
	}
	s.copies.Flush(&copies)
	b = &s.f.blocks[s.blk]
	b.list = append(b.list, tail...)
}

// edgeCopy is the copy of a phi's source to its register.
type edgeCopy struct {
	dst  reg
	mask uint8
	src  source
}

// edgeWriter writes the copies of an edge out, which are in the list from the last on.
type edgeWriter struct {
	s    *isel
	list []edgeCopy
}

// Move copies a source, from another register if that was saved there.
func (w *edgeWriter) Move(i int, _, src int32, _ uint8) {
	m := &w.list[len(w.list)-1-i]
	if src != parcopy.Nowhere {
		m.src.reg = firstVirtual + reg(src)
	}
	w.s.move(m.dst, m.mask, m.src)
}

// Break saves a register that would be read too late in another.
func (w *edgeWriter) Break(dst, _ int32, _ uint8) (beside int32, exchanged bool) {
	r := firstVirtual + reg(dst)
	n := int(w.s.f.node(r).size)
	t := w.s.f.newNode(n)
	w.s.move(t, fullMask(n), source{reg: r, swz: identity})
	return int32(t - firstVirtual), false
}
