package agx

import (
	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

// subgroup selects what looks at other lanes; false if in is something else.
func (s *isel) subgroup(in *ir.Instr) bool {
	one := func(o opnd) bool { s.setComps(&in.Def, o); return true }
	flag := func(c cond) bool { return one(s.selectBy(c, true, imm16(1), imm16(0))) }
	src := func(i int) opnd { return s.comp(in.Srcs[i].Def, 0) }
	switch in.Intr {
	case ir.IntrElect:
		return flag(cond{op: isa.CondUEQ, a: s.getSR(srActiveRank, true), b: imm16(0)})
	case ir.IntrBallot, ir.IntrBallotRelaxed:
		s.mask(in, s.ballot(s.condition(in.Srcs[0].Def, 0), false))
		return true
	case ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		quad := in.Intr == ir.IntrQuadVoteAny || in.Intr == ir.IntrQuadVoteAll
		any := in.Intr == ir.IntrVoteAny || in.Intr == ir.IntrQuadVoteAny
		return flag(s.vote(s.condition(in.Srcs[0].Def, 0), quad, any))
	case ir.IntrVoteIeq, ir.IntrVoteFeq:
		return flag(s.voteEqual(in))
	case ir.IntrFirstInvocation:
		return one(s.firstLane())
	case ir.IntrLastInvocation:
		return one(s.intOp(isa.Instr{Op: isa.OpFfs}, false, s.activeLanes()))
	case ir.IntrInverseBallot:
		return one(s.maskBit(src(0), s.getSR(srLane, true)))
	case ir.IntrBallotBitfieldExtract:
		return one(s.maskBit(src(0), src(1)))
	case ir.IntrBallotBitCountReduce:
		return one(s.intOp(isa.Instr{Op: isa.OpPopcount}, false, s.once(src(0))))
	case ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive:
		m := s.intOp(bitop(tableAnd), false, src(0), s.laneMask(in.Intr == ir.IntrBallotBitCountInclusive))
		return one(s.intOp(isa.Instr{Op: isa.OpPopcount}, false, m))
	case ir.IntrBallotFindMsb:
		return one(s.intOp(isa.Instr{Op: isa.OpFfs}, false, s.once(src(0))))
	case ir.IntrBallotFindLsb:
		return one(s.lowestBit(s.once(src(0))))
	case ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask:
		s.mask(in, s.compareMask(in.Intr))
		return true
	}
	return s.exchange(in) || s.reduction(in)
}

// mask gives a ballot its further words, which are 0.
func (s *isel) mask(in *ir.Instr, m opnd) {
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	ops[0] = m
	for k := 1; k < len(ops); k++ {
		ops[k] = imm32(0)
	}
	s.setComps(&in.Def, ops...)
}

// ballot is the mask of the active lanes (of the quad) where a condition holds.
func (s *isel) ballot(c cond, quad bool) opnd {
	t := isa.Instr{Op: isa.OpIcmpBallot, Cond: c.op}
	switch {
	case c.flt && quad:
		t.Op = isa.OpFcmpQuadBallot
	case c.flt:
		t.Op = isa.OpFcmpBallot
	case quad:
		t.Op = isa.OpIcmpQuadBallot
	}
	if c.inv {
		t.Cond |= condInverted
	}
	if c.a.kind == opImm {
		c.a = s.value(s.reg(c.a))
	}
	d := s.intOp(t, false, c.a, c.b)
	if quad {
		d = s.intOp(bitop(tableAnd), false, d, imm32(15))
	}
	return d
}

// vote is the condition that another holds in any or in all active lanes.
func (s *isel) vote(c cond, quad, any bool) cond {
	if !any {
		c.inv = !c.inv
	}
	return cond{op: isa.CondUEQ, inv: any, a: s.ballot(c, quad), b: imm32(0)}
}

// voteEqual is the condition that all active lanes have the same value.
func (s *isel) voteEqual(in *ir.Instr) cond {
	n := int(in.Srcs[0].Def.NumComponents) * backend.Parts(in.Srcs[0].Def)
	var all opnd
	fromFirst := s.fromFirst()
	for k := range n {
		x := s.once(s.comp(in.Srcs[0].Def, k))
		c := cond{op: isa.CondUEQ, inv: true, a: x, b: fromFirst(x)}
		if in.Intr == ir.IntrVoteFeq {
			c.op, c.flt = isa.CondFEQ, true
		}
		m := s.ballot(c, false)
		if k == 0 {
			all = m
			continue
		}
		all = s.intOp(bitop(tableOr), false, all, m)
	}
	return cond{op: isa.CondUEQ, a: all, b: imm32(0)}
}

// firstLane is the number of the lowest active lane, activeLanes their mask.
func (s *isel) firstLane() opnd {
	m := s.ballot(cond{op: isa.CondUEQ, a: s.getSR(srActiveRank, true), b: imm16(0)}, false)
	return s.intOp(isa.Instr{Op: isa.OpFfs}, false, m)
}

func (s *isel) activeLanes() opnd {
	return s.ballot(cond{op: isa.CondUEQ, a: imm16(0), b: imm16(0)}, false)
}

// maskBit is bit n of a mask as a boolean.
func (s *isel) maskBit(m, n opnd) opnd {
	b := s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: 1}, true, imm32(0), m, n)
	return b
}

