package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes/analysis"
)

// Ifs of the preamble. One fiber runs it, so that nobody parts at a branch; but a branch takes a predicate, which
// an early preamble must not have (ir3.md §6.9).

// maxBothSides is what both sides of an if of the preamble may cost without a branch around them. A branch takes some ten slots with
// its condition; without it one side runs in the slots in which the other waits for its results, and what both compute is computed once.
const maxBothSides = 512

// anyCost bounds nothing: devices with a scalar unit run the preamble there, before the waves, as long as it has no branches.
const anyCost = 1 << 30

// beginIfs gets ready to decide about the ifs of the preamble.
func (s *isel) beginIfs() {
	limit := int32(maxBothSides)
	if s.gpu.ScalarALU {
		limit = anyCost
	}
	s.pre.ifs.Begin(s.impl, limit)
}

// computes notes that the preamble computes in.
func (s *isel) computes(in *ir.Instr) {
	cost := int32(0)
	switch in.Kind {
	case ir.KindALU:
		if cost = int32(in.Def.NumComponents); in.IsVec() || in.Op == ir.OpMov || in.Op == ir.OpFneg || in.Op == ir.OpFabs {
			cost = 0
		}
	case ir.KindPhi:
		cost = 1
	case ir.KindTex, ir.KindIntrinsic:
		cost = 2
	}
	s.pre.ifs.Computes(in, cost, readsTexels(in))
}

// readsTexels reports whether in reads memory by a descriptor that may be there only where the program comes by.
func readsTexels(in *ir.Instr) bool {
	if in.Kind != ir.KindTex {
		return false
	}
	switch in.TexOp {
	case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		return false
	}
	return true
}

// PreambleBlock selects what the preamble computes of a block.
func (s *isel) PreambleBlock(b *ir.Block) {
	if s.err != nil || s.blocks[b.Index] < 0 {
		return
	}
	p := &s.pre
	for in := range b.Instrs() {
		if !in.HasDef() || !p.inside[in.Def.Index] {
			continue
		}
		s.loc = in.Loc
		switch {
		case in.Kind != ir.KindPhi:
			s.grouped(in)
		case !p.ifs.Kept(analysis.Chooser(in)):
			s.choice(in)
		}
		if s.err != nil {
			return
		}
		if p.root[in.Def.Index] {
			s.storeRoot(in)
		}
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
		s.pre.ifs.Walk(side, s)
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
			if !s.pre.inside[in.Def.Index] {
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
		if s.pre.inside[in.Def.Index] {
			s.push(phis[n])
			s.setComps(&in.Def, s.value(phis[n].Ops[0].Val))
			n++
		}
	}
}
