package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// subgroup selects what needs no more than the lanes' registers; false if in is something else.
func (s *isel) subgroup(in *ir.Instr) bool {
	op := isa.OpRaw
	switch in.Intr {
	case ir.IntrQuadBroadcast:
		op = isa.OpQuadBrcst
	case ir.IntrQuadSwapHorizontal:
		op = isa.OpQuadHoriz
	case ir.IntrQuadSwapVertical:
		op = isa.OpQuadVert
	case ir.IntrQuadSwapDiagonal:
		op = isa.OpQuadDiag
	case ir.IntrShuffleXorUniformIr3:
		op = isa.OpShflXor
	case ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown:
		if s.comp(in.Srcs[1].Def, 0).kind != opImm {
			return false
		}
		op = [...]isa.Op{isa.OpShflXor, isa.OpShflRup, isa.OpShflRdown}[in.Intr-ir.IntrShuffleXor]
	case ir.IntrReadFirstInvocation:
	case ir.IntrElect:
		if !s.branchesOn(in) {
			s.macro(in, opElect, 0)
		}
		return true
	case ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrBallot, ir.IntrBallotRelaxed:
		s.vote(in)
		return true
	case ir.IntrReduce:
		s.reduce(in)
		return true
	case ir.IntrReadInvocationCondIr3:
		s.readCond(in)
		return true
	default:
		return false
	}
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	for c := range ops {
		o := s.comp(in.Srcs[0].Def, c)
		switch {
		case op == isa.OpRaw:
			ops[c] = s.readFirst(o)
		case in.Intr == ir.IntrShuffleXorUniformIr3 && !in.Srcs[2].Def.IsUndef():
			ops[c] = s.shuffle(op, o, s.comp(in.Srcs[1].Def, 0), s.reg(s.comp(in.Srcs[2].Def, c)))
		case op >= isa.OpShflXor && op <= isa.OpShflRdown:
			ops[c] = s.shuffle(op, o, s.comp(in.Srcs[1].Def, 0), 0)
		default:
			ops[c] = s.quad(in, op, o)
		}
	}
	s.setComps(&in.Def, ops...)
	return true
}

// readFirst takes the first active fiber's value: a move to a shared register
// does. Halves go through full registers (ir3.md §1.4).
func (s *isel) readFirst(o opnd) opnd {
	half := o.half && !faults.has(faultSharedHalves)
	if half {
		o = s.cov(isa.U16, isa.U32, 0, o)
	}
	t := isa.Instr{Op: isa.OpMov, Type: movType(o.half), SrcType: movType(o.half)}
	class := classShared
	if o.half {
		class = classSharedHalf
	}
	sh := s.f.NewValue(class, 1)
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	s.add(t, sh, uses...)
	t.Srcs[0] = standIn(class)
	d := s.newReg(o.half)
	s.add(t, d, sh)
	if half {
		return s.cov(isa.U32, isa.U16, 0, s.value(d))
	}
	return s.value(d)
}

// shuffle reads another fiber; where that is not active the value other stays, if it is not 0.
func (s *isel) shuffle(op isa.Op, o, amount opnd, other mach.Value) opnd {
	t := isa.Instr{Op: op, Type: movType(o.half)}
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	if amount.kind == opImm && amount.bits < 128 {
		t.Srcs[1] = isa.I(int32(amount.bits))
	} else {
		uses = s.register(&t, 1, s.reg(amount), 0, uses)
	}
	d := s.newReg(o.half)
	if other == 0 {
		s.add(t, d, uses...)
		return s.value(d)
	}
	m := s.add(t, d, append(uses, other)...)
	m.Ops[0].Flags |= mach.Tied
	m.Ops[0].Tie = uint8(len(uses))
	return s.value(d)
}

func (s *isel) quad(in *ir.Instr, op isa.Op, o opnd) opnd {
	t := isa.Instr{Op: op, WrMask: 1, Type: movType(o.half)}
	uses := s.register(&t, 0, s.reg(o), 0, nil)
	if op == isa.OpQuadBrcst {
		k := s.comp(in.Srcs[1].Def, 0)
		if o.half {
			k = s.narrow(k, in.Srcs[1].Def.BitSize)
		}
		uses = s.register(&t, 1, s.reg(k), 0, uses)
	}
	d := s.newReg(o.half)
	s.add(t, d, uses...)
	if s.sh.Stage == ir.StageFragment {
		s.wantQuads()
	}
	return s.value(d)
}

