package backend

import "nirc/ir"

// Components gathers what stands for the sources of a vector or a move,
// component by component of its result. Each component is parts of T; at gives
// part k of a value, counted through all of its components.
func Components[T any](in *ir.Instr, parts int, at func(d *ir.Def, k int) T) []T {
	n := int(in.Def.NumComponents)
	list := make([]T, 0, n*parts)
	for c := range n {
		src, lane := &in.Srcs[0], c
		if len(in.Srcs) > 1 {
			src, lane = &in.Srcs[c], 0
		}
		for k := range parts {
			list = append(list, at(src.Def, src.Swizzle.Lane(lane)*parts+k))
		}
	}
	return list
}

// OnlySaturated reports whether the one use of a result is an fsat, which the
// instruction can do itself.
func OnlySaturated(in *ir.Instr) bool {
	if !in.Def.UsedOnce() {
		return false
	}
	u := in.Def.FirstUse()
	return u.Instr != nil && u.Instr.IsALU(ir.OpFsat)
}

// Runs calls f for each run of consecutive components in a write mask.
func Runs(mask uint64, f func(first, n int)) {
	for c := 0; mask>>c != 0; c++ {
		if mask>>c&1 == 0 {
			continue
		}
		n := 1
		for mask>>(c+n)&1 != 0 {
			n++
		}
		f(c, n)
		c += n
	}
}
