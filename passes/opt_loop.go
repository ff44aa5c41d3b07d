package passes

import "nirc/ir"

var optLoopPass = &Pass{
	Name: "opt_loop", For: ir.HasLoop, Class: "B", Run: implPass(ir.MetaNone, optLoop), Idempotent: true, Optional: true,
	Doc: "Cleans up loops: useless continues and breaks, equal jumps in both sides of an if, code beside a jumping side. Needs lower_continue_constructs.",
}

// optLoop cleans up loops without continue lists: a continue where the end of
// the body would follow goes, a break where another would follow too, equal jumps at the ends of both sides of an if
// become one after it, and what a side that does not jump holds moves after
// the if, so that the jumping side stands alone.
func optLoop(impl *ir.Impl) (progress bool) {
	for again := true; again; {
		again = optLoopList(&impl.Body, nil)
		progress = progress || again
	}
	return progress
}

// tailContinues removes continues at the end of a list from which the next
// iteration follows, and in the sides of an if at its end.
func tailContinues(l *ir.List) bool {
	last := l.LastBlock()
	if j := last.Jump(); j != nil {
		if j.Jump != ir.JumpContinue {
			return false
		}
		// The edge stays: it now belongs to the end of the list.
		if _, ok := l.Owner().(*ir.Loop); ok {
			dropTailJump(last)
			return true
		}
		return false
	}
	x, ok := ir.Prev(last).(*ir.If)
	if !ok || !last.Empty() {
		return false
	}
	progress := false
	for _, side := range []*ir.List{&x.Then, &x.Else} {
		end := side.LastBlock()
		if j := end.Jump(); j != nil && j.Jump == ir.JumpContinue {
			head := end.Succ[0]
			if last.Succ[0] != head {
				jumpAt(last, ir.JumpContinue, head)
			}
			joinAt(last, end, head)
			progress = true
		}
	}
	if tailContinues(&x.Then) || tailContinues(&x.Else) {
		progress = true
	}
	return progress
}

// dropTailJump removes a continue at the very end of a loop's body, keeping
// what the phis of the head get along the edge.
func dropTailJump(b *ir.Block) {
	var saved []savedPhi
	head := b.Succ[0]
	for phi := range head.Phis() {
		saved = append(saved, savePhi(phi))
	}
	b.Jump().Remove()
	for i := range saved {
		setPhiSrcs(saved[i].phi, saved[i].from)
	}
}

// tailBreaks removes the breaks at the ends of the sides of an if that stands before a break, or before the end of another such side:
// control leaves the loop there anyway. after is the block after the loop.
func tailBreaks(l *ir.List, after *ir.Block) (progress bool) {
	last := l.LastBlock()
	x, ok := ir.Prev(last).(*ir.If)
	if !ok || !onlyChooses(last) {
		return false
	}
	for _, side := range []*ir.List{&x.Then, &x.Else} {
		end := side.LastBlock()
		if end.Jump() == nil {
			progress = tailBreaks(side, after) || progress
		}
		if !breaks(side) {
			continue
		}
		if last.Jump() == nil && len(last.Preds) > 0 {
			jumpAt(last, ir.JumpBreak, after)
		}
		if last.Jump() != nil {
			joinAt(last, end, after)
			progress = true
		}
	}
	return progress
}

// holdsLoop reports whether loops stand in a list. What the sides of an if around them compute alike is then computed before the
// outer loop, once, and would be in each side if that loop went.
func holdsLoop(l *ir.List) bool {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.Loop:
			return true
		case *ir.If:
			if holdsLoop(&x.Then) || holdsLoop(&x.Else) {
				return true
			}
		}
	}
	return false
}

// onlyChooses reports whether a block has nothing but phis, and a jump perhaps.
func onlyChooses(b *ir.Block) bool {
	for in := range b.Instrs() {
		if in.Kind != ir.KindPhi && in.Kind != ir.KindJump {
			return false
		}
	}
	return true
}

// jumpAt ends block b, from which only blocks of phis lead to target, in a jump of its own. The phis of
// target get from b what they get on that way.
func jumpAt(b *ir.Block, kind ir.JumpKind, target *ir.Block) {
	var saved []savedPhi
	var vals []*ir.Def
	for phi := range target.Phis() {
		saved = append(saved, savePhi(phi))
		vals = append(vals, valueFrom(b, phi))
	}
	b.InsertJump(kind)
	for i := range saved {
		p := &saved[i]
		setPhiSrcs(p.phi, func(q *ir.Block) *ir.Def {
			if q == b {
				return vals[i]
			}
			return p.from(q)
		})
	}
}

