package ir

// Editing the control flow tree. Every function here leaves the tree's rules,
// the edges and the phis right: an edge that goes away takes its phi sources
// along, an edge that appears gives phis an undef source. All of them
// invalidate the function's metadata.

// successors returns what b's successors have to be, by its place in the tree.
func (b *Block) successors() [2]*Block {
	impl := b.impl
	if b == impl.End {
		return [2]*Block{}
	}
	if j := b.Jump(); j != nil {
		loop := EnclosingLoop(b)
		switch {
		case j.Jump == JumpBreak && loop != nil:
			return [2]*Block{loop.After()}
		case j.Jump == JumpContinue && loop != nil:
			return [2]*Block{loop.ContinueTarget()}
		}
		return [2]*Block{impl.End}
	}
	switch n := b.next.(type) {
	case *If:
		return [2]*Block{n.Then.FirstBlock(), n.Else.FirstBlock()}
	case *Loop:
		return [2]*Block{n.Body.FirstBlock()}
	case *Block:
		return [2]*Block{n}
	}
	switch o := b.list.owner.(type) {
	case *If:
		return [2]*Block{o.After()}
	case *Loop:
		if b.list == &o.Body {
			return [2]*Block{o.ContinueTarget()}
		}
		return [2]*Block{o.Body.FirstBlock()}
	}
	return [2]*Block{impl.End}
}

// relink brings b's edges in line with its place in the tree.
func (b *Block) relink() {
	want := b.successors()
	if want == b.Succ {
		return
	}
	b.impl.valid = 0
	for i, s := range b.Succ {
		if s != nil && s != want[0] && s != want[1] {
			b.unlinkSucc(s)
		}
		b.Succ[i] = nil
	}
	for i, s := range want {
		b.Succ[i] = s
		if s != nil && !s.HasPred(b) {
			s.Preds = append(s.Preds, b)
			for phi := range s.Phis() {
				u := b.impl.Shader.NewUndef(phi.Def.NumComponents, phi.Def.BitSize)
				b.impl.Start().insert(u, b.impl.Start().first)
				b.impl.Shader.AddPhiSrc(phi, b, &u.Def)
			}
		}
	}
}

// unlinkSucc removes the edge b -> s.
func (b *Block) unlinkSucc(s *Block) {
	for i, p := range s.Preds {
		if p == b {
			s.Preds = append(s.Preds[:i], s.Preds[i+1:]...)
			break
		}
	}
	for phi := range s.Phis() {
		for i, p := range phi.PhiInfo().Preds {
			if p == b {
				phi.RemoveSrc(i)
				break
			}
		}
	}
}

// moveSuccs gives b's outgoing edges to n, in the phis of the successors too.
func (b *Block) moveSuccs(n *Block) {
	for i, s := range b.Succ {
		if s == nil {
			continue
		}
		for k, p := range s.Preds {
			if p == b {
				s.Preds[k] = n
			}
		}
		for phi := range s.Phis() {
			preds := phi.PhiInfo().Preds
			for k, p := range preds {
				if p == b {
					preds[k] = n
				}
			}
		}
		n.Succ[i], b.Succ[i] = s, nil
	}
}

// splitBlock moves the instructions of c.Block from c.At on into a new block
// after it in its list, with the old block's outgoing edges. The two blocks
// stand next to each other without an edge between: the caller puts a node
// in and relinks. The registers of the start block stay declared there.
func splitBlock(c Cursor) (before, after *Block) {
	b := c.Block
	impl := b.impl
	after = impl.Shader.newBlock(impl)
	b.list.insertAfter(after, b)
	if c.At != nil || b.Jump() == nil {
		b.moveSuccs(after) // a jump's edges stay with it
	}
	if c.At != nil {
		after.first, after.last = c.At, b.last
		b.last = c.At.prev
		if b.last != nil {
			b.last.next = nil
		} else {
			b.first = nil
		}
		c.At.prev = nil
		for in := after.first; in != nil; in = in.next {
			in.Block = after
		}
		if b == impl.Start() {
			keepRegs(b, after)
		}
	}
	impl.valid = 0
	return b, after
}

