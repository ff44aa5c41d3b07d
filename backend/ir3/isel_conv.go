package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// convert selects conversions and packing; false if in is neither.
func (s *isel) convert(in *ir.Instr) bool {
	from := uint8(0)
	if len(in.Srcs) > 0 {
		from = in.Srcs[0].Def.BitSize
	}
	one := func(o opnd) { s.setComps(&in.Def, o) }
	a := func() opnd { return s.src(in, 0) }
	switch in.Op {
	case ir.OpI2i1, ir.OpU2u1, ir.OpB2i1:
		o := s.narrow(a(), from)
		one(s.alu2(isa.Instr{Op: isa.OpAndB}, true, true, immInt, o, immediate(1, true)))
		s.widenBool(in)
	case ir.OpI2i8, ir.OpU2u8, ir.OpI2i16, ir.OpU2u16, ir.OpI2i32, ir.OpU2u32, ir.OpI2imp:
		one(s.intToInt(in, in.Op == ir.OpI2i8 || in.Op == ir.OpI2i16 || in.Op == ir.OpI2i32))
	case ir.OpB2i8, ir.OpB2i16:
		one(a())
	case ir.OpB2i32:
		one(s.condition(&in.Srcs[0], false))
	case ir.OpB2b32:
		one(s.alu2Mod(isa.Instr{Op: isa.OpAbsnegS}, false, s.condition(&in.Srcs[0], false), isa.Neg))
	case ir.OpB2f16:
		one(s.cov(isa.U16, isa.F16, isa.RoundEven, a()))
	case ir.OpB2f32:
		one(s.cov(isa.U16, isa.F32, isa.RoundEven, a()))
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2fmp:
		if from == 16 {
			one(a())
			break
		}
		one(s.cov(isa.F32, isa.F16, s.halfRound(in), a()))
	case ir.OpF2f32:
		if from == 32 {
			one(a())
			break
		}
		one(s.cov(isa.F16, isa.F32, 0, a()))
	case ir.OpI2f16, ir.OpI2f32, ir.OpI2fmp:
		one(s.intToFloat(in, true))
	case ir.OpU2f16, ir.OpU2f32, ir.OpU2fmp:
		one(s.intToFloat(in, false))
	case ir.OpF2i8, ir.OpF2i16, ir.OpF2imp, ir.OpF2i32, ir.OpF2u8, ir.OpF2u16, ir.OpF2ump, ir.OpF2u32:
		one(s.floatToInt(in.Op, floatType(from), a()))
	default:
		return s.pack(in)
	}
	return true
}

// floatToInt converts a float of a type; bytes are clamped words.
func (s *isel) floatToInt(op ir.Op, from isa.Type, a opnd) opnd {
	switch op {
	case ir.OpF2i16, ir.OpF2imp:
		return s.cov(from, isa.S16, 0, a)
	case ir.OpF2u16, ir.OpF2ump:
		return s.cov(from, isa.U16, 0, a)
	case ir.OpF2i32:
		return s.cov(from, isa.S32, 0, a)
	case ir.OpF2u32:
		return s.cov(from, isa.U32, 0, a)
	case ir.OpF2u8:
		return s.alu2(isa.Instr{Op: isa.OpMinU}, true, true, immInt, s.cov(from, isa.U16, 0, a), immediate(0xff, true))
	}
	o := s.alu2(isa.Instr{Op: isa.OpMaxS}, true, true, immInt, s.cov(from, isa.S16, 0, a), immediate(0xff80, true))
	return s.alu2(isa.Instr{Op: isa.OpMinS}, true, true, immInt, o, immediate(0x7f, true))
}

func floatType(bits uint8) isa.Type {
	if bits == 16 {
		return isa.F16
	}
	return isa.F32
}

// halfRound is the rounding of a conversion to 16-bit float.
func (s *isel) halfRound(in *ir.Instr) isa.Round {
	switch {
	case in.Op == ir.OpF2f16Rtz:
		return isa.RoundZero
	case in.Op == ir.OpF2f16 && s.sh.Info.FloatControls.Has(ir.FCRoundRTZ, 16):
		return isa.RoundZero
	}
	return isa.RoundEven
}

// narrow returns the low half of an integer of the given size.
func (s *isel) narrow(o opnd, from uint8) opnd {
	if from <= 16 {
		return o
	}
	if o.kind == opImm {
		return immediate(o.fold().bits, true)
	}
	return s.cov(isa.U32, isa.U16, 0, o)
}

func (s *isel) intToInt(in *ir.Instr, signed bool) opnd {
	from, to := in.Srcs[0].Def.BitSize, in.Def.BitSize
	lane := in.Srcs[0].Swizzle.Lane(0) * backend.Parts(in.Srcs[0].Def)
	o := s.comp(in.Srcs[0].Def, lane)
	if to == 16 && from == 32 {
		return s.halfOfShifted(in, o)
	}
	if to <= 16 {
		if from == 8 && to == 16 {
			return s.widen8(o, signed)
		}
		return s.narrow(o, from)
	}
	if from >= 32 {
		return o
	}
	if from == 8 {
		o = s.widen8(o, signed)
	}
	if signed {
		return s.cov(isa.S16, isa.S32, 0, o)
	}
	return s.cov(isa.U16, isa.U32, 0, o)
}