// lowestBit is the number of the lowest bit set, -1 if none is.
func (s *isel) lowestBit(m opnd) opnd {
	neg := s.intOp(isa.Instr{Op: isa.OpIadd, Flags: isa.Sub}, false, imm32(0), m)
	return s.intOp(isa.Instr{Op: isa.OpFfs}, false, s.intOp(bitop(tableAnd), false, m, neg))
}

// laneMask is the mask of the lanes below the own one, or up to it.
func (s *isel) laneMask(own bool) opnd {
	n := s.getSR(srLane, true)
	start := uint32(1)
	if own {
		start = 2
	}
	p := s.intOp(isa.Instr{Op: isa.OpBfi}, false, imm32(0), imm32(start), n)
	return s.addSub(false, p, imm32(1), true)
}

func (s *isel) compareMask(i ir.Intrinsic) opnd {
	not := func(o opnd) opnd { return s.intOp(bitop(tableNot), false, o, imm32(0)) }
	switch i {
	case ir.IntrLoadSubgroupEqMask:
		return s.intOp(isa.Instr{Op: isa.OpBfi}, false, imm32(0), imm32(1), s.getSR(srLane, true))
	case ir.IntrLoadSubgroupGeMask:
		return not(s.laneMask(false))
	case ir.IntrLoadSubgroupGtMask:
		return not(s.laneMask(true))
	case ir.IntrLoadSubgroupLeMask:
		return s.laneMask(true)
	}
	return s.laneMask(false)
}

// fromFirst gives what the lowest active lane has: by a shuffle, in a quarter of a reduction's time. Where the last quad may be of fewer than four
// lanes it is an OR over the active lanes, to which the others add nothing: a shuffle joins the indices of all lanes of the quad, of those too that do
// not exist (agx.md §5.8).
func (s *isel) fromFirst() func(x opnd) opnd {
	if !s.partialQuads() {
		first := s.firstLane()
		return func(x opnd) opnd { return s.shuffleBy(isa.OpSimdShuffle, x, first) }
	}
	first := cond{op: isa.CondUEQ, a: s.getSR(srActiveRank, true), b: imm16(0)}
	return func(x opnd) opnd { return s.reduceOr(s.selectBy(first, x.half, x, immediate(0, x.half))) }
}

var reductions = lazy.Value[map[ir.Op]isa.ReduceOp]{Make: func() map[ir.Op]isa.ReduceOp {
	return map[ir.Op]isa.ReduceOp{
		ir.OpIand: isa.ReduceAnd, ir.OpIor: isa.ReduceOr, ir.OpIxor: isa.ReduceXor, ir.OpIadd: isa.ReduceIAdd,
		ir.OpFadd: isa.ReduceFAdd, ir.OpFmul: isa.ReduceFMul, ir.OpFmin: isa.ReduceFMin, ir.OpFmax: isa.ReduceFMax,
		ir.OpImin: isa.ReduceSMin, ir.OpImax: isa.ReduceSMax, ir.OpUmin: isa.ReduceUMin, ir.OpUmax: isa.ReduceUMax,
	}
}}

// reduction selects reductions and scans; false if in is none.
func (s *isel) reduction(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
	default:
		return false
	}
	op := ir.Op(in.Get(ir.IdxReductionOp))
	t := isa.Instr{Op: isa.OpReduce, Flags: isa.Simd}
	code, ok := reductions.Get()[op]
	if in.Def.BitSize == 64 || !ok && op != ir.OpImul {
		s.fail(in, "the %d-bit %s by %s is not supported", in.Def.BitSize, in.Intr, op)
		return true
	}
	t.Mode = uint8(code)
	if in.Intr != ir.IntrReduce {
		t.Flags |= isa.Prefix
	} else if in.Get(ir.IdxClusterSize) == 4 {
		t.Flags = 0
	}
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		if r, ok := s.sumOfSame(in, op, s.comp(in.Srcs[0].Def, c)); ok {
			ops[c] = r
			continue
		}
		x := s.once(s.comp(in.Srcs[0].Def, c))
		if in.Def.BitSize == 8 {
			x = s.widen8(x, op == ir.OpImin || op == ir.OpImax)
		}
		if op == ir.OpImul {
			ops[c] = s.product(in, x)
			continue
		}
		r := s.intOp(t, x.half, x)
		if in.Def.BitSize == 1 {
			r = s.intOp(bitop(tableAnd), true, r, imm16(1)) // the identity of and is ~0
		}
		switch {
		case in.Intr == ir.IntrInclusiveScan:
			r = s.combine(op, r, x)
		case in.Intr == ir.IntrExclusiveScan && in.Def.BitSize == 8 && op == ir.OpImin:
			r = s.combine(op, r, imm16(0x7f)) // the identity is that of 16 bits
		case in.Intr == ir.IntrExclusiveScan && in.Def.BitSize == 8 && op == ir.OpImax:
			r = s.combine(op, r, imm16(0xff80))
		}
		ops[c] = r
	}
	s.setComps(&in.Def, ops...)
	return true
}

