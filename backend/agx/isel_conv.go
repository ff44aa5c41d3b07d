package agx

import (
	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// convert selects conversions and packing; false if in is neither.
func (s *isel) convert(in *ir.Instr) bool {
	from := uint8(0)
	if len(in.Srcs) > 0 {
		from = in.Srcs[0].Def.BitSize
	}
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	half := isHalf(&in.Def)
	switch in.Op {
	case ir.OpI2i1, ir.OpU2u1:
		return one(s.intOp(bitop(tableAnd), true, s.narrow(s.src(in, 0), from), imm16(1)))
	case ir.OpB2i1, ir.OpB2b1:
		return one(s.src(in, 0))
	case ir.OpI2i8, ir.OpI2i16, ir.OpI2i32, ir.OpI2imp:
		return one(s.intToInt(in, true))
	case ir.OpU2u8, ir.OpU2u16, ir.OpU2u32:
		return one(s.intToInt(in, false))
	case ir.OpB2i8, ir.OpB2i16, ir.OpB2i32:
		return one(s.fromBool(in, half, immediate(1, half), immediate(0, half)))
	case ir.OpB2b8, ir.OpB2b16, ir.OpB2b32:
		return one(s.fromBool(in, half, immediate(^uint32(0), half), immediate(0, half)))
	case ir.OpB2f16:
		return one(s.fromBool(in, true, imm16(0x3c00), imm16(0)))
	case ir.OpB2f32:
		return one(s.fromBool(in, false, imm32(0x3f800000), imm32(0)))
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2fmp, ir.OpF2f16Rtz:
		if from == 16 {
			return one(s.src(in, 0))
		}
		if in.Op == ir.OpF2f16Rtz || in.Op == ir.OpF2f16 && s.sh.Info.FloatControls.Has(ir.FCRoundRTZ, 16) {
			return one(s.toHalfZero(s.src(in, 0)))
		}
		return one(s.value(s.fmov(s.src(in, 0), true)))
	case ir.OpF2f32:
		o := s.src(in, 0)
		if from == 16 && o.mods == 0 {
			o.conv = true
			return one(s.modified(in, o.fold()))
		}
		return one(s.value(s.fmov(o, false)))
	case ir.OpI2f16, ir.OpI2f32, ir.OpI2fmp:
		return one(s.intToFloat(in, true))
	case ir.OpU2f16, ir.OpU2f32, ir.OpU2fmp:
		return one(s.intToFloat(in, false))
	case ir.OpF2i8, ir.OpF2u8, ir.OpF2i16, ir.OpF2u16, ir.OpF2i32, ir.OpF2u32, ir.OpF2imp, ir.OpF2ump:
		return one(s.floatToInt(in))
	}
	return s.pack(in)
}

// fromBool selects between two values by the boolean source.
func (s *isel) fromBool(in *ir.Instr, half bool, yes, no opnd) opnd {
	c := s.condition(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0))
	if half && yes.isImm(1) && c.inv && c.b.isImm(0) && !c.flt && c.op == isa.CondUEQ && in.Srcs[0].Def.BitSize == 1 {
		if src := in.Srcs[0].Def.Instr; !(src.Kind == ir.KindALU && compares[src.Op].ok) {
			return c.a // a boolean already is 0 or 1
		}
	}
	return s.selectBy(c, half, yes, no)
}

// narrow returns the low half of an integer of the given size.
func (s *isel) narrow(o opnd, from uint8) opnd {
	if from <= 16 {
		return o
	}
	lo, _ := s.halves(o)
	return lo
}

func (s *isel) intToInt(in *ir.Instr, signed bool) opnd {
	from, to := in.Srcs[0].Def.BitSize, in.Def.BitSize
	o := s.comp(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)*backend.Parts(in.Srcs[0].Def))
	if from == 1 {
		yes := uint32(1)
		if signed {
			yes = ^uint32(0)
		}
		return s.fromBool(in, isHalf(&in.Def), immediate(yes, isHalf(&in.Def)), immediate(0, isHalf(&in.Def)))
	}
	if to <= 16 {
		if from == 8 && to == 16 {
			return s.widened(in, 0, signed)
		}
		return s.narrow(o, from)
	}
	if from >= 32 {
		return o
	}
	if from == 8 {
		o = s.widened(in, 0, signed)
	}
	if o.kind == opImm {
		if signed {
			return imm32(uint32(int32(int16(o.bits))))
		}
		return imm32(o.bits)
	}
	if signed {
		return s.signExtend(o)
	}
	return s.intOp(bitop(tableA), false, o, imm32(0))
}

