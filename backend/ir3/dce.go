package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// removeDead deletes instructions whose results nobody reads and that do
// nothing else.
func removeDead(f *mach.Func) { mach.RemoveDead(f, removable) }

// removeNeedless joins vectors of vectors, and deletes what that and selection left for nobody.
func removeNeedless(f *mach.Func) {
	mach.JoinCollects(f)
	removeDead(f)
}

// removable reports whether a target's instruction does nothing but compute its results.
func removable(f *mach.Func, in *mach.Instr) bool {
	switch in.Op {
	case opInputs:
		return false
	case opFineDsx, opFineDsy, opElect, opAny, opAll, opBallot, opReadCond, opReduce:
		return true
	}
	op := isaOp(in.Op)
	switch {
	case op.Category() == 0, op.Category() == 7, op >= isa.OpAtomicLAdd && op <= isa.OpAtomicGXor, op >= isa.OpAtomicBAdd && op <= isa.OpAtomicBXor:
		return false
	}
	return templates(f).tmpl[in.Ext].Flags&inOrder == 0
}
