package passes

import "nirc/ir"

var optIfPass = &Pass{
	Name: "opt_if", For: ir.HasIf, Class: "B", Run: implPass(ir.MetaControlFlow, optIf), Optional: true,
	Doc: "Simplifies ifs: in their sides the condition is known, and what follows of its operands; empty then sides swap, phis of true and false are the condition, " +
		"equal neighbours and nests become one. Operations on phis of constants become phis of results, selections by such phis phis. " +
		"An if at the head of a loop whose condition is one constant at first and the other one after that is taken apart: the first side goes before the loop, the other one to its end.",
}

func optIf(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	progress = optIfConds(impl)
	progress = splitPhis(impl) || progress
	if optIfList(&impl.Body) {
		impl.Preserve(ir.MetaNone)
		return true
	}
	return progress
}

// optIfConds handles what leaves the tree as it is.
func optIfConds(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		x := b.FollowingIf()
		if x == nil || b.Jump() != nil || !b.Reachable() {
			continue
		}
		if !x.Cond.Def.IsConst() {
			progress = condInSides(impl, x) || progress
		}
		progress = boolPhis(x) || progress
	}
	return progress
}

// boolPhis replaces phi(true, false) after x by the condition and
// phi(false, true) by its opposite.
func boolPhis(x *ir.If) (progress bool) {
	then, els := x.Then.LastBlock(), x.Else.LastBlock()
	for phi := range x.After().Phis() {
		if phi.Def.BitSize != x.Cond.Def.BitSize || phi.Def.NumComponents != 1 || len(phi.Srcs) != 2 {
			continue
		}
		a, b := phi.PhiSrc(then), phi.PhiSrc(els)
		if a == nil || b == nil {
			continue
		}
		va, ok := firstConst(a.Def)
		vb, ok2 := firstConst(b.Def)
		// Of conditions of 32 bits true is all ones, and 1 is a number.
		yes := uint64(1)<<phi.Def.BitSize - 1
		if !ok || !ok2 || va != yes && va != 0 || vb != yes&^va {
			continue
		}
		by := x.Cond.Def
		if va == 0 {
			bld := ir.NewBuilder(ir.AfterPhis(phi.Block))
			bld.Shader.SetLoc(choiceLoc(phi, x))
			by = bld.Inot(by)
		}
		phi.Def.RewriteUses(by)
		phi.Remove()
		progress = true
	}
	return progress
}

func optIfList(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.If:
			progress = optIfList(&x.Then) || progress
			progress = optIfList(&x.Else) || progress
			for mergeNext(x) {
				progress = true
			}
			progress = mergeNested(x) || progress
			progress = swapEmptyThen(x) || progress
		case *ir.Loop:
			progress = optIfList(&x.Body) || progress
			progress = peelFirstIf(x) || progress
			if !x.Continue.Empty() {
				progress = optIfList(&x.Continue) || progress
			}
		}
	}
	return progress
}

// onlyEmptyBlock reports whether a list is one block without instructions.
func onlyEmptyBlock(l *ir.List) bool { return ir.Next(l.First()) == nil && l.FirstBlock().Empty() }

// swapEmptyThen turns if c {} else {A} into if !c {A} else {}.
func swapEmptyThen(x *ir.If) bool {
	prev := ir.Prev(x).(*ir.Block)
	if !onlyEmptyBlock(&x.Then) || onlyEmptyBlock(&x.Else) || prev.Jump() != nil {
		return false
	}
	after := x.After()
	var phis []savedPhi
	oldThen, oldElse := x.Then.LastBlock(), x.Else.LastBlock()
	for phi := range after.Phis() {
		phis = append(phis, savePhi(phi))
	}
	code := ir.Extract(ir.AtStart(x.Else.FirstBlock()), ir.AtEnd(oldElse))
	ir.Reinsert(code, ir.AtStart(x.Then.FirstBlock()))
	b := ir.NewBuilder(ir.AtEnd(prev))
	b.Shader.SetLoc(x.Cond.Def.Instr.Loc)
	x.Cond.Set(b.Inot(x.Cond.Def))
	for i := range phis {
		p := &phis[i]
		setPhiSrcs(p.phi, func(b *ir.Block) *ir.Def {
			switch b {
			case x.Then.LastBlock():
				return p.from(oldElse)
			case x.Else.LastBlock():
				return p.from(oldThen)
			}
			return p.from(b)
		})
	}
	return true
}

