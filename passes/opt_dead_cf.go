package passes

import "nirc/ir"

var optDeadCFPass = &Pass{
	Name: "opt_dead_cf", Withstands: ChangeFacts, For: ir.HasIf | ir.HasLoop | ir.HasJump, Class: "A", Run: implPass(ir.MetaNone, optDeadCF), Optional: true,
	Doc: "Removes sides of ifs that constants decide, code after jumps, ifs and loops without effect, and loops around code that runs once.",
}

// optDeadCF removes control flow that cannot or need not run: code after
// jumps, the side of an if that a constant condition never takes, ifs and
// loops without effect whose values nobody needs, and loops that run once.
func optDeadCF(impl *ir.Impl) bool {
	impl.Require(ir.MetaDominance)
	progress := deadCFList(&impl.Body)
	if progress {
		impl.Preserve(ir.MetaNone)
		impl.Require(ir.MetaDominance)
		removeUnreachablePhiSrcs(impl)
	}
	return progress
}

// deadCFList handles a list and the lists inside. The nodes before the
// current one stay valid whatever is removed.
func deadCFList(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; {
		switch x := n.(type) {
		case *ir.Block:
			if x.Jump() != nil && ir.Next(x) != nil {
				dropRest(x)
				return true
			}
		case *ir.If:
			prev := ir.Prev(n)
			if c, ok := firstConst(x.Cond.Def); ok {
				side := &x.Else
				if c != 0 {
					side = &x.Then
				}
				ir.ReplaceIf(x, side)
				progress, n = true, prev
				continue
			}
			progress = deadCFList(&x.Then) || progress
			progress = deadCFList(&x.Else) || progress
			if deadNode(x, &x.Then, &x.Else) {
				removeDeadNode(x, x.After())
				progress, n = true, prev
				continue
			}
			if x.Then.LastBlock().Jump() != nil && x.Else.LastBlock().Jump() != nil && !emptyTail(x.After()) {
				dropAfter(x.After())
				progress = true
			}
		case *ir.Loop:
			prev := ir.Prev(n)
			progress = deadCFList(&x.Body) || progress
			if !x.Continue.Empty() {
				progress = deadCFList(&x.Continue) || progress
			}
			if x.Continue.Empty() {
				progress = breaksToIfs(x) || progress
			}
			if x.Continue.Empty() && runsOnce(x) {
				unwrapLoop(x)
				progress, n = true, prev
				continue
			}
			if loopExits(x) && deadNode(x, &x.Body, &x.Continue) {
				removeDeadNode(x, x.After())
				progress, n = true, prev
				continue
			}
		}
		n = ir.Next(n)
	}
	return progress
}

// dropRest deletes the nodes after a block that ends in a jump.
func dropRest(b *ir.Block) {
	last := ir.ParentList(b).LastBlock()
	ir.Extract(ir.AtEnd(b), ir.AtEnd(last)).Delete()
}

// emptyTail reports whether a block is empty and last in its list.
func emptyTail(b *ir.Block) bool { return b.Empty() && ir.Next(b) == nil }

// dropAfter deletes b's instructions and what follows it in its list.
func dropAfter(b *ir.Block) {
	last := ir.ParentList(b).LastBlock()
	ir.Extract(ir.AtStart(b), ir.AtEnd(last)).Delete()
}

// deadNode reports whether a node's lists have no effect but to make values that
// nobody outside reads and to reach the block after.
func deadNode(n ir.Node, lists ...*ir.List) bool {
	after := ir.Next(n).(*ir.Block)
	for phi := range after.Phis() {
		if !samePhiSrcs(phi, n) {
			return false
		}
	}
	for _, l := range lists {
		for b := range ir.ListBlocks(l) {
			for in := b.First(); in != nil; in = in.Next() {
				if !deadInside(in, n) {
					return false
				}
			}
		}
	}
	return true
}

// deadInside reports whether an instruction of a node has no effect outside it.
func deadInside(in *ir.Instr, n ir.Node) bool {
	if in.Kind == ir.KindJump {
		return jumpStays(in, n)
	}
	return !hasSideEffects(in) && !(in.HasDef() && usedOutside(&in.Def, n))
}

