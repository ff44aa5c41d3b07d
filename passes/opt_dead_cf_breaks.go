package passes

import "nirc/ir"

// maxNestedBreaks bounds the ifs inside each other that the breaks of one loop become: some targets keep a
// stack of them.
const maxNestedBreaks = 8

// maxChosenBreaks bounds the same where the loop holds nothing but its breaks: the ifs become selections.
const maxChosenBreaks = 32

// choosesOnly reports whether a loop that runs once has no instructions of its own: it only chooses values for phis after it.
func choosesOnly(l *ir.Loop) bool {
	for b := range ir.ListBlocks(&l.Body) {
		for in := range b.Instrs() {
			if in.Kind != ir.KindJump && in.Kind != ir.KindPhi {
				return false
			}
		}
	}
	return true
}

// breaksToIfs turns the breaks of a loop that runs once into ifs: what follows an if with a side that
// breaks moves to its other side. It reports whether all could go, except for the one at the body's end, and changes nothing otherwise.
func breaksToIfs(l *ir.Loop) bool {
	last, after := l.Body.LastBlock(), l.After()
	if j := last.Jump(); j == nil || j.Jump != ir.JumpBreak || len(l.Body.FirstBlock().Preds) != 1 {
		return false
	}
	exits := len(after.Preds) - 1
	if exits < 1 || exits > maxChosenBreaks || exits > maxNestedBreaks && !choosesOnly(l) {
		return false
	}
	if partings(&l.Body) != exits {
		return false
	}
	replacePhis(l.Body.FirstBlock(), ir.Prev(l).(*ir.Block))
	nestAfterBreaks(&l.Body, after)
	return true
}

// parts reports whether one side of an if breaks and the end of the other leads to what follows.
func parts(x *ir.If) bool {
	return breaks(&x.Then) && x.Else.LastBlock().Jump() == nil || breaks(&x.Else) && x.Then.LastBlock().Jump() == nil
}

// partings counts the ifs of a list that part, with those in the sides of its tailIf.
func partings(l *ir.List) (n int) {
	for node := range l.Nodes() {
		if x, ok := node.(*ir.If); ok && parts(x) {
			n++
		}
	}
	if x := tailIf(l); x != nil {
		n += partings(&x.Then) + partings(&x.Else)
	}
	return n
}

// tailIf is the if at the end of a list after which nothing but choices and a break follow, where its sides lead. It is nil if there is
// none, or if there are loops: what the sides compute alike is shared before them.
func tailIf(l *ir.List) *ir.If {
	last := l.LastBlock()
	x, ok := ir.Prev(last).(*ir.If)
	if !ok || !onlyChooses(last) || len(last.Preds) == 0 || holdsLoop(l) {
		return nil
	}
	for _, side := range []*ir.List{&x.Then, &x.Else} {
		if side.LastBlock().Jump() != nil && !breaks(side) {
			return nil
		}
	}
	return x
}

// nestAfterBreaks moves what follows the ifs of a list that part to their sides that do not break. From the list's end only blocks of
// choices lead to the loop's end, block after; a break stands there then.
func nestAfterBreaks(l *ir.List, after *ir.Block) {
	if end := l.LastBlock(); end.Jump() == nil && len(end.Preds) > 0 {
		jumpAt(end, ir.JumpBreak, after)
	}
	if x := tailIf(l); x != nil && partings(&x.Then)+partings(&x.Else) > 0 {
		nestAfterBreaks(&x.Then, after)
		nestAfterBreaks(&x.Else, after)
		mergeJumps(x)
	}
	var ifs []*ir.If
	for n := range l.Nodes() {
		if x, ok := n.(*ir.If); ok && parts(x) {
			ifs = append(ifs, x)
		}
	}
	for i := len(ifs) - 1; i >= 0; i-- {
		x := ifs[i]
		other := &x.Else
		if breaks(other) {
			other = &x.Then
		}
		replacePhis(x.After(), other.LastBlock())
		rest := ir.Extract(ir.AtStart(x.After()), ir.AtEnd(l.LastBlock()))
		ir.Reinsert(rest, ir.AtEnd(other.LastBlock()))
		mergeJumps(x)
	}
}

// breaks reports whether a list ends in a break.
func breaks(l *ir.List) bool {
	j := l.LastBlock().Jump()
	return j != nil && j.Jump == ir.JumpBreak
}
