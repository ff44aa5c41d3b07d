package passes

import "nirc/ir"

var optMemcpyPass = &Pass{
	Name: "opt_memcpy", For: ir.HasDeref, Class: "C", Run: implPass(ir.MetaControlFlow, optMemcpy), Idempotent: true, Optional: true,
	Doc: "Turns memcpy_deref of a whole object into copy_deref, which the passes about variables understand: where both sides are of one type, once casts are looked through, whose size is the size that is copied, " +
		"or where one is a number, a vector or an array of them without gaps and the other can be seen as that. Copies of nothing, and onto themselves, go.",
}

func optMemcpy(impl *ir.Impl) bool {
	progress := false
	for _, in := range collect(impl, func(in *ir.Instr) bool { return in.IsIntrinsic(ir.IntrMemcpyDeref) }) {
		progress = wholeCopy(in) || progress
	}
	return progress
}

func wholeCopy(in *ir.Instr) bool {
	size, ok := in.Srcs[2].Def.Const(0)
	dst, src := derefOf(in.Srcs[0].Def), derefOf(in.Srcs[1].Def)
	if !ok || dst == nil || src == nil {
		return false
	}
	to, from := objectOf(dst, size), objectOf(src, size)
	if to == nil {
		to = dst
	}
	if from == nil {
		from = src
	}
	b := builderBefore(in)
	a, c := &to.Def, &from.Def
	ta, tc := to.DerefInfo().Type, from.DerefInfo().Type
	volatile := ir.Access(in.Get(ir.IdxDstAccess)|in.Get(ir.IdxSrcAccess))&ir.AccessVolatile != 0
	switch {
	case size == 0 || !volatile && compareDerefs(to, from) == derefsEqual && ta.Equal(tc):
		removeCopy(in)
		return true
	case sizeOf(ta) == size && ta.Equal(tc):
	case sizeOf(ta) == size && isDense(ta):
		c = b.DerefCast(c, from.DerefInfo().Modes, ta, 0)
	case sizeOf(tc) == size && isDense(tc):
		a = b.DerefCast(a, to.DerefInfo().Modes, tc, 0)
	default:
		return false
	}
	n := b.CopyDeref(a, c)
	n.Set(ir.IdxDstAccess, in.Get(ir.IdxDstAccess)).Set(ir.IdxSrcAccess, in.Get(ir.IdxSrcAccess))
	removeCopy(in)
	return true
}

// objectOf looks through casts, and to what the object ends in, for one of a size; nil if there is none.
func objectOf(d *ir.Instr, size uint64) *ir.Instr {
	for ; d != nil; d = derefParent(d) {
		if sizeOf(d.DerefInfo().Type) == size && d.Deref != ir.DerefCast {
			return d
		}
		if d.Deref != ir.DerefCast {
			return nil
		}
	}
	return nil
}

// sizeOf is the number of bytes of an object, 0 of what has no bytes.
func sizeOf(t *ir.Type) uint64 {
	if t.WithoutArray().IsOpaque() {
		return 0
	}
	_, n, _ := t.Explicit()
	return n
}

// isDense reports types of numbers one right after the other.
func isDense(t *ir.Type) bool {
	_, n, _ := t.Explicit()
	e, count := t, uint64(1)
	for ; e.IsArray(); e = e.Elem {
		count *= uint64(e.Len)
	}
	return isLeafType(e) && e.Base != ir.BaseBool && n == count*uint64(e.Rows)*uint64(e.Bits)/8
}
