package ir

import "iter"

// Node is a node of the structured control flow tree: a *Block, *If or *Loop.
type Node interface {
	cf() *cfNode
}

// cfNode is what all nodes have: their place in a list.
type cfNode struct {
	list       *List
	prev, next Node
}

func (n *cfNode) cf() *cfNode { return n }

// List is a list of nodes: a function's body, a side of an if, the body or
// the continue list of a loop. It starts and ends with a block, and blocks
// alternate with ifs and loops.
type List struct {
	head, tail Node
	owner      Node // *If, *Loop, or nil of a function's body
	impl       *Impl
}

// First returns the first node, always a *Block.
func (l *List) First() Node { return l.head }

// Last returns the last node, always a *Block.
func (l *List) Last() Node { return l.tail }

// Owner returns the *If or *Loop that the list belongs to, nil of a body.
func (l *List) Owner() Node { return l.owner }

// Empty reports whether the list has no node (a loop without continue list).
func (l *List) Empty() bool { return l.head == nil }

// FirstBlock and LastBlock return the ends of a non-empty list.
func (l *List) FirstBlock() *Block { return l.head.(*Block) }

// LastBlock returns the last block of a non-empty list.
func (l *List) LastBlock() *Block { return l.tail.(*Block) }

// Nodes walks the list; the body may remove the current node.
func (l *List) Nodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for n := l.head; n != nil; {
			next := n.cf().next
			if !yield(n) {
				return
			}
			n = next
		}
	}
}

// Next returns the node after n in its list, or nil.
func Next(n Node) Node { return n.cf().next }

// Prev returns the node before n in its list, or nil.
func Prev(n Node) Node { return n.cf().prev }

// ParentList returns the list that n is in.
func ParentList(n Node) *List { return n.cf().list }

// Parent returns the *If or *Loop around n, nil at the top of a function.
func Parent(n Node) Node { return n.cf().list.owner }

func (l *List) append(n Node) { l.insertAfter(n, l.tail) }

// insertAfter puts n after at (nil: first).
func (l *List) insertAfter(n, at Node) {
	c := n.cf()
	c.list, c.prev = l, at
	if at == nil {
		c.next = l.head
		l.head = n
	} else {
		c.next = at.cf().next
		at.cf().next = n
	}
	if c.next != nil {
		c.next.cf().prev = n
	} else {
		l.tail = n
	}
}

func (l *List) remove(n Node) {
	c := n.cf()
	if c.prev != nil {
		c.prev.cf().next = c.next
	} else {
		l.head = c.next
	}
	if c.next != nil {
		c.next.cf().prev = c.prev
	} else {
		l.tail = c.prev
	}
	c.list, c.prev, c.next = nil, nil, nil
}

// Block is a basic block: instructions without a jump but at the end.
type Block struct {
	cfNode
	impl        *Impl
	first, last *Instr
	// Succ are the successors, filled from 0; an if's then side is Succ[0].
	Succ [2]*Block
	// Preds are the predecessors in no particular order, without duplicates.
	Preds []*Block
	// Index is the dense block number in source order while MetaBlockIndex is
	// valid; the end block is last.
	Index uint32
	// StartIP and EndIP enclose the block's instruction numbers while
	// MetaInstrIndex is valid.
	StartIP, EndIP uint32
	// Divergent is written by the divergence analysis: lanes may be here at
	// different times.
	Divergent bool

	idom            *Block
	domPre, domPost uint32
	domChildren     []*Block
	domFrontier     []*Block
}

// If is a two-way branch on Cond.
type If struct {
	cfNode
	Cond    Src
	Then    List
	Else    List
	Control IfControl
}

// IfControl is the source's hint about an if.
type IfControl uint8

// If hints.
const (
	IfNone IfControl = iota
	IfFlatten
	IfDontFlatten
	IfDivergentAlwaysTaken
)

// Loop repeats Body until a break. Continue, if not empty, runs between two
// iterations: at the end of the body and at each continue.
type Loop struct {
	cfNode
	Body     List
	Continue List
	Control  LoopControl
	// PartiallyUnrolled, DivergentContinue and DivergentBreak are set by analyses.
	PartiallyUnrolled bool
	DivergentContinue bool
	DivergentBreak    bool
}

// LoopControl is the source's hint about a loop.
type LoopControl uint8

// Loop hints.
const (
	LoopNone LoopControl = iota
	LoopUnroll
	LoopDontUnroll
)

func (s *Shader) newBlock(impl *Impl) *Block {
	b := s.blocks.New()
	b.impl = impl
	b.Preds = s.preds.Slice(2)[:0]
	return b
}

// Impl returns the function body that the block belongs to.
func (b *Block) Impl() *Impl { return b.impl }

// First returns the block's first instruction, or nil.
func (b *Block) First() *Instr { return b.first }

// Last returns the block's last instruction, or nil.
func (b *Block) Last() *Instr { return b.last }

// Empty reports whether the block has no instruction.
func (b *Block) Empty() bool { return b.first == nil }

// Jump returns the jump that ends the block, or nil.
func (b *Block) Jump() *Instr {
	if b.last != nil && b.last.Kind == KindJump {
		return b.last
	}
	return nil
}