// macro emits a pseudo instruction that becomes control flow after
// allocation; its result is a boolean.
func (s *isel) macro(in *ir.Instr, op mach.Op, p mach.Value) *mach.Instr {
	d := s.newReg(true)
	var uses []mach.Value
	if p != 0 {
		uses = []mach.Value{p}
	}
	m := s.generic(op, []mach.Value{d}, uses)
	m.Ops[0].Flags |= mach.Early
	s.setComps(&in.Def, s.value(d))
	s.widenBool(in)
	return m
}

func (s *isel) vote(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrVoteAny, ir.IntrVoteAll:
		if s.branchesOn(in) {
			return
		}
		op := opAny
		if in.Intr == ir.IntrVoteAll {
			op = opAll
		}
		p, inv := s.predicate(in.Srcs[0].Def)
		s.macro(in, op, p).Flags = invFlag(inv)
		return
	}
	d := s.f.NewValue(classShared, 4)
	if c, ok := in.Srcs[0].Def.Const(0); ok && c != 0 {
		s.add(isa.Instr{Op: isa.OpMovmsk, Size: 4}, d) // all that run this
	} else {
		p, inv := s.predicate(in.Srcs[0].Def)
		s.generic(opBallot, []mach.Value{d}, []mach.Value{p}).Flags = invFlag(inv)
	}
	parts := s.split(d, 4)
	ops := make([]opnd, in.Def.NumComponents)
	for c := range ops {
		t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
		v := s.newReg(false)
		uses := s.register(&t, 0, parts[c].val, 0, nil)
		s.add(t, v, uses...)
		ops[c] = s.value(v)
	}
	s.setComps(&in.Def, ops...)
}

// branchesOn reports whether an election or a vote is there for the branch at the end of its block alone, among
// the same fibers: the branch is then its own (ir3.md §5.5), and no boolean is made of it.
func (s *isel) branchesOn(in *ir.Instr) bool {
	i := in.Block.FollowingIf()
	if i == nil || i.Cond.Def != &in.Def || !in.Def.UsedOnce() {
		return false
	}
	for x := in.Next(); x != nil; x = x.Next() {
		if x.IsIntrinsic(ir.IntrTerminate) || x.IsIntrinsic(ir.IntrTerminateIf) || x.IsIntrinsic(ir.IntrDemote) || x.IsIntrinsic(ir.IntrDemoteIf) {
			return false // others take part after it
		}
	}
	return true
}

func isVote(in *ir.Instr) bool {
	return in.IsIntrinsic(ir.IntrElect) || in.IsIntrinsic(ir.IntrVoteAny) || in.IsIntrinsic(ir.IntrVoteAll)
}

// voteBranch ends a block in the branch of an election or a vote, which is taken by those that it is false for.
func (s *isel) voteBranch(in *ir.Instr) {
	t := isa.Instr{Op: isa.OpGetone}
	if in.Intr == ir.IntrElect {
		s.add(t, 0)
		return
	}
	t.Op = isa.OpBall // not any = all not
	if in.Intr == ir.IntrVoteAll {
		t.Op = isa.OpBany
	}
	p, inv := s.predicate(in.Srcs[0].Def)
	t.Srcs[0] = isa.P(0)
	if !inv {
		t.Srcs[0].Flags = isa.Inv
	}
	s.add(t, 0, p).Flags = brUniform
}

// readCond reads the fiber whose condition is true, by a shared register.
// Halves go through full registers.
func (s *isel) readCond(in *ir.Instr) {
	ops := make([]opnd, int(in.Def.NumComponents)*backend.Parts(&in.Def))
	for c := range ops {
		o := s.comp(in.Srcs[0].Def, c)
		half := o.half
		if half {
			o = s.cov(isa.U16, isa.U32, 0, o)
		}
		v := s.reg(o)
		p, inv := s.predicate(in.Srcs[1].Def)
		sh := s.f.NewValue(classShared, 1)
		m := s.generic(opReadCond, []mach.Value{sh}, []mach.Value{p, v})
		m.Ops[0].Flags |= mach.Early
		m.Flags = invFlag(inv)
		t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
		d := s.newReg(false)
		uses := s.register(&t, 0, sh, 0, nil)
		s.add(t, d, uses...)
		ops[c] = s.value(d)
		if half {
			ops[c] = s.cov(isa.U32, isa.U16, 0, ops[c])
		}
	}
	s.setComps(&in.Def, ops...)
	if in.Def.BitSize == 1 {
		s.widenBool(in)
	}
}

func invFlag(inv bool) uint8 {
	if inv {
		return 1
	}
	return 0
}
