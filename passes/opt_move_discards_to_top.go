package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var optMoveDiscardsToTopPass = &Pass{
	Name: "opt_move_discards_to_top", For: ir.HasDiscard, Class: "B", Run: optMoveDiscardsToTop, Idempotent: true, Optional: true,
	Doc: "Moves the discards of a fragment shader's first block, with what computes their conditions, before what neither has effects nor asks neighbours: what is discarded ends sooner. " +
		"A terminate stays after derivatives, which its lanes would leave without neighbours; nothing moves across stores, atomics, barriers or operations of the subgroup.",
}

func optMoveDiscardsToTop(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment || s.Entry() == nil || s.Entry().Impl == nil {
		return false, nil
	}
	impl := s.Entry().Impl
	if !discardsToTop(impl) {
		return false, nil
	}
	impl.Preserve(ir.MetaControlFlow)
	return true, nil
}

// Marks of instructions, in Instr.Flags.
const (
	discardRest  uint32 = iota // stays after the discards
	discardNeeds               // a condition needs it
)

// discardsToTop finds the discards up to the first instruction that none may
// cross, marks what they need from the last back, and moves it all up in order.
func discardsToTop(impl *ir.Impl) (progress bool) {
	blk := impl.Start()
	var last *ir.Instr
	neighbours := false
	for in := range blk.Instrs() {
		in.Flags = discardRest
		if isDiscard(in) {
			if leaves := in.Intr == ir.IntrTerminate || in.Intr == ir.IntrTerminateIf; neighbours && leaves {
				break
			}
			in.Flags = discardNeeds
			last = in
			if in.Intr == ir.IntrTerminate || in.Intr == ir.IntrDemote {
				break // what follows does not matter to what is left
			}
			continue
		}
		if !crossedByDiscard(in) {
			break
		}
		neighbours = neighbours || needsNeighbours(in)
	}
	if last == nil {
		return false
	}
	for in := last; in != nil; in = in.Prev() {
		if in.Flags != discardNeeds {
			continue
		}
		for i := range in.Srcs {
			if d := in.Srcs[i].Def.Instr; d.Block == blk && d.Kind != ir.KindPhi {
				d.Flags = discardNeeds
			}
		}
	}
	// top is the first instruction that stays: marked ones after it move there.
	var top *ir.Instr
	for in := range blk.Instrs() {
		switch {
		case in.Flags != discardNeeds:
			if top == nil {
				top = in
			}
		case top != nil:
			in.MoveTo(ir.Before(top))
			progress = true
		}
		if in == last {
			break
		}
	}
	return progress
}

// crossedByDiscard reports whether an instruction is the same after a discard
// before which it stood, for the lanes that go on.
func crossedByDiscard(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU, ir.KindLoadConst, ir.KindUndef, ir.KindDeref, ir.KindTex, ir.KindPhi:
		return true
	case ir.KindIntrinsic:
		f := in.Intr.Info().Flags
		if isDerivative(in.Intr) || f&optab.CanReorder != 0 {
			return true
		}
		if in.Intr == ir.IntrLoadHelperInvocation {
			return false
		}
		_, store, mem := memOffsetSrc(in.Intr)
		return mem && !store && ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile == 0 || in.Intr == ir.IntrLoadDeref && canReorder(in)
	}
	return false
}
