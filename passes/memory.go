package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// visibleModes is memory that other invocations and the host see. Workgroup memory ends
// with the workgroup.
const visibleModes = ir.ModeSSBO | ir.ModeGlobal | ir.ModeImage

// writesMemory reports whether an instruction writes memory or an image that others see.
func writesMemory(in *ir.Instr) bool {
	return in.Memory().Writes() && in.MemoryModes()&visibleModes != 0
}

// memOffsetSrc says which source of a load or store by one byte offset, or one
// address, holds that, and whether it stores (source 0 is then the value).
func memOffsetSrc(i ir.Intrinsic) (off int, store, ok bool) {
	info := i.Info()
	m := info.Mem
	if m.Op != ir.MemLoad && m.Op != ir.MemStore || !m.Plain() || info.Srcs[m.Addr] != 1 || info.Target != "" {
		return 0, false, false
	}
	switch m.Space {
	case ir.SpaceUbo, ir.SpaceSsbo, ir.SpaceGlobal, ir.SpaceShared, ir.SpaceScratch, ir.SpacePush, ir.SpaceConstant:
		return int(m.Addr), m.Op == ir.MemStore, true
	}
	return 0, false, false
}

// bufferHandle returns the source that names the buffer or image of an
// access or a question about one, nil of what has none. Derefs of memory are none.
func bufferHandle(in *ir.Instr) *ir.Src {
	switch m := in.Memory(); m.Space {
	case ir.SpaceUbo, ir.SpaceSsbo, ir.SpaceImage:
		return &in.Srcs[m.Handle]
	}
	return nil
}

// accessBytes is how many bytes an access touches that reads or writes whole components.
func accessBytes(in *ir.Instr) uint32 {
	d := &in.Def
	if !in.HasDef() {
		d = in.Srcs[in.Memory().Data].Def
	}
	return uint32(d.NumComponents) * uint32(d.BitSize) / 8
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
