package passes

import "nirc/ir"

var lowerImageAtomicsToGlobalPass = &Pass{
	Name: "lower_image_atomics_to_global", Class: "A", Run: implPass(ir.MetaControlFlow, lowerImageAtomics), Idempotent: true,
	Instead: "descriptors: ir3 and midgard have atomics on texels, AGX makes the address from its own descriptor; it stays for targets that can ask for it",
	Doc:     "Turns atomics on images into atomics at the address of the texel.",
}

func lowerImageAtomics(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		switch in.Intr {
		case ir.IntrImageAtomic, ir.IntrImageAtomicSwap, ir.IntrBindlessImageAtomic, ir.IntrBindlessImageAtomicSwap:
			return true
		}
		return false
	})
	for _, in := range list {
		b := builderBefore(in)
		find := ir.IntrImageTexelAddress
		if in.Intr == ir.IntrBindlessImageAtomic || in.Intr == ir.IntrBindlessImageAtomicSwap {
			find = ir.IntrBindlessImageTexelAddress
		}
		addr := b.Intrinsic(find, 1, 64, in.Srcs[0].Def, in.Srcs[1].Def, in.Srcs[2].Def)
		for _, k := range []ir.Index{ir.IdxImageDim, ir.IdxImageArray, ir.IdxFormat, ir.IdxAccess, ir.IdxRangeBase} {
			if addr.Has(k) && in.Has(k) {
				addr.Set(k, in.Get(k))
			}
		}
		var n *ir.Instr
		if in.Intr == ir.IntrImageAtomic || in.Intr == ir.IntrBindlessImageAtomic {
			n = b.Intrinsic(ir.IntrGlobalAtomic, 1, in.Def.BitSize, &addr.Def, in.Srcs[3].Def)
		} else {
			n = b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, in.Def.BitSize, &addr.Def, in.Srcs[3].Def, in.Srcs[4].Def)
		}
		n.Set(ir.IdxAtomicOp, in.Get(ir.IdxAtomicOp))
		in.Def.RewriteUses(&n.Def)
		in.Remove()
	}
	return len(list) > 0
}
