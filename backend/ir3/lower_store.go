package ir3

import "nirc/ir"

// lowerNarrowStores writes stores to storage buffers that are narrower than
// the GPU's by two atomics on the word around each component: one clears its
// bits, one sets them. Neighbours that other fibers store at the same time
// stay whole.
func lowerNarrowStores(impl *ir.Impl, gpu *GPU) bool {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreSsbo) && (in.Srcs[0].Def.BitSize == 8 || in.Srcs[0].Def.BitSize == 16 && !gpu.Storage16) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		narrowStore(in)
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaControlFlow)
	}
	return len(found) > 0
}

func narrowStore(in *ir.Instr) {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	val, handle, off := in.Srcs[0].Def, in.Srcs[1].Def, in.Srcs[2].Def
	bytes := uint32(val.BitSize / 8)
	ones := uint32(1)<<val.BitSize - 1
	for c := range int(val.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>c&1 == 0 {
			continue
		}
		at := off
		if c > 0 {
			at = b.Iadd(off, b.Imm32(uint32(c)*bytes))
		}
		word := b.Iand(at, b.Imm32(^uint32(3)))
		shift := b.Ishl(b.Iand(at, b.Imm32(3)), b.Imm32(3))
		bits := b.U2u32(b.Channel(val, c))
		for _, step := range []struct {
			op   ir.AtomicOp
			data *ir.Def
		}{
			{ir.AtomicIAnd, b.Inot(b.Ishl(b.Imm32(ones), shift))},
			{ir.AtomicIOr, b.Ishl(bits, shift)},
		} {
			b.Intrinsic(ir.IntrSsboAtomic, 1, 32, handle, word, step.data).Set(ir.IdxAtomicOp, uint64(step.op)).Set(ir.IdxAccess, in.Get(ir.IdxAccess))
		}
	}
	in.Remove()
}