// FollowingIf returns the if after the block, or nil.
func (b *Block) FollowingIf() *If {
	i, _ := b.next.(*If)
	return i
}

// FollowingLoop returns the loop after the block, or nil.
func (b *Block) FollowingLoop() *Loop {
	l, _ := b.next.(*Loop)
	return l
}

// Instrs walks the block; the body may remove the current instruction or
// insert others around it.
func (b *Block) Instrs() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for in := b.first; in != nil; {
			next := in.next
			if !yield(in) {
				return
			}
			in = next
		}
	}
}

// InstrsReverse walks the block backwards; the body may remove the current one.
func (b *Block) InstrsReverse() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for in := b.last; in != nil; {
			prev := in.prev
			if !yield(in) {
				return
			}
			in = prev
		}
	}
}

// Phis walks the phis at the block's start; the body may remove the current one.
func (b *Block) Phis() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for in := b.first; in != nil && in.Kind == KindPhi; {
			next := in.next
			if !yield(in) {
				return
			}
			in = next
		}
	}
}

// NextBlock returns the block after b in source order, nil at the end (the
// end block is not counted).
func (b *Block) NextBlock() *Block {
	if b.list == nil {
		return nil
	}
	if b.next != nil {
		return firstBlock(b.next)
	}
	return blockAfter(b.list)
}

// blockAfter returns the block that follows list l in source order.
func blockAfter(l *List) *Block {
	switch o := l.owner.(type) {
	case *If:
		if l == &o.Then {
			return o.Else.FirstBlock()
		}
		return o.next.(*Block)
	case *Loop:
		if l == &o.Body && !o.Continue.Empty() {
			return o.Continue.FirstBlock()
		}
		return o.next.(*Block)
	}
	return nil
}

func firstBlock(n Node) *Block {
	switch n := n.(type) {
	case *Block:
		return n
	case *If:
		return n.Then.FirstBlock()
	case *Loop:
		return n.Body.FirstBlock()
	}
	return nil
}

// PrevBlock returns the block before b in source order, nil at the start.
func (b *Block) PrevBlock() *Block {
	switch {
	case b.list == nil:
		return nil
	case b.prev != nil:
		return lastBlock(b.prev)
	}
	switch o := b.list.owner.(type) {
	case *If:
		if b.list == &o.Else {
			return o.Then.LastBlock()
		}
		return o.prev.(*Block)
	case *Loop:
		if b.list == &o.Continue {
			return o.Body.LastBlock()
		}
		return o.prev.(*Block)
	}
	return nil
}

func lastBlock(n Node) *Block {
	switch n := n.(type) {
	case *Block:
		return n
	case *If:
		return n.Else.LastBlock()
	case *Loop:
		if !n.Continue.Empty() {
			return n.Continue.LastBlock()
		}
		return n.Body.LastBlock()
	}
	return nil
}

// Blocks walks the function's blocks in source order, the end block not
// counted. The body may edit instructions, and remove what lies after.
func (impl *Impl) Blocks() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for b := impl.Start(); b != nil; b = b.NextBlock() {
			if !yield(b) {
				return
			}
		}
	}
}

// Instrs walks the instructions of all blocks, with the freedoms of Blocks and
// Block.Instrs.
func (impl *Impl) Instrs() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for b := impl.Start(); b != nil; b = b.NextBlock() {
			for in := b.first; in != nil; {
				next := in.next
				if !yield(in) {
					return
				}
				in = next
			}
		}
	}
}

// BlocksReverse walks the blocks in the reverse of source order. The body may edit instructions.
func (impl *Impl) BlocksReverse() iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		for b := impl.Body.LastBlock(); b != nil; b = b.PrevBlock() {
			if !yield(b) {
				return
			}
		}
	}
}

// ListBlocks walks the blocks of a list and all lists inside, in source order.
func ListBlocks(l *List) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		if l.Empty() {
			return
		}
		stop := blockAfter(l)
		for b := l.FirstBlock(); b != nil && b != stop; b = b.NextBlock() {
			if !yield(b) {
				return
			}
		}
	}
}

// EnclosingLoop returns the innermost loop around n, or nil. A node in a
// loop's continue list is in the loop.
func EnclosingLoop(n Node) *Loop {
	for l := ParentList(n); l != nil && l.owner != nil; l = l.owner.cf().list {
		if loop, ok := l.owner.(*Loop); ok {
			return loop
		}
	}
	return nil
}

// ContinueTarget is the block that continue leads to.
func (l *Loop) ContinueTarget() *Block {
	if !l.Continue.Empty() {
		return l.Continue.FirstBlock()
	}
	return l.Body.FirstBlock()
}

// After is the block after the loop, the target of break.
func (l *Loop) After() *Block { return l.next.(*Block) }

// After is the block where the sides of the if join.
func (i *If) After() *Block { return i.next.(*Block) }

// HasPred reports whether p is a predecessor of b.
func (b *Block) HasPred(p *Block) bool {
	for _, q := range b.Preds {
		if q == p {
			return true
		}
	}
	return false
}