func (s *isel) intToFloat(in *ir.Instr, signed bool) opnd {
	from := in.Srcs[0].Def.BitSize
	o := s.src(in, 0)
	if from == 8 {
		o = s.widen8(o, signed)
	}
	t := isa.U32
	switch {
	case from <= 16 && signed:
		t = isa.S16
	case from <= 16:
		t = isa.U16
	case signed:
		t = isa.S32
	}
	return s.cov(t, floatType(in.Def.BitSize), isa.RoundEven, o)
}

// pack selects packing and unpacking; false if in is neither.
func (s *isel) pack(in *ir.Instr) bool {
	one := func(o opnd) { s.setComps(&in.Def, o) }
	a := func() opnd { return s.src(in, 0) }
	word := func(k int) opnd {
		return s.comp(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)*2+k)
	}
	switch in.Op {
	case ir.OpPack64_2x32Split:
		s.setComps(&in.Def, a(), s.src(in, 1))
	case ir.OpUnpack64_2x32SplitX:
		one(word(0))
	case ir.OpUnpack64_2x32SplitY:
		one(word(1))
	case ir.OpPack32_2x16Split:
		one(s.pair(a(), s.src(in, 1)))
	case ir.OpUnpack32_2x16SplitX, ir.OpUnpack32_2x16SplitY:
		one(s.halfOf(in, &in.Srcs[0], a(), in.Op == ir.OpUnpack32_2x16SplitY))
	case ir.OpUnpackHalf2x16SplitX, ir.OpUnpackHalf2x16SplitY:
		one(s.cov(isa.F16, isa.F32, 0, s.halfOf(in, &in.Srcs[0], a(), in.Op == ir.OpUnpackHalf2x16SplitY)))
	default:
		return false
	}
	return true
}

func (s *isel) highHalf(o opnd) opnd {
	o = o.fold()
	if o.kind == opImm {
		return immediate(o.bits>>16, true)
	}
	return s.narrow(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, o, immediate(16, false)), 32)
}

// pair puts two halves into a full register. Of those that the preamble may be in few have names of halves.
func (s *isel) pair(lo, hi opnd) opnd {
	d := s.newReg(false)
	if s.f == s.pre.f {
		lo, hi = s.cov(isa.U16, isa.U32, 0, lo), s.cov(isa.U16, isa.U32, 0, hi)
		s.add(isa.Instr{Op: isa.OpShlg, Srcs: [4]isa.Operand{isa.I(16), standIn(classFull), standIn(classFull)}}, d, s.reg(hi), s.reg(lo))
		return s.value(d)
	}
	s.generic(mach.OpCollect, []mach.Value{d}, []mach.Value{s.reg(lo), s.reg(hi)})
	return s.value(d)
}

// bits selects bit counting and searching; false if in is neither.
func (s *isel) bits(in *ir.Instr) bool {
	a := func() opnd { return s.src(in, 0) }
	bits := uint8(0)
	if len(in.Srcs) > 0 {
		bits = in.Srcs[0].Def.BitSize
	}
	full := func(t isa.Instr, x opnd) opnd { return s.alu2(t, false, false, immInt, x, opnd{}) }
	switch in.Op {
	case ir.OpBitCount:
		s.setComps(&in.Def, s.bitCount(a(), bits))
	case ir.OpFindLsb:
		s.setComps(&in.Def, full(isa.Instr{Op: isa.OpClzB}, full(isa.Instr{Op: isa.OpBfrevB}, s.zext32(a(), bits))))
	case ir.OpUfindMsb:
		s.setComps(&in.Def, s.fromTop(full(isa.Instr{Op: isa.OpClzB}, s.zext32(a(), bits))))
	case ir.OpUfindMsbRev:
		s.setComps(&in.Def, full(isa.Instr{Op: isa.OpClzB}, s.zext32(a(), bits)))
	case ir.OpIfindMsb:
		s.setComps(&in.Def, s.fromTop(full(isa.Instr{Op: isa.OpClzS}, a())))
	default:
		return false
	}
	return true
}

// zext32 widens an integer to 32 bits.
func (s *isel) zext32(o opnd, bits uint8) opnd {
	if bits >= 32 {
		return o
	}
	if bits == 8 {
		o = s.widen8(o, false)
	}
	return s.cov(isa.U16, isa.U32, 0, o)
}

// fromTop turns a count of leading bits n into 31 - n, keeping -1.
func (s *isel) fromTop(n opnd) opnd {
	r := s.alu2(isa.Instr{Op: isa.OpSubU}, false, false, immInt, immediate(31, false), n)
	c := s.alu2(isa.Instr{Op: isa.OpCmpsS, Cond: condGE}, false, false, immInt, n, immediate(0, false))
	return s.sel(false, c, r, n)
}

// bitCount counts in halves: cbits.b is reliable on 16 bits only.
func (s *isel) bitCount(o opnd, bits uint8) opnd {
	count := func(h opnd) opnd { return s.alu2(isa.Instr{Op: isa.OpCbitsB}, true, true, immInt, h, opnd{}) }
	if bits <= 16 {
		if bits == 8 {
			o = s.widen8(o, false)
		}
		return s.cov(isa.U16, isa.U32, 0, count(o))
	}
	lo, hi := count(s.narrow(o, 32)), count(s.highHalf(o))
	return s.cov(isa.U16, isa.U32, 0, s.alu2(isa.Instr{Op: isa.OpAddS}, true, true, immInt, lo, hi))
}
