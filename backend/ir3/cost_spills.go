package ir3

import (
	"nirc/backend/cost"
	"nirc/backend/ir3/isa"
)

// fixedPlaces finds, by word, the accesses to private memory at a base register that was set to a number: to that of a spill area at
// least, as spilled registers are stored (spill.go). What computes its base from anything else indexes an array. The words are looked
// at in their order, for the register of the spill area holds the same for the whole program.
func fixedPlaces(lines []isa.Line) []bool {
	fixed := make([]bool, len(lines))
	number := map[int]int32{} // by unit: what the register there was set to
	var w touch
	for pc := range lines {
		in := &lines[pc].Instr
		if in.Op == isa.OpLdp || in.Op == isa.OpStp {
			if s, ok := operandSpan(in.Srcs[0], 1); ok {
				n, known := number[s.unit]
				fixed[pc] = known && n >= spillReach
			}
		}
		n, known := moved32(in, number)
		w.of(in)
		for _, s := range w.writes {
			for u := s.unit - 1; u < s.unit+s.n; u++ { // a number begins one unit before its second one
				delete(number, u)
			}
		}
		if s, ok := operandSpan(in.Dst, 1); ok && known {
			number[s.unit] = n
		}
	}
	return fixed
}

// moved32 is the number that an instruction moves to one register.
func moved32(in *isa.Instr, number map[int]int32) (n int32, known bool) {
	if in.Op != isa.OpMov || in.Repeat != 0 || in.Dst.Kind != isa.Reg || in.Dst.IsHalf() {
		return 0, false
	}
	if in.Srcs[0].Kind == isa.Imm {
		return in.Srcs[0].Val, true
	}
	s, ok := operandSpan(in.Srcs[0], 1)
	if !ok || in.Srcs[0].IsHalf() {
		return 0, false
	}
	n, known = number[s.unit]
	return n, known
}

// memoryFacts marks spills and arrays in private memory.
func (c *coster) memoryFacts(pc int, x *cost.Instr) {
	in := &c.lines[pc].Instr
	switch op := in.Op; {
	case op >= isa.OpLdg && op <= isa.OpLdgA7, op >= isa.OpStg && op <= isa.OpStgA7, op >= isa.OpAtomicGAdd && op <= isa.OpAtomicGXor:
		x.Address64 = true
	case op != isa.OpLdp && op != isa.OpStp:
	default:
		x.Count = max(1, int(in.Size))
		switch {
		case !c.fixed[pc]:
			x.Array = true
		case op == isa.OpLdp:
			x.Spill = 2
		default:
			x.Spill = 1
		}
	}
}
