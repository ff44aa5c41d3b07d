package passes

import "nirc/ir"

var lowerIsHelperInvocationPass = &Pass{
	Name: "lower_is_helper_invocation", Class: "A", Run: lowerIsHelperInvocation, Idempotent: true,
	Doc: "Turns is_helper_invocation into what load_helper_invocation said at the start, or a flag that each demote sets. Demotes with conditions count.",
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
