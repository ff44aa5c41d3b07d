package ir3

import (
	"slices"

	"nirc/internal/slab"
	"nirc/ir"
)

// splitUniformProducts takes products of factors that are the same for all fibers out of multiply-adds that need not
// be exact: the preamble computes them. They join the addend of the sum if that is the same for all, too; otherwise an addition is left
// that reads a const, where the multiply-add would want one of two consts in a register. It reports whether anything changed.
func splitUniformProducts(impl *ir.Impl, m *memory) bool {
	u := &m.products
	*u = uniformProducts{plan: &m.sel.pre, defs: int(impl.NumDefs), found: u.found[:0], placed: u.placed}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if freeSum(in) {
				u.found = append(u.found, in)
			}
		}
	}
	if len(u.found) == 0 {
		return false
	}
	u.plan.Classify(impl, u.plan)
	if u.found = slices.DeleteFunc(u.found, func(in *ir.Instr) bool { return !u.splits(in) }); len(u.found) == 0 {
		return false
	}
	u.placed = slab.Zeroed(u.placed, u.defs)
	u.number(impl)
	changed := false
	for _, in := range u.found {
		changed = u.split(in) || changed
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
	return changed
}

// uniformProducts knows what the preamble can compute, the multiply-adds whose products are among that, and by Def.Index
// where values stand. Values that were made here are the sums that the preamble computes.
type uniformProducts struct {
	plan   *preamble
	found  []*ir.Instr
	defs   int // before any was made
	placed []int32
}

// number notes where values stand, from 1 on.
func (u *uniformProducts) number(impl *ir.Impl) {
	at := int32(0)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.HasDef() {
				at++
				u.placed[in.Def.Index] = at
			}
		}
	}
}

// is reports whether a preamble can compute what is read. Of values that were made here only sums are known.
func (u *uniformProducts) is(s *ir.Src) bool {
	return u.plan.Can(s.Def) || u.isSum(s.Def)
}

// isSum reports whether d was made here.
func (u *uniformProducts) isSum(d *ir.Def) bool {
	return int(d.Index) >= u.defs && int(d.Index) < len(u.placed) && u.placed[d.Index] > 0
}

// before reports whether d stands before in; both dominate the same place.
func (u *uniformProducts) before(d *ir.Def, in *ir.Instr) bool {
	return int(in.Def.Index) < len(u.placed) && u.placed[d.Index] < u.placed[in.Def.Index]
}

// made notes a sum that was made right before in, which other products of the chain may join.
func (u *uniformProducts) made(sum *ir.Def, in *ir.Instr) {
	u.placed = append(u.placed, make([]int32, max(0, int(sum.Index)+1-len(u.placed)))...)
	u.placed[sum.Index] = u.placed[in.Def.Index]
}

// splits reports whether in is a multiply-add of a uniform product to something else.
func (u *uniformProducts) splits(in *ir.Instr) bool {
	return u.is(&in.Srcs[0]) && u.is(&in.Srcs[1]) && !u.is(&in.Srcs[2])
}

// freeSum reports whether in is a multiply-add whose rounding is free.
func freeSum(in *ir.Instr) bool {
	return in.IsALU(ir.OpFfma) && !in.Exact && in.Def.NumComponents == 1 && in.Def.BitSize == 32
}

// split adds the product of in to the uniform addend at the beginning of its sum, or takes it apart.
func (u *uniformProducts) split(in *ir.Instr) bool {
	first := in.Srcs[2].Def.Instr
	for freeSum(first) && first.Def.UsedOnce() && !u.is(&first.Srcs[2]) {
		first = first.Srcs[2].Def.Instr
	}
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	switch {
	case freeSum(first) && first.Def.UsedOnce() && u.is(&first.Srcs[2]) && u.before(in.Srcs[0].Def, first) && u.before(in.Srcs[1].Def, first):
		up := ir.NewBuilder(ir.Before(first)).AtInstr(first)
		sum := up.Ffma(factor(up, in, 0), factor(up, in, 1), factor(up, first, 2))
		u.made(sum, first)
		first.Srcs[2].Set(sum)
		first.Srcs[2].Swizzle = ir.Broadcast(0)
		in.Def.RewriteUses(factor(b, in, 2))
	case alone(in):
		in.Def.RewriteUses(b.Fadd(b.Fmul(factor(b, in, 0), factor(b, in, 1)), factor(b, in, 2)))
	default:
		return false
	}
	in.Remove()
	return true
}

// maxShared is how many instructions read a constant at most that is worth no register: its move costs as much as four products of the
// preamble and more.
const maxShared = 4

// alone reports whether a product of two consts wants a register for few instructions: where more read both factors
// one register does for all of them, and a loop that carries the sum has slots to fill it.
func alone(in *ir.Instr) bool {
	if in.Srcs[2].Def.Instr.Kind == ir.KindPhi {
		return false
	}
	for i := range 2 {
		d := in.Srcs[i].Def
		if d.UsedOnce() || d.IsConst() && usedBy(d, maxShared) {
			return true
		}
	}
	return false
}

// usedBy reports whether n uses at most read d.
func usedBy(d *ir.Def, n int) bool {
	for range d.Uses() {
		if n--; n < 0 {
			return false
		}
	}
	return true
}

// factor is the component that source k of in reads.
func factor(b *ir.Builder, in *ir.Instr, k int) *ir.Def {
	return b.Channel(in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(0))
}
