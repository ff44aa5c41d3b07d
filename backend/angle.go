package backend

import (
	"math"

	"nirc/ir"
)

// smallestNormal is the smallest float of 32 bits that is not a denormal.
const smallestNormal = 0x1p-126

// ScaledAngle is the argument of a sine or cosine as a product of component c of a value and a factor. Where a constant multiplies
// an argument that nothing else reads, that is the factor: targets scale angles anyway, and so do it once, with one rounding less.
// A factor in turns is neither a denormal nor infinite.
func ScaledAngle(in *ir.Instr) (d *ir.Def, c int, factor float64) {
	q := &in.Srcs[0]
	c = q.Swizzle.Lane(0)
	m := q.Def.Instr
	if m.Kind != ir.KindALU || m.Op != ir.OpFmul || m.Exact || in.Exact || q.Def.BitSize != 32 || !onlyAngle(q.Def) {
		return q.Def, c, 1
	}
	for k := range m.Srcs {
		bits, ok := m.Srcs[k].Const(c)
		f := float64(math.Float32frombits(uint32(bits)))
		if turns := math.Abs(f) / (2 * math.Pi); ok && turns >= smallestNormal && turns <= math.MaxFloat32 {
			x := &m.Srcs[1-k]
			return x.Def, x.Swizzle.Lane(c), f
		}
	}
	return q.Def, c, 1
}

// onlyAngle reports whether nothing but sines and cosines reads a value.
func onlyAngle(d *ir.Def) bool {
	for u := range d.Uses() {
		if r := u.Instr; r == nil || r.Kind != ir.KindALU || r.Op != ir.OpFsin && r.Op != ir.OpFcos {
			return false
		}
	}
	return true
}
