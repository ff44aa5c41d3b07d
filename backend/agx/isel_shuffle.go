package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// shuffleTo reads x of the lane n, which is the same for all lanes.
func (s *isel) shuffleTo(x, n opnd) opnd {
	if n.kind == opImm {
		return s.shuffleBy(isa.OpSimdShuffle, x, imm16(n.bits&31))
	}
	n = s.sized(n, true)
	return s.fromPartial(x, n, s.shuffleBy(isa.OpSimdShuffle, x, n))
}

// quadTo reads x of the lane n of the quad, which is the same for all its lanes.
func (s *isel) quadTo(x, n opnd) opnd {
	switch n = n.fold(); {
	case n.kind != opImm && s.partialQuads() && !faults.has(faultPartialQuad):
		n = s.sized(n, true)
		return s.oneOf(n, 4, func(k uint32) opnd { return s.shuffleBy(isa.OpQuadShuffle, x, imm16(k)) })
	case faults.has(faultQuadIndex):
		return s.intOp(isa.Instr{Op: isa.OpQuadShuffle}, x.half, s.once(x), s.sized(n, true))
	}
	return s.shuffleBy(isa.OpQuadShuffle, x, n)
}

// oneOf is v(pos), of a position below n that lanes know.
func (s *isel) oneOf(pos opnd, n uint32, v func(k uint32) opnd) opnd {
	r := v(0)
	for k := uint32(1); k < n; k++ {
		x := v(k)
		r = s.selectBy(cond{op: isa.CondUEQ, a: pos, b: imm16(k)}, x.half, x, r)
	}
	return r
}

// partialQuads reports whether the last quad of a subgroup may have fewer than four lanes.
func (s *isel) partialQuads() bool { return !s.sh.WholeQuads() }

// fromPartial is x of the lane n where that is of a quad of which not all lanes exist, otherwise r, a shuffle by a
// register: what that leaves there has the indices in it that lay in the registers of lanes which never ran, and
// whose r0h nobody has set to 0 (agx.md §16.1). Of a workgroup the place of that quad is known, and immediate
// indices read it. Elsewhere it is that of the last active lane; each of its values is told by an OR over the
// active lanes, to which the others add nothing.
func (s *isel) fromPartial(x, n, r opnd) opnd {
	if !s.partialQuads() || faults.has(faultPartialQuad) {
		return r
	}
	if s.sh.Stage == ir.StageCompute {
		size := uint32(abi.Invocations(s.sh.Info.WorkgroupSize) % abi.WaveSize)
		for k := size &^ 3; k < size; k++ {
			v := s.shuffleBy(isa.OpSimdShuffle, x, imm16(k))
			r = s.selectBy(cond{op: isa.CondUEQ, a: n, b: imm16(k)}, x.half, v, r)
		}
		return r
	}
	last := s.sized(s.intOp(isa.Instr{Op: isa.OpFfs}, false, s.activeLanes()), true)
	quad := s.intOp(bitop(tableAnd), true, last, imm16(28))
	for k := range uint32(3) {
		at := s.intOp(bitop(tableOr), true, quad, imm16(k))
		own := cond{op: isa.CondUEQ, a: s.getSR(srLane, true), b: at}
		v := s.reduceOr(s.selectBy(own, x.half, x, immediate(0, x.half)))
		r = s.selectBy(cond{op: isa.CondUEQ, a: n, b: at}, x.half, v, r)
	}
	return r
}

// reduceOr is the OR of x over the active lanes.
func (s *isel) reduceOr(x opnd) opnd {
	return s.intOp(isa.Instr{Op: isa.OpReduce, Flags: isa.Simd, Mode: uint8(isa.ReduceOr)}, x.half, s.once(x))
}

// shuffleBy is a shuffle by an index that is the same for the lanes that ask one quad. That
// joins the indices of all its lanes, so that what is no immediate goes through r0h, which
// is 0 in the others.
func (s *isel) shuffleBy(op isa.Op, x, n opnd) opnd {
	if n = n.fold(); n.kind == opImm {
		return s.intOp(isa.Instr{Op: op}, x.half, s.once(x), s.sized(n, true))
	}
	t := isa.Instr{Op: op}
	uses := s.source(&t, 0, s.once(x), nil)
	uses = s.register(&t, 1, s.reg(s.sized(n, true)), uses)
	d := s.newReg(x.half)
	s.shuffles = true
	s.add(t, d, uses...).Op = opShuffle
	return s.value(d)
}

