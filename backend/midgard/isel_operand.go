package midgard

import (
	"nirc/backend"
	"nirc/ir"
)

// operand makes a source of n components of a def (words of 64-bit components
// count), the i-th from component pick(i).
func (s *isel) operand(d *ir.Def, n int, pick func(i int) int) (o source) {
	if s.lazy[d.Index] {
		s.lazy[d.Index] = false
		loc := s.loc
		s.loc = d.Instr.Loc
		s.instr(d.Instr)
		s.loc = loc
	}
	components := int(d.NumComponents) * width(d)
	kind, v := d.Instr.Kind, &s.vals[d.Index]
	c := 0
	for i := range 4 {
		if i < n {
			c = pick(i)
		}
		if c >= components {
			s.broken(d.Instr, "%%%d of %d x %d bits is too small for what reads it", d.Index, d.NumComponents, d.BitSize)
			return o
		}
		switch kind {
		case ir.KindLoadConst:
			v := d.Instr.Imm[c/width(d)]
			if width(d) == 2 && c&1 != 0 {
				v >>= 32
			}
			o.reg, o.con[i] = regConst, uint32(v)
			if d.BitSize == 1 {
				o.con[i] = -uint32(v & 1)
			}
		case ir.KindUndef:
			o.reg = regConst
		default:
			o.reg, o.swz[i], o.con[i] = v.reg, v.at[c&3], v.con[c&3]
			if v.high|v.odd != 0 {
				o.high |= v.high >> (c & 3) & 1 << i
				o.odd |= v.odd >> (c & 3) & 1 << i
			}
		}
	}
	switch {
	case o.reg == regConst:
	case d.BitSize == 16:
		o.half = partLow
	case d.BitSize == 8:
		o.half = partByte
	case v.narrow:
		o.half, o.mod = partLow, v.mod
	}
	if o.reg == 0 && !d.IsConst() && !d.IsUndef() {
		s.fail(d.Instr, "%s", backend.Unselected(d))
	}
	return o
}

// comp is one component of a def for all lanes.
func (s *isel) comp(d *ir.Def, c int) source {
	return s.operand(d, 1, func(int) int { return c })
}

// whole is all components of a def.
func (s *isel) whole(d *ir.Def) source {
	return s.operand(d, min(int(d.NumComponents)*width(d), 4), func(i int) int { return i })
}

// src is ALU source i of in, lane by lane.
func (s *isel) src(in *ir.Instr, i int) source {
	q := &in.Srcs[i]
	n := in.SrcComps(i)
	if n > 4 {
		s.fail(in, "%s of %d components is not supported", in.Op, n)
		n = 4
	}
	w := width(q.Def)
	if w == 2 {
		return s.operand(q.Def, min(2*n, 4), func(k int) int { return q.Swizzle.Lane(k/2)*2 + k&1 })
	}
	return s.operand(q.Def, n, func(k int) int { return q.Swizzle.Lane(k) })
}

// constant is the same word in all lanes.
func constant(v uint32) source { return source{reg: regConst, con: [4]uint32{v, v, v, v}} }

// lane makes all lanes of o read what lane i reads.
func (o source) lane(i int) source {
	o.swz = replicate(o.swz[i])
	o.high = o.high >> i & 1 * 15
	o.odd = o.odd >> i & 1 * 15
	c := o.con[i]
	o.con = [4]uint32{c, c, c, c}
	return o
}

// place gives each lane i of o the former lane from[i].
func (o source) place(from [4]uint8) source {
	p := o
	p.high, p.odd = 0, 0
	for i, k := range from {
		p.swz[i], p.con[i] = o.swz[k], o.con[k]
		p.high |= o.high >> k & 1 << i
		p.odd |= o.odd >> k & 1 << i
	}
	return p
}

// shifted moves the lanes up by n, which may be negative.
func (o source) shifted(n int) source {
	var from [4]uint8
	for i := range from {
		from[i] = uint8(min(max(i-n, 0), 3))
	}
	return o.place(from)
}