// signExtend widens 16 bits to 32.
func (s *isel) signExtend(o opnd) opnd {
	t := isa.Instr{Op: isa.OpIadd}
	uses := s.source(&t, 0, s.once(o), nil)
	t.Srcs[0].Flags |= isa.SignExt
	uses = s.source(&t, 1, imm32(0), uses)
	d := s.newReg(false)
	s.add(t, d, uses...)
	return s.value(d)
}

// convertOp emits the convert instruction, whose mode is a plain number.
func (s *isel) convertOp(mode isa.ConvertMode, round isa.Round, half bool, o opnd) opnd {
	t := isa.Instr{Op: isa.OpConvert, Mode: uint8(mode), Round: round}
	return s.intOp(t, half, s.once(o))
}

// intToFloat converts the integer that the source was before it was widened. Signed bytes have a mode of
// their own, which the reference uses with an upper byte of zeros.
func (s *isel) intToFloat(in *ir.Instr, signed bool) opnd {
	in, half := plainInt(in, &signed), isHalf(&in.Def)
	from := in.Srcs[0].Def.BitSize
	mode := isa.U32ToF
	switch {
	case from == 8 && signed:
		return s.convertOp(isa.S8ToF, isa.RoundEven, half, s.widened(in, 0, false))
	case from == 8:
		return s.convertOp(isa.U16ToF, isa.RoundEven, half, s.widened(in, 0, false))
	case from == 16 && signed:
		mode = isa.S16ToF
	case from == 16:
		mode = isa.U16ToF
	case signed:
		if o, ok := s.signedByte(in); ok {
			return s.convertOp(isa.S8ToF, isa.RoundEven, half, o)
		}
		mode = isa.S32ToF
	}
	return s.convertOp(mode, isa.RoundEven, half, s.src(in, 0))
}

// plainInt returns the instruction whose first source is the number that a conversion to float has: the one that
// widened it, or the conversion itself.
func plainInt(in *ir.Instr, signed *bool) *ir.Instr {
	x := in.Srcs[0].Def.Instr
	if x.Kind != ir.KindALU || x.Def.NumComponents != 1 || len(x.Srcs) != 1 || x.Srcs[0].Def.BitSize < 8 || x.Srcs[0].Def.BitSize >= x.Def.BitSize {
		return in
	}
	switch x.Op {
	case ir.OpU2u16, ir.OpU2u32:
		*signed = false
		return x
	case ir.OpI2i16, ir.OpI2i32:
		if *signed {
			return x
		}
	}
	return in
}

// signedByte recognises a byte of a word that shifts have extended by its sign, and returns it extended by zeros.
func (s *isel) signedByte(in *ir.Instr) (o opnd, ok bool) {
	x := in.Srcs[0].Def
	down, c, ok := shiftedBy(x, ir.OpIshr)
	if !ok || c != 24 || !x.UsedOnce() {
		return o, false
	}
	up, n, ok := shiftedBy(down.Srcs[0].Def, ir.OpIshl)
	switch {
	case !ok:
		return o, false
	case n == 24:
		lo, _ := s.halves(s.src(up, 0))
		return s.intOp(bitop(tableAnd), true, lo, imm16(255)), true
	case n == 8 || n == 16:
		return s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: 8}, true, imm32(0), s.src(up, 0), imm32(24-n)), true
	}
	return o, false
}

func (s *isel) floatToInt(in *ir.Instr) opnd {
	signed, half := true, isHalf(&in.Def)
	switch in.Op {
	case ir.OpF2u8, ir.OpF2u16, ir.OpF2u32, ir.OpF2ump:
		signed = false
	}
	mode := isa.FToU32
	switch {
	case half && signed:
		mode = isa.FToS16
	case half:
		mode = isa.FToU16
	case signed:
		mode = isa.FToS32
	}
	return s.convertOp(mode, isa.RoundZero, half, s.src(in, 0))
}

