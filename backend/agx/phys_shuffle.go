package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// r0hIndex holds the index of shuffles. A source quad joins the indices of
// all its lanes, inactive ones too, so that what those have there must be 0: the
// register is zero except for the lanes that shuffle right now
// (agx.md §5.8 and 12.6).
var (
	r0hIndex  = isa.H(1)
	zeroIndex = isa.Instr{Op: isa.OpMovImm16, Dst: r0hIndex}
)

// shuffle expands a shuffle by an index register.
func (p *program) shuffle(in *mach.Instr) {
	var t isa.Instr
	p.fillIn(&t, in)
	p.emit(mov(r0hIndex, t.Srcs[1]), in.Loc)
	t.Srcs[1] = r0hIndex
	p.emit(t, in.Loc)
	p.r0h, p.stale = true, true
}

// clearIndex sets the index of the active lanes back.
func (p *program) clearIndex(loc uint32) {
	p.emit(zeroIndex, loc)
	p.stale = false
}
