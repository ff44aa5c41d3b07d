package passes

import "nirc/ir"

var lowerVec3ToVec4Pass = &Pass{
	Name: "lower_vec3_to_vec4", For: ir.HasDeref, Class: "C", Run: lowerVec3ToVec4, Idempotent: true,
	Doc: "Gives variables of vectors of three components a fourth, which nothing reads: kernels lay them out so, and an access of four is one access. Structures and arrays too; " +
		"variables that have a layout keep it. Copies that meet such a variable are written as loads and stores.",
	Options: []Option{{"modes", "modes whose variables grow", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShared}},
}

func lowerVec3ToVec4(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	grow := func(vars []*ir.Variable) (any bool) {
		for _, v := range vars {
			if v.Mode&modes == 0 || v.ExplicitLayout {
				continue
			}
			if t := fourComponents(v.Type); t != v.Type {
				v.Type, any = t, true
			}
		}
		return any
	}
	any := grow(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			any = grow(f.Impl.Locals) || any
		}
	}
	if !any {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return growAccesses(impl, modes) }) || any, nil
}

// fourComponents is the type with vectors of three components grown; t itself if it has none.
func fourComponents(t *ir.Type) *ir.Type {
	switch {
	case t.IsVector() && t.Rows == 3:
		return ir.VectorType(t.Base, t.Bits, 4)
	case t.IsArray() && t.Stride == 0:
		if e := fourComponents(t.Elem); e != t.Elem {
			return ir.ArrayType(e, t.Len, 0)
		}
	case t.IsStruct():
		var grown *ir.Type
		for i := range t.Fields {
			f := fourComponents(t.Fields[i].Type)
			if f == t.Fields[i].Type || t.Fields[i].Offset >= 0 {
				continue
			}
			if grown == nil {
				own := *t
				own.Fields = append([]ir.Field(nil), t.Fields...)
				grown = &own
			}
			grown.Fields[i].Type = f
		}
		if grown != nil {
			return grown
		}
	}
	return t
}

// growAccesses brings derefs, and what loads and stores through them, in line with the variables.
func growAccesses(impl *ir.Impl, modes ir.Mode) bool {
	eachCopy(impl, func(in *ir.Instr) {
		for i := range in.Srcs {
			if d := derefOf(in.Srcs[i].Def); d != nil && d.DerefInfo().Modes&modes != 0 {
				expandCopy(in)
				return
			}
		}
	})
	progress := false
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			switch {
			case in.Kind == ir.KindDeref && in.DerefInfo().Modes&modes != 0:
				progress = regrow(in) || progress
			case in.IsIntrinsic(ir.IntrLoadDeref), in.IsIntrinsic(ir.IntrStoreDeref):
				progress = growAccess(in) || progress
			}
		}
	}
	return progress
}

// regrow takes a deref's type from its variable or parent.
func regrow(in *ir.Instr) bool {
	info := in.DerefInfo()
	before := info.Type
	switch p := derefParent(in); {
	case in.Deref == ir.DerefCast:
		// Arrays and structures are as variables are now; a vector by itself is there in any case.
		if !info.Type.IsVector() {
			info.Type = fourComponents(info.Type)
		}
	case in.Deref == ir.DerefVar:
		info.Type = info.Var.Type
	case p == nil:
	case in.Deref == ir.DerefStruct:
		info.Type = p.DerefInfo().Type.Fields[info.Field].Type
	case in.Deref == ir.DerefPtrAsArray:
		info.Type = p.DerefInfo().Type
	default:
		info.Type = p.DerefInfo().Type.Child()
	}
	return info.Type != before
}

func growAccess(in *ir.Instr) bool {
	d := derefOf(in.Srcs[0].Def)
	if d == nil || !d.DerefInfo().Type.IsVector() || d.DerefInfo().Type.Rows != 4 {
		return false
	}
	b := builderBefore(in)
	if in.Intr == ir.IntrLoadDeref {
		if in.Def.NumComponents != 3 {
			return false
		}
		v := b.Intrinsic(ir.IntrLoadDeref, 4, in.Def.BitSize, &d.Def).CopyIndices(in)
		in.Def.RewriteUses(b.Channels(&v.Def, 0, 3))
		in.Remove()
		return true
	}
	v := in.Srcs[1].Def
	if v.NumComponents != 3 {
		return false
	}
	b.Effect(ir.IntrStoreDeref, &d.Def, b.Vec(b.Channel(v, 0), b.Channel(v, 1), b.Channel(v, 2), b.Undef(1, v.BitSize))).CopyIndices(in)
	in.Remove()
	return true
}
