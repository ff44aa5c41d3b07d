package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// cse removes instructions of a block that compute what an earlier one has
// computed, where the result depends on operands alone.
func cse(f *mach.Func) {
	mach.RemoveCommon(f, templates(f))
}

// Hash is a number of an instruction's template.
func (c *code) Hash(in *mach.Instr) uint64 {
	h := uint64(0)
	for _, s := range c.tmpl[in.Ext].Srcs {
		h = mach.MixHash(h, uint64(uint32(s.Val))|uint64(s.Kind)<<32)
	}
	return h
}

// Same reports whether two instructions have the same template.
func (c *code) Same(a, b *mach.Instr) bool { return c.tmpl[a.Ext] == c.tmpl[b.Ext] }

// Pure reports whether an instruction's result depends on its operands alone.
// A vector that several texture operations or accesses read is copied together once, and a register whose halves are wanted one by one
// is split once: its parts stay where they are only if nothing else reads it. Immediates and uniforms stay where they are: sharing one
// costs a move when it is part of a vector.
func (c *code) Pure(in *mach.Instr) bool {
	if in.Op == mach.OpCollect || in.Op == mach.OpSplit {
		return true
	}
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || in.Ops[0].Flags&(mach.Tied|mach.Fixed|mach.Early) != 0 {
		return false
	}
	switch op := isaOp(in.Op); op {
	case isa.OpMovImm16, isa.OpMovImm32:
		return false
	case isa.OpBitop:
		return len(in.Uses()) > 0 // else it moves a uniform
	case isa.OpGetSR:
		sr := c.tmpl[in.Ext].Srcs[0].Val
		return invariantSR(sr) || sr == srActiveRank || sr == srActiveCount // lanes come and go between blocks alone
	default:
		return op.Traits() == 0
	}
}
