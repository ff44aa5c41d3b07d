package passes

import "nirc/ir"

var optConditionalDiscardPass = &Pass{
	Name: "opt_conditional_discard", For: ir.HasDiscard, Class: "B", Run: implPass(ir.MetaNone, optConditionalDiscard), Idempotent: true, Optional: true,
	Doc: "Turns an if that holds nothing but a demote into demote_if. Of one whose side is a terminate and its halt, terminate_if and the other side remain.",
}

// optConditionalDiscard looks at each if once, inner ones first.
func optConditionalDiscard(impl *ir.Impl) bool { return conditionalDiscards(&impl.Body) }

func conditionalDiscards(l *ir.List) (progress bool) {
	for n := l.First(); n != nil; {
		switch x := n.(type) {
		case *ir.If:
			progress = conditionalDiscards(&x.Then) || progress
			progress = conditionalDiscards(&x.Else) || progress
			prev := ir.Prev(n)
			if foldDiscard(x) {
				progress, n = true, prev
			}
		case *ir.Loop:
			progress = conditionalDiscards(&x.Body) || progress
		}
		n = ir.Next(n)
	}
	return progress
}

func foldDiscard(x *ir.If) bool {
	prev := ir.Prev(x).(*ir.Block)
	kind, inElse := onlyDiscard(&x.Then), false
	other := &x.Else
	if kind == 0 {
		kind, inElse, other = onlyDiscard(&x.Else), true, &x.Then
	}
	if kind == 0 || prev.Jump() != nil || other.LastBlock().Jump() != nil {
		return false
	}
	if kind == ir.IntrDemoteIf {
		// Behind a demote both sides arrive.
		if other.First() != other.Last() || !other.FirstBlock().Empty() {
			return false
		}
		for phi := range x.After().Phis() {
			if len(phi.Srcs) > 1 {
				return false
			}
		}
	}
	b := ir.NewBuilder(ir.AtEnd(prev))
	side := &x.Then
	if inElse {
		side = &x.Else
	}
	b.Shader.SetLoc(side.FirstBlock().First().Loc)
	cond := x.Cond.Def
	if inElse {
		cond = b.Inot(cond)
	}
	b.Effect(kind, cond)
	ir.ReplaceIf(x, other)
	return true
}

// onlyDiscard returns the conditional form of what alone stands in a list, or 0.
func onlyDiscard(l *ir.List) ir.Intrinsic {
	if l.First() != l.Last() {
		return 0
	}
	in := l.FirstBlock().First()
	switch {
	case in == nil:
	case in.IsIntrinsic(ir.IntrDemote) && in.Next() == nil:
		return ir.IntrDemoteIf
	case in.IsIntrinsic(ir.IntrTerminate) && in.Next() != nil && in.Next().Kind == ir.KindJump && in.Next().Jump == ir.JumpHalt:
		return ir.IntrTerminateIf
	}
	return 0
}
