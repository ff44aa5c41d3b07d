package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// removeDead deletes what computes nothing that is wanted.
func removeDead(f *mach.Func) { mach.RemoveDead(f, removable) }

// removable reports whether an instruction does nothing but compute its result.
func removable(_ *mach.Func, in *mach.Instr) bool {
	switch in.Op {
	case opInputs, opEnd, opIf, opRefresh, opUnwrap:
		return false
	case opShuffle:
		return true
	}
	const effects = isa.TraitStore | isa.TraitBarrier | isa.TraitExec | isa.TraitBranch
	return isaOp(in.Op).Traits()&effects == 0
}
