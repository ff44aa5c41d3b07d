package passes

import "nirc/ir"

var optComparisonPrePass = &Pass{
	Name: "opt_comparison_pre", Class: "B", Run: implPass(ir.MetaControlFlow, optComparisonPre), Idempotent: true, Optional: true,
	Instead: "registers: no target compares with 0 for nothing; it stays for those that do",
	Doc: "Where a < b stands before b + -a, compares that difference with 0, so that the operands die there and machines that compare with 0 for free save the comparison. " +
		"Only scalar comparisons that are neither exact nor have to keep infinities, whose difference is no number; the difference moves up before the comparison.",
}

// maxCompareUses bounds the uses of an operand among which a difference is sought.
const maxCompareUses = 16

func optComparisonPre(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindALU && comparesFloats(in.Op) && in.Def.NumComponents == 1 && !in.Exact && in.FastMath == 0 {
				progress = compareDifference(in) || progress
			}
		}
	}
	return progress
}

func comparesFloats(op ir.Op) bool {
	switch op {
	case ir.OpFlt, ir.OpFge, ir.OpFeq, ir.OpFneu:
		return true
	}
	return false
}

// isDifference reports whether an addition is of a value and the negation of
// another: x - y.
func isDifference(add *ir.Instr, x, y *ir.Src) bool {
	if !add.IsALU(ir.OpFadd) || add.Exact || add.FastMath != 0 || add.Def.NumComponents != 1 {
		return false
	}
	for k := range 2 {
		if sameScalar(&add.Srcs[k], x) && isNegation(&add.Srcs[1-k], y) {
			return true
		}
	}
	return false
}

// sameScalar reports whether the first lanes of two sources are the same.
func sameScalar(a, b *ir.Src) bool {
	if a.Def == b.Def {
		return a.Swizzle.Lane(0) == b.Swizzle.Lane(0)
	}
	v, ok := a.Const(0)
	w, ok2 := b.Const(0)
	return ok && ok2 && v == w
}

// isNegation reports whether a is -b.
func isNegation(a, b *ir.Src) bool {
	if in := a.Def.Instr; in.IsALU(ir.OpFneg) {
		s := &in.Srcs[0]
		return s.Def == b.Def && s.Swizzle.Lane(a.Swizzle.Lane(0)) == b.Swizzle.Lane(0)
	}
	v, ok := a.Const(0)
	w, ok2 := b.Const(0)
	return ok && ok2 && v^w == 1<<(a.Def.BitSize-1)
}

// compareDifference rewrites a comparison if one of its operands is used by a
// difference that it dominates.
func compareDifference(cmp *ir.Instr) bool {
	a, b := &cmp.Srcs[0], &cmp.Srcs[1]
	if isZeroConst(a) || isZeroConst(b) {
		return false // compared with for free already
	}
	for _, x := range []*ir.Src{a, b} {
		n := 0
		for u := range x.Def.Uses() {
			if n++; n > maxCompareUses {
				break
			}
			add := u.Instr
			if add == nil || add == cmp || !dominated(cmp, add) {
				continue
			}
			switch {
			case isDifference(add, a, b):
				useDifference(cmp, add, false)
				return true
			case isDifference(add, b, a):
				useDifference(cmp, add, true)
				return true
			}
		}
	}
	return false
}

func isZeroConst(s *ir.Src) bool {
	v, ok := s.Const(0)
	return ok && v<<1<<(64-s.Def.BitSize) == 0
}

// dominated reports whether cmp runs before add wherever add runs.
func dominated(cmp, add *ir.Instr) bool {
	if cmp.Block != add.Block {
		return cmp.Block.Reachable() && add.Block.Reachable() && cmp.Block.Dominates(add.Block)
	}
	for x := cmp.Next(); x != nil; x = x.Next() {
		if x == add {
			return true
		}
	}
	return false
}

// useDifference moves a - b, or b - a if swapped, before cmp and compares it with 0.
func useDifference(cmp, add *ir.Instr, swapped bool) {
	b := builderBefore(cmp)
	for i := range add.Srcs {
		// A negation may stand after the comparison.
		if neg := add.Srcs[i].Def.Instr; neg.IsALU(ir.OpFneg) && !(neg.Block == cmp.Block && dominated(neg, cmp)) && !(neg.Block != cmp.Block && neg.Block.Dominates(cmp.Block)) {
			c := copyALU(b, neg)
			add.Srcs[i].Set(&c.Def)
		}
	}
	add.MoveTo(ir.Before(cmp))
	zero := b.Const(add.Def.BitSize, 0)
	diff, nought := &add.Def, zero
	if swapped {
		diff, nought = zero, &add.Def
	}
	for i, d := range []*ir.Def{diff, nought} {
		cmp.Srcs[i].Set(d)
		cmp.Srcs[i].Swizzle = ir.Broadcast(0)
	}
}
