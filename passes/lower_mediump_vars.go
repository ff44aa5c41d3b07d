package passes

import "nirc/ir"

var lowerMediumpVarsPass = &Pass{
	Name: "lower_mediump_vars", Class: "B", Run: lowerMediumpVars, Idempotent: true, Optional: true,
	Doc: "Makes variables with RelaxedPrecision 16 bits wide: scalars and vectors of 32-bit floats, signed or unsigned integers, and arrays of them, that are only loaded, stored and copied among each other. " +
		"Loads widen, stores narrow by f2fmp and i2imp. Needs variables without layout.",
	Options: []Option{
		{"modes", "modes of the variables", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShared},
	},
}

// halfable tells the types that lower_mediump_vars makes smaller.
func halfable(t *ir.Type) bool {
	e := t.WithoutArray()
	return e.IsVectorOrScalar() && e.Bits == 32 && (e.Base == ir.BaseFloat || e.Base == ir.BaseInt || e.Base == ir.BaseUint)
}

func lowerMediumpVars(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes") & (ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShared)
	small := make([]bool, highestVarID(s)+1)
	any := false
	find := func(list []*ir.Variable) {
		for _, v := range list {
			if v.Mediump && v.Mode&modes != 0 && halfable(v.Type) && !v.ExplicitLayout && v.Init == nil && v.PointerInit == nil {
				small[v.ID], any = true, true
			}
		}
	}
	find(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			find(f.Impl.Locals)
		}
	}
	if !any {
		return false, nil
	}
	for again := true; again; {
		again = false
		for _, f := range s.Functions {
			if f.Impl != nil {
				again = keepWide(f.Impl, small) || again
			}
		}
	}
	return shrinkVars(s, small), nil
}

// keepWide takes variables off the list that something uses whole or otherwise
// than by loads, stores and copies with others of the list.
func keepWide(impl *ir.Impl, small []bool) (changed bool) {
	listed := func(d *ir.Def) *ir.Variable {
		if x := derefOf(d); x != nil {
			if v := rootVar(x); v != nil && small[v.ID] {
				return v
			}
		}
		return nil
	}
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.IsIntrinsic(ir.IntrCopyDeref) {
				x, y := listed(in.Srcs[0].Def), listed(in.Srcs[1].Def)
				if x != nil && y == nil {
					small[x.ID], changed = false, true
				}
				if y != nil && x == nil {
					small[y.ID], changed = false, true
				}
				continue
			}
			if in.Kind != ir.KindDeref {
				continue
			}
			v := listed(&in.Def)
			if v == nil {
				continue
			}
			ok := in.Deref == ir.DerefVar || in.Deref == ir.DerefArray || in.Deref == ir.DerefArrayWildcard
			for u := in.Def.FirstUse(); u != nil && ok; u = u.NextUse() {
				ok = !isComplexUse(u)
			}
			if !ok {
				small[v.ID], changed = false, true
			}
		}
	}
	return changed
}

// halfType is t with components of 16 bits.
func halfType(t *ir.Type) *ir.Type {
	if t.IsArray() {
		return ir.ArrayType(halfType(t.Elem), t.Len, 0)
	}
	return ir.VectorType(t.Base, 16, t.Rows)
}

// shrinkVars gives the listed variables their new types and converts at their
// loads and stores.
func shrinkVars(s *ir.Shader, small []bool) (progress bool) {
	retype := func(list []*ir.Variable) {
		for _, v := range list {
			if small[v.ID] {
				v.Type = halfType(v.Type)
				progress = true
			}
		}
	}
	retype(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			retype(f.Impl.Locals)
		}
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (did bool) {
		for in := range impl.Instrs() {
			if in.Kind == ir.KindDeref {
				if v := rootVar(in); v != nil && int(v.ID) < len(small) && small[v.ID] {
					// Parents stand before what is made from them.
					in.DerefInfo().Type = v.Type
					if p := derefParent(in); p != nil {
						in.DerefInfo().Type = p.DerefInfo().Type.Child()
					}
					did = true
				}
			}
			if in.IsIntrinsic(ir.IntrLoadDeref) || in.IsIntrinsic(ir.IntrStoreDeref) {
				convertAccess(in, small)
			}
		}
		return did
	}) || progress
}

// convertAccess mends a load or store whose deref has become 16 bits wide.
func convertAccess(in *ir.Instr, small []bool) {
	d := in.Srcs[0].Def.Instr
	v := rootVar(d)
	if v == nil || !small[v.ID] {
		return
	}
	narrow, widen := mediumpCasts(aluClass(d.DerefInfo().Type))
	if in.Intr == ir.IntrStoreDeref {
		in.Srcs[1].Set(builderBefore(in).ALU(narrow, in.Srcs[1].Def))
		return
	}
	in.Resize(16)
	widenAfter(in, widen)
}
