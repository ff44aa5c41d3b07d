package passes

import "nirc/ir"

var rematerializeDerefsInUseBlocksPass = &Pass{
	Name: "rematerialize_derefs_in_use_blocks", Class: "A", Run: implPass(ir.MetaControlFlow, rematerializeDerefs),
	Instead: "registers: passes that move code carry derefs along; it stays for those that do not",
	Doc:     "Builds deref chains again in each block that uses them, so that a use's whole chain is in its block.",
}

// rematerializeDerefs builds every deref chain again in each block that uses
// it, so that code may move without its derefs.
func rematerializeDerefs(impl *ir.Impl) (progress bool) {
	r := &remat{b: ir.NewBuilder(ir.AtStart(impl.Start()))}
	for b := range impl.Blocks() {
		r.block, r.made = b, r.made[:0]
		for in := range b.Instrs() {
			if in.Kind == ir.KindPhi || in.Kind == ir.KindDeref && in.Def.Unused() {
				continue
			}
			r.b.At(ir.Before(in))
			for i := range in.Srcs {
				d := derefOf(in.Srcs[i].Def)
				if d == nil || d.Block == b {
					continue
				}
				in.Srcs[i].Set(r.deref(d))
				progress = true
			}
		}
	}
	if progress {
		removeUnusedDerefs(impl)
	}
	return progress
}
