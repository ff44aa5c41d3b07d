package backend

import "nirc/ir"

// Coordinate is a component of coordinates, from before a vector was made of it: of a vector with others that differ between
// invocations a preamble could not take it.
func Coordinate(b *ir.Builder, d *ir.Def, c int) *ir.Def {
	if d.Instr.IsVec() {
		src := &d.Instr.Srcs[c]
		return b.Channel(src.Def, src.Swizzle.Lane(0))
	}
	return b.Channel(d, c)
}
