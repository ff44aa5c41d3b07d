package passes

import "nirc/ir"

// lowerLocalsToRegs turns the locals that remain, arrays of vectors or
// scalars of any nesting, into registers. Structs, casts, copies and
// component accesses keep a variable where it is.
func lowerLocalsToRegs(impl *ir.Impl) bool {
	if len(impl.Locals) == 0 {
		return false
	}
	regs := make([]*ir.Def, maxVarID(impl.Locals)+1)
	bad := make([]bool, len(regs))
	used := make([]bool, len(regs))
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			if v := rootVar(in); v != nil && v.Mode == ir.ModeFunctionTemp {
				bad[v.ID] = bad[v.ID] || !regDeref(in)
				used[v.ID] = true
			}
		}
	}
	any := false
	for _, v := range impl.Locals {
		leaf := v.Type.WithoutArray()
		if !used[v.ID] || bad[v.ID] || !leaf.IsNumeric() || v.Init != nil {
			continue
		}
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		regs[v.ID] = b.DeclReg(leaf.Rows, leaf.Bits, elementCount(v.Type))
		any = true
	}
	if !any {
		return false
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			regAccess(in, regs)
		}
	}
	removeDeadDerefsPass(impl)
	return true
}

// elementCount is the number of vectors in an array type, matrices counted by
// column; 0 of a vector.
func elementCount(t *ir.Type) int {
	n := 0
	for t.IsArray() || t.IsMatrix() {
		n = max(n, 1) * t.ChildCount()
		t = t.Child()
	}
	return n
}

func regDeref(in *ir.Instr) bool {
	switch in.Deref {
	case ir.DerefVar:
	case ir.DerefArray:
		if p := derefParent(in); isLeafType(p.DerefInfo().Type) {
			return false
		}
	default:
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if isComplexUse(u) || u.Instr.IsIntrinsic(ir.IntrCopyDeref) || u.Instr.Kind == ir.KindIntrinsic && !isLeafType(in.DerefInfo().Type) {
			return false
		}
	}
	return true
}

// regAccess turns a load or store of a variable with a register into one of it.
func regAccess(in *ir.Instr, regs []*ir.Def) {
	if !in.IsIntrinsic(ir.IntrLoadDeref) && !in.IsIntrinsic(ir.IntrStoreDeref) {
		return
	}
	d := derefOf(in.Srcs[0].Def)
	if d == nil {
		return
	}
	v := derefVar(d)
	if v == nil || v.Mode != ir.ModeFunctionTemp || regs[v.ID] == nil {
		return
	}
	b := builderBefore(in)
	base, index := elementIndex(b, d)
	reg := regs[v.ID]
	if n := elementCount(v.Type); index == nil && base >= uint64(max(n, 1)) {
		// Out of bounds: nothing is stored, and what is loaded is undefined.
		if in.HasDef() {
			in.Def.RewriteUses(b.Undef(in.Def.NumComponents, in.Def.BitSize))
		}
		in.Remove()
		return
	}
	var n *ir.Instr
	switch {
	case in.Intr == ir.IntrLoadDeref && index == nil:
		n = b.Intrinsic(ir.IntrLoadReg, in.Def.NumComponents, in.Def.BitSize, reg)
	case in.Intr == ir.IntrLoadDeref:
		n = b.Intrinsic(ir.IntrLoadRegIndirect, in.Def.NumComponents, in.Def.BitSize, reg, index)
	case index == nil:
		n = b.Intrinsic(ir.IntrStoreReg, 0, 0, in.Srcs[1].Def, reg).Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask))
	default:
		n = b.Intrinsic(ir.IntrStoreRegIndirect, 0, 0, in.Srcs[1].Def, reg, index).Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask))
	}
	n.Set(ir.IdxBase, base)
	if in.HasDef() {
		in.Def.RewriteUses(&n.Def)
	}
	in.Remove()
}

// elementIndex returns which vector of its variable a deref names: a constant
// part and the rest, nil if there is none.
func elementIndex(b *ir.Builder, d *ir.Instr) (base uint64, index *ir.Def) {
	for d.Deref != ir.DerefVar {
		size := uint64(max(elementCount(d.DerefInfo().Type), 1))
		if c, ok := firstConst(d.Srcs[1].Def); ok {
			base += c * size
		} else {
			term := b.IMulImm(d.Srcs[1].Def, int64(size))
			if index != nil {
				term = b.Iadd(index, term)
			}
			index = term
		}
		d = derefParent(d)
	}
	return base, index
}
