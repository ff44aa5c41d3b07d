package ir3

import (
	"slices"

	"nirc/ir"
)

// Rates of shading have their axes the other way round in hardware: the width is in the low two bits and the height in the
// two above (ir3.md §6.1, after the reference's ir3_nir_lower_shading_rate.c). With bit 4 a fragment's rate is as Vulkan has it.

// lowerShadingRate turns the rates that a fragment shader reads, and those that other stages write.
func lowerShadingRate(s *ir.Shader, impl *ir.Impl) {
	if faults.has(faultRateAxes) {
		return
	}
	progress := false
	for bl := range impl.Blocks() {
		for in := range bl.Instrs() {
			switch {
			case in.IsIntrinsic(ir.IntrLoadFragShadingRate):
				uses := slices.Collect(in.Def.Uses())
				b := ir.NewBuilder(ir.Before(in)).AtInstr(in).At(ir.After(in))
				turned := turnedRate(b, &in.Def)
				as := b.Ine(b.Iand(&in.Def, b.Imm32(16)), b.Imm32(0))
				rate := b.Bcsel(as, b.Iand(&in.Def, b.Imm32(15)), turned)
				for _, u := range uses {
					u.Set(rate)
				}
				progress = true
			case s.Stage != ir.StageFragment && in.IsIntrinsic(ir.IntrStoreOutput) && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == ir.SlotShadingRate:
				b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
				in.Srcs[0].Set(turnedRate(b, in.Srcs[0].Def))
				progress = true
			}
		}
	}
	if progress {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// turnedRate exchanges the axes of a rate.
func turnedRate(b *ir.Builder, rate *ir.Def) *ir.Def {
	low := b.Ishl(b.Iand(rate, b.Imm32(3)), b.Imm32(2))
	return b.Ior(low, b.Iand(b.Ushr(rate, b.Imm32(2)), b.Imm32(3)))
}
