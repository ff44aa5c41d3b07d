package agx

import (
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// storeZS selects the test with a depth (bit 0 of base) and a stencil (bit 1).
func (s *isel) storeZS(in *ir.Instr) {
	s.add(isa.Instr{Op: isa.OpWaitPix, Imm: 1}, 0)
	t := isa.Instr{Op: isa.OpZsEmit}
	uses := s.maskSource(&t, 0, in.Srcs[0].Def, nil)
	depth, stencil := s.comp(in.Srcs[1].Def, 0), s.comp(in.Srcs[2].Def, 0)
	// The instruction reads a run of halves: two of depth, then the stencil.
	switch in.Get(ir.IdxBase) {
	case 1:
		uses = append(uses, s.reg(depth))
		t.Srcs[1] = isa.H(0).Run(2)
	case 2:
		uses = append(uses, s.reg(s.sized(stencil, true)))
		t.Srcs[1] = isa.H(0)
	default:
		uses = append(uses, s.pair(depth, s.sized(stencil, false)))
		t.Srcs[1] = isa.H(0).Run(3)
	}
	s.add(t, 0, uses...)
}