// keepRegs moves the decl_regs of what was split off the start block back to
// its end: they have no sources, and stand there only.
func keepRegs(start, after *Block) {
	for in := range after.Instrs() {
		if in.IsIntrinsic(IntrDeclReg) {
			in.MoveTo(AtEnd(start))
		}
	}
}

// InsertIf splits the block at c and puts an if with empty sides there. Phis
// at the block's start stay before it.
func InsertIf(c Cursor, cond *Def) *If {
	impl := c.Block.impl
	before, after := splitBlock(c)
	s := impl.Shader
	s.contents |= HasIf
	i := s.ifs.New()
	i.Cond.If = i
	i.Cond.Swizzle = IdentitySwizzle
	i.Cond.link(cond)
	for _, l := range []*List{&i.Then, &i.Else} {
		l.owner, l.impl = i, impl
		l.append(s.newBlock(impl))
	}
	before.list.insertAfter(i, before)
	before.relink()
	i.Then.FirstBlock().relink()
	i.Else.FirstBlock().relink()
	after.relink()
	return i
}

// InsertLoop splits the block at c and puts a loop with an empty body there.
// Without a break in it, what follows is unreachable.
func InsertLoop(c Cursor) *Loop {
	impl := c.Block.impl
	before, after := splitBlock(c)
	s := impl.Shader
	s.contents |= HasLoop
	l := s.loops.New()
	l.Body.owner, l.Body.impl = l, impl
	l.Continue.owner, l.Continue.impl = l, impl
	l.Body.append(s.newBlock(impl))
	before.list.insertAfter(l, before)
	before.relink()
	l.Body.FirstBlock().relink()
	after.relink()
	return l
}

// AddContinue gives the loop a continue list of one empty block.
func (l *Loop) AddContinue() *Block {
	if !l.Continue.Empty() {
		return l.Continue.FirstBlock()
	}
	impl := l.Body.impl
	b := impl.Shader.newBlock(impl)
	l.Continue.append(b)
	head := l.Body.FirstBlock()
	// All back edges now meet in b: header phis get one source from there.
	old := append([]*Block(nil), head.Preds...)
	for _, p := range old {
		if p != l.prev.(*Block) {
			p.relink()
		}
	}
	b.relink()
	return b
}

// InsertJump puts a jump at the end of b and drops the instructions that
// stood after where it goes; b must not end in a jump already.
func (b *Block) InsertJump(kind JumpKind) *Instr {
	j := b.impl.Shader.NewJump(kind)
	b.insert(j, nil)
	b.relink()
	b.impl.valid = 0
	return j
}

// Extract takes the nodes and instructions between two cursors of the same
// list out of the tree and returns them as a free list. from and to may
// stand in different blocks of the list; what remains is stitched together.
// Values made inside and used outside are the caller's concern, as are jumps
// inside that now lead nowhere until Reinsert.
func Extract(from, to Cursor) *List {
	impl := from.Block.impl
	l := from.Block.list
	same := from.Block == to.Block
	for to.At != nil && to.At.IsIntrinsic(IntrDeclReg) {
		to.At = to.At.next // it stays where it is
	}
	first, mid := splitBlock(from)
	toBlock := to.Block
	if same {
		toBlock = mid
	}
	_, after := splitBlock(Cursor{Block: toBlock, At: to.At})
	out := &List{impl: impl}
	for n := Node(mid); n != Node(after); {
		next := n.cf().next
		l.remove(n)
		out.append(n)
		n = next
	}
	// The extracted part keeps no edge to the outside but those of its jumps,
	// with the phi sources after them, for Reinsert. Without a jump only the
	// last block leads there.
	if b := out.LastBlock(); b.Jump() == nil {
		for i, s := range b.Succ {
			if s != nil {
				b.unlinkSucc(s)
				b.Succ[i] = nil
			}
		}
	}
	stitch(first, after)
	return out
}

