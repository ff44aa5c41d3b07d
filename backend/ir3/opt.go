package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// removeDead deletes instructions whose results nobody reads and that do
// nothing else.
func removeDead(f *mach.Func) {
	uses := make([]int32, f.NumValues())
	def := make([]*mach.Instr, f.NumValues())
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for _, u := range in.Uses() {
				uses[u.Val]++
			}
			for _, d := range in.Defs() {
				def[d.Val] = in
			}
		}
	}
	var work []*mach.Instr
	any := false
	dead := func(in *mach.Instr) bool {
		if in.NDefs == 0 || in.Op == mach.OpNone || !removable(in) {
			return false
		}
		for _, d := range in.Defs() {
			if d.Val != 0 && uses[d.Val] > 0 {
				return false
			}
		}
		return true
	}
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if dead(in) {
				in.Op, any = mach.OpNone, true
				work = append(work, in)
			}
		}
	}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range in.Uses() {
			uses[u.Val]--
			if d := def[u.Val]; d != nil && uses[u.Val] == 0 && dead(d) {
				d.Op = mach.OpNone
				work = append(work, d)
			}
		}
	}
	if !any {
		return
	}
	for b := range f.Blocks {
		l := f.Blocks[b].Instrs
		n := 0
		for _, in := range l {
			if in.Op != mach.OpNone {
				l[n] = in
				n++
			}
		}
		f.Blocks[b].Instrs = l[:n]
	}
}

// removable reports whether an instruction does nothing but compute its results.
func removable(in *mach.Instr) bool {
	if in.Op < mach.FirstTargetOp {
		return in.Op != mach.OpSpill
	}
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
	return true
}
