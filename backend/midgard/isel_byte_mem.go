package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// bytePieces splits an access of n bytes by what is known of its alignment.
func bytePieces(in *ir.Instr, n int) []piece {
	align := uint64(1)
	if in.Has(ir.IdxAlignMul) {
		mul, off := in.Get(ir.IdxAlignMul), in.Get(ir.IdxAlignOffset)
		for align < 4 && 2*align <= uint64(mul) && uint64(off)%(2*align) == 0 {
			align *= 2
		}
	}
	switch {
	case n == 4 && align == 4:
		return []piece{{0, 4, 2}}
	case n == 2 && align >= 2:
		return []piece{{0, 2, 1}}
	case n == 3 && align >= 2:
		return []piece{{0, 2, 1}, {2, 1, 0}}
	case n == 4 && align == 2:
		return []piece{{0, 2, 1}, {2, 2, 1}}
	}
	return pieces(n, 8, true)
}

// loadBytes loads n 8-bit components, several at once where the alignment lets it;
// load adds the load of a piece to the masked components of a register.
func (s *isel) loadBytes(in *ir.Instr, load func(d reg, p piece, mask uint8)) {
	n := int(in.Def.NumComponents)
	if n > 4 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, n, in.Def.BitSize)
		return
	}
	list := bytePieces(in, n)
	d := s.f.newNode(len(list))
	var v value
	for c, p := range list {
		load(d, p, 1<<c)
		for i := range p.n {
			v.at[p.first+i] = uint8(c)
			v.high |= uint8(i>>1) << (p.first + i)
			v.odd |= uint8(i&1) << (p.first + i)
		}
	}
	v.reg, v.clean = d, len(list) == n
	if len(list) > 1 && (len(list) < n || !readByLane(&in.Def)) {
		o := source{reg: d, swz: v.at, high: v.high, odd: v.odd, half: partByte}
		v = packedBytes(s.oneByte(o, fullMask(n)).reg)
	}
	s.set(&in.Def, v)
}

// readByLane reports whether all that reads d reads one component of it, or makes
// words of them: nothing is gained where these stand together.
func readByLane(d *ir.Def) bool {
	for u := range d.Uses() {
		in := u.Instr
		switch {
		case in == nil:
			return false
		case in.Kind == ir.KindIntrinsic && in.Intr.Info().HasDest:
			return false
		case in.Kind == ir.KindIntrinsic:
			if n := int(d.NumComponents); len(bytePieces(in, n)) != n {
				return false
			}
		case in.Kind != ir.KindALU:
			return false
		case in.Op == ir.OpU2u32 || in.Op == ir.OpI2i32 || in.Op == ir.OpU2f32:
		case in.Def.NumComponents != 1 && !in.IsVec():
			return false
		}
	}
	return true
}

// storeBytes stores 8-bit components, several at once where the alignment lets it.
func (s *isel) storeBytes(in *ir.Instr, val *ir.Def, mask uint8, a address) {
	n := int(val.NumComponents)
	parts := s.byteParts(val)
	base := a.offset
	for _, p := range bytePieces(in, n) {
		if m := fullMask(p.n) << p.first; mask&m != m && p.n > 1 {
			// Not all of it: one by one.
			for i := p.first; i < p.first+p.n; i++ {
				if mask>>i&1 != 0 {
					s.storeByte(in, parts[i:i+1], piece{i, 1, 0}, a, base)
				}
			}
			continue
		}
		if mask>>p.first&1 != 0 {
			s.storeByte(in, parts[p.first:p.first+p.n], p, a, base)
		}
	}
}

func (s *isel) storeByte(in *ir.Instr, parts []source, p piece, a address, base int32) {
	a.offset = base + int32(p.first)
	if a.offset >= 1<<17 {
		s.fail(in, "an offset of %d bytes is not supported", a.offset)
		return
	}
	data := parts[0]
	switch {
	case p.n == 1:
		data = s.lowByte(data)
	case p.n == 2:
		if h, ok := inPairs(parts); ok {
			data = h[0] // half a word
			break
		}
		data = s.byteWord(parts)
	default:
		data = s.byteWord(parts)
	}
	s.storePiece(&a, piece{0, 1, p.log}, 1, data)
}

// lowByte returns an operand of 32 bits whose low byte is that of o.
func (s *isel) lowByte(o source) source {
	if o.half != partByte {
		return o
	}
	if o.odd&1 != 0 {
		return s.widened(o, 1)
	}
	o.half, o.mod, o.odd = partFull, 0, 0
	if o.high&1 != 0 {
		o.half = partLow
	}
	return o
}

// bufferBytes looks at 8-bit components at an offset of a buffer that is read as
// uniform.
func (s *isel) bufferBytes(in *ir.Instr, k abi.UBOKind, r abi.Resource, off uint32) {
	n := int(in.Def.NumComponents)
	first := int(off & 3)
	o := s.bufferWords(k, r, off&^3, (n+first+3)/4)
	v := value{reg: o.reg}
	for i := range n {
		e := i + first
		v.at[i] = o.swz[min(e/4, 3)]
		v.high |= uint8(e>>1&1) << i
		v.odd |= uint8(e&1) << i
	}
	s.set(&in.Def, v)
}

// intBytes is source i of an operation on integers of 32 bits, whose 8 bits are
// extended.
func (s *isel) intBytes(in *ir.Instr, i int) source {
	if in.Op != ir.OpU2f32 {
		return s.byteSource(in, i, isa.ModSext)
	}
	o := s.byteSource(in, i, isa.ModZext)
	if w, ok := s.zeroExtended(in, o); ok {
		return w
	}
	return o
}

// loadNarrow loads components of 16 or 8 bits by their own ways; false of wider ones.
func (s *isel) loadNarrow(in *ir.Instr, load func(d reg, p piece, mask uint8)) bool {
	switch in.Def.BitSize {
	case 16:
		s.loadHalves(in, load)
	case 8:
		s.loadBytes(in, load)
	default:
		return false
	}
	return true
}
