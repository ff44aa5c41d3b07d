package passes

import "nirc/ir"

var lowerReturnsPass = &Pass{
	Name:       "lower_returns",
	Class:      "A",
	Idempotent: true,
	Run:        implPass(ir.MetaNone, lowerReturns),
	Doc:        "Removes return jumps: the rest of the code moves into the side that does not return or under a flag. Halts stay.",
}

// lowerReturns removes return jumps: what follows an if that may return moves
// into its other side or under a flag, and a return in a loop becomes a flag
// and a break.
func lowerReturns(impl *ir.Impl) bool {
	r := &returns{impl: impl}
	r.list(&impl.Body, 0)
	if !r.progress {
		return false
	}
	// A pointer has no phi: derefs are made again where they are used.
	rematerializeDerefs(impl)
	impl.Require(ir.MetaDominance)
	repairSSA(impl)
	return true
}

type returns struct {
	impl     *ir.Impl
	flag     *ir.Variable
	progress bool
}

// returned returns the flag variable, made and cleared at the start when first needed.
func (r *returns) returned() *ir.Variable {
	if r.flag == nil {
		r.flag = r.impl.NewLocal(ir.BoolType, "returned")
		b := ir.NewBuilder(ir.AtStart(r.impl.Start()))
		b.StoreVar(r.flag, b.ImmBool(false), 0)
	}
	return r.flag
}

func (r *returns) setFlag(at ir.Cursor) {
	v := r.returned()
	b := ir.NewBuilder(at)
	b.StoreVar(v, b.ImmBool(true), 0)
}

func (r *returns) loadFlag(at ir.Cursor) (*ir.Builder, *ir.Def) {
	b := ir.NewBuilder(at)
	return b, b.LoadVar(r.returned())
}

// list lowers the returns in l, which stands inside of loops loops, and reports
// whether there was one, so that what follows l's owner must be guarded. It
// goes backwards: what is moved or guarded is done, and never looked at again.
func (r *returns) list(l *ir.List, loops int) (may bool) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		if x, ok := n.(*ir.Block); ok && x.Jump() != nil && ir.Next(x) != nil {
			dropRest(x)
			r.progress = true
		}
	}
	for n := ir.Node(l.LastBlock()); n != nil; n = ir.Prev(n) {
		switch x := n.(type) {
		case *ir.Block:
			may = r.block(x, loops) || may
		case *ir.If:
			may = r.ifNode(x, loops) || may
		case *ir.Loop:
			may = r.loop(x, loops) || may
		}
	}
	return may
}

// block lowers a return at the end of a block, which is the last of its list.
func (r *returns) block(x *ir.Block, loops int) bool {
	j := x.Jump()
	if j == nil || j.Jump != ir.JumpReturn {
		return false
	}
	r.progress = true
	j.Remove()
	if ir.ParentList(x).Owner() != nil {
		r.setFlag(ir.AtEnd(x))
	}
	if loops > 0 {
		x.InsertJump(ir.JumpBreak)
	}
	return true
}

// loop lowers the returns in a loop, which break out of it.
func (r *returns) loop(x *ir.Loop, loops int) bool {
	if !r.list(&x.Body, loops+1) {
		return false
	}
	if loops == 0 {
		r.guardRest(x.After())
		return true
	}
	b, flag := r.loadFlag(ir.AfterPhis(x.After()))
	b.PushIf(flag).Then.FirstBlock().InsertJump(ir.JumpBreak)
	return true
}

// ifNode lowers the returns in both sides of an if. Outside of loops it also
// guards what follows.
func (r *returns) ifNode(x *ir.If, loops int) bool {
	thenEnds, elseEnds := endsInReturn(&x.Then), endsInReturn(&x.Else)
	a := r.list(&x.Then, loops)
	b := r.list(&x.Else, loops)
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
		r.guardRest(x.After())
	}
	return true
}

// endsInReturn reports whether a list's last block returns: then no path leads
// through its end.
func endsInReturn(l *ir.List) bool {
	j := l.LastBlock().Jump()
	return j != nil && j.Jump == ir.JumpReturn
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
func (r *returns) guardRest(b *ir.Block) {
	if restEmpty(b) {
		return
	}
	rest := ir.Extract(ir.AfterPhis(b), ir.AtEnd(ir.ParentList(b).LastBlock()))
	bld, flag := r.loadFlag(ir.AfterPhis(b))
	i := bld.PushIf(flag)
	ir.Reinsert(rest, ir.AtEnd(i.Else.LastBlock()))
}
