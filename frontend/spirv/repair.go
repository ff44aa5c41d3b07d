package spirv

import "nirc/ir"

// repair makes values reach their uses where the tree has paths that the
// module's graph has not: after a loop that is left by a flag, SPIR-V's
// dominance need not be the tree's. Such a value goes through a variable; a
// deref is made again where it is used.
func (t *translator) repair() {
	impl := t.f.b.Impl
	if impl.Start().NextBlock() == nil {
		impl.Preserve(ir.MetaNone)
		return // one block: each use comes after its value
	}
	impl.Require(ir.MetaDominance)
	checked := false
	for pass := range 2 {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if !in.HasDef() || (in.Kind == ir.KindDeref) != (pass == 0) {
					continue
				}
				t.repairDef(in, &checked)
			}
		}
	}
	impl.Preserve(ir.MetaNone)
}

// useBlock returns the block in which a use reads its value.
func useBlock(u *ir.Src) *ir.Block {
	if u.Instr != nil {
		return u.Instr.Block
	}
	return ir.Prev(u.If).(*ir.Block)
}

func (t *translator) repairDef(in *ir.Instr, checked *bool) {
	var v *ir.Variable
	for u := range in.Def.Uses() {
		at := useBlock(u)
		if at == in.Block || in.Block.Dominates(at) {
			continue
		}
		if !*checked {
			*checked = true
			t.checkDominance()
		}
		c := ir.AtEnd(at)
		if u.Instr != nil {
			c = ir.Before(u.Instr)
		}
		if in.Kind == ir.KindDeref {
			u.Set(t.cloneDeref(in, c))
			continue
		}
		b := ir.NewBuilder(c)
		if v == nil {
			v = b.Impl.NewLocal(storageOf(&in.Def), "")
			ir.NewBuilder(ir.After(in)).StoreVar(v, &in.Def, 0)
		}
		u.Set(b.LoadVar(v))
	}
}

// storageOf returns a type that holds a value.
func storageOf(d *ir.Def) *ir.Type {
	if d.BitSize == 1 {
		return ir.VectorType(ir.BaseBool, 1, d.NumComponents)
	}
	return ir.VectorType(ir.BaseUint, d.BitSize, d.NumComponents)
}

// cloneDeref makes a deref again at c, and what it is made from as far as it
// does not reach there.
func (t *translator) cloneDeref(in *ir.Instr, c ir.Cursor) *ir.Def {
	srcs := make([]*ir.Def, len(in.Srcs))
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	if len(srcs) > 0 {
		if p := srcs[0].Instr; p.Kind == ir.KindDeref && p.Block != c.Block && !p.Block.Dominates(c.Block) {
			srcs[0] = t.cloneDeref(p, c)
		}
	}
	old := t.s.SetLoc(in.Loc)
	n := t.s.NewDeref(in.Deref, *in.DerefInfo(), in.Def.NumComponents, in.Def.BitSize, srcs...)
	t.s.SetLoc(old)
	return &c.Insert(n).Def
}
