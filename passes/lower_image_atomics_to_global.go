package passes

import "nirc/ir"

var lowerImageAtomicsToGlobalPass = &Pass{
	Name: "lower_image_atomics_to_global", Class: "A", Run: implPass(ir.MetaControlFlow, lowerImageAtomics), Idempotent: true,
	Doc: "Turns atomics on images, by derefs, numbers or handles, into atomics at the address of the texel. Bounds are not checked any more.",
}

// texelAddress is what finds the texel of an atomic on an image; false of all else.
func texelAddress(i ir.Intrinsic) (find ir.Intrinsic, ok bool) {
	switch i {
	case ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap:
		return ir.IntrImageDerefTexelAddress, true
	case ir.IntrImageAtomic, ir.IntrImageAtomicSwap:
		return ir.IntrImageTexelAddress, true
	case ir.IntrBindlessImageAtomic, ir.IntrBindlessImageAtomicSwap:
		return ir.IntrBindlessImageTexelAddress, true
	}
	return 0, false
}

func lowerImageAtomics(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		_, ok := texelAddress(in.Intr)
		return ok
	})
	for _, in := range list {
		b := builderBefore(in)
		find, _ := texelAddress(in.Intr)
		addr := b.Intrinsic(find, 1, 64, in.Srcs[0].Def, in.Srcs[1].Def, in.Srcs[2].Def)
		for _, k := range []ir.Index{ir.IdxImageDim, ir.IdxImageArray, ir.IdxFormat, ir.IdxAccess, ir.IdxRangeBase} {
			if addr.Has(k) && in.Has(k) {
				addr.Set(k, in.Get(k))
			}
		}
		atomic, srcs := ir.IntrGlobalAtomic, []*ir.Def{&addr.Def, in.Srcs[3].Def}
		if len(in.Srcs) == 5 {
			atomic, srcs = ir.IntrGlobalAtomicSwap, append(srcs, in.Srcs[4].Def)
		}
		n := b.Intrinsic(atomic, 1, in.Def.BitSize, srcs...).Set(ir.IdxAtomicOp, in.Get(ir.IdxAtomicOp))
		in.Def.RewriteUses(&n.Def)
		in.Remove()
	}
	return len(list) > 0
}
