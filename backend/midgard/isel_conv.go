package midgard

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// extended brings integers of 8 and 16 bits to 32.
func (s *isel) extended(o source, n, bits int, signed bool) source {
	switch {
	case bits >= 32:
		return o
	case !signed:
		return s.temp(isa.OpIand, n, o, constant(1<<bits-1))
	}
	up := s.temp(isa.OpIshl, n, o, constant(uint32(32-bits)))
	return s.temp(isa.OpIasr, n, up, constant(uint32(32-bits)))
}

// convert selects conversions; false if in is none that is left.
func (s *isel) convert(in *ir.Instr) bool {
	n := int(in.Def.NumComponents)
	from := 32
	if len(in.Srcs) == 1 {
		from = int(in.Srcs[0].Def.BitSize)
	}
	switch in.Op {
	case ir.OpU2u32, ir.OpU2u16, ir.OpI2i32, ir.OpI2i16:
		o := s.integer(in, from, in.Op == ir.OpI2i32 || in.Op == ir.OpI2i16)
		switch {
		case in.Def.BitSize == 16:
			s.shrunk(in, o)
		case from == 16:
			s.unaryTo(s.dest(&in.Def), isa.OpImov, o)
		default:
			s.viewOf(in, o)
		}
	case ir.OpF2f32:
		if from == 32 {
			return s.viewOf(in, s.src(in, 0))
		}
		s.unaryTo(s.dest(&in.Def), isa.OpFmov, s.floatSource(in, 0, isa.OpFmov))
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2fmp:
		op := isa.OpFmov
		if in.Op == ir.OpF2f16Rtz {
			op = isa.OpFmovRtz
		}
		switch {
		case from == 16:
			return s.viewOf(in, s.src(in, 0))
		case op != isa.OpFmov || !s.floatMaker(in) || !s.shrinkMaker(in):
			s.unaryTo(s.dest(&in.Def), op, s.floatSource(in, 0, op))
		}
	case ir.OpI2f16, ir.OpU2f16, ir.OpI2fmp, ir.OpU2fmp:
		op, signed := isa.OpI2f, true
		if in.Op == ir.OpU2f16 || in.Op == ir.OpU2fmp {
			op, signed = isa.OpU2f, false
		}
		s.aluTo(s.dest(&in.Def), op, s.inRegister(s.integer(in, from, signed), fullMask(n)), constant(0))
	case ir.OpF2i16, ir.OpF2u16, ir.OpF2imp, ir.OpF2ump:
		t := s.aluTo(s.dest(&in.Def), isa.OpF2iRtz, s.floatSource(in, 0, isa.OpF2iRtz), constant(0))
		t.out = isa.OutSsat
		if in.Op == ir.OpF2u16 || in.Op == ir.OpF2ump {
			t.out = isa.OutUsat
		}
	case ir.OpF2i8, ir.OpF2u8:
		s.byteConvert(in)
	case ir.OpB2f32, ir.OpB2f16, ir.OpB2i32, ir.OpB2i16, ir.OpB2i8:
		one := uint32(1)
		switch in.Op {
		case ir.OpB2f32:
			one = math.Float32bits(1)
		case ir.OpB2f16:
			one = 0x3c00
		}
		s.aluTo(s.dest(&in.Def), isa.OpIand, s.src(in, 0), constant(one))
	default:
		return false
	}
	return true
}

// integer is the operand of a conversion as integers of 32 bits, or 16-bit ones
// that are extended where they are read.
func (s *isel) integer(in *ir.Instr, from int, signed bool) source {
	n := int(in.Def.NumComponents)
	if from != 16 {
		return s.extended(s.src(in, 0), n, from, signed)
	}
	o := s.rawSource(in, 0)
	switch {
	case o.reg == regConst && !signed:
		for i := range o.con {
			o.con[i] &= 0xffff
		}
	case o.reg != regConst && !signed:
		o.mod = isa.ModZext
	}
	return o
}

// floatMaker tells whether a float operation makes the operand of in.
func (s *isel) floatMaker(in *ir.Instr) bool {
	by := s.vals[in.Srcs[0].Def.Index].by
	return by != nil && by.op.Is(isa.FloatDst)
}

// copyOf gives in the value of o.
func (s *isel) copyOf(in *ir.Instr, o source) { s.viewOf(in, o) }

// byteConvert selects conversions of floats to 8 bits, which stay in their
// range.
func (s *isel) byteConvert(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	op, lo, hi := isa.OpF2iRtz, ^uint32(0x7f), uint32(0x7f)
	minOp, maxOp := isa.OpImin, isa.OpImax
	if in.Op == ir.OpF2u8 {
		op, lo, hi = isa.OpF2uRtz, 0, 0xff
		minOp, maxOp = isa.OpUmin, isa.OpUmax
	}
	whole := s.temp(op, n, s.floatSource(in, 0, op), constant(0))
	x := s.temp(minOp, n, whole, constant(hi))
	s.copyOf(in, s.temp(maxOp, n, x, constant(lo)))
}

// pack selects packs and unpacks of vectors; false if in is none.
func (s *isel) pack(in *ir.Instr) bool {
	field := func(o source, i int, bits uint32) source {
		x := s.temp(isa.OpIand, 1, o.lane(i), constant(1<<bits-1))
		if i > 0 {
			x = s.temp(isa.OpIshl, 1, x, constant(uint32(i)*bits))
		}
		return x
	}
	switch in.Op {
	case ir.OpPackUvec2ToUint:
		o := s.src(in, 0)
		s.copyOf(in, s.temp(isa.OpIor, 1, field(o, 0, 16), field(o, 1, 16)))
	case ir.OpPackUvec4ToUint, ir.OpPack32_4x8:
		o := s.src(in, 0)
		x := s.temp(isa.OpIor, 1, field(o, 0, 8), field(o, 1, 8))
		y := s.temp(isa.OpIor, 1, field(o, 2, 8), field(o, 3, 8))
		s.copyOf(in, s.temp(isa.OpIor, 1, x, y))
	case ir.OpPack32_4x8Split:
		n := int(in.Def.NumComponents)
		var x source
		for i := range 4 {
			p := s.temp(isa.OpIand, n, s.src(in, i), constant(0xff))
			if i == 0 {
				x = p
				continue
			}
			x = s.temp(isa.OpIor, n, x, s.temp(isa.OpIshl, n, p, constant(uint32(8*i))))
		}
		s.copyOf(in, x)
	case ir.OpUnpack32_4x8:
		s.copyOf(in, s.temp(isa.OpIlsr, 4, s.src(in, 0).place([4]uint8{}), source{reg: regConst, con: [4]uint32{0, 8, 16, 24}}))
	default:
		return false
	}
	return true
}
