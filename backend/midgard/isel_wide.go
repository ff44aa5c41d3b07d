package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// Values of 64 bits have two components, lane by lane. One instruction computes up
// to two lanes; operands of 32 bits are extended where they are read, and of products
// and comparisons 32 bits may be kept (midgard.md §3.2, 4.4).

// wideTable gives the operations on 64 bits that are one instruction; what acts bit by
// bit is one on 32-bit components.
var wideTable = [ir.NumOps]aluRow{
	ir.OpIadd: {isa.OpIadd, shapeLanes}, ir.OpIsub: {isa.OpIsub, shapeLanes}, ir.OpImul: {isa.OpImul, shapeLanes},
	ir.OpImin: {isa.OpImin, shapeLanes}, ir.OpImax: {isa.OpImax, shapeLanes}, ir.OpUmin: {isa.OpUmin, shapeLanes}, ir.OpUmax: {isa.OpUmax, shapeLanes},
	ir.OpIshl: {isa.OpIshl, shapeLanes}, ir.OpIshr: {isa.OpIasr, shapeLanes}, ir.OpUshr: {isa.OpIlsr, shapeLanes},
	ir.OpIeq: {isa.OpIeq, shapeLanes}, ir.OpIne: {isa.OpIne, shapeLanes},
	ir.OpIlt: {isa.OpIlt, shapeLanes}, ir.OpIge: {isa.OpIle, shapeSwapped}, ir.OpUlt: {isa.OpUlt, shapeLanes}, ir.OpUge: {isa.OpUle, shapeSwapped},
	ir.OpIeq32: {isa.OpIeq, shapeLanes}, ir.OpIne32: {isa.OpIne, shapeLanes},
	ir.OpIlt32: {isa.OpIlt, shapeLanes}, ir.OpIge32: {isa.OpIle, shapeSwapped}, ir.OpUlt32: {isa.OpUlt, shapeLanes}, ir.OpUge32: {isa.OpUle, shapeSwapped},
}

// wideInstr selects operations of wideTable and those bit by bit; false if in is none.
func (s *isel) wideInstr(in *ir.Instr) bool {
	n := int(in.Def.NumComponents)
	if n > 2 {
		return false
	}
	switch in.Op {
	case ir.OpIand, ir.OpIor, ir.OpIxor:
		s.aluTo(s.dest(&in.Def), aluTable[in.Op].op, s.src(in, 0), s.src(in, 1))
		return true
	case ir.OpInot:
		s.aluTo(s.dest(&in.Def), isa.OpInor, s.src(in, 0), constant(0))
		return true
	case ir.OpIneg:
		s.aluTo(s.wideDest(in), isa.OpIsub, constant(0), s.wideOperand(in, 0))
		return true
	case ir.OpU2u64, ir.OpI2i64:
		if in.Srcs[0].Def.BitSize != 32 {
			return false
		}
		s.aluTo(s.wideDest(in), isa.OpImov, source{reg: regNone}, s.wordOperand(s.src(in, 0), n, in.Op == ir.OpI2i64))
		return true
	case ir.OpUmul2x32_64, ir.OpImul2x32_64:
		signed := in.Op == ir.OpImul2x32_64
		s.aluTo(s.wideDest(in), isa.OpImul, s.wordOperand(s.src(in, 0), n, signed), s.wordOperand(s.src(in, 1), n, signed))
		return true
	}
	r := wideTable[in.Op]
	if r.shape == shapeNone {
		return false
	}
	a, b := s.wideOperand(in, 0), source{}
	switch in.Op {
	case ir.OpIshl, ir.OpIshr, ir.OpUshr:
		b = s.wordOperand(s.src(in, 1), n, false)
	default:
		b = s.wideOperand(in, 1)
	}
	if r.shape == shapeSwapped {
		a, b = b, a
	}
	s.aluTo(s.wideDest(in), r.op, a, b)
	return true
}

// wideDest is where a result of lanes of 64 bits goes, or of 32 bits cut from them.
func (s *isel) wideDest(in *ir.Instr) dest {
	d := s.dest(&in.Def)
	d.wide, d.cut = in.Def.BitSize == 64, in.Def.BitSize != 64
	return d
}

// wideOperand is source i of an operation on 64 bits, extended by itself if it is a
// conversion of 32-bit integers.
func (s *isel) wideOperand(in *ir.Instr, i int) source {
	q := &in.Srcs[i]
	c := q.Def.Instr
	if c.Kind != ir.KindALU || c.Op != ir.OpU2u64 && c.Op != ir.OpI2i64 || c.Srcs[0].Def.BitSize != 32 || c.Srcs[0].Def.IsConst() {
		return s.src(in, i)
	}
	n := in.SrcComps(i)
	swz := q.Swizzle.Compose(c.Srcs[0].Swizzle)
	o := s.operand(c.Srcs[0].Def, n, func(k int) int { return swz.Lane(k) })
	return s.wordOperand(o, n, c.Op == ir.OpI2i64)
}

// wordOperand makes n lanes of 32 bits an operand of lanes of 64.
func (s *isel) wordOperand(o source, n int, signed bool) source {
	if o.half != partFull {
		o = s.temp(isa.OpImov, n, source{reg: regNone}, o)
	}
	lanes := fullMask(n)
	if m := o.components(lanes); o.reg != regConst && m&3 != 0 && m&12 != 0 {
		r := s.f.newNode(n)
		s.move(r, lanes, o)
		o = source{reg: r, swz: identity}
	}
	last := uint8(n - 1)
	o = o.place([4]uint8{0, 0, last, last})
	switch {
	case o.reg != regConst:
		o.half, o.mod = partWord, isa.ModZext
		if signed {
			o.mod = isa.ModSext
		}
	case signed:
		o.con[1], o.con[3] = uint32(int32(o.con[1])>>31), uint32(int32(o.con[3])>>31)
	default:
		o.con[1], o.con[3] = 0, 0
	}
	return o
}

// highProduct selects the upper halves of products: those of operands that are
// extended to twice their size.
func (s *isel) highProduct(in *ir.Instr) {
	signed := in.Op == ir.OpImulHigh
	n := int(in.Def.NumComponents)
	if in.Def.BitSize == 16 {
		a, b := s.src(in, 0), s.src(in, 1)
		s.aluTo(s.dest(&in.Def), isa.OpImul, s.extendedHalf(in, 0, a, signed), s.extendedHalf(in, 1, b, signed)).out = isa.OutKeepHigh
		return
	}
	a, b := s.src(in, 0), s.src(in, 1)
	r := s.result(&in.Def)
	for i := 0; i < n; i += 2 {
		k := min(n-i, 2)
		d := dest{reg: r, lanes: fullMask(k), cut: true}
		t := s.aluTo(d, isa.OpImul, s.wordOperand(a.shifted(-i), k, signed), s.wordOperand(b.shifted(-i), k, signed))
		t.out = isa.OutKeepHigh
		t.mask <<= i
	}
}

// extendedHalf is source i, of 16 bits, extended to 32 where it is read.
func (s *isel) extendedHalf(in *ir.Instr, i int, o source, signed bool) source {
	o = o.number(in.Srcs[i].Def, false)
	switch {
	case o.reg != regConst && !signed:
		o.mod = isa.ModZext
	case o.reg == regConst && !signed:
		for k := range o.con {
			o.con[k] &= 0xffff
		}
	}
	return o
}