// mergeNested turns if a { if b {X} } into if a && b {X}, where masks have the
// same size.
func mergeNested(x *ir.If) bool {
	prev := ir.Prev(x).(*ir.Block)
	first := x.Then.FirstBlock()
	in, ok := ir.Next(first).(*ir.If)
	if !ok || x.Cond.Def.BitSize != in.Cond.Def.BitSize || prev.Jump() != nil || !first.Empty() || !onlyEmptyBlock(&x.Else) || !onlyEmptyBlock(&in.Else) {
		return false
	}
	if !in.After().Empty() || ir.Next(in.After()) != nil || x.After().First() != nil && x.After().First().Kind == ir.KindPhi {
		return false
	}
	b := ir.NewBuilder(ir.AtEnd(prev))
	x.Cond.Set(b.Iand(x.Cond.Def, in.Cond.Def))
	ir.ReplaceIf(in, &in.Then)
	return true
}

// mergeNext merges the if after x, if it has the same condition and nothing
// stands between, into x.
func mergeNext(x *ir.If) bool {
	mid := x.After()
	y, ok := ir.Next(mid).(*ir.If)
	if !ok || y.Cond.Def != x.Cond.Def || ir.AfterPhis(mid).At != nil {
		return false
	}
	a, b := x.Then.LastBlock(), x.Else.LastBlock()
	if a.Jump() != nil || b.Jump() != nil || ir.Prev(x).(*ir.Block).Jump() != nil {
		return false
	}
	if jumps(&y.Then) || jumps(&y.Else) {
		// What a jump leads to is not reached by way of the phis' new place.
		for phi := range mid.Phis() {
			for u := range phi.Def.Uses() {
				if !inList(ir.Node(useBlock(u)), ir.ParentList(x)) {
					return false
				}
			}
		}
	}
	// Inside of y's sides a phi between is what its side of x gave.
	for phi := range mid.Phis() {
		for u := range phi.Def.Uses() {
			n := ir.Node(useBlock(u))
			if side := sideOf(n, y); side == &y.Then {
				u.Set(phi.PhiSrc(a).Def)
			} else if side == &y.Else {
				u.Set(phi.PhiSrc(b).Def)
			}
		}
	}
	var mids, afters []savedPhi
	for phi := range mid.Phis() {
		mids = append(mids, savePhi(phi))
	}
	for phi := range y.After().Phis() {
		afters = append(afters, savePhi(phi))
	}
	yThen, yElse := y.Then.LastBlock(), y.Else.LastBlock()
	thenCode := ir.Extract(ir.AtStart(y.Then.FirstBlock()), ir.AtEnd(yThen))
	elseCode := ir.Extract(ir.AtStart(y.Else.FirstBlock()), ir.AtEnd(yElse))
	// Phis wait in the block before x while the tree changes.
	park := ir.Prev(x).(*ir.Block)
	for _, p := range append(mids, afters...) {
		for len(p.phi.Srcs) > 0 {
			p.phi.RemoveSrc(len(p.phi.Srcs) - 1)
		}
		p.phi.MoveTo(ir.AtEnd(park))
	}
	ir.RemoveNode(y)
	ir.Reinsert(thenCode, ir.AtEnd(a))
	ir.Reinsert(elseCode, ir.AtEnd(b))
	mergedPhis(x, mids, a, b)
	mergedPhis(x, afters, yThen, yElse)
	return true
}

// inList reports whether n stands in a list, or in a node of it.
func inList(n ir.Node, l *ir.List) bool {
	for ; n != nil; n = parentNode(n) {
		if ir.ParentList(n) == l {
			return true
		}
	}
	return false
}

// mergedPhis puts parked phis after x, with the sources they had from the
// old ends of the two sides.
func mergedPhis(x *ir.If, phis []savedPhi, then, els *ir.Block) {
	for i := range phis {
		p := &phis[i]
		p.phi.MoveTo(ir.AtStart(x.After()))
		setPhiSrcs(p.phi, func(b *ir.Block) *ir.Def {
			switch b {
			case x.Then.LastBlock():
				return p.from(then)
			case x.Else.LastBlock():
				return p.from(els)
			}
			return nil
		})
	}
}

// sideOf returns the side of x that n stands in, or nil.
func sideOf(n ir.Node, x *ir.If) *ir.List {
	for n != nil {
		l := ir.ParentList(n)
		if l == &x.Then || l == &x.Else {
			return l
		}
		n = parentNode(n)
	}
	return nil
}
