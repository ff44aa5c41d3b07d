package passes

import "nirc/ir"

var optRematerializeComparesPass = &Pass{
	Name: "opt_rematerialize_compares", Class: "B", Run: implPass(ir.MetaControlFlow, optRematerializeCompares), Idempotent: true, Optional: true,
	Doc: "Repeats comparisons in each block where an if or a select reads them, for machines whose comparisons set flags that do not live across blocks. " +
		"opt_cse must not follow: it would merge them again.",
}

func optRematerializeCompares(impl *ir.Impl) (progress bool) {
	var uses []*ir.Src
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindALU || !isComparison(in) {
				continue
			}
			uses = uses[:0]
			for u := range in.Def.Uses() {
				if b := useBlock(u); b != blk && readsFlag(u) {
					uses = append(uses, u)
				}
			}
			progress = repeatCompare(in, uses) || progress
		}
	}
	return progress
}

// isComparison reports whether an operation makes a boolean of numbers.
func isComparison(in *ir.Instr) bool {
	info := in.Op.Info()
	return info.Out.Class == ir.ClassBool && len(info.In) == 2 && info.In[0].Class != ir.ClassBool && info.Out.Comps == 0
}

// readsFlag reports whether a use is the condition of an if or of a select.
func readsFlag(u *ir.Src) bool {
	if u.If != nil {
		return true
	}
	return u.Instr.Kind == ir.KindALU && u == &u.Instr.Srcs[0] && (u.Instr.Op == ir.OpBcsel || u.Instr.Op == ir.OpB32csel)
}

// repeatCompare gives the uses copies of in, one a block, before the first.
func repeatCompare(in *ir.Instr, uses []*ir.Src) bool {
	for i, u := range uses {
		if u == nil {
			continue
		}
		blk := useBlock(u)
		at := ir.BeforeJump(blk)
		for x := range blk.Instrs() {
			if x.Kind == ir.KindALU && len(x.Srcs) > 0 && x.Srcs[0].Def == &in.Def && readsFlag(&x.Srcs[0]) {
				at = ir.Before(x)
				break
			}
		}
		c := copyALU(ir.NewBuilder(at), in)
		for k := i; k < len(uses); k++ {
			if uses[k] != nil && useBlock(uses[k]) == blk {
				swz := uses[k].Swizzle
				uses[k].Set(&c.Def)
				uses[k].Swizzle = swz
				uses[k] = nil
			}
		}
	}
	return len(uses) > 0
}