// samePhiSrcs reports whether a phi after a node has one source only, made
// outside of the node.
func samePhiSrcs(phi *ir.Instr, n ir.Node) bool {
	for i := range phi.Srcs {
		if phi.Srcs[i].Def != phi.Srcs[0].Def {
			return false
		}
	}
	return len(phi.Srcs) > 0 && !within(phi.Srcs[0].Def.Instr.Block, n)
}

// jumpStays reports whether a jump inside n leads to a place inside n, or right
// after it if n is a loop.
func jumpStays(j *ir.Instr, n ir.Node) bool {
	if j.Jump != ir.JumpBreak && j.Jump != ir.JumpContinue {
		return false
	}
	l := ir.EnclosingLoop(j.Block)
	return l != nil && (ir.Node(l) == n || within(l, n))
}

// within reports whether x stands inside of node n (or is n).
func within(x ir.Node, n ir.Node) bool {
	for x != nil {
		if x == n {
			return true
		}
		if ir.ParentList(x) == nil {
			return false
		}
		x = parentNode(x)
	}
	return false
}

func parentNode(x ir.Node) ir.Node {
	switch p := ir.Parent(x).(type) {
	case *ir.If:
		return p
	case *ir.Loop:
		return p
	}
	return nil
}

func usedOutside(d *ir.Def, n ir.Node) bool {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.If != nil {
			if !within(u.If, n) {
				return true
			}
		} else if !within(u.Instr.Block, n) {
			return true
		}
	}
	return false
}

func removeDeadNode(n ir.Node, after *ir.Block) {
	for phi := range after.Phis() {
		phi.Def.RewriteUses(phi.Srcs[0].Def)
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
	}
	ir.RemoveNode(n)
}

// loopExits reports whether something leaves the loop: one that nothing leaves
// must not be removed, for what follows never runs.
func loopExits(l *ir.Loop) bool { return livePreds(l.After()) > 0 }

// livePreds counts the predecessors that something leads to.
func livePreds(b *ir.Block) (n int) {
	for _, p := range b.Preds {
		if len(p.Preds) > 0 || p == p.Impl().Start() {
			n++
		}
	}
	return n
}

// runsOnce reports whether the loop's body ends in a break or another jump out
// and nothing leads back to its start, with no other exit to after the loop.
// Jumps that nothing reaches count: they would stand outside of a loop.
func runsOnce(l *ir.Loop) bool {
	last := l.Body.LastBlock()
	j := last.Jump()
	if j == nil || j.Jump == ir.JumpContinue || len(l.Body.FirstBlock().Preds) != 1 {
		return false
	}
	after := l.After()
	if j.Jump == ir.JumpBreak {
		return len(after.Preds) == 1
	}
	return len(after.Preds) == 0
}

// unwrapLoop puts the body of a loop that runs once in its place.
func unwrapLoop(l *ir.Loop) {
	last := l.Body.LastBlock()
	replacePhis(l.After(), last)
	replacePhis(l.Body.FirstBlock(), ir.Prev(l).(*ir.Block))
	if j := last.Jump(); j.Jump == ir.JumpBreak {
		j.Remove()
	}
	prev := ir.Prev(l).(*ir.Block)
	body := ir.Extract(ir.AtStart(l.Body.FirstBlock()), ir.AtEnd(last))
	ir.Reinsert(body, ir.AtEnd(prev))
	ir.RemoveNode(l)
}

// removeUnreachablePhiSrcs does what remains after edits: phis of unreachable
// blocks lose their uses to undef.
func removeUnreachablePhiSrcs(impl *ir.Impl) {
	for b := range impl.Blocks() {
		if b.Reachable() || b == impl.Start() {
			continue
		}
		for phi := range b.Phis() {
			if len(phi.Srcs) == 0 {
				phi.Def.RewriteUses(undefAtStart(impl, phi.Def.NumComponents, phi.Def.BitSize))
				phi.Remove()
			}
		}
	}
}