// freeBlocks walks the blocks of a list that is in no tree.
func freeBlocks(l *List) func(func(*Block) bool) {
	return func(yield func(*Block) bool) {
		if l.Empty() {
			return
		}
		for b := l.FirstBlock(); b != nil; b = b.NextBlock() {
			if !yield(b) {
				return
			}
		}
	}
}

// stitch merges two neighbouring blocks a and b of a list into a, which takes
// b's instructions and edges. If a ends in a jump, b's instructions are
// unreachable and deleted.
func stitch(a, b *Block) {
	if a.Jump() != nil {
		deleteInstrs(b)
		for i, s := range b.Succ {
			if s != nil {
				b.unlinkSucc(s)
				b.Succ[i] = nil
			}
		}
		for len(b.Preds) > 0 {
			p := b.Preds[0]
			p.unlinkSucc(b)
			clearSucc(p, b)
		}
		b.list.remove(b)
		a.relink()
		return
	}
	if a.Succ[0] == b && a.Succ[1] == nil {
		a.unlinkSucc(b)
		a.Succ[0] = nil
	}
	// Phis of b are moves now: they have no predecessor but a.
	for phi := range b.Phis() {
		if len(phi.Srcs) > 0 {
			phi.Def.RewriteUses(phi.Srcs[0].Def)
		} else {
			u := a.impl.Shader.NewUndef(phi.Def.NumComponents, phi.Def.BitSize)
			a.impl.Start().insert(u, firstNonPhi(a.impl.Start()))
			phi.Def.RewriteUses(&u.Def)
		}
		phi.Remove()
	}
	for i, s := range a.Succ {
		if s != nil {
			a.unlinkSucc(s)
			a.Succ[i] = nil
		}
	}
	if b.first != nil {
		for in := b.first; in != nil; in = in.next {
			in.Block = a
		}
		if a.last != nil {
			a.last.next, b.first.prev = b.first, a.last
		} else {
			a.first = b.first
		}
		a.last = b.last
		b.first, b.last = nil, nil
	}
	b.moveSuccs(a)
	b.list.remove(b)
	a.relink()
}

func clearSucc(p, s *Block) {
	for i := range p.Succ {
		if p.Succ[i] == s {
			p.Succ[i] = nil
		}
	}
}

func firstNonPhi(b *Block) *Instr {
	in := b.first
	for in != nil && in.Kind == KindPhi {
		in = in.next
	}
	return in
}

// deleteInstrs removes all instructions of b; uses elsewhere become undef.
func deleteInstrs(b *Block) {
	for in := range b.InstrsReverse() {
		if in.HasDef() {
			b.replaceByUndef(&in.Def)
		}
		if in.Kind == KindParallelCopy {
			for i := range in.CopyInfo().Entries {
				b.replaceByUndef(&in.CopyInfo().Entries[i].Dst)
			}
		}
		for i := range in.Srcs {
			in.Srcs[i].unlink()
		}
		in.goes()
		in.unlink()
	}
}

// replaceByUndef makes the uses of d undef, if there are any: what still uses it is not reached.
func (b *Block) replaceByUndef(d *Def) {
	if d.Unused() {
		return
	}
	start := b.impl.Start()
	d.RewriteUses(b.impl.standIn(d, start, firstNonPhi(start)))
}

