package passes

import "nirc/ir"

var splitVarCopiesPass = &Pass{
	Name: "split_var_copies", For: ir.HasCopy, Class: "A", Run: implPass(ir.MetaControlFlow, splitVarCopies), Idempotent: true,
	Doc: "Splits copy_deref of structs and arrays until each copies vectors or scalars, arrays under wildcards.",
}

// splitVarCopies turns copies of structs into copies of their members and
// copies of arrays into copies under wildcards, until each copies one vector
// or scalar at a time.
func splitVarCopies(impl *ir.Impl) (progress bool) {
	eachCopy(impl, func(in *ir.Instr) {
		dst, src := in.Srcs[0].Def.Instr, in.Srcs[1].Def.Instr
		if isLeafType(dst.DerefInfo().Type) {
			return
		}
		b := builderBefore(in)
		splitCopy(b, in, &dst.Def, &src.Def)
		removeCopy(in)
		progress = true
	})
	return progress
}

func splitCopy(b *ir.Builder, in *ir.Instr, dst, src *ir.Def) {
	t := dst.Instr.DerefInfo().Type
	switch {
	case isLeafType(t) || t.IsOpaque():
		b.CopyDeref(dst, src).CopyIndices(in)
	case t.IsStruct():
		for i := range t.Fields {
			splitCopy(b, in, b.DerefStruct(dst, i), b.DerefStruct(src, i))
		}
	default:
		splitCopy(b, in, b.DerefWildcard(dst), b.DerefWildcard(src))
	}
}
