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

// coverage kills samples and has those that live tested, if any part before
// left that to the epilog.
func (e *epilog) coverage() {
	b := e.b
	kills := e.main.UsesDiscard || e.key.NeedsProlog()
	kill := func(d *ir.Def) {
		if e.alive != nil {
			d = b.Iand(d, e.alive)
		}
		b.Intrinsic(ir.IntrSampleMaskAgx, 0, 0, d, b.ImmInt(0, 16))
		kills = true
	}
	all := b.ImmInt(int64(uint32(1)<<e.all-1), 16)
	if e.mask != nil {
		kill(b.Iand(b.Inot(e.mask), all))
	}
	if alpha := e.color[0][3]; e.key.AlphaToCoverage && alpha != nil {
		n := b.F2u32(b.Fadd(b.Fmul(b.Fsat(alpha), b.ImmFloat(float64(e.all), 32)), b.ImmFloat(0.5, 32)))
		covered := b.Isub(b.Ishl(b.Imm32(1), n), b.Imm32(1))
		kill(b.Iand(b.Inot(b.U2u16(covered)), all))
	}
	switch {
	case e.depth != nil || e.stencil != nil:
		base, z, s := uint64(0), e.depth, e.stencil
		if z != nil {
			base |= 1
		} else {
			z = b.Imm32(0)
		}
		if s != nil {
			base |= 2
		} else {
			s = b.ImmInt(0, 16)
		}
		b.Intrinsic(ir.IntrStoreZsAgx, 0, 0, e.samplesOr(samplesAll), z, s).Set(ir.IdxBase, base)
	case kills:
		m := e.samplesOr(samplesAll)
		b.Intrinsic(ir.IntrSampleMaskAgx, 0, 0, m, b.ImmInt(samplesAll, 16))
	}
}
