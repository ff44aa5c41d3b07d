package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var optCSEPass = &Pass{
	Name: "opt_cse", Makes: ChangeMerge, Withstands: ChangeFacts | ChangeRemoval, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, optCSE), Idempotent: true, Optional: true,
	Doc: "Replaces an instruction by an equal one that dominates it.",
}

const commutative = optab.Commutative

// optCSE numbers values over the dominator tree. Blocks in source order meet a
// dominator before what it dominates; a stored instruction that does not
// dominate its equal is replaced by it, for it will not dominate what follows.
func optCSE(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	set := newInstrSet(int(impl.NumDefs) / 2)
	defer set.release()
	for b := range impl.Blocks() {
		if !b.Reachable() {
			continue
		}
		for in := range b.Instrs() {
			if !canMerge(in) {
				continue
			}
			p := set.find(in)
			old := *p
			switch {
			case old == nil:
				*p = in
				set.n++
			case old.Block.Dominates(b):
				mergeInto(old, in)
				progress = true
			default:
				*p = in
			}
		}
	}
	return progress
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
