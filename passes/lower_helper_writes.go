package passes

import "nirc/ir"

var lowerHelperWritesPass = &Pass{
	Name: "lower_helper_writes", For: ir.HasWrite | ir.HasAtomic | ir.HasStore, Class: "A", Run: lowerHelperWrites, Idempotent: true,
	Doc: "Puts the stores and atomics of fragment shaders into ifs that helper invocations do not take; the result of an atomic is undef in those.",
}

func lowerHelperWrites(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return writesMemory(in) && !guarded(in) })
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
