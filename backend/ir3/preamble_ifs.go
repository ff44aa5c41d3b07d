package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes/analysis"
)

// Ifs of the preamble. One fiber runs it, so that nobody parts at a branch; but a branch takes a predicate, which
// an early preamble must not have (ir3.md §6.9).

// PreambleBlock selects what the preamble computes of a block.
func (s *isel) PreambleBlock(b *ir.Block) {
	if s.err != nil || s.blocks[b.Index] < 0 {
		return
	}
	p := &s.pre
	for in := range b.Instrs() {
		if !in.HasDef() || !p.Needed(&in.Def) {
			continue
		}
		s.loc = in.Loc
		switch {
		case in.Kind != ir.KindPhi:
			s.grouped(in)
		case !p.Kept(analysis.Chooser(in)):
			s.choice(in)
		}
		if s.err != nil {
			return
		}
		if p.Placed(&in.Def) {
			s.storeRoot(in)
		}
	}
}

// choice selects what an if chooses, in the preamble, where all is in one block.
func (s *isel) choice(phi *ir.Instr) {
	x := analysis.Chooser(phi)
	side := func(l *ir.List) opnd { return s.comp(phi.PhiSrc(l.LastBlock()).Def, 0) }
	half := isHalf(&phi.Def)
	cond := s.condition(&x.Cond, half)
	switch {
	case cond.kind == opImm && cond.bits != 0:
		s.setComps(&phi.Def, side(&x.Then))
	case cond.kind == opImm:
		s.setComps(&phi.Def, side(&x.Else))
	default:
		s.setComps(&phi.Def, s.sel(half, cond, side(&x.Then), side(&x.Else)))
	}
}

// PreambleBranch selects an if of the program as one of the preamble, and the phis that choose by it. What a side leaves for the program it
// stores itself.
func (s *isel) PreambleBranch(x *ir.If) {
	if s.err != nil {
		return
	}
	s.flushRoots()
	pred, inv := s.predicate(x.Cond.Def)
	br := isa.Instr{Op: isa.OpBr, Srcs: [4]isa.Operand{isa.P(0)}}
	if inv {
		br.Srcs[0].Flags = isa.Inv
	}
	s.add(br, 0, pred).Flags = brUniform
	head := s.blk
	var ends [2]mach.BlockID
	for k, side := range [...]*ir.List{&x.Then, &x.Else} {
		b := s.f.NewBlock()
		s.f.AddEdge(head, b)
		s.enter(b)
		s.pre.WalkList(side, s)
		s.flushRoots()
		ends[k] = s.blk
	}
	join := s.f.NewBlock()
	next, _ := ir.Next(x).(*ir.Block)
	var phis []*mach.Instr
	for k, side := range [...]*ir.List{&x.Then, &x.Else} {
		s.enter(ends[k])
		n := 0
		for in := range next.Phis() {
			if !s.pre.Needed(&in.Def) {
				continue
			}
			if k == 0 {
				m := s.f.NewInstr(mach.OpPhi, 1, len(ends))
				m.Ops[0].Val, m.Loc, m.Flags = s.newReg(isHalf(&in.Def)), in.Loc, phiUniform
				phis = append(phis, m)
			}
			s.loc = in.Loc
			phis[n].Uses()[k].Val = s.reg(s.comp(in.PhiSrc(side.LastBlock()).Def, 0))
			n++
		}
		s.loc = 0
		s.add(isa.Instr{Op: isa.OpJump}, 0)
		s.f.AddEdge(ends[k], join)
	}
	s.enter(join)
	n := 0
	for in := range next.Phis() {
		if s.pre.Needed(&in.Def) {
			s.push(phis[n])
			s.setComps(&in.Def, s.value(phis[n].Ops[0].Val))
			n++
		}
	}
}
