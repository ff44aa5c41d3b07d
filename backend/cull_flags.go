package backend

import "nirc/ir"

// StoreCullFlags adds to a vertex stage what fragment programs cull by on hardware without cull distances: for each of them a
// varying, at slot and the one after it, that is 1 where the vertex is inside, else 0. It returns the number of those: that of the
// last distance that is stored, for GLSL declares one that nobody may ask for. What is not stored before it culls nothing.
func StoreCullFlags(s *ir.Shader, impl *ir.Impl, slot ir.Slot) (n int) {
	if s.Info.CullDistances == 0 || s.Stage != ir.StageVertex {
		return 0
	}
	var stored [8]bool
	for _, in := range Intrinsics(impl) {
		first, ok := cullStore(in)
		if !ok {
			continue
		}
		b := ir.NewBuilder(ir.After(in)).AtInstr(in)
		d := in.Srcs[0].Def
		parts := make([]*ir.Def, d.NumComponents)
		for c := range parts {
			parts[c] = b.B2f32(b.Fge(b.Channel(d, c), b.ImmFloat(0, d.BitSize)))
			if k := first + c; k < len(stored) && in.Get(ir.IdxWriteMask)>>c&1 != 0 {
				stored[k], n = true, max(n, k+1)
			}
		}
		storeCullFlags(b, slot, first, in.Get(ir.IdxWriteMask), b.Vec(parts...))
	}
	b := ir.NewBuilder(ir.AtStart(impl.Start()))
	for k := range n {
		if !stored[k] {
			storeCullFlags(b, slot, k, 1, b.ImmFloat(1, 32))
		}
	}
	impl.Preserve(ir.MetaControlFlow)
	return n
}

// cullStore reports whether an intrinsic stores cull distances, and from which one on.
func cullStore(in *ir.Instr) (first int, ok bool) {
	if in.Intr != ir.IntrStoreOutput || in.Srcs[0].Def.Instr.Kind == ir.KindUndef {
		return 0, false
	}
	off, ok := in.Srcs[1].Def.Const(0)
	slot := uint64(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location) + off
	ok = ok && (slot == uint64(ir.SlotCullDist0) || slot == uint64(ir.SlotCullDist1))
	return int(slot-uint64(ir.SlotCullDist0))*4 + int(in.Get(ir.IdxComponent)), ok
}

// storeCullFlags stores flags from one on.
func storeCullFlags(b *ir.Builder, slot ir.Slot, first int, mask uint64, v *ir.Def) {
	sem := ir.IOSemantics{Location: slot + ir.Slot(first/4), NumSlots: 1}
	b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, mask).Set(ir.IdxComponent, uint64(first%4)).
		Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
}
