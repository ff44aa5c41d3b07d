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
		s.aluTo(s.dest(&in.Def), isa.OpF2iRtz, s.floatSource(in, 0, isa.OpF2iRtz), constant(0))
	case ir.OpF2i8, ir.OpF2u8:
		s.floatToBytes(in)
	default:
		return s.convertBool(in)
	}
	return true
}

// convertBool selects conversions of booleans; false if in is none.
func (s *isel) convertBool(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpB2i8:
		s.narrowTo(in, s.temp(isa.OpIand, int(in.Def.NumComponents), s.src(in, 0), constant(1)))
	case ir.OpB2f32, ir.OpB2f16, ir.OpB2i32, ir.OpB2i16:
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
	switch from {
	case 8:
		mod := isa.ModZext
		if signed {
			mod = isa.ModSext
		}
		return s.src(in, 0).extend(in.Srcs[0].Def, mod)
	case 16:
	default:
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

// floatMaker reports whether a float operation makes the operand of in.
func (s *isel) floatMaker(in *ir.Instr) bool {
	by := s.vals[in.Srcs[0].Def.Index].by
	return by != nil && by.op.Is(isa.FloatDst)
}

// pack selects packs and unpacks of vectors; false if in is none: fields of whole
// bytes are moved where they go or only looked at.
func (s *isel) pack(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpPackUvec2ToUint:
		o := s.src(in, 0)
		s.viewOf(in, source{reg: s.gatherHalves([]source{o.lane(0), o.lane(1)})})
	case ir.OpPackUvec4ToUint:
		s.packWords(in)
	case ir.OpPack32_4x8:
		o := s.src(in, 0)
		s.viewOf(in, s.byteWord([]source{o.lane(0), o.lane(1), o.lane(2), o.lane(3)}))
	case ir.OpPack32_4x8Split:
		var o, words [4]source
		for i := range o {
			o[i] = s.src(in, i)
		}
		n := int(in.Def.NumComponents)
		for k := range n {
			words[k] = s.byteWord([]source{o[0].lane(k), o[1].lane(k), o[2].lane(k), o[3].lane(k)})
		}
		if n == 1 {
			s.viewOf(in, words[0])
			break
		}
		s.gather(s.result(&in.Def), words[:n])
	case ir.OpUnpack32_4x8:
		o := s.src(in, 0).lane(0)
		v := packedBytes(o.reg)
		v.at = o.swz
		for i := range v.con {
			v.con[i] = o.con[0] >> (8 * i) & 0xff
		}
		s.set(&in.Def, v)
	default:
		return false
	}
	return true
}

// packWords selects the sum of four words in the bytes of one: a gathering of
// their low bytes where there is nothing above these.
func (s *isel) packWords(in *ir.Instr) {
	o := s.src(in, 0)
	if o.half == partFull && o.reg != regConst && fitsByte(in.Srcs[0].Def) {
		o.half = partByte
		s.viewOf(in, s.byteWord([]source{o.lane(0), o.lane(1), o.lane(2), o.lane(3)}))
		return
	}
	up := s.temp(isa.OpIshl, 4, o, source{reg: regConst, con: [4]uint32{0, 8, 16, 24}})
	two := s.temp(isa.OpIor, 2, up, up.place([4]uint8{2, 3}))
	s.viewOf(in, s.temp(isa.OpIor, 1, two, two.lane(1)))
}

// fitsByte reports whether the components of d are at most 255: what is cut to a byte, and
// the rounded product of a saturated value and 255.
func fitsByte(d *ir.Def) bool {
	in := d.Instr
	if in.Kind != ir.KindALU {
		return false
	}
	switch in.Op {
	case ir.OpU2u32:
		return in.Srcs[0].Def.BitSize == 8
	case ir.OpIand:
		return atMost(&in.Srcs[1], int(d.NumComponents), 255)
	case ir.OpF2u32:
		x := in.Srcs[0].Def.Instr
		if x.Kind == ir.KindALU && x.Op == ir.OpFroundEven {
			x = x.Srcs[0].Def.Instr
		}
		if x.Kind != ir.KindALU || x.Op != ir.OpFmul || !atMost(&x.Srcs[1], int(x.Def.NumComponents), 0x437f0000) {
			return false
		}
		m := x.Srcs[0].Def.Instr
		return m.Kind == ir.KindALU && m.Op == ir.OpFsat
	}
	return false
}

// atMost reports whether n components of a source are constants up to limit.
func atMost(q *ir.Src, n int, limit uint64) bool {
	for i := range n {
		if c, ok := q.Def.Const(q.Swizzle.Lane(i)); !ok || c > limit {
			return false
		}
	}
	return true
}
