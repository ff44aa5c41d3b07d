package passes

import "nirc/ir"

// peelFirstIf takes an if at the head of a loop apart whose condition is a phi
// of one constant at first and of the other one in all further iterations: the
// side of the first goes before the loop, the other to the end of its body.
func peelFirstIf(l *ir.Loop) bool {
	x, first := firstIf(l)
	if x == nil {
		return false
	}
	head, join := l.Body.FirstBlock(), x.After()
	impl := head.Impl()
	entry, again := &x.Else, &x.Then
	if first {
		entry, again = again, entry
	}
	pre, back := ir.Prev(l).(*ir.Block), l.Body.LastBlock()
	init := carriedBy(head, func(p *ir.Block) bool { return p == pre })
	next := carriedBy(head, func(p *ir.Block) bool { return p == back })
	entryEnd, againEnd := entry.LastBlock(), again.LastBlock()
	fromEntry := carriedBy(join, func(p *ir.Block) bool { return p == entryEnd })
	fromAgain := carriedBy(join, func(p *ir.Block) bool { return p == againEnd })

	code := ir.Extract(ir.AtStart(entry.FirstBlock()), ir.AtEnd(entryEnd))
	rest := ir.Extract(ir.AtStart(again.FirstBlock()), ir.AtEnd(againEnd))
	a := cloneWith(impl, code, init, ir.AtEnd(pre))
	b := cloneWith(impl, rest, next, ir.AtEnd(l.Body.LastBlock()))
	pre, back = ir.Prev(l).(*ir.Block), l.Body.LastBlock()
	for i := range fromEntry {
		old := fromEntry[i].phi
		phi := impl.Shader.NewPhi(old.NumComponents, old.BitSize)
		phi.Loc = old.Instr.Loc
		ir.AtStart(head).Insert(phi)
		impl.Shader.AddPhiSrc(phi, pre, a.Def(fromEntry[i].from))
		impl.Shader.AddPhiSrc(phi, back, b.Def(fromAgain[i].from))
		old.RewriteUses(&phi.Def)
		for k := range old.Instr.Srcs {
			old.Instr.Srcs[k].Set(nil)
		}
		old.Instr.Remove()
	}
	code.Delete()
	rest.Delete()
	ir.RemoveNode(x)
	return true
}

// cloneWith copies a list to a place where phis have the values they take over.
func cloneWith(impl *ir.Impl, code *ir.List, phis []carried, at ir.Cursor) *ir.Cloner {
	c := ir.NewCloner(impl, impl)
	for _, p := range phis {
		c.Map(p.phi, p.from)
	}
	c.List(code, at)
	c.Finish()
	return c
}

// firstIf finds the if that peelFirstIf takes apart, and whether its then side is the first.
func firstIf(l *ir.Loop) (x *ir.If, first bool) {
	head, back, pre := l.Body.FirstBlock(), l.Body.LastBlock(), ir.Prev(l).(*ir.Block)
	x, ok := ir.Next(head).(*ir.If)
	if !ok || !l.Continue.Empty() || len(head.Preds) != 2 || !head.HasPred(pre) || !head.HasPred(back) || back.Jump() != nil || ir.AfterPhis(head).At != nil {
		return nil, false
	}
	phi := x.Cond.Def.Instr
	if phi.Kind != ir.KindPhi || phi.Block != head {
		return nil, false
	}
	v, ok := phi.PhiSrc(pre).Def.Const(0)
	w, ok2 := phi.PhiSrc(back).Def.Const(0)
	if !ok || !ok2 || (v == 0) == (w == 0) || jumps(&x.Then) || jumps(&x.Else) || onlyEmptyBlock(&x.Then) && onlyEmptyBlock(&x.Else) {
		return nil, false
	}
	return x, v != 0
}

// jumps reports whether a jump stands in a list.
func jumps(l *ir.List) bool {
	for b := range ir.ListBlocks(l) {
		if b.Jump() != nil {
			return true
		}
	}
	return false
}
