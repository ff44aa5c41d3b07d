package passes

import "nirc/ir"

var lowerContinueConstructsPass = &Pass{
	Name: "lower_continue_constructs", For: ir.HasLoop, Class: "A", Run: implPass(ir.MetaNone, lowerContinueConstructs), Idempotent: true,
	Doc: "Removes continue lists: they move to the end of the body, and what a continue skips moves into the other side of its if, or under a flag.",
}

// lowerContinueConstructs removes continue lists. They move to the one way that
// leads there: where several do, what their jumps skip first moves out of the way.
func lowerContinueConstructs(impl *ir.Impl) bool {
	progress, moved := continueList(impl, &impl.Body)
	if moved {
		repairExits(impl)
	}
	return progress
}

func continueList(impl *ir.Impl, l *ir.List) (progress, moved bool) {
	note := func(p, m bool) { progress, moved = progress || p, moved || m }
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.If:
			note(continueList(impl, &x.Then))
			note(continueList(impl, &x.Else))
		case *ir.Loop:
			note(continueList(impl, &x.Body))
			if x.Continue.Empty() {
				continue
			}
			note(continueList(impl, &x.Continue))
			note(true, lowerContinue(impl, x))
		}
	}
	return progress, moved
}

// lowerContinue removes one loop's continue list and reports whether uses may
// have lost their definitions.
func lowerContinue(impl *ir.Impl, l *ir.Loop) (moved bool) {
	first := l.Continue.FirstBlock()
	if len(first.Preds) > 1 {
		phisToVars(impl, first)
		// Loops keep their trip counts: nothing asks which turn it is.
		(&earlyExits{impl: impl, kind: ir.JumpContinue, root: &l.Body, name: "continued"}).list(&l.Body, 0)
		moved = true
	}
	var pred *ir.Block
	if len(first.Preds) == 1 {
		pred = first.Preds[0]
		replacePhis(first, pred)
	}
	code := ir.Extract(ir.AtStart(first), ir.AtEnd(l.Continue.LastBlock()))
	l.DropContinue()
	if pred == nil {
		code.Delete()
		return moved
	}
	ir.Reinsert(code, ir.BeforeJump(pred))
	return moved
}

// phisToVars makes b's phis variables that its predecessors store, as the ways
// to b are about to change.
func phisToVars(impl *ir.Impl, b *ir.Block) {
	for phi := range b.Phis() {
		v := impl.NewLocal(phiType(&phi.Def), "continued")
		for i, p := range phi.PhiInfo().Preds {
			ir.NewBuilder(ir.BeforeJump(p)).StoreVar(v, phi.Srcs[i].Def, 0)
		}
		load := ir.NewBuilder(ir.AfterPhis(b)).LoadVar(v)
		phi.Def.RewriteUses(load)
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
	}
}

// phiType is a variable's type for values of d's shape.
func phiType(d *ir.Def) *ir.Type {
	if d.BitSize == 1 {
		return ir.VectorType(ir.BaseBool, 1, d.NumComponents)
	}
	return ir.VectorType(ir.BaseUint, d.BitSize, d.NumComponents)
}
