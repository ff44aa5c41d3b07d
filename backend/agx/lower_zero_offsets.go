package agx

import "nirc/ir"

// dropZeros removes additions of zero, which the offsets that handles carry
// have become.
func dropZeros(impl *ir.Impl) {
	changed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsALU(ir.OpIadd) || in.Def.NumComponents != 1 {
				continue
			}
			for k := range 2 {
				x := &in.Srcs[1-k]
				if c, ok := in.Srcs[k].Const(0); ok && c == 0 && x.Def.NumComponents == 1 && x.Def != &in.Def {
					in.Def.RewriteUses(x.Def)
					changed = true
					break
				}
			}
		}
	}
	if changed {
		sweep(impl)
		impl.Preserve(ir.MetaControlFlow)
	}
}
