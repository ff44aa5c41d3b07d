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
	var ifs []*ir.If
	for n := range l.Body.Nodes() {
		if x, ok := n.(*ir.If); ok && breaks(&x.Then) != breaks(&x.Else) {
			ifs = append(ifs, x)
		}
	}
	if len(ifs) != exits {
		return false
	}
	replacePhis(l.Body.FirstBlock(), ir.Prev(l).(*ir.Block))
	for i := len(ifs) - 1; i >= 0; i-- {
		x := ifs[i]
		other := &x.Else
		if breaks(other) {
			other = &x.Then
		}
		replacePhis(x.After(), other.LastBlock())
		rest := ir.Extract(ir.AtStart(x.After()), ir.AtEnd(l.Body.LastBlock()))
		ir.Reinsert(rest, ir.AtEnd(other.LastBlock()))
		mergeJumps(x)
	}
	return true
}

// breaks reports whether a list ends in a break.
func breaks(l *ir.List) bool {
	j := l.LastBlock().Jump()
	return j != nil && j.Jump == ir.JumpBreak
}
