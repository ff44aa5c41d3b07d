package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// wideMul selects products of 64 bits and their high words.
func (s *isel) wideMul(in *ir.Instr) bool {
	signed := in.Op == ir.OpImulHigh || in.Op == ir.OpImul2x32_64
	a, b := s.src(in, 0), s.src(in, 1)
	if in.Srcs[0].Def.BitSize == 8 && (in.Op == ir.OpUmulHigh || in.Op == ir.OpImulHigh) {
		p := s.imul(true, s.widen8(a, signed), s.widen8(b, signed))
		s.setComps(&in.Def, s.shiftRight(true, p, 8))
		return true
	}
	if in.Srcs[0].Def.BitSize != 32 {
		if in.Srcs[0].Def.BitSize != 16 || in.Op != ir.OpUmulHigh && in.Op != ir.OpImulHigh {
			return false
		}
		t := isa.Instr{Op: isa.OpImadd}
		p := s.mulTo(t, s.newReg(false), a, b, signed)
		_, hi := s.halves(s.value(p))
		s.setComps(&in.Def, hi)
		return true
	}
	w := s.mulTo(isa.Instr{Op: isa.OpImadd}, s.f.NewValue(classWide, 2), a, b, signed)
	words := s.split(w, 2)
	if in.Def.BitSize == 64 {
		s.setComps(&in.Def, words...)
	} else {
		s.setComps(&in.Def, words[1])
	}
	return true
}

// mulTo emits a product whose sources are extended by their signs or by zeros.
func (s *isel) mulTo(t isa.Instr, d mach.Value, a, b opnd, signed bool) mach.Value {
	var buf [3]mach.Value
	uses := s.source(&t, 0, a, buf[:0])
	uses = s.source(&t, 1, b, uses)
	uses = s.source(&t, 2, imm32(0), uses)
	if signed {
		for i := range 2 {
			if t.Srcs[i].Kind != isa.Imm {
				t.Srcs[i].Flags |= isa.SignExt
			}
		}
	}
	s.add(t, d, uses...)
	return d
}

// pair makes the two words of a 64-bit value.
func (s *isel) pair(lo, hi opnd) mach.Value { return s.collectAs(classWide, lo, hi) }
