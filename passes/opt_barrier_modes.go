package passes

import "nirc/ir"

var optBarrierModesPass = &Pass{
	Name: "opt_barrier_modes", For: ir.HasBarrier, Class: "B", Run: optBarrierModes, Idempotent: true, Optional: true,
	Doc: "Takes memory off barriers that the shader accesses nowhere, and makes barriers over nothing but shared memory hold for the workgroup only. " +
		"Explicit memory accesses; what a barrier is left without is for opt_barriers.",
}

func optBarrierModes(_ *Context, s *ir.Shader) (bool, error) {
	var used ir.Mode
	found := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				found = found || in.IsIntrinsic(ir.IntrBarrier)
				used |= touchedModes(in)
			}
		}
	}
	if !found {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow|ir.MetaInstrIndex, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.IsIntrinsic(ir.IntrBarrier) {
					progress = narrowBarrier(in, used) || progress
				}
			}
		}
		return progress
	}), nil
}

// touchedModes returns what memory an instruction may read or write.
func touchedModes(in *ir.Instr) ir.Mode {
	switch in.Kind {
	case ir.KindCall:
		return ^ir.Mode(0)
	case ir.KindDeref:
		return in.DerefInfo().Modes
	case ir.KindIntrinsic:
	default:
		return 0
	}
	switch in.Intr {
	case ir.IntrLoadOutput, ir.IntrLoadAttachment, ir.IntrStoreOutput, ir.IntrLoadPerVertexOutput, ir.IntrStorePerVertexOutput,
		ir.IntrLoadPerPrimitiveOutput, ir.IntrStorePerPrimitiveOutput:
		return ir.ModeShaderOut
	}
	m := in.Memory()
	switch {
	case m.Space == ir.SpaceShared:
		return ir.ModeShared
	case in.Intr.Info().Target != "":
		return ir.ModeSSBO | ir.ModeGlobal | ir.ModeImage
	case in.Has(ir.IdxImageDim):
		return ir.ModeImage
	case in.Has(ir.IdxAccess), m.Space == ir.SpaceGlobal:
		return ir.ModeSSBO | ir.ModeGlobal
	}
	return 0
}

func narrowBarrier(in *ir.Instr, used ir.Mode) (progress bool) {
	const known = ir.ModeShared | ir.ModeSSBO | ir.ModeGlobal | ir.ModeImage | ir.ModeShaderOut
	m := ir.Mode(in.Get(ir.IdxMemoryModes))
	if keep := m & (used | ^known); keep != m {
		in.Set(ir.IdxMemoryModes, uint64(keep))
		m, progress = keep, true
	}
	if m == ir.ModeShared && in.Get(ir.IdxMemoryScope) > uint64(ir.ScopeWorkgroup) {
		in.Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup))
		progress = true
	}
	return progress
}
