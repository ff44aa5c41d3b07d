package midgard

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/emu"
	"nirc/ir"
)

// halves tells whether an operation of the table has 16-bit floats for operands
// or result: those are computed in 32 bits, a lane at a time.
func (s *isel) halves(in *ir.Instr) bool {
	r := aluTable[in.Op]
	return r.op.Is(isa.FloatDst) && in.Def.BitSize == 16 || r.op.Is(isa.FloatSrc) && in.Srcs[0].Def.BitSize == 16
}

// halfLane is lane i of a 16-bit operand; constants become 32-bit floats.
func halfLane(o source, i int) source {
	o = o.lane(i)
	if o.reg == regConst {
		return constant(math.Float32bits(emu.HalfToFloat(uint16(o.con[0]))))
	}
	o.half = partLow
	return o
}

// halfInst adds an instruction for one lane with a 16-bit result.
func (s *isel) halfInst(op isa.Op, d reg, i int, a, b source) *inst {
	t := s.alu(op, d, 1<<i, a, b)
	t.half = partLow
	return t
}

// halfALU selects an operation on 16-bit floats.
func (s *isel) halfALU(in *ir.Instr, r aluRow) {
	n := int(in.Def.NumComponents)
	if r.shape == shapeReduce {
		s.fail(in, "16-bit %s is not supported: it must be lowered", in.Op)
		return
	}
	operand := func(k, i int) source {
		if k >= len(in.Srcs) {
			return constant(0)
		}
		if in.Srcs[k].Def.BitSize != 16 || !r.op.Is(isa.FloatSrc) {
			return s.src(in, k).lane(i)
		}
		return halfLane(s.src(in, k), i)
	}
	d := s.f.newNode(n)
	for i := range n {
		a, b := operand(0, i), operand(1, i)
		if in.Op == ir.OpFsub {
			b.mod ^= isa.ModNeg
		}
		if r.shape == shapeSwapped {
			a, b = b, a
		}
		t := s.alu(r.op, d, 1<<i, a, b)
		if in.Def.BitSize == 16 && r.op.Is(isa.FloatDst) {
			t.half = partLow
		}
	}
	s.set(&in.Def, value{reg: d, at: identity})
}

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
	mask := fullMask(n)
	from := 32
	if len(in.Srcs) == 1 {
		from = int(in.Srcs[0].Def.BitSize)
	}
	switch in.Op {
	case ir.OpU2u32, ir.OpU2u16:
		s.copyOf(in, s.extended(s.src(in, 0), n, from, false))
	case ir.OpI2i32, ir.OpI2i16:
		s.copyOf(in, s.extended(s.src(in, 0), n, from, true))
	case ir.OpF2f32:
		if from == 32 {
			return s.viewOf(in, s.src(in, 0))
		}
		s.eachLane(in, func(d reg, i int) {
			s.unary(isa.OpFmov, d, 1<<i, halfLane(s.src(in, 0), i))
		})
	case ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz, ir.OpF2fmp:
		op := isa.OpFmov
		if in.Op == ir.OpF2f16Rtz {
			op = isa.OpFmovRtz
		}
		if from == 16 {
			return s.viewOf(in, s.src(in, 0))
		}
		o := s.floatSource(in, 0, op)
		s.eachLane(in, func(d reg, i int) {
			x := s.inRegister(o.lane(i), 1).lane(0)
			x.mod = o.mod
			s.halfInst(op, d, i, source{reg: regNone}, x)
		})
	case ir.OpI2f16, ir.OpU2f16, ir.OpI2fmp, ir.OpU2fmp:
		op, signed := isa.OpI2f, true
		if in.Op == ir.OpU2f16 || in.Op == ir.OpU2fmp {
			op, signed = isa.OpU2f, false
		}
		o := s.inRegister(s.extended(s.src(in, 0), n, from, signed), mask)
		s.eachLane(in, func(d reg, i int) { s.halfInst(op, d, i, o.lane(i), constant(0)) })
	case ir.OpF2i16, ir.OpF2i8, ir.OpF2u16, ir.OpF2u8, ir.OpF2imp, ir.OpF2ump:
		s.saturatingConvert(in)
	case ir.OpB2f32, ir.OpB2f16, ir.OpB2i32, ir.OpB2i16, ir.OpB2i8:
		one := uint32(1)
		switch in.Op {
		case ir.OpB2f32:
			one = math.Float32bits(1)
		case ir.OpB2f16:
			one = 0x3c00
		}
		s.alu(isa.OpIand, s.result(&in.Def), mask, s.src(in, 0), constant(one))
	default:
		return false
	}
	return true
}

// copyOf gives in the value of o.
func (s *isel) copyOf(in *ir.Instr, o source) { s.viewOf(in, o) }

func (s *isel) eachLane(in *ir.Instr, f func(d reg, i int)) {
	d := s.f.newNode(int(in.Def.NumComponents))
	for i := range int(in.Def.NumComponents) {
		f(d, i)
	}
	s.set(&in.Def, value{reg: d, at: identity})
}

// saturatingConvert selects conversions of floats to 8 and 16 bits, which
// stay in their range.
func (s *isel) saturatingConvert(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	bits := uint(in.Def.BitSize)
	op, lo, hi := isa.OpF2iRtz, -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	minOp, maxOp := isa.OpImin, isa.OpImax
	switch in.Op {
	case ir.OpF2u16, ir.OpF2u8, ir.OpF2ump:
		op, lo, hi = isa.OpF2uRtz, 0, int64(1)<<bits-1
		minOp, maxOp = isa.OpUmin, isa.OpUmax
	}
	var whole source
	if in.Srcs[0].Def.BitSize == 16 {
		r := s.f.newNode(n)
		for i := range n {
			s.unary(op, r, 1<<i, halfLane(s.src(in, 0), i))
		}
		whole = source{reg: r, swz: identity}
	} else {
		whole = s.temp(op, n, s.floatSource(in, 0, op), constant(0))
	}
	x := s.temp(minOp, n, whole, constant(uint32(hi)))
	s.copyOf(in, s.temp(maxOp, n, x, constant(uint32(lo))))
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
	case ir.OpPackUvec2ToUint, ir.OpPack32_2x16:
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
	case ir.OpUnpack32_2x16:
		s.copyOf(in, s.temp(isa.OpIlsr, 2, s.src(in, 0).place([4]uint8{}), source{reg: regConst, con: [4]uint32{0, 16}}))
	case ir.OpUnpack32_4x8:
		s.copyOf(in, s.temp(isa.OpIlsr, 4, s.src(in, 0).place([4]uint8{}), source{reg: regConst, con: [4]uint32{0, 8, 16, 24}}))
	default:
		return false
	}
	return true
}
