package analysis

import (
	"math"

	"nirc/ir"
)

// maxCauses bounds the parts of a condition that are looked at one by one.
const maxCauses = 4

// latest returns in which iteration a component of d has the truth value exit at the latest, though what
// it is made of is not known: one of the causes that each leave does so, or a counter has
// passed the most that its limit may be.
func (s *simulator) latest(d *ir.Def, comp int, exit bool, depth int) (trips uint32, ok bool) {
	in := d.Instr
	if in.Kind != ir.KindALU || depth == 0 {
		return 0, false
	}
	switch {
	case in.Op == ir.OpInot:
		return s.atLatest(&in.Srcs[0], comp, !exit, depth-1)
	case in.Op == ir.OpIor && exit || in.Op == ir.OpIand && !exit:
		if d.BitSize != 1 {
			return 0, false
		}
		for i := range in.Srcs {
			if n, known := s.atLatest(&in.Srcs[i], comp, exit, depth-1); known && (!ok || n < trips) {
				trips, ok = n, true
			}
		}
		return trips, ok
	}
	return s.pastLimit(in, comp, exit)
}

// atLatest is trips of a source, or else latest.
func (s *simulator) atLatest(src *ir.Src, comp int, exit bool, depth int) (uint32, bool) {
	d, c := src.Def, src.Swizzle.Lane(comp)
	if n, ok := s.trips(d, c, exitTest{exit: exit}); ok {
		return n, true
	}
	return s.latest(d, c, exit, depth)
}

// pastLimit returns in which iteration a compare of a counter is decided whatever its limit is. The smaller
// side of the compare that leaves is the limit: at its most it leaves last.
func (s *simulator) pastLimit(in *ir.Instr, comp int, exit bool) (uint32, bool) {
	signed, less := false, false
	switch in.Op {
	case ir.OpIlt:
		signed, less = true, true
	case ir.OpIge:
		signed = true
	case ir.OpUlt:
		less = true
	case ir.OpUge:
	default:
		return 0, false
	}
	limit := 1 // of a >= b
	if less == exit {
		limit = 0 // of a < b
	}
	src, counter := &in.Srcs[limit], &in.Srcs[1-limit]
	most, ok := largest(src.Def, src.Swizzle.Lane(comp), signed)
	if !ok {
		return 0, false
	}
	return s.trips(counter.Def, counter.Swizzle.Lane(comp), exitTest{exit: exit, op: in.Op, after: limit == 0, limit: most})
}

// largest is the largest value that a component of d may have, if something bounds it.
func largest(d *ir.Def, comp int, signed bool) (uint64, bool) {
	if v, ok := d.Const(comp); ok {
		return v, true
	}
	most, top := UintMax(d, comp), uint64(math.MaxUint64)>>(64-d.BitSize)
	if signed {
		top >>= 1
	}
	if most <= top && most < maxSimulated {
		return most, true
	}
	if in := d.Instr; signed && in.Kind == ir.KindALU && in.Op == ir.OpImin {
		for i := range in.Srcs {
			if v, ok := in.Srcs[i].Const(comp); ok {
				return v, true
			}
		}
	}
	return 0, false
}
