package passes

import "nirc/ir"

// memoryFormPasses change by what intrinsics memory and images are reached.
var memoryFormPasses = []*Pass{
	{Name: "lower_ssbo", Class: "A", Idempotent: true, Run: implPass(ir.MetaControlFlow, lowerSsbo),
		Doc: "Reaches storage buffers as global memory: load_ssbo_address gives the address. Bounds are not checked any more."},
	{Name: "lower_ubo_vec4", Class: "A", Idempotent: true, Run: implPass(ir.MetaControlFlow, lowerUboVec4),
		Doc: "Reads uniform buffers in units of 16 bytes (load_ubo_vec4); a load that may lie across a boundary reads both and selects. Components of 32 bits, or of 16 and 64 that are aligned."},
	{Name: "lower_image", Class: "A", Run: lowerImage,
		Options: []Option{{"cube_size", "sizes of cube arrays by those of arrays of faces", false}},
		Doc:     "Writes questions about images that a target lacks."},
	{Name: "lower_image_atomics_to_global", Class: "A", Idempotent: true, Run: implPass(ir.MetaControlFlow, lowerImageAtomics),
		Doc: "Turns atomics on images into atomics at the address of the texel."},
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

func lowerUboVec4(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadUbo && in.Def.BitSize >= 16 })
	for _, in := range list {
		b := builderBefore(in)
		in.Def.RewriteUses(uboVec4(b, in))
		in.Remove()
	}
	return len(list) > 0
}

// uboVec4 reads the components of a load one unit after the other.
func uboVec4(b *ir.Builder, in *ir.Instr) *ir.Def {
	handle, off := in.Srcs[0].Def, in.Srcs[1].Def
	bytes := int64(in.Def.BitSize / 8)
	per := int(16 / bytes)
	mul, first := int64(max(1, in.Get(ir.IdxAlignMul))), int64(in.Get(ir.IdxAlignOffset))
	units := map[int64]*ir.Def{}
	unit := func(k int64) *ir.Def {
		if units[k] == nil {
			at := b.Ushr(b.IAddImm(off, 16*k), b.Imm32(4))
			units[k] = &b.Intrinsic(ir.IntrLoadUboVec4, uint8(per), in.Def.BitSize, handle, at).Set(ir.IdxAccess, in.Get(ir.IdxAccess)).Def
		}
		return units[k]
	}
	comps := make([]*ir.Def, in.Def.NumComponents)
	for i := range comps {
		at := first%16 + int64(i)*bytes
		if mul >= 16 {
			comps[i] = b.Channel(unit(at/16), int(at%16/bytes))
			continue
		}
		// The place in the unit is only known when it runs.
		place := b.IAddImm(off, int64(i)*bytes)
		whole := &b.Intrinsic(ir.IntrLoadUboVec4, uint8(per), in.Def.BitSize, handle, b.Ushr(place, b.Imm32(4))).Set(ir.IdxAccess, in.Get(ir.IdxAccess)).Def
		shift := uint32(1)
		for 1<<shift < bytes {
			shift++
		}
		comps[i] = vectorExtract(b, whole, b.Iand(b.Ushr(place, b.Imm32(shift)), b.Imm32(uint32(per-1))))
	}
	return b.Vec(comps...)
}

func lowerImage(c *Context, s *ir.Shader) (bool, error) {
	if !c.Bool("cube_size") {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			switch in.Intr {
			case ir.IntrImageSize, ir.IntrImageDerefSize, ir.IntrBindlessImageSize:
				return ir.Dim(in.Get(ir.IdxImageDim)) == ir.DimCube && in.Get(ir.IdxImageArray) != 0
			}
			return false
		})
		for _, in := range list {
			in.Set(ir.IdxImageDim, uint64(ir.Dim2D))
			b := ir.NewBuilder(ir.After(in))
			layers := b.Udiv(b.Channel(&in.Def, 2), b.ImmInt(6, in.Def.BitSize))
			v := b.Vec(b.Channel(&in.Def, 0), b.Channel(&in.Def, 1), layers)
			in.Def.RewriteUsesAfter(v, v.Instr)
		}
		return len(list) > 0
	}), nil
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
