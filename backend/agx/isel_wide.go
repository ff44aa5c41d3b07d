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
	uses := s.source(&t, 0, a, s.f.ValueList(3)[:0])
	uses = s.source(&t, 1, b, uses)
	uses = s.source(&t, 2, imm32(0), uses)
	if signed {
		for i := range 2 {
			if t.Srcs[i].Kind != isa.Imm {
				t.Srcs[i].Flags |= isa.SignExt
			}
		}
	}
	s.emit(&t, d, uses)
	return d
}

// pair makes the two words of a 64-bit value.
func (s *isel) pair(lo, hi opnd) mach.Value { return s.collectAs(classWide, lo, hi) }

// wideSum selects additions and subtractions of 64 bits; false if in is something else.
func (s *isel) wideSum(in *ir.Instr) bool {
	var v mach.Value
	switch in.Op {
	case ir.OpIleaAgx, ir.OpUleaAgx:
		k, ok := in.Srcs[2].Const(0)
		if !ok || k > 4 {
			return false
		}
		v = s.lea(in, uint8(k))
	case ir.OpIadd, ir.OpIsub:
		v = s.wideAdd(in, in.Op == ir.OpIsub)
	default:
		return false
	}
	s.setComps(&in.Def, s.split(v, 2)...)
	return true
}

// wide is a 64-bit source as a pair of registers.
func (s *isel) wide(in *ir.Instr, k int) mach.Value {
	d, c := in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(0)
	return s.pair(s.comp(d, 2*c), s.comp(d, 2*c+1))
}

// lea adds an index of 32 bits, extended and shifted, to a 64-bit base.
func (s *isel) lea(in *ir.Instr, shift uint8) mach.Value {
	t := isa.Instr{Op: isa.OpIadd, Shift: shift}
	uses := s.register(&t, 0, s.wide(in, 0), nil)
	uses = s.extended(&t, 1, s.src(in, 1), in.Op == ir.OpIleaAgx, uses)
	return s.wideResult(t, uses)
}

// extended makes an operand of 32 bits source i of t, extended to 64.
func (s *isel) extended(t *isa.Instr, i int, o opnd, signed bool, uses []mach.Value) []mach.Value {
	uses = s.source(t, i, s.sized(o, false), uses)
	if signed && t.Srcs[i].Kind != isa.Imm {
		t.Srcs[i].Flags |= isa.SignExt
	}
	return uses
}

func (s *isel) wideResult(t isa.Instr, uses []mach.Value) mach.Value {
	d := s.f.NewValue(classWide, 2)
	s.add(t, d, uses...)
	return d
}

// wideAdd is a sum or difference of 64 bits: a product of 32-bit numbers is added by a
// multiplication, a small constant is an operand.
func (s *isel) wideAdd(in *ir.Instr, sub bool) mach.Value {
	t := isa.Instr{Op: isa.OpIadd}
	for k := range 2 {
		x := in.Srcs[k].Def.Instr
		if !sub && (x.IsALU(ir.OpImul2x32_64) || x.IsALU(ir.OpUmul2x32_64)) && x.Def.NumComponents == 1 {
			t.Op = isa.OpImadd
			signed := x.Op == ir.OpImul2x32_64
			uses := s.extended(&t, 0, s.src(x, 0), signed, nil)
			uses = s.extended(&t, 1, s.src(x, 1), signed, uses)
			return s.wideResult(t, s.register(&t, 2, s.wide(in, 1-k), uses))
		}
	}
	for k := range 2 {
		c, ok := in.Srcs[1-k].Const(0)
		if !ok || sub && k == 1 || c >= 1<<32 && -c >= 1<<32 {
			continue
		}
		if less := c >= 1<<32; less != sub {
			t.Flags = isa.Sub
		}
		uses := s.register(&t, 0, s.wide(in, k), nil)
		uses = s.extended(&t, 1, imm32(uint32(min(c, -c))), false, uses)
		return s.wideResult(t, uses)
	}
	if sub {
		t.Flags = isa.Sub
	}
	uses := s.register(&t, 0, s.wide(in, 0), nil)
	uses = s.register(&t, 1, s.wide(in, 1), uses)
	return s.wideResult(t, uses)
}
