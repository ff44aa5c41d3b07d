package midgard

import "nirc/ir"

// vec selects a vector of scalars: a view where all lie in one register, else
// moves, one for each register that they come from.
func (s *isel) vec(in *ir.Instr) {
	switch in.Def.BitSize {
	case 16:
		s.vecHalves(in)
		return
	case 8:
		s.vecBytes(in)
		return
	}
	w := width(&in.Def)
	n := len(in.Srcs) * w
	if n > 4 {
		s.fail(in, "%s of %d bits is not supported", in.Op, in.Def.BitSize)
		return
	}
	var parts [4]source
	same := true
	for i := range n {
		q := &in.Srcs[i/w]
		parts[i] = s.comp(q.Def, q.Swizzle.Lane(0)*w+i%w)
		same = same && parts[i].reg == parts[0].reg
	}
	if same {
		v := value{reg: parts[0].reg}
		for i := range n {
			v.at[i], v.con[i] = parts[i].swz[0], parts[i].con[0]
		}
		s.set(&in.Def, v)
		return
	}
	d := s.result(&in.Def)
	s.gather(d, parts[:n])
}

// gather moves one operand to each component of dst, but nothing where a part
// is no register.
func (s *isel) gather(dst reg, parts []source) {
	done := uint8(0)
	for i := range parts {
		if done>>i&1 != 0 || parts[i].reg == regNone {
			continue
		}
		o := source{reg: parts[i].reg, half: parts[i].half, mod: parts[i].mod}
		mask := uint8(0)
		for k := i; k < len(parts); k++ {
			if parts[k].reg == o.reg && parts[k].half == o.half && parts[k].mod == o.mod {
				mask |= 1 << k
				o.swz[k], o.con[k] = parts[k].swz[0], parts[k].con[0]
				o.high |= parts[k].high & 1 << k
				o.odd |= parts[k].odd & 1 << k
			}
		}
		done |= mask
		s.move(dst, mask, o)
	}
}

// view selects operations that only look at registers in another way; false if
// in is none. Narrow values leave the upper bits of their components open.
func (s *isel) view(in *ir.Instr) bool {
	off := uint8(0)
	switch in.Op {
	case ir.OpMov, ir.OpB2b32, ir.OpB2b1, ir.OpUnpack64_2x32, ir.OpPack64_2x32:
	case ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY:
		o := s.src(in, 0)
		if in.Op == ir.OpUnpack64_2x32SplitY {
			off = 1
		}
		return s.viewOf(in, o.place([4]uint8{off, 2 + off, 0, 0}))
	case ir.OpU2u32, ir.OpI2i32:
		if in.Srcs[0].Def.BitSize == 64 {
			return s.viewOf(in, s.src(in, 0).place([4]uint8{0, 2, 0, 0}))
		}
		if in.Srcs[0].Def.BitSize == 8 {
			s.fromBytes(in)
			return true
		}
		if in.Srcs[0].Def.BitSize != 32 {
			return false
		}
	case ir.OpU2u16, ir.OpI2i16, ir.OpI2imp:
		switch in.Srcs[0].Def.BitSize {
		case 64:
			s.shrunk(in, s.src(in, 0).place([4]uint8{0, 2, 0, 0}))
			return true
		case 32:
			s.shrunk(in, s.src(in, 0))
			return true
		case 8:
			s.fromBytes(in)
			return true
		}
	case ir.OpU2u8, ir.OpI2i8:
		if in.Srcs[0].Def.BitSize != 8 {
			s.toBytes(in)
			return true
		}
	default:
		return s.unpackHalves(in) || s.packHalves(in)
	}
	return s.viewOf(in, s.src(in, 0))
}

// viewOf makes def the first components of o.
func (s *isel) viewOf(in *ir.Instr, o source) bool {
	v := value{reg: o.reg, at: o.swz, con: o.con, high: o.high, odd: o.odd}
	if in.Def.BitSize == 32 && o.half == partLow {
		v.narrow, v.mod = true, o.mod
	}
	s.set(&in.Def, v)
	return true
}

// folded computes scalars of constants, and drops what adds nothing: offsets in buffers,
// which are constants now that their handles are.
func (s *isel) folded(in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return false
	}
	switch in.Op {
	case ir.OpIadd:
	case ir.OpIand, ir.OpIshl, ir.OpUshr:
		if !s.known(in.Srcs[1].Def) {
			return false
		}
	default:
		return false
	}
	a, b := s.src(in, 0), s.src(in, 1)
	lanes := fullMask(int(in.Def.NumComponents))
	switch {
	case a.reg == regConst && b.reg == regConst && in.Def.NumComponents == 1:
		return s.viewOf(in, constant(fold(in.Op, a.con[0], b.con[0])))
	case in.Op == ir.OpIand:
		return false
	case in.Op != ir.OpIadd:
		return b.zero(lanes) && s.viewOf(in, a)
	case a.zero(lanes):
		return s.viewOf(in, b)
	case b.zero(lanes):
		return s.viewOf(in, a)
	}
	return false
}

// known reports whether a value that has been selected is a constant.
func (s *isel) known(d *ir.Def) bool { return d.IsConst() || s.vals[d.Index].reg == regConst }

// fold computes an operation of folded.
func fold(op ir.Op, x, y uint32) uint32 {
	switch op {
	case ir.OpIadd:
		return x + y
	case ir.OpIand:
		return x & y
	case ir.OpIshl:
		return x << (y & 31)
	}
	return x >> (y & 31)
}

// zero reports whether lanes of the operand are the constant 0.
func (o source) zero(lanes uint8) bool {
	for i, v := range o.con {
		if lanes>>i&1 != 0 && v != 0 {
			return false
		}
	}
	return o.reg == regConst
}
