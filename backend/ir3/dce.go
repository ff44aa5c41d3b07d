package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// removeDead deletes instructions whose results nobody reads and that do
// nothing else.
func removeDead(f *mach.Func) {
	c := templates(f)
	mach.RemoveDead(f, func(in *mach.Instr) bool { return removable(c, in) })
}

// removable reports whether a target's instruction does nothing but compute its results.
func removable(c *code, in *mach.Instr) bool {
	switch in.Op {
	case opInputs:
		return false
	case opFineDsx, opFineDsy, opElect, opAny, opAll, opBallot, opReadCond:
		return true
	}
	op := isaOp(in.Op)
	switch {
	case op.Category() == 0, op.Category() == 7, op >= isa.OpAtomicLAdd && op <= isa.OpAtomicGXor, op >= isa.OpAtomicBAdd && op <= isa.OpAtomicBXor:
		return false
	}
	return c.tmpl[in.Ext].Flags&inOrder == 0
}
