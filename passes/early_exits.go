package passes

import "nirc/ir"

// earlyExits removes the jumps of one kind that lead to the end of a list: what
// they skip moves into the other side of an if, or under a flag.
type earlyExits struct {
	impl     *ir.Impl
	kind     ir.JumpKind // JumpReturn, or JumpContinue of one loop
	root     *ir.List    // what the jumps skip the rest of
	name     string      // of the flag
	flag     *ir.Variable
	progress bool
}

// repairExits makes values reach the uses that moved away from them.
func repairExits(impl *ir.Impl) {
	if impl.Start().NextBlock() == nil {
		return // a return at the end went, and nothing moved
	}
	// A pointer has no phi: derefs are made again where they are used.
	rematerializeDerefs(impl)
	impl.Require(ir.MetaDominance)
	repairSSA(impl)
}

// taken returns the flag that says whether one of the jumps was taken, made and
// cleared at the start of the list when first needed.
func (e *earlyExits) taken() *ir.Variable {
	if e.flag == nil {
		e.flag = e.impl.NewLocal(ir.BoolType, e.name)
		b := ir.NewBuilder(ir.AfterPhis(e.root.FirstBlock()))
		b.StoreVar(e.flag, b.ImmBool(false), 0)
	}
	return e.flag
}

func (e *earlyExits) setFlag(at ir.Cursor) {
	v := e.taken()
	b := ir.NewBuilder(at)
	b.StoreVar(v, b.ImmBool(true), 0)
}

func (e *earlyExits) loadFlag(at ir.Cursor) (*ir.Builder, *ir.Def) {
	b := ir.NewBuilder(at)
	return b, b.LoadVar(e.taken())
}

// list lowers the jumps in l, which stands inside of loops loops, and reports
// whether there was one, so that what follows l's owner must be guarded. It
// goes backwards: what is moved or guarded is done, and never looked at again.
func (e *earlyExits) list(l *ir.List, loops int) (may bool) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		if x, ok := n.(*ir.Block); ok && x.Jump() != nil && ir.Next(x) != nil {
			dropRest(x)
			e.progress = true
		}
	}
	for n := ir.Node(l.LastBlock()); n != nil; n = ir.Prev(n) {
		switch x := n.(type) {
		case *ir.Block:
			may = e.block(x, loops) || may
		case *ir.If:
			may = e.ifNode(x, loops) || may
		case *ir.Loop:
			may = e.loop(x, loops) || may
		}
	}
	return may
}

// block lowers a jump at the end of a block, which is the last of its list.
func (e *earlyExits) block(x *ir.Block, loops int) bool {
	j := x.Jump()
	if j == nil || j.Jump != e.kind {
		return false
	}
	e.progress = true
	j.Remove()
	if ir.ParentList(x) != e.root {
		e.setFlag(ir.AtEnd(x))
	}
	if loops > 0 {
		x.InsertJump(ir.JumpBreak)
	}
	return true
}

// loop lowers the returns in a loop, which break out of it. An inner loop's
// continues are its own.
func (e *earlyExits) loop(x *ir.Loop, loops int) bool {
	if e.kind == ir.JumpContinue || !e.list(&x.Body, loops+1) {
		return false
	}
	if loops == 0 {
		e.guardRest(x.After())
		return true
	}
	b, flag := e.loadFlag(ir.AfterPhis(x.After()))
	b.PushIf(flag).Then.FirstBlock().InsertJump(ir.JumpBreak)
	return true
}

// ifNode lowers the jumps in both sides of an if. Outside of loops it also
// guards what follows.
func (e *earlyExits) ifNode(x *ir.If, loops int) bool {
	thenEnds, elseEnds := e.ends(&x.Then), e.ends(&x.Else)
	a := e.list(&x.Then, loops)
	b := e.list(&x.Else, loops)
	if !a && !b {
		return false
	}
	if loops > 0 {
		return true
	}
	switch {
	case thenEnds && !b && x.Else.LastBlock().Jump() == nil:
		moveRest(x.After(), &x.Else)
	case elseEnds && !a && x.Then.LastBlock().Jump() == nil:
		moveRest(x.After(), &x.Then)
	default:
		e.guardRest(x.After())
	}
	return true
}

// ends reports whether a list's last block jumps: then no path leads through
// its end.
func (e *earlyExits) ends(l *ir.List) bool {
	j := l.LastBlock().Jump()
	return j != nil && j.Jump == e.kind
}

// restEmpty reports whether nothing stands from b to the end of its list.
func restEmpty(b *ir.Block) bool { return ir.Next(b) == nil && ir.AfterPhis(b).At == nil }

// moveRest moves what follows from b on to the end of side, the only way to
// get there.
func moveRest(b *ir.Block, side *ir.List) {
	replacePhis(b, side.LastBlock())
	if restEmpty(b) {
		return
	}
	rest := ir.Extract(ir.AtStart(b), ir.AtEnd(ir.ParentList(b).LastBlock()))
	ir.Reinsert(rest, ir.AtEnd(side.LastBlock()))
}

// guardRest puts what follows from b on under the flag.
func (e *earlyExits) guardRest(b *ir.Block) {
	if restEmpty(b) {
		return
	}
	rest := ir.Extract(ir.AfterPhis(b), ir.AtEnd(ir.ParentList(b).LastBlock()))
	bld, flag := e.loadFlag(ir.AfterPhis(b))
	i := bld.PushIf(flag)
	ir.Reinsert(rest, ir.AtEnd(i.Else.LastBlock()))
}