// standIn puts at the start a value for one that goes: undef, and for a deref,
// since what takes derefs takes nothing else, the same deref of undefined indices and pointers.
func (impl *Impl) standIn(d *Def, start *Block, at *Instr) *Def {
	if d.Instr.Kind != KindDeref {
		u := impl.Shader.NewUndef(d.NumComponents, d.BitSize)
		start.insert(u, at)
		return &u.Def
	}
	srcs := make([]*Def, len(d.Instr.Srcs))
	for i := range srcs {
		srcs[i] = impl.standIn(d.Instr.Srcs[i].Def, start, at)
	}
	c := Cloner{Dst: impl}
	n := c.Instr(d.Instr)
	for i := range srcs {
		n.Srcs[i].Set(srcs[i])
	}
	start.insert(n, at)
	return &n.Def
}

// Reinsert puts a free list at c. If the list ends in a jump, what follows in
// c's block is unreachable and deleted.
func Reinsert(l *List, c Cursor) {
	if l.Empty() {
		return
	}
	first, last := l.FirstBlock(), l.LastBlock()
	before, after := splitBlock(c)
	dst := before.list
	at := Node(before)
	impl := before.impl
	for n := l.head; n != nil; {
		next := n.cf().next
		l.remove(n)
		dst.insertAfter(n, at)
		at = n
		n = next
	}
	stop := firstBlock(after)
	for b := first; b != nil && b != stop; b = b.NextBlock() {
		b.impl = impl
	}
	for b := first; b != nil && b != stop; b = b.NextBlock() {
		b.relink()
	}
	if first == last {
		stitch(before, first)
		stitch(before, after)
	} else {
		stitch(before, first)
		stitch(last, after)
	}
	impl.valid = 0
}

// Delete removes a free list's instructions from all use lists. Uses of its
// values elsewhere become undef.
func (l *List) Delete() {
	for b := range freeBlocks(l) {
		for i, s := range b.Succ {
			if s != nil {
				b.unlinkSucc(s)
				b.Succ[i] = nil
			}
		}
	}
	for b := range freeBlocks(l) {
		deleteInstrs(b)
		if i := b.FollowingIf(); i != nil {
			i.Cond.unlink()
		}
	}
	l.head, l.tail = nil, nil
}

// RemoveNode deletes an if or a loop from the tree and joins the blocks around it.
func RemoveNode(n Node) {
	prev, next := n.cf().prev.(*Block), n.cf().next.(*Block)
	Extract(AtEnd(prev), AtStart(next)).Delete()
}

// ReplaceIf puts the nodes of one of i's sides in i's place and deletes the
// other. Phis after i become what comes from that side.
func ReplaceIf(i *If, side *List) {
	pred := side.LastBlock()
	for phi := range i.After().Phis() {
		if s := phi.PhiSrc(pred); s != nil {
			phi.Def.RewriteUses(s.Def)
			phi.Remove()
		}
	}
	body := Extract(AtStart(side.FirstBlock()), AtEnd(pred))
	Reinsert(body, AtEnd(i.prev.(*Block)))
	RemoveNode(i)
}

// DropContinue removes the loop's continue list, which must be one empty
// block: what led to it leads to the head of the body, and phis there get for
// each new edge what came through the list.
func (l *Loop) DropContinue() {
	c := l.Continue.FirstBlock()
	head := l.Body.FirstBlock()
	preds := append([]*Block(nil), c.Preds...)
	var vals []*Def
	for phi := range head.Phis() {
		vals = append(vals, phi.PhiSrc(c).Def)
	}
	for len(c.Preds) > 0 {
		p := c.Preds[0]
		p.unlinkSucc(c)
		clearSucc(p, c)
		if p.Succ[0] == nil {
			p.Succ[0], p.Succ[1] = p.Succ[1], nil
		}
	}
	c.unlinkSucc(head)
	c.Succ = [2]*Block{}
	l.Continue.remove(c)
	for _, p := range preds {
		p.Succ[0] = head
		head.Preds = append(head.Preds, p)
		i := 0
		for phi := range head.Phis() {
			c.impl.Shader.AddPhiSrc(phi, p, vals[i])
			i++
		}
	}
	c.impl.valid = 0
}
