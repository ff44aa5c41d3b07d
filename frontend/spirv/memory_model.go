package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// What SPIR-V's memory model asks of an access, as the IR has it (nir-ir.md "Memory model"). What is not
// private must be seen by others when it is made available, and see them when it is made visible: on no
// target is there less than the coherent form for it, whatever the scope, so both are that form. Barriers
// order accesses; what they make available and visible is not private, hence coherent already.

// memoryBits are the bits of a set of memory or image operands by what they ask for.
type memoryBits struct {
	volatile, nontemporal, nonPrivate, available, visible uint32
}

var (
	pointerBits = memoryBits{uint32(spv.MemoryAccessVolatile), uint32(spv.MemoryAccessNontemporal), uint32(spv.MemoryAccessNonPrivatePointer),
		uint32(spv.MemoryAccessMakePointerAvailable), uint32(spv.MemoryAccessMakePointerVisible)}
	texelBits = memoryBits{uint32(spv.ImageOperandsVolatileTexel), uint32(spv.ImageOperandsNontemporal), uint32(spv.ImageOperandsNonPrivateTexel),
		uint32(spv.ImageOperandsMakeTexelAvailable), uint32(spv.ImageOperandsMakeTexelVisible)}
)

// access returns what a set of operands asks of an access.
func (b *memoryBits) access(m uint32) (a ir.Access) {
	if m&b.volatile != 0 {
		a |= ir.AccessVolatile
	}
	if m&b.nontemporal != 0 {
		a |= ir.AccessNonTemporal
	}
	if m&(b.nonPrivate|b.available|b.visible) != 0 {
		a |= ir.AccessCoherent
	}
	return a
}

const ruleMemory = "SPIR-V 3.26: Memory Operands"

// checkMemory checks the operands of an instruction that loads, stores or, copying, does both.
func (t *translator) checkMemory(in *inst, b *memoryBits, m uint32, loads, stores bool) {
	switch {
	case m&b.available != 0 && !stores:
		t.broken(ruleMemory, in.id, "%s stores nothing that it could make available", in.op)
	case m&b.visible != 0 && !loads:
		t.broken(ruleMemory, in.id, "%s loads nothing that could be made visible", in.op)
	case m&(b.available|b.visible) != 0 && m&b.nonPrivate == 0:
		t.broken(ruleMemory, in.id, "%s makes a private access available or visible", in.op)
	}
}
