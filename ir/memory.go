package ir

import "nirc/ir/optab"

// Memory says how an intrinsic reaches memory; see optab.Memory.
type Memory = optab.Memory

// Spaces of memory; see optab.Space.
const (
	SpaceNone        = optab.SpaceNone
	SpaceDeref       = optab.SpaceDeref
	SpaceUbo         = optab.SpaceUbo
	SpaceSsbo        = optab.SpaceSsbo
	SpaceGlobal      = optab.SpaceGlobal
	SpaceShared      = optab.SpaceShared
	SpaceScratch     = optab.SpaceScratch
	SpacePush        = optab.SpacePush
	SpaceConstant    = optab.SpaceConstant
	SpaceUniform     = optab.SpaceUniform
	SpaceKernelInput = optab.SpaceKernelInput
	SpaceCounter     = optab.SpaceCounter
	SpaceTaskPayload = optab.SpaceTaskPayload
	SpaceImage       = optab.SpaceImage
)

// What an intrinsic does with memory; see optab.MemOp.
const (
	MemNone    = optab.MemNone
	MemLoad    = optab.MemLoad
	MemStore   = optab.MemStore
	MemAtomic  = optab.MemAtomic
	MemSwap    = optab.MemSwap
	MemCopy    = optab.MemCopy
	MemCall    = optab.MemCall
	MemQuery   = optab.MemQuery
	MemAddress = optab.MemAddress
)

// spaceModes are the modes of variables that lie in a space.
var spaceModes = [...]Mode{
	SpaceUbo: ModeUBO, SpaceSsbo: ModeSSBO, SpaceGlobal: ModeGlobal, SpaceShared: ModeShared, SpaceScratch: ModeFunctionTemp, SpacePush: ModePushConst,
	SpaceConstant: ModeConstant, SpaceImage: ModeImage, SpaceTaskPayload: ModeTaskPayload, SpaceCounter: ModeSSBO,
}

// Memory returns what memory in reaches; the Op of an instruction that reaches
// none is MemNone. Texture operations are not looked at.
func (in *Instr) Memory() Memory {
	if in.Kind == KindIntrinsic {
		if m := in.Intr.Info().Mem; m.Op != MemNone {
			return m
		}
	}
	return Memory{Handle: -1, Addr: -1, Offset: -1, Data: -1}
}

// MemoryModes returns the modes that in may read or write: those of its deref
// (of a copy: of its destination), else that of its space; ModeNone for what
// reads and writes no contents.
func (in *Instr) MemoryModes() Mode {
	m := in.Memory()
	switch {
	case !m.Accesses():
		return ModeNone
	case m.Space == SpaceDeref:
		return in.Srcs[m.Handle].Def.Instr.DerefInfo().Modes
	}
	return spaceModes[m.Space]
}

// MemoryIntrinsic returns the intrinsic that does op to memory of a mode by
// handle and offset, or by address; false if there is none.
func MemoryIntrinsic(mode Mode, op optab.MemOp) (Intrinsic, bool) {
	if mode == ModeShaderTemp {
		mode = ModeFunctionTemp // both are private to the thread
	}
	for s, m := range spaceModes {
		if m == mode && m != ModeNone && s != int(SpaceImage) && s != int(SpaceCounter) {
			i, ok := optab.MemoryIntrinsic(optab.Space(s), op)
			return Intrinsic(i), ok
		}
	}
	return 0, false
}
