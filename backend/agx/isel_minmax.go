package agx

import (
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// minMax selects fmin and fmax, which return the operand that is no NaN.
func (s *isel) minMax(in *ir.Instr) opnd {
	half := isHalf(&in.Def)
	a, b := s.src(in, 0), s.src(in, 1)
	t := isa.Instr{Op: isa.OpFcmpsel, Cond: isa.CondFLTN}
	if in.Op == ir.OpFmax {
		t.Cond = isa.CondFGTN
	}
	if a.kind == opImm && b.kind != opImm {
		a, b = b, a // a NaN constant would be folded: the other way round is the same
	}
	d := s.value(s.compareSelect(t, half, a, b, a, b))
	if !half && s.sh.Info.FloatControls.Has(ir.FCDenormFlush, 32) {
		return s.value(s.fmov(d, false))
	}
	return d
}
