package passes

import (
	"math/bits"

	"nirc/ir"
)

// originOf is the index of the value that d was before others joined it.
func (v *aluVectorizer) originOf(d *ir.Def) uint32 {
	if int(d.Index) < len(v.origin) && v.origin[d.Index] != 0 {
		return v.origin[d.Index] - 1
	}
	return d.Index
}

// note says what a joined value was at first.
func (v *aluVectorizer) note(d *ir.Def, first uint32) {
	for int(d.Index) >= len(v.origin) {
		v.origin = append(v.origin, make([]uint32, int(d.Index)+1-len(v.origin))...)
	}
	v.origin[d.Index] = first + 1
}

// maxReaders bounds how many uses of a value endsThere looks at.
const maxReaders = 16

// endsThere reports whether an operation alone reads at least as many components of values as it makes: where it runs
// earlier, these end there.
func endsThere(in *ir.Instr) bool {
	free := 0
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		if d.IsConst() || i > 0 && d == in.Srcs[0].Def {
			continue
		}
		mine, others, n := uint16(0), uint16(0), 0
		for u := range d.Uses() {
			if n++; n > maxReaders {
				others = ^uint16(0)
				break
			}
			m := componentsOf(u)
			if u.Instr == in {
				mine |= m
			} else {
				others |= m
			}
		}
		free += bits.OnesCount16(mine &^ others)
	}
	return free >= int(in.Def.NumComponents)
}

// componentsOf is the set of components that a use reads.
func componentsOf(u *ir.Src) (m uint16) {
	in := u.Instr
	if in == nil || in.Kind != ir.KindALU {
		return ^uint16(0)
	}
	for i := range in.Srcs {
		if &in.Srcs[i] != u {
			continue
		}
		for k := range in.SrcComps(i) {
			m |= 1 << u.Swizzle.Lane(k)
		}
		return m
	}
	return ^uint16(0)
}