// sumOfSame is a sum or scan over the subgroup of an integer that all lanes have: so many times it as there are active lanes,
// or active lanes before this one, which special registers tell (agx.md §1.2).
func (s *isel) sumOfSame(in *ir.Instr, op ir.Op, x opnd) (r opnd, ok bool) {
	if size := in.Get(ir.IdxClusterSize); op != ir.OpIadd || x.kind != opImm && x.kind != opUniform || in.Def.BitSize < 8 || in.Intr == ir.IntrReduce && size > 0 && size < 32 {
		return r, false
	}
	half, sr := isHalf(&in.Def), int32(srActiveRank)
	if in.Intr == ir.IntrReduce {
		sr = srActiveCount
	}
	n := s.getSR(sr, half)
	switch {
	case in.Intr != ir.IntrInclusiveScan && x.isImm(1):
		return n, true
	case in.Intr == ir.IntrInclusiveScan:
		return s.intOp(isa.Instr{Op: isa.OpImadd}, half, n, x, x), true
	}
	return s.intOp(isa.Instr{Op: isa.OpImadd}, half, n, x, imm32(0)), true
}

// combine applies a reduction's operation to two values.
func (s *isel) combine(op ir.Op, a, b opnd) opnd {
	half := a.half
	pick := func(c isa.Cond, x, y opnd) opnd { return s.selectBy(cond{op: c, a: a, b: b}, half, x, y) }
	switch op {
	case ir.OpIand, ir.OpIor, ir.OpIxor:
		return s.intOp(bitop(bitTables[op]), half, a, b)
	case ir.OpIadd:
		return s.addSub(half, a, b, false)
	case ir.OpImin:
		return pick(isa.CondSLT, a, b)
	case ir.OpImax:
		return pick(isa.CondSLT, b, a)
	case ir.OpUmin:
		return pick(isa.CondULT, a, b)
	case ir.OpUmax:
		return pick(isa.CondULT, b, a)
	case ir.OpFmin:
		return s.selectBy(cond{op: isa.CondFLTN, flt: true, a: a, b: b}, half, a, b)
	case ir.OpFmax:
		return s.selectBy(cond{op: isa.CondFGTN, flt: true, a: a, b: b}, half, a, b)
	}
	f := floatOps[op]
	t := isa.Instr{Op: f.op32}
	if half {
		t.Op = f.op16
	}
	return s.intOp(t, half, a, b)
}

// product multiplies integers lane by lane: the hardware has no such reduction.
func (s *isel) product(in *ir.Instr, x opnd) opnd {
	mask := s.activeLanes()
	size := uint32(in.Get(ir.IdxClusterSize))
	switch {
	case in.Intr == ir.IntrInclusiveScan, in.Intr == ir.IntrExclusiveScan:
		mask = s.intOp(bitop(tableAnd), false, mask, s.laneMask(in.Intr == ir.IntrInclusiveScan))
	case size > 0 && size < 32:
		first := s.intOp(bitop(tableAnd), true, s.getSR(srLane, true), imm16(32-size))
		own := s.intOp(isa.Instr{Op: isa.OpBfi}, false, imm32(0), imm32(1<<size-1), first)
		mask = s.intOp(bitop(tableAnd), false, mask, own)
	}
	r := immediate(1, x.half)
	for lane := range uint32(32) {
		v := s.intOp(isa.Instr{Op: isa.OpSimdShuffle}, x.half, x, imm16(lane))
		bit := s.intOp(bitop(tableAnd), false, mask, imm32(1<<lane))
		v = s.selectBy(cond{op: isa.CondUEQ, a: bit, b: imm32(0)}, x.half, immediate(1, x.half), v)
		r = s.intOp(isa.Instr{Op: isa.OpImadd}, x.half, r, v, imm32(0))
	}
	return r
}
