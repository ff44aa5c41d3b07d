package passes

import "nirc/ir"

var discardPasses = []*Pass{
	{Name: "lower_discard_if", Class: "A", Idempotent: true, Run: lowerDiscardIf,
		Options: []Option{
			{"demote", "demote_if becomes an if around demote", true},
			{"terminate", "terminate_if becomes an if around terminate", true},
		},
		Doc: "Writes conditional discards as ifs around unconditional ones; behind terminate stands a halt."},
	{Name: "opt_conditional_discard", Class: "B", Optional: true, Idempotent: true, Run: implPass(ir.MetaNone, optConditionalDiscard),
		Doc: "Turns an if that holds nothing but a demote, or a terminate and its halt, into demote_if or terminate_if."},
	{Name: "lower_terminate_to_demote", Class: "A", Idempotent: true, Run: implPass(ir.MetaNone, lowerTerminateToDemote),
		Doc: "Turns terminate into demote and terminate_if into demote_if. The halt behind a terminate stays, so that the code behind it does not run."},
	{Name: "lower_helper_writes", Class: "A", Idempotent: true, Run: lowerHelperWrites,
		Doc: "Puts the stores and atomics of fragment shaders into ifs that helper invocations do not take; the result of an atomic is undef in those."},
	{Name: "lower_is_helper_invocation", Class: "A", Idempotent: true, Run: lowerIsHelperInvocation,
		Doc: "Turns is_helper_invocation into what load_helper_invocation said at the start, or a flag that each demote sets. Demotes with conditions count."},
}

// collect lists the intrinsics that f picks; edits of the control flow may follow.
func collect(impl *ir.Impl, f func(*ir.Instr) bool) (list []*ir.Instr) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic && f(in) {
				list = append(list, in)
			}
		}
	}
	return list
}

func lowerDiscardIf(c *Context, s *ir.Shader) (bool, error) {
	demote, terminate := c.Bool("demote"), c.Bool("terminate")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return demote && in.Intr == ir.IntrDemoteIf || terminate && in.Intr == ir.IntrTerminateIf
		})
		for _, in := range list {
			b := builderBefore(in)
			b.PushIf(in.Srcs[0].Def)
			if in.Intr == ir.IntrDemoteIf {
				b.Intrinsic(ir.IntrDemote, 0, 0)
			} else {
				b.Intrinsic(ir.IntrTerminate, 0, 0)
				b.Jump(ir.JumpHalt)
			}
			in.Remove()
		}
		return len(list) > 0
	}), nil
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
	if kind == 0 || other.First() != other.Last() || !other.FirstBlock().Empty() || prev.Jump() != nil {
		return false
	}
	for phi := range x.After().Phis() {
		// Behind a demote both sides arrive.
		if len(phi.Srcs) > 1 {
			return false
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
	b.Intrinsic(kind, 0, 0, cond)
	for phi := range x.After().Phis() {
		phi.Def.RewriteUses(phi.Srcs[0].Def)
		phi.Remove()
	}
	ir.RemoveNode(x)
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

func lowerTerminateToDemote(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrTerminate || in.Intr == ir.IntrTerminateIf })
	for _, in := range list {
		b := builderBefore(in)
		if in.Intr == ir.IntrTerminate {
			b.Intrinsic(ir.IntrDemote, 0, 0)
		} else {
			b.PushIf(in.Srcs[0].Def)
			b.Intrinsic(ir.IntrDemote, 0, 0)
			b.Jump(ir.JumpHalt)
		}
		in.Remove()
	}
	return len(list) > 0
}

// storesMemory tells the stores and atomics that a helper must not do.
func storesMemory(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrStoreSsbo, ir.IntrStoreGlobal, ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap, ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap,
		ir.IntrImageStore, ir.IntrBindlessImageStore, ir.IntrImageDerefStore, ir.IntrImageAtomic, ir.IntrBindlessImageAtomic, ir.IntrImageDerefAtomic,
		ir.IntrImageAtomicSwap, ir.IntrBindlessImageAtomicSwap, ir.IntrImageDerefAtomicSwap:
		return true
	case ir.IntrStoreDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		return in.Srcs[0].Def.Instr.DerefInfo().Modes&(ir.ModeSSBO|ir.ModeGlobal|ir.ModeImage) != 0
	}
	return false
}

func lowerHelperWrites(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return storesMemory(in) && !guarded(in) })
		for _, in := range list {
			b := builderBefore(in)
			helper := &b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1).Def
			i := b.PushIf(b.Inot(helper))
			in.MoveTo(ir.AtEnd(b.Cursor.Block))
			b.PopIf(i)
			if !in.HasDef() {
				continue
			}
			u := undefAtStart(impl, in.Def.NumComponents, in.Def.BitSize)
			uses := []*ir.Src{}
			for use := range in.Def.Uses() {
				uses = append(uses, use)
			}
			phi := b.IfPhi(i, &in.Def, u)
			for _, use := range uses {
				use.Set(phi)
			}
		}
		return len(list) > 0
	}), nil
}

// guarded reports whether an instruction stands alone in an if that helpers do not take.
func guarded(in *ir.Instr) bool {
	i, ok := ir.Parent(in.Block).(*ir.If)
	if !ok || ir.ParentList(in.Block) != &i.Then {
		return false
	}
	not := i.Cond.Def.Instr
	return not.IsALU(ir.OpInot) && not.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrIsHelperInvocation)
}

func lowerIsHelperInvocation(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		asks := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrIsHelperInvocation })
		if len(asks) == 0 {
			return false
		}
		demotes := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrDemote || in.Intr == ir.IntrDemoteIf })
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		var flag *ir.Variable
		first := &b.Intrinsic(ir.IntrLoadHelperInvocation, 1, 1).Def
		if len(demotes) > 0 {
			flag = impl.NewLocal(ir.ScalarType(ir.BaseBool, 1), "is_helper")
			b.StoreVar(flag, first, 0)
		}
		for _, in := range demotes {
			b := builderBefore(in)
			now := b.ImmBool(true)
			if in.Intr == ir.IntrDemoteIf {
				now = b.Ior(b.LoadVar(flag), in.Srcs[0].Def)
			}
			b.StoreVar(flag, now, 0)
		}
		for _, in := range asks {
			v := first
			if flag != nil {
				v = builderBefore(in).LoadVar(flag)
			}
			in.Def.RewriteUses(v)
			in.Remove()
		}
		return true
	}), nil
}
