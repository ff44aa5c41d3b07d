package passes

import "nirc/ir"

var toLCSSAPass = &Pass{
	Name: "to_lcssa", Class: "A", Run: implPass(ir.MetaControlFlow, toLCSSA), Idempotent: true,
	Instead: "registers: the analysis of divergence looks at loop exits itself; it stays for analyses that need the form",
	Doc: "Puts a phi after a loop for each value that is made in it and used after it, so that what leaves a loop does so by name (loop-closed SSA). " +
		"Constants and undefs stay. Needs loops without continue lists; opt_remove_phis undoes it.",
}

func toLCSSA(impl *ir.Impl) bool {
	impl.Require(ir.MetaDominance)
	return closeLoops(impl, &impl.Body)
}

// closeLoops handles inner loops first: their phis are the outer ones' values.
func closeLoops(impl *ir.Impl, l *ir.List) (progress bool) {
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.If:
			progress = closeLoops(impl, &x.Then) || progress
			progress = closeLoops(impl, &x.Else) || progress
		case *ir.Loop:
			progress = closeLoops(impl, &x.Body) || progress
			progress = closeLoop(impl, x) || progress
		}
	}
	return progress
}

func closeLoop(impl *ir.Impl, l *ir.Loop) (progress bool) {
	after := l.After()
	if len(after.Preds) == 0 {
		return false
	}
	for b := range ir.ListBlocks(&l.Body) {
		for in := range b.Instrs() {
			if !in.HasDef() || in.Kind == ir.KindLoadConst || in.Kind == ir.KindUndef || in.Kind == ir.KindDeref {
				continue
			}
			var beyond []*ir.Src
			for u := range in.Def.Uses() {
				if !within(useBlock(u), l) {
					beyond = append(beyond, u)
				}
			}
			if len(beyond) == 0 {
				continue
			}
			phi := impl.Shader.NewPhi(in.Def.NumComponents, in.Def.BitSize)
			phi.Loc = in.Loc
			ir.AtStart(after).Insert(phi)
			for _, u := range beyond {
				u.Set(&phi.Def)
			}
			for _, p := range after.Preds {
				impl.Shader.AddPhiSrc(phi, p, &in.Def)
			}
			progress = true
		}
	}
	return progress
}
