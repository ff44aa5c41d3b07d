package passes

import "nirc/ir"

var lowerSsboPass = &Pass{
	Name:       "lower_ssbo",
	Class:      "A",
	Idempotent: true,
	Run:        implPass(ir.MetaControlFlow, lowerSsbo),
	Doc:        "Reaches storage buffers as global memory: load_ssbo_address gives the address. Bounds are not checked any more.",
}

func lowerSsbo(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		switch in.Intr {
		case ir.IntrLoadSsbo, ir.IntrStoreSsbo, ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap:
			return true
		}
		return false
	})
	for _, in := range list {
		b := builderBefore(in)
		at := 0
		if in.Intr == ir.IntrStoreSsbo {
			at = 1
		}
		addr := &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, in.Srcs[at].Def, in.Srcs[at+1].Def).Def
		var n *ir.Instr
		switch in.Intr {
		case ir.IntrLoadSsbo:
			n = b.Intrinsic(ir.IntrLoadGlobal, in.Def.NumComponents, in.Def.BitSize, addr)
		case ir.IntrStoreSsbo:
			n = b.Intrinsic(ir.IntrStoreGlobal, 0, 0, in.Srcs[0].Def, addr).Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask))
		case ir.IntrSsboAtomic:
			n = b.Intrinsic(ir.IntrGlobalAtomic, in.Def.NumComponents, in.Def.BitSize, addr, in.Srcs[2].Def)
		case ir.IntrSsboAtomicSwap:
			n = b.Intrinsic(ir.IntrGlobalAtomicSwap, in.Def.NumComponents, in.Def.BitSize, addr, in.Srcs[2].Def, in.Srcs[3].Def)
		}
		for _, k := range []ir.Index{ir.IdxAccess, ir.IdxAlignMul, ir.IdxAlignOffset, ir.IdxAtomicOp} {
			if n.Has(k) && in.Has(k) {
				n.Set(k, in.Get(k))
			}
		}
		if in.HasDef() {
			in.Def.RewriteUses(&n.Def)
		}
		in.Remove()
	}
	return len(list) > 0
}