// toHalfZero converts to 16 bits toward zero: to the nearest, and one step
// back where that is larger.
func (s *isel) toHalfZero(x opnd) opnd {
	x = s.once(x)
	h := s.value(s.fmov(x, true))
	c := cond{op: isa.CondFGT, flt: true, a: h.absolute(), b: x.absolute()}
	c.a.conv = true
	return s.selectBy(c, true, s.addSub(true, h, imm16(1), true), h)
}

// pack selects packing and unpacking; false if in is neither.
func (s *isel) pack(in *ir.Instr) bool {
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	word := func(k int) opnd { return s.comp(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)*2+k) }
	widen := func(o opnd) opnd { o.conv = true; return s.modified(in, o.fold()) }
	switch in.Op {
	case ir.OpPack64_2x32Split:
		s.setComps(&in.Def, s.src(in, 0), s.src(in, 1))
	case ir.OpPack64_2x32:
		s.setComps(&in.Def, s.src(in, 0), s.comp(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(1)))
	case ir.OpUnpack64_2x32SplitX:
		return one(word(0))
	case ir.OpUnpack64_2x32SplitY:
		return one(word(1))
	case ir.OpPack32_2x16Split:
		return one(s.join(s.src(in, 0), s.src(in, 1)))
	case ir.OpPack32_2x16:
		return one(s.join(s.src(in, 0), s.comp(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(1))))
	case ir.OpUnpack32_2x16SplitX:
		lo, _ := s.halves(s.src(in, 0))
		return one(lo)
	case ir.OpUnpack32_2x16SplitY:
		_, hi := s.halves(s.src(in, 0))
		return one(hi)
	case ir.OpPackHalf2x16Split:
		return one(s.join(s.value(s.fmov(s.src(in, 0), true)), s.value(s.fmov(s.src(in, 1), true))))
	case ir.OpPackHalf2x16RtzSplit:
		return one(s.join(s.toHalfZero(s.src(in, 0)), s.toHalfZero(s.src(in, 1))))
	case ir.OpUnpackHalf2x16SplitX:
		lo, _ := s.halves(s.src(in, 0))
		return one(widen(lo))
	case ir.OpUnpackHalf2x16SplitY:
		_, hi := s.halves(s.src(in, 0))
		return one(widen(hi))
	default:
		return false
	}
	return true
}

// bitSearch selects bit counting and searching; false if in is neither.
func (s *isel) bitSearch(in *ir.Instr) bool {
	unary := func(op isa.Op, x opnd) opnd { return s.intOp(isa.Instr{Op: op}, false, x) }
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	if len(in.Srcs) == 0 {
		return false
	}
	x := func() opnd {
		o := s.src(in, 0)
		if in.Srcs[0].Def.BitSize == 8 {
			o = s.widen8(o, in.Op == ir.OpIfindMsb)
		}
		return s.once(o)
	}
	switch in.Op {
	case ir.OpBitCount:
		return one(unary(isa.OpPopcount, x()))
	case ir.OpBitfieldReverse:
		if in.Def.BitSize != 32 {
			return false
		}
		return one(unary(isa.OpBitrev, x()))
	case ir.OpUfindMsb:
		return one(unary(isa.OpFfs, x()))
	case ir.OpFindLsb:
		o := x()
		neg := s.intOp(isa.Instr{Op: isa.OpIadd, Flags: isa.Sub}, o.half, imm32(0), o)
		return one(unary(isa.OpFfs, s.intOp(bitop(tableAnd), o.half, o, neg)))
	case ir.OpIfindMsb:
		o := x()
		if o.half {
			o = s.signExtend(o)
		}
		sign := s.intOp(isa.Instr{Op: isa.OpAsr}, false, o, imm32(31))
		return one(unary(isa.OpFfs, s.intOp(bitop(tableXor), false, o, sign)))
	}
	return false
}
