package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var optCSEPass = &Pass{
	Name: "opt_cse", Makes: ChangeMerge, Withstands: ChangeFacts | ChangeRemoval, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, optCSE), Idempotent: true, Optional: true,
	Doc: "Replaces an instruction by an equal one that dominates it, and takes away discards that an equal one has done.",
}

const commutative = optab.Commutative

// optCSE numbers values over the dominator tree. Blocks in source order meet a
// dominator before what it dominates; a stored instruction that does not
// dominate its equal is replaced by it, for it will not dominate what follows. Instructions with a source that nothing
// else reads have no equal, and stay out of the set until that source is the value of an equal instruction too.
func optCSE(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	set := newInstrSet(int(impl.NumDefs) / 2)
	defer set.release()
	var discards []*ir.Instr
	for b := range impl.Blocks() {
		if !b.Reachable() {
			continue
		}
		for in := range b.Instrs() {
			if isDiscard(in) {
				if discardedBefore(discards, in) {
					in.Remove()
					progress = true
				} else {
					discards = append(discards, in)
				}
				continue
			}
			if !canMerge(in) {
				continue
			}
			if readsAlone(in) {
				set.leave(in)
				continue
			}
			p := set.find(in)
			old := *p
			switch {
			case old == nil:
				*p = in
				set.n++
			case old.Block.Dominates(b):
				if u := old.Def.FirstUse(); old.Def.UsedOnce() && u.Instr != nil && set.left(u.Instr) {
					set.add(u.Instr)
				}
				mergeInto(old, in)
				progress = true
			default:
				*p = in
			}
		}
	}
	return progress
}

// readsAlone reports whether an instruction other than a phi reads a value that nothing else reads: most do.
func readsAlone(in *ir.Instr) bool {
	if in.Kind == ir.KindPhi {
		return false
	}
	for i := range in.Srcs {
		if in.Srcs[i].Def.UsedOnce() {
			return true
		}
	}
	return false
}

// discardedBefore reports whether a discard on the condition of in, which dominates it, has left nobody whom in discards: of a lane
// that has ended there is nothing left to demote, but one that was demoted may still end.
func discardedBefore(before []*ir.Instr, in *ir.Instr) bool {
	ends := in.Intr == ir.IntrTerminate || in.Intr == ir.IntrTerminateIf
	for _, old := range before {
		if ends && (old.Intr == ir.IntrDemote || old.Intr == ir.IntrDemoteIf) || len(old.Srcs) != len(in.Srcs) {
			continue
		}
		if (len(in.Srcs) == 0 || old.Srcs[0].Def == in.Srcs[0].Def) && old.Block.Dominates(in.Block) {
			return true
		}
	}
	return false
}

// mergeInto replaces in by old, which keeps what both promised to keep.
func mergeInto(old, in *ir.Instr) {
	old.Exact = old.Exact || in.Exact
	old.FastMath |= in.FastMath
	old.NoSignedWrap, old.NoUnsignedWrap = old.NoSignedWrap && in.NoSignedWrap, old.NoUnsignedWrap && in.NoUnsignedWrap
	old.Relaxed = old.Relaxed && in.Relaxed
	in.Def.RewriteUses(&old.Def)
	in.Remove()
}
