package midgard

import (
	"math"
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// add appends an instruction to the current block.
func (s *isel) add(t inst) *inst {
	in := s.f.newInst(t)
	in.loc = s.loc
	if in.kind == kindLdSt || in.texels {
		in.fences = s.fences
	}
	b := &s.f.blocks[s.blk]
	b.list = s.f.memory().push(b.list, in)
	return in
}

// move copies lanes of o to the masked components of dst.
func (s *isel) move(dst reg, mask uint8, o source) *inst {
	op := isa.OpImov
	if o.reg == regConst && mask != 0 {
		// Some floats are inline constants of a float move alone.
		_, integer := inlineConstant(isa.OpImov, o, mask)
		_, float := inlineConstant(isa.OpFmov, o, mask)
		if float && !integer {
			op = isa.OpFmov
		}
	}
	return s.alu(op, dst, mask, source{reg: regNone}, o)
}

// inRegister returns o as an operand that is no constant.
func (s *isel) inRegister(o source, lanes uint8) source {
	if o.reg != regConst {
		return o
	}
	n := 4
	for n > 1 && lanes>>(n-1) == 0 {
		n--
	}
	r := s.f.newNode(n)
	s.move(r, lanes&fullMask(n), o)
	return source{reg: r, swz: identity}
}

// inlineConstant reports whether lanes of a constant can be an inline constant
// of op, and which.
func inlineConstant(op isa.Op, o source, lanes uint8) (c uint16, ok bool) {
	if o.mod != 0 {
		return 0, false
	}
	v, first := uint32(0), true
	for i := range 4 {
		if lanes>>i&1 == 0 {
			continue
		}
		if !first && o.con[i] != v {
			return 0, false
		}
		v, first = o.con[i], false
	}
	if !op.Is(isa.FloatSrc) {
		return uint16(v), int32(v) == int32(int16(v))
	}
	h := emu.FloatToHalf(math.Float32frombits(v))
	return h, math.Float32bits(emu.HalfToFloat(h)) == v && h&0x7c00 != 0x7c00
}

// modified applies abs and neg of a source to its constants.
func (o source) modified() source {
	if o.reg != regConst || o.mod == 0 {
		return o
	}
	for i := range o.con {
		if o.mod&isa.ModAbs != 0 {
			o.con[i] &^= 1 << 31
		}
		if o.mod&isa.ModNeg != 0 {
			o.con[i] ^= 1 << 31
		}
	}
	o.mod = 0
	return o
}

// alu adds an ALU instruction. Constants become inline ones where they can, and
// registers where they do not fit.
func (s *isel) alu(op isa.Op, dst reg, mask uint8, a, b source) *inst {
	return s.aluTo(dest{reg: dst, lanes: mask}, op, a, b)
}

// aluTo is alu with any destination.
func (s *isel) aluTo(d dest, op isa.Op, a, b source) *inst {
	t := inst{op: op}
	d.describe(&t)
	if a.half == partByte || b.half == partByte || d.bytes {
		a, b = s.byteOperands(d, &t, a, b)
	}
	if (t.half == partLow || t.half == partHigh) && !op.Is(isa.Reduce) {
		i := bits.TrailingZeros8(d.lanes)
		a, b = a.lane(i), b.lane(i)
	}
	if !op.Is(isa.FloatDst) {
		t.out = isa.OutKeepLow
	}
	if op.Is(isa.FloatSrc) {
		a, b = a.modified(), b.modified()
	}
	if op.Is(isa.Commutes) && a.reg == regConst && b.reg != regConst {
		a, b = b, a
	}
	lanes := t.lanesRead(1)
	a, b = s.oneHalf(a, lanes), s.oneHalf(b, lanes)
	t.src = [2]source{a, b}
	if b.reg == regConst && b.half == partFull && !d.wide && !d.cut {
		t.con, t.imm = inlineConstant(op, b, lanes)
	}
	if words := constWords(&t); words > 4 {
		t.src[0] = s.inRegister(a, lanes)
	}
	return s.add(t)
}

// constWords is the number of different words among an instruction's constants.
func constWords(t *inst) int {
	var seen [8]uint32
	n := 0
	for i := range t.src {
		if t.src[i].reg != regConst || i == 1 && t.imm {
			continue
		}
		lanes := t.lanesRead(i)
		for k := range 4 {
			if lanes>>k&1 == 0 {
				continue
			}
			known := false
			for _, w := range seen[:n] {
				known = known || w == t.src[i].con[k]
			}
			if !known {
				seen[n] = t.src[i].con[k]
				n++
			}
		}
	}
	return n
}

// unary adds an instruction of one operand.
func (s *isel) unary(op isa.Op, dst reg, mask uint8, a source) *inst {
	return s.unaryTo(dest{reg: dst, lanes: mask}, op, a)
}

func (s *isel) unaryTo(d dest, op isa.Op, a source) *inst {
	if op.Is(isa.Move) {
		return s.aluTo(d, op, source{reg: regNone}, a)
	}
	return s.aluTo(d, op, a, constant(0))
}

// temp computes an operation of n lanes into a new register.
func (s *isel) temp(op isa.Op, n int, a, b source) source {
	r := s.f.newNode(n)
	s.alu(op, r, fullMask(n), a, b)
	return source{reg: r, swz: identity}
}
