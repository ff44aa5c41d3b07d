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

// reach is how far an operation may be from one that it joins, if textures take its result as two coordinates, or such an operation alone
// reads it, and nothing but ALU operations reads it otherwise; else 0.
func (v *aluVectorizer) reach(in *ir.Instr) uint32 {
	if v.coords == 0 || in.Def.BitSize != 32 || in.Def.NumComponents != 2 {
		return 0
	}
	if u := in.Def.FirstUse(); u != nil && u.Instr != nil && u.Instr.Kind == ir.KindALU && in.Def.UsedOnce() {
		in = u.Instr
	}
	some := false
	for u := range in.Def.Uses() {
		r := u.Instr
		if r == nil || r.Kind != ir.KindALU && r.Kind != ir.KindTex {
			return 0
		}
		if r.Kind == ir.KindTex {
			if q := r.TexSrc(ir.TexSrcCoord); q == nil || q != u || in.Def.NumComponents != 2 {
				return 0
			}
			some = true
		}
	}
	if some {
		return v.coords
	}
	return 0
}

// longConst reports whether a constant source of 32 bits is more than one small integer or float of 16 bits, which are no words of their own.
func longConst(q *ir.Src, in *ir.Instr) bool {
	first, _ := q.Const(0)
	for k := range int(in.Def.NumComponents) {
		c, _ := q.Const(k)
		if v := uint32(c); c != first || int32(v) != int32(int16(v)) && v&0x1fff != 0 {
			return q.Def.BitSize == 32
		}
	}
	return false
}
