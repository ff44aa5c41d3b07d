package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// discard ends the thread. The block ends there.
func (s *isel) discard(cond *source) {
	s.meta.UsesDiscard = true
	t := inst{kind: kindDiscard, dst: regNone}
	if cond != nil {
		t.hasCond, t.cond = true, s.condition(*cond)
	}
	s.add(t)
	from := s.blk
	s.edge(from, s.newBlock(s.f.blocks[from].depth))
}

func (s *isel) discardIf(cond source) { s.discard(&cond) }

// startDemotes makes the register that keeps who was demoted, where threads run on
// after that: the quad's derivatives are of all its threads, and a discard ends one.
func (s *isel) startDemotes() {
	s.demoted = regNone
	if s.sh.Stage == ir.StageFragment && demoteGoesOn(s.impl) && !faults.has(faultDemote) {
		s.demoted = s.f.newNode(1)
		s.move(s.demoted, 1, constant(0))
	}
}

// demote makes the thread a helper, if the condition (nil: always) holds.
func (s *isel) demote(cond *ir.Def) {
	switch {
	case s.demoted == regNone && cond == nil:
		s.discard(nil)
	case s.demoted == regNone:
		s.discardIf(s.comp(cond, 0))
	case cond == nil:
		s.move(s.demoted, 1, constant(0xffffffff))
	default:
		s.alu(isa.OpIor, s.demoted, 1, source{reg: s.demoted, swz: identity}, s.inRegister(s.comp(cond, 0), 1))
	}
}

// endDemoted ends the threads that were demoted, before results leave.
func (s *isel) endDemoted() {
	if s.demoted != regNone {
		s.discardIf(source{reg: s.demoted, swz: identity})
	}
}

// demoteGoesOn reports whether threads that are demoted run on: something after may ask
// the quad, or whether the thread is a helper. Where nothing does, demote ends them.
func demoteGoesOn(impl *ir.Impl) bool {
	demotes, asks := false, false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind == ir.KindTex:
				asks = asks || in.TexOp == ir.TexOpTex || in.TexOp == ir.TexOpTxb || in.TexOp == ir.TexOpLod
			case in.Kind != ir.KindIntrinsic:
			case in.Intr == ir.IntrDemote || in.Intr == ir.IntrDemoteIf:
				demotes = true
			case in.Intr == ir.IntrIsHelperInvocation || isDerivative(in.Intr):
				asks = true
			}
		}
	}
	return demotes && asks
}

func isDerivative(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrDdx, ir.IntrDdy, ir.IntrDdxCoarse, ir.IntrDdyCoarse, ir.IntrDdxFine, ir.IntrDdyFine:
		return true
	}
	return false
}
