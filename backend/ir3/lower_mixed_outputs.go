package ir3

import "nirc/ir"

// What components of a slot are stored as.
const (
	storesWords uint8 = 1 << iota
	storesHalfFloats
	storesHalfIntegers
)

// widenMixedOutputs stores components of 16 bits as words where others of their slot are of another kind: a register vector
// goes to the rasteriser as one kind. Fragment shaders read halves of either alike (isel_interp.go).
func widenMixedOutputs(s *ir.Shader, impl *ir.Impl) {
	if s.Stage == ir.StageFragment || s.Stage == ir.StageCompute {
		return
	}
	var kinds [256]uint8
	mixed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreOutput) {
				k := &kinds[uint8(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location)]
				*k |= outputKind(in)
				mixed = mixed || *k&(*k-1) != 0
			}
		}
	}
	if !mixed {
		return
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrStoreOutput) || outputKind(in) == storesWords {
				continue
			}
			if k := kinds[uint8(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location)]; k&(k-1) != 0 {
				widenOutput(in)
			}
		}
	}
	impl.Preserve(ir.MetaControlFlow)
}

func outputKind(in *ir.Instr) uint8 {
	switch {
	case in.Srcs[0].Def.BitSize != 16:
		return storesWords
	case ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat:
		return storesHalfFloats
	}
	return storesHalfIntegers
}

// widenOutput stores halves as words.
func widenOutput(in *ir.Instr) {
	b, v := ir.NewBuilder(ir.Before(in)).AtInstr(in), in.Srcs[0].Def
	t := ir.UnpackALUType(in.Get(ir.IdxSrcType))
	comps := make([]*ir.Def, v.NumComponents)
	for k := range comps {
		switch c := b.Channel(v, k); t.Class {
		case ir.ClassFloat:
			comps[k] = b.F2f32(c)
		case ir.ClassInt:
			comps[k] = b.I2i32(c)
		default:
			comps[k] = b.U2u32(c)
		}
	}
	t.Bits = 32
	in.Srcs[0].Set(b.Vec(comps...))
	in.Set(ir.IdxSrcType, t.Pack())
}
