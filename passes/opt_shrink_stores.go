package passes

import "nirc/ir"

var optShrinkStoresPass = &Pass{
	Name: "opt_shrink_stores", Class: "B", Run: implPass(ir.MetaControlFlow, optShrinkStores), Idempotent: true, Optional: true,
	Doc: "Cuts components after the last written one off the values of stores.",
}

func optShrinkStores(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindIntrinsic || !in.Has(ir.IdxWriteMask) {
				continue
			}
			_, store, ok := memOffsetSrc(in.Intr)
			if ok = ok && store || in.Intr == ir.IntrStoreOutput || in.Intr == ir.IntrStorePerVertexOutput; !ok {
				continue
			}
			v := in.Srcs[0].Def
			n := 0
			for i := range int(v.NumComponents) {
				if in.Get(ir.IdxWriteMask)>>i&1 != 0 {
					n = i + 1
				}
			}
			for !legalWidth(n) {
				n++
			}
			if n >= int(v.NumComponents) {
				continue
			}
			in.Srcs[0].Set(builderBefore(in).Channels(v, 0, n))
			in.NumComponents = uint8(n)
			progress = true
		}
	}
	return progress
}