// shuffleAny reads x of the lane n, which differs from lane to lane: a quad offers
// one of its lanes at a time, so each of the four is asked for.
func (s *isel) shuffleAny(x, n opnd) opnd {
	if n.kind == opImm {
		return s.shuffleTo(x, n)
	}
	n = s.sized(n, true)
	quad := s.intOp(bitop(tableAnd), true, n, imm16(28))
	pos := s.intOp(bitop(tableAnd), true, n, imm16(3))
	return s.fromPartial(x, n, s.oneOf(pos, 4, func(k uint32) opnd {
		at := quad
		if k > 0 {
			at = s.intOp(bitop(tableOr), true, quad, imm16(k))
		}
		return s.shuffleBy(isa.OpSimdShuffle, x, at)
	}))
}

// exchange selects moves of values between lanes; false if in is none.
func (s *isel) exchange(in *ir.Instr) bool {
	var f func(x opnd) opnd
	arg := func() opnd { return s.comp(in.Srcs[1].Def, 0) }
	lane := func() opnd { return s.getSR(srLane, true) }
	quadXor := func(n uint32) func(x opnd) opnd {
		s.wantQuads()
		return func(x opnd) opnd {
			return s.intOp(isa.Instr{Op: isa.OpQuadShuffleXor}, x.half, s.once(x), imm16(n))
		}
	}
	relative := func(op isa.Op, index func() opnd) {
		n := arg()
		if n.kind == opImm && n.bits < 32 {
			f = func(x opnd) opnd { return s.intOp(isa.Instr{Op: op}, x.half, s.once(x), imm16(n.bits)) }
			return
		}
		at := index()
		f = func(x opnd) opnd { return s.shuffleAny(x, at) }
	}
	switch in.Intr {
	case ir.IntrAsUniform:
		f = func(x opnd) opnd { return x }
	case ir.IntrReadFirstInvocation:
		f = s.fromFirst()
	case ir.IntrReadInvocation:
		n := arg()
		f = func(x opnd) opnd { return s.shuffleTo(x, n) }
	case ir.IntrShuffle:
		n := arg()
		f = func(x opnd) opnd { return s.shuffleAny(x, n) }
	case ir.IntrShuffleXor:
		relative(isa.OpSimdShuffleXor, func() opnd { return s.intOp(bitop(tableXor), true, lane(), s.sized(arg(), true)) })
	case ir.IntrShuffleUp:
		relative(isa.OpSimdShuffleUp, func() opnd { return s.addSub(true, lane(), s.sized(arg(), true), true) })
	case ir.IntrShuffleDown:
		relative(isa.OpSimdShuffleDown, func() opnd { return s.addSub(true, lane(), s.sized(arg(), true), false) })
	case ir.IntrRotate:
		at := s.rotated(in, s.sized(arg(), true))
		f = func(x opnd) opnd { return s.shuffleAny(x, at) }
	case ir.IntrQuadBroadcast:
		n := arg()
		s.wantQuads()
		f = func(x opnd) opnd { return s.quadTo(x, n) }
	case ir.IntrQuadSwapHorizontal:
		f = quadXor(1)
	case ir.IntrQuadSwapVertical:
		f = quadXor(2)
	case ir.IntrQuadSwapDiagonal:
		f = quadXor(3)
	default:
		return false
	}
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	for c := range ops {
		ops[c] = f(s.comp(in.Srcs[0].Def, c))
	}
	s.setComps(&in.Def, ops...)
	return true
}

// rotated is the lane that a rotation by n inside clusters reads.
func (s *isel) rotated(in *ir.Instr, n opnd) opnd {
	size := uint32(in.Get(ir.IdxClusterSize))
	if size == 0 || size > 32 {
		size = 32
	}
	lane := s.getSR(srLane, true)
	sum := s.intOp(bitop(tableAnd), true, s.addSub(true, lane, n, false), imm16(size-1))
	return s.intOp(bitop(tableOr), true, sum, s.intOp(bitop(tableAnd), true, lane, imm16(32-size)))
}
