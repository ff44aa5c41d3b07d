package passes

import "nirc/ir"

var lowerUboVec4Pass = &Pass{
	Name: "lower_ubo_vec4", Class: "A", Run: implPass(ir.MetaControlFlow, lowerUboVec4), Idempotent: true,
	Instead: "descriptors: ir3 makes units of 16 bytes at selection, once a scan of the whole shader has said which loads read the const file relative to a0.x instead, of constant data too, for which there is no load_ubo_vec4; AGX and midgard load by bytes; it stays for targets that load by units of 16 bytes alone",
	Doc:     "Reads uniform buffers in units of 16 bytes (load_ubo_vec4); a load that may lie across a boundary reads both and selects. Components of 32 bits, or of 16 and 64 that are aligned.",
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
