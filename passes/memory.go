package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// writesMemory reports whether an intrinsic writes memory or an image that others see.
func writesMemory(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrStoreSsbo, ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32, ir.IntrImageStore, ir.IntrImageDerefStore, ir.IntrBindlessImageStore:
		return true
	case ir.IntrSharedAtomic, ir.IntrSharedAtomicSwap, ir.IntrTaskPayloadAtomic, ir.IntrTaskPayloadAtomicSwap:
		return false
	case ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		d := derefOf(in.Srcs[0].Def)
		return d == nil || d.DerefInfo().Modes&(ir.ModeSSBO|ir.ModeGlobal) != 0
	}
	return in.Has(ir.IdxAtomicOp)
}

// memOffsetSrc says which source of an explicit memory intrinsic is its offset,
// and whether it stores (source 0 is then the value).
func memOffsetSrc(i ir.Intrinsic) (off int, store, ok bool) {
	switch i {
	case ir.IntrLoadUbo, ir.IntrLoadSsbo:
		return 1, false, true
	case ir.IntrLoadShared, ir.IntrLoadScratch, ir.IntrLoadGlobal, ir.IntrLoadGlobalConstant, ir.IntrLoadPushConstant, ir.IntrLoadConstant:
		return 0, false, true
	case ir.IntrStoreSsbo:
		return 2, true, true
	case ir.IntrStoreShared, ir.IntrStoreScratch, ir.IntrStoreGlobal:
		return 1, true, true
	}
	return 0, false, false
}

// written tells what a shader writes besides its own variables.
type written struct{ buffers, images bool }

func (w *written) note(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrStoreSsbo, ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32, ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap, ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap,
		ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32, ir.IntrMemcpyDeref:
		w.buffers = true
	case ir.IntrImageStore, ir.IntrBindlessImageStore, ir.IntrImageDerefStore, ir.IntrImageAtomic, ir.IntrBindlessImageAtomic, ir.IntrImageDerefAtomic,
		ir.IntrImageAtomicSwap, ir.IntrBindlessImageAtomicSwap, ir.IntrImageDerefAtomicSwap:
		w.images = true
		w.buffers = w.buffers || texelBuffer(in)
	case ir.IntrStoreDeref, ir.IntrCopyDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		m := in.Srcs[0].Def.Instr.DerefInfo().Modes
		w.buffers = w.buffers || m&(ir.ModeSSBO|ir.ModeGlobal) != 0
		w.images = w.images || m&ir.ModeImage != 0
	case ir.IntrImageTexelAddress, ir.IntrBindlessImageTexelAddress, ir.IntrImageDerefTexelAddress:
		w.images, w.buffers = true, true // by pointer
	}
}

// unwritten tells loads from what the shader does not write.
func (w *written) unwritten(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadSsbo, ir.IntrLoadGlobal, ir.IntrLoadGlobal2x32:
		return !w.buffers
	case ir.IntrLoadDeref:
		m := in.Srcs[0].Def.Instr.DerefInfo().Modes
		return !w.buffers && m&^(ir.ModeSSBO|ir.ModeGlobal) == 0
	case ir.IntrImageLoad, ir.IntrBindlessImageLoad, ir.IntrImageDerefLoad:
		return !w.images && !(w.buffers && texelBuffer(in))
	}
	return false
}

// hasSideEffects reports whether in may not be deleted although nothing uses its result.
func hasSideEffects(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindJump, ir.KindCall, ir.KindParallelCopy:
		return true
	case ir.KindIntrinsic:
		return in.Intr.Info().Flags&optab.CanEliminate == 0 || ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0
	}
	return false
}

// canReorder reports whether an intrinsic may move across any other instruction
// and be merged with an equal one.
func canReorder(in *ir.Instr) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	if a&ir.AccessVolatile != 0 {
		return false
	}
	if in.Intr.Info().Flags&optab.CanReorder != 0 {
		return true
	}
	if in.Intr.Info().Flags&optab.CanEliminate == 0 {
		return false
	}
	if in.Intr == ir.IntrLoadDeref {
		if d := derefOf(in.Srcs[0].Def); d != nil && d.DerefInfo().Modes&^ir.ModeReadOnly == 0 {
			v := rootVar(d)
			return v == nil || v.Mode != ir.ModeSystemValue || v.BuiltIn != ir.BuiltInHelperInvocation
		}
	}
	return in.Has(ir.IdxAccess) && a&ir.AccessCanReorder != 0
}