// valueFrom is what phi becomes where control comes from b, by blocks of phis.
func valueFrom(b *ir.Block, phi *ir.Instr) *ir.Def {
	next := b.Succ[0]
	if next == phi.Block {
		return phi.PhiSrc(b).Def
	}
	d := valueFrom(next, phi)
	if d.Instr.Kind == ir.KindPhi && d.Instr.Block == next {
		return d.Instr.PhiSrc(b).Def
	}
	return d
}

// joinAt removes end's jump to target, so that it falls through to block after, which has nothing but phis and goes to target too;
// phis of target then get one source from after, made by a phi there.
func joinAt(after, end, target *ir.Block) {
	s := end.Impl().Shader
	var saved, own []savedPhi
	for phi := range target.Phis() {
		saved = append(saved, savePhi(phi))
	}
	for phi := range after.Phis() {
		own = append(own, savePhi(phi))
	}
	hadPreds := len(after.Preds) > 0
	end.Jump().Remove()
	for i := range saved {
		p := &saved[i]
		viaAfter, viaEnd := p.from(after), p.from(end)
		val := viaEnd
		if hadPreds && viaAfter != viaEnd {
			join := s.NewPhi(p.phi.Def.NumComponents, p.phi.Def.BitSize)
			ir.AtStart(after).Insert(join)
			setPhiSrcs(join, func(b *ir.Block) *ir.Def {
				if b == end {
					return viaEnd
				}
				return chosenFrom(own, viaAfter, b)
			})
			val = &join.Def
		}
		setPhiSrcs(p.phi, func(b *ir.Block) *ir.Def {
			if b == after {
				return val
			}
			return p.from(b)
		})
	}
	for i := range own { // what they chose, the new ones do
		for k := range own[i].phi.Srcs {
			own[i].phi.Srcs[k].Set(nil)
		}
		own[i].phi.Remove()
	}
}

// chosenFrom is what d, chosen by one of a block's phis or not, is where control comes from b.
func chosenFrom(phis []savedPhi, d *ir.Def, b *ir.Block) *ir.Def {
	for i := range phis {
		if d == &phis[i].phi.Def {
			return phis[i].from(b)
		}
	}
	return d
}

// optLoopList handles a list inside of loop (nil: outside of any).
func optLoopList(l *ir.List, loop *ir.Loop) (progress bool) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.If:
			progress = optLoopList(&x.Then, loop) || progress
			progress = optLoopList(&x.Else, loop) || progress
			if loop != nil && loop.Continue.Empty() {
				progress = mergeJumps(x) || hoistSide(x) || progress
			}
		case *ir.Loop:
			if x.Continue.Empty() && breaks(&x.Body) && !holdsLoop(&x.Body) {
				// Before hoistSide moves code to where the ends of sides are.
				progress = tailBreaks(&x.Body, x.After()) || progress
			}
			progress = optLoopList(&x.Body, x) || progress
			if x.Continue.Empty() {
				progress = tailContinues(&x.Body) || progress
			}
		}
	}
	return progress
}

// mergeJumps replaces equal breaks or continues at the ends of both sides of
// an if by one after it.
func mergeJumps(x *ir.If) bool {
	then, els := x.Then.LastBlock(), x.Else.LastBlock()
	a, b := then.Jump(), els.Jump()
	if a == nil || b == nil || a.Jump != b.Jump || a.Jump != ir.JumpBreak && a.Jump != ir.JumpContinue {
		return false
	}
	kind, target, after := a.Jump, then.Succ[0], x.After()
	if ir.Next(after) != nil || !after.Empty() {
		dropAfter(after)
		after = x.After()
	}
	var saved []savedPhi
	for phi := range target.Phis() {
		saved = append(saved, savePhi(phi))
	}
	a.Remove()
	b.Remove()
	after.InsertJump(kind)
	s := after.Impl().Shader
	for i := range saved {
		p := &saved[i]
		join := s.NewPhi(p.phi.Def.NumComponents, p.phi.Def.BitSize)
		ir.AtStart(after).Insert(join)
		setPhiSrcs(join, p.from)
		setPhiSrcs(p.phi, func(b *ir.Block) *ir.Def {
			if b == after {
				return &join.Def
			}
			return p.from(b)
		})
	}
	return true
}

// hoistSide moves the code of the side that falls through after the if when
// the other side ends in a jump.
func hoistSide(x *ir.If) bool {
	jumps, other := &x.Then, &x.Else
	if jumps.LastBlock().Jump() == nil {
		jumps, other = other, jumps
	}
	if jumps.LastBlock().Jump() == nil || other.LastBlock().Jump() != nil || onlyEmptyBlock(other) {
		return false
	}
	replacePhis(x.After(), other.LastBlock())
	code := ir.Extract(ir.AtStart(other.FirstBlock()), ir.AtEnd(other.LastBlock()))
	ir.Reinsert(code, ir.AtStart(x.After()))
	return true
}
