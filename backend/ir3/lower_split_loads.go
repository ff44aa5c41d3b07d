package ir3

import "nirc/ir"

// splitReadOnlyLoads reads vectors of storage buffers that nobody writes word by word, where the texture path takes one word at a time (ir3.md §7.7).
func splitReadOnlyLoads(impl *ir.Impl, gpu *GPU) {
	if gpu.HasIsamV || gpu.Storage16 { // or the views are of halves
		return
	}
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrLoadSsbo) && in.Def.BitSize == 32 && in.Def.NumComponents > 1 && readOnlyAccess(in) && in.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		at := wordOffset(b, in.Srcs[1].Def)
		words := make([]*ir.Def, in.Def.NumComponents)
		for k := range words {
			x := b.Intrinsic(in.Intr, 1, 32, in.Srcs[0].Def, b.IAddImm(at, int64(k*wordBytes)))
			x.CopyIndices(in)
			words[k] = &x.Set(ir.IdxAlignMul, wordBytes).Set(ir.IdxAlignOffset, 0).Def
		}
		in.Def.RewriteUses(b.Vec(words...))
		in.Remove()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// wordOffset is the offset of a word in a form that selection makes a number of a word without a shift for each word after it.
func wordOffset(b *ir.Builder, at *ir.Def) *ir.Def {
	in := at.Instr
	if in.IsALU(ir.OpIadd) && in.Srcs[1].Def.IsConst() {
		in = in.Srcs[0].Def.Instr
	}
	if at.IsConst() || in.IsALU(ir.OpIshl) || in.IsALU(ir.OpImul24) && in.NoUnsignedWrap {
		return at
	}
	return wordAround(b, at)
}
