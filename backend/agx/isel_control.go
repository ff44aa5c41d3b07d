package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// nesting is the state of the walk over the control flow tree that places the
// instructions of the execution mask (agx.md §6).
type nesting struct {
	ifs   int // levels of ifs open inside the innermost loop
	depth int // levels open in all
	loops []loopNest
	// wrapped: a level around everything keeps halted lanes until the end.
	wrapped bool
	// used: something changes the execution mask.
	used bool
}

// loopNest is an open loop.
type loopNest struct {
	head   mach.BlockID
	levels int // 1, or 2 if it has continue jumps
	ifs    int // of the loop around
}

// floor is the first half that values may have. r0l is theirs where nothing changes the execution mask (agx.md §6.1), not even
// the linker's loop over the samples, in which main part and epilog leave it as it is; r0h where nothing shuffles by a register.
func (s *isel) floor() int {
	looped := s.part == abi.PartEpilog || s.part == abi.PartMain && s.meta.PerSample
	switch {
	case s.shuffles || looped:
		return gprFloor
	case s.nest.used || s.nest.wrapped:
		return 1
	}
	return 0
}

// control ends every block in what it does to the execution mask.
func (s *isel) control() {
	if s.err != nil {
		return
	}
	s.list(&s.impl.Body)
}

func (s *isel) list(l *ir.List) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch n := n.(type) {
		case *ir.Block:
			s.jump(n)
		case *ir.If:
			s.ifNode(n)
		case *ir.Loop:
			s.loopNode(n)
		}
	}
}

// at makes b current for its terminators.
func (s *isel) at(b *ir.Block) {
	s.enter(s.blocks[b.Index])
	s.loc = 0
}

func (s *isel) terminator(op mach.Op, aux int) {
	s.generic(op, nil, nil).Aux = int32(aux)
}

// jump ends a block that breaks, continues or halts.
func (s *isel) jump(b *ir.Block) {
	j := b.Jump()
	if j == nil || !b.Reachable() {
		return
	}
	s.nest.used = true
	s.at(b)
	s.loc = j.Loc
	switch j.Jump {
	case ir.JumpBreak, ir.JumpContinue:
		if len(s.nest.loops) == 0 {
			s.broken(j, "a jump out of no loop")
			return
		}
		level := s.nest.ifs + 1
		if l := s.nest.loops[len(s.nest.loops)-1]; j.Jump == ir.JumpBreak {
			level = s.nest.ifs + l.levels
		}
		s.terminator(opBreak, level)
	case ir.JumpHalt:
		if s.nest.wrapped {
			s.terminator(opBreak, s.nest.depth)
			break
		}
		s.terminator(opBreak, haltNesting)
	case ir.JumpReturn:
		if s.nest.depth > 0 {
			s.broken(j, "a return inside control flow is left at selection: returns must be lowered")
		}
	}
}

func (s *isel) ifNode(n *ir.If) {
	head := ir.Prev(n).(*ir.Block)
	s.nest.used = true
	s.at(head)
	if head.Reachable() {
		s.loc = n.Cond.Def.Instr.Loc
		c := s.condition(n.Cond.Def, 0)
		t := isa.Instr{Op: isa.OpIfIcmp, Dst: isa.H(isa.R0L), Nest: 1, Cond: c.op}
		if c.flt {
			t.Op = isa.OpIfFcmp
		}
		if c.inv {
			t.Cond |= 8
		}
		s.opTo(t, 0, c.a, c.b).Op = opIf
	} else {
		s.terminator(opLoop, 1) // never active: only the count must be right
	}
	s.nest.ifs++
	s.nest.depth++
	s.list(&n.Then)
	s.at(n.Then.LastBlock())
	s.terminator(opElse, 0)
	s.list(&n.Else)
	s.at(n.Else.LastBlock())
	s.terminator(opEndIf, 1)
	s.nest.ifs--
	s.nest.depth--
}

func (s *isel) loopNode(n *ir.Loop) {
	head := n.Body.FirstBlock()
	l := loopNest{head: s.blocks[head.Index], levels: 1, ifs: s.nest.ifs}
	if hasContinue(n, head) {
		l.levels = 2
	}
	s.nest.used = true
	s.at(ir.Prev(n).(*ir.Block))
	if s.nest.depth > 0 {
		s.terminator(opLoop, l.levels) // at the top no lane waits
	}
	s.nest.loops = append(s.nest.loops, l)
	s.nest.ifs = 0
	s.nest.depth += l.levels
	s.list(&n.Body)
	s.at(n.Body.LastBlock())
	in := s.generic(opEndLoop, nil, nil)
	in.Aux, in.Flags = int32(l.head), uint8(l.levels)
	s.nest.ifs = l.ifs
	s.nest.depth -= l.levels
	s.nest.loops = s.nest.loops[:len(s.nest.loops)-1]
}

// hasContinue reports whether a block other than the loop's last jumps to its head.
func hasContinue(n *ir.Loop, head *ir.Block) bool {
	for _, p := range head.Preds {
		if j := p.Jump(); j != nil && j.Jump == ir.JumpContinue && p.Reachable() {
			return true
		}
	}
	return false
}
