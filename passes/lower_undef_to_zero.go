package passes

import "nirc/ir"

var lowerUndefToZeroPass = &Pass{
	Name: "lower_undef_to_zero", Class: "B", Run: implPass(ir.MetaControlFlow, lowerUndefToZero), Idempotent: true,
	Doc: "Replaces undefs by zeros, for runs that must not depend on chance.",
}

func lowerUndefToZero(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindUndef {
				in.Def.RewriteUses(builderBefore(in).Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...))
				in.Remove()
				progress = true
			}
		}
	}
	return progress
}
