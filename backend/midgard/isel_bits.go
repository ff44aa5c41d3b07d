package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

// negatedOps are the bit operations whose result is negated.
var negatedOps = lazy.Value[map[ir.Op]isa.Op]{Make: func() map[ir.Op]isa.Op {
	return map[ir.Op]isa.Op{ir.OpIand: isa.OpInand, ir.OpIor: isa.OpInor, ir.OpIxor: isa.OpInxor}
}}

// negatedBits selects bit operations of 32 bits with a negation, of the result or of a source, as one instruction; false if in is none.
func (s *isel) negatedBits(in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	switch in.Op {
	case ir.OpInot:
		m := in.Srcs[0].Def.Instr
		if m.Kind != ir.KindALU || !m.Def.UsedOnce() {
			return false
		}
		op, ok := negatedOps.Get()[m.Op]
		if !ok {
			return false
		}
		a, b := s.through(in, 0, m, 0), s.through(in, 0, m, 1)
		return s.bitwise(in, op, a, b)
	case ir.OpIand, ir.OpIor:
		op := isa.OpIandnot
		if in.Op == ir.OpIor {
			op = isa.OpIornot
		}
		for k := range in.Srcs {
			if m := in.Srcs[k].Def.Instr; m.Kind == ir.KindALU && m.Op == ir.OpInot {
				return s.bitwise(in, op, s.src(in, 1-k), s.through(in, k, m, 0))
			}
		}
	case ir.OpB2f32:
		if m := in.Srcs[0].Def.Instr; m.Kind == ir.KindALU && m.Op == ir.OpInot && m.Def.BitSize == 32 {
			return s.bitwise(in, isa.OpIandnot, constant(0x3f800000), s.through(in, 0, m, 0))
		}
	}
	return false
}

// through is source k of in as source j of the operation m that makes it has it.
func (s *isel) through(in *ir.Instr, k int, m *ir.Instr, j int) source {
	swz := in.Srcs[k].Swizzle.Compose(m.Srcs[j].Swizzle)
	return s.operand(m.Srcs[j].Def, int(in.Def.NumComponents), func(i int) int { return swz.Lane(i) })
}

// bitwise adds the operation if its sources are words.
func (s *isel) bitwise(in *ir.Instr, op isa.Op, a, b source) bool {
	if a.half != partFull || b.half != partFull || b.reg == regConst {
		return false
	}
	s.aluTo(s.dest(&in.Def), op, a, b)
	return true
}

// bitCount counts the one bits of each lane. IPOPCNT counts those of the lane, or of each of its bytes in its place: which,
// no page says (midgard.md §4.3). The bytes of either add up to the count, and their product with ones has the sum on top.
func (s *isel) bitCount(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	a := s.intSource(in, 0)
	if faults.has(faultBitCount) {
		s.aluTo(s.dest(&in.Def), isa.OpIpopcnt, a, constant(0))
		return
	}
	sum := s.temp(isa.OpImul, n, s.temp(isa.OpIpopcnt, n, a, constant(0)), constant(0x01010101))
	s.aluTo(s.dest(&in.Def), isa.OpIlsr, sum, constant(24))
}
