package midgard

import (
	"math"
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// Values of 16 bits lie two to a component, lane 0 in the low half: vectors of
// three and four fill half a register, so that one instruction computes all lanes
// (midgard.md §3.2: any swizzle within half a register). Loads and conversions of scalars may
// leave them elsewhere, which value says.

// dest is where a result goes: lanes of a register, of 16 bits each with half, of 8
// bits in the first component with bytes.
type dest struct {
	reg         reg
	lanes       uint8
	half, bytes bool
	// wide: lanes of 64 bits, two components each; cut: as lanes are computed
	// whose lower or upper 32 bits stay.
	wide, cut bool
	// done is the components in which another instruction wrote a lane that stays.
	done uint8
}

// packedHalves is the 16-bit value that fills the components of r from x on.
func packedHalves(r reg) value {
	return value{reg: r, at: [4]uint8{0, 0, 1, 1}, high: 0b1010}
}

// dest makes a register for a def and remembers it.
func (s *isel) dest(d *ir.Def) dest {
	if d.BitSize != 16 && d.BitSize != 8 {
		return dest{reg: s.result(d), lanes: fullMask(int(d.NumComponents) * width(d))}
	}
	n := int(d.NumComponents)
	if n > 4 {
		s.fail(d.Instr, "a value of %d x %d bits is not supported", n, d.BitSize)
		n = 4
	}
	if d.BitSize == 8 {
		r := s.f.newNode(1)
		s.set(d, packedBytes(r))
		return dest{reg: r, lanes: fullMask(n), bytes: true}
	}
	r := s.f.newNode((n + 1) / 2)
	s.set(d, packedHalves(r))
	return dest{reg: r, lanes: fullMask(n), half: true}
}

// lane is lane i of the destination, when those before it are written.
func (d dest) lane(i int) dest {
	switch {
	case d.half && i&1 != 0:
		d.done |= 1 << (i >> 1)
	case d.bytes && i > 0:
		d.done = 1
	}
	d.lanes = 1 << i
	return d
}

// describe fills in how an instruction writes the destination.
func (d *dest) describe(t *inst) {
	t.dst, t.mask = d.reg, d.lanes
	if d.bytes {
		t.mask, t.half, t.skip = 1, partByte, 15&^d.lanes
		t.keep = d.done
		return
	}
	switch {
	case d.wide:
		t.half = partWide
	case d.cut:
		t.half = partCut
	}
	if !d.half {
		return
	}
	t.mask = (d.lanes|d.lanes>>1)&1 | (d.lanes>>1|d.lanes>>2)&2
	t.keep = t.mask & d.done
	if bits.OnesCount8(d.lanes) > 1 {
		t.half = partBoth
		t.skip = t.lanes() &^ d.lanes
		return
	}
	t.half = partLow
	if d.lanes&0b1010 != 0 {
		t.half = partHigh
	}
}

// number gives constants of 16 bits the form of the operation's: floats of 32
// bits, or sign-extended integers.
func (o source) number(d *ir.Def, float bool) source {
	if o.reg != regConst || d.BitSize != 16 {
		return o
	}
	for i, v := range o.con {
		if float {
			o.con[i] = math.Float32bits(emu.HalfToFloat(uint16(v)))
		} else {
			o.con[i] = uint32(int32(int16(v)))
		}
	}
	return o
}

// oneHalf returns o with the lanes that are read in one half of a register.
func (s *isel) oneHalf(o source, lanes uint8) source {
	if o.half != partLow {
		return o
	}
	if m := o.components(lanes); m&3 == 0 || m&12 == 0 {
		return o
	}
	var parts [4]source
	n := bits.Len8(lanes)
	for i := range n {
		parts[i] = source{reg: regNone}
		if lanes>>i&1 != 0 {
			parts[i] = o.lane(i)
		}
	}
	r := s.gatherHalves(parts[:n])
	v := packedHalves(r)
	return source{reg: r, swz: v.at, high: v.high, half: partLow, mod: o.mod}
}

// gatherHalves moves one 16-bit operand to each lane of a new register, but
// nothing where a part is no register. Parts of 32 bits give their low half.
func (s *isel) gatherHalves(parts []source) reg {
	d := dest{reg: s.f.newNode((len(parts) + 1) / 2), half: true}
	left := fullMask(len(parts))
	for i := range parts {
		if left>>i&1 == 0 || parts[i].reg == regNone {
			continue
		}
		o := source{reg: parts[i].reg}
		same := uint8(0) // lanes from that register
		for k := i; k < len(parts); k++ {
			if left>>k&1 != 0 && parts[k].reg == o.reg {
				same |= 1 << k
				o.swz[k], o.con[k] = parts[k].swz[0], parts[k].con[0]
				o.high |= parts[k].high & 1 << k
			}
		}
		if o.reg != regConst && o.high != 0 {
			// High halves are read as such, all from one half of the register.
			o.half = partLow
			for k := range o.swz {
				if o.swz[k]>>1 != o.swz[i]>>1 {
					same &^= 1 << k
				}
			}
		}
		left &^= same
		d.lanes = same
		t := s.aluTo(d, isa.OpImov, source{reg: regNone}, o)
		d.done |= t.mask
	}
	return d.reg
}

// halfParts is the components of a 16-bit def, one by one.
func (s *isel) halfParts(d *ir.Def) (parts [4]source) {
	o := s.whole(d).number(d, false)
	for i := range parts {
		parts[i] = o.lane(i)
	}
	return parts
}

// halfWords makes an operand of the words that 16-bit parts fill, two a word.
func (s *isel) halfWords(parts []source) source {
	o := source{reg: parts[0].reg}
	n := (len(parts) + 1) / 2
	ready := o.reg != regNone
	for i := range n {
		lo, hi := parts[2*i], parts[min(2*i+1, len(parts)-1)]
		o.swz[i], o.con[i] = lo.swz[0], lo.con[0]&0xffff|hi.con[0]<<16
		ready = ready && lo.reg == o.reg && hi.reg == o.reg
		if o.reg != regConst {
			ready = ready && lo.high&1 == 0 && (2*i+1 >= len(parts) || hi.swz[0] == lo.swz[0] && hi.high&1 != 0)
		}
	}
	if !ready {
		o = source{reg: s.gatherHalves(parts), swz: identity}
	}
	for i := n; i < 4; i++ {
		o.swz[i], o.con[i] = o.swz[n-1], o.con[n-1]
	}
	return o
}

// allWords is the words of a def: those of its components, where 16-bit ones are two
// to a word.
func (s *isel) allWords(d *ir.Def) (o source, n int) {
	k := min(int(d.NumComponents), 4)
	switch d.BitSize {
	case 16:
	case 8:
		parts := s.byteParts(d)
		return s.byteWord(parts[:k]), 1
	default:
		return s.whole(d), int(d.NumComponents) * width(d)
	}
	parts := s.halfParts(d)
	return s.halfWords(parts[:k]), (k + 1) / 2
}

// vecHalves selects a vector of 16-bit scalars.
func (s *isel) vecHalves(in *ir.Instr) {
	n := len(in.Srcs)
	if n > 4 {
		s.fail(in, "%s of %d bits is not supported", in.Op, in.Def.BitSize)
		return
	}
	var parts [4]source
	v, one := value{}, true
	for i := range n {
		q := &in.Srcs[i]
		p := s.comp(q.Def, q.Swizzle.Lane(0))
		raw := p.con[0]
		parts[i] = p.number(q.Def, false)
		v.at[i], v.con[i] = p.swz[0], raw
		v.high |= p.high & 1 << i
		one = one && p.reg == parts[0].reg && p.swz[0]>>1 == parts[0].swz[0]>>1
	}
	v.reg = parts[0].reg
	if !one {
		v = packedHalves(s.gatherHalves(parts[:n]))
	}
	s.set(&in.Def, v)
}

// unpackHalves selects operations that look at words as 16-bit values; false if
// in is none.
func (s *isel) unpackHalves(in *ir.Instr) bool {
	o := s.src(in, 0)
	v := value{reg: o.reg, at: o.swz, con: o.con}
	switch in.Op {
	case ir.OpUnpack32_2x16SplitX:
	case ir.OpUnpack32_2x16SplitY:
		v.high = 15
	case ir.OpUnpack32_2x16:
		o = o.place([4]uint8{})
		v.at, v.con, v.high = o.swz, o.con, 0b1010
	case ir.OpUnpack64_4x16:
		o = o.place([4]uint8{0, 0, 1, 1})
		v.at, v.con, v.high = o.swz, o.con, 0b1010
	default:
		return false
	}
	for i := range v.con {
		v.con[i] = v.con[i] >> (16 * (v.high >> i & 1)) & 0xffff
	}
	s.set(&in.Def, v)
	return true
}

// packHalves selects operations that make words of 16-bit values; false if in is
// none.
func (s *isel) packHalves(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpPack32_2x16, ir.OpPack64_4x16:
		q := &in.Srcs[0]
		n := in.SrcComps(0)
		var parts [4]source
		for i := range n {
			parts[i] = s.comp(q.Def, q.Swizzle.Lane(i)).number(q.Def, false)
		}
		return s.viewOf(in, s.halfWords(parts[:n]))
	case ir.OpPack32_2x16Split:
		var list [4]source
		lo, hi := s.src(in, 0).number(in.Srcs[0].Def, false), s.src(in, 1).number(in.Srcs[1].Def, false)
		n := int(in.Def.NumComponents)
		for i := range n {
			list[i] = s.halfWords([]source{lo.lane(i), hi.lane(i)}).lane(0)
		}
		if n == 1 {
			return s.viewOf(in, list[0])
		}
		s.gather(s.result(&in.Def), list[:n])
		return true
	}
	return false
}

// shrunk gives in the low halves of 32-bit lanes: what makes them writes halves
// where nothing else reads them, else one is looked at and several are moved.
func (s *isel) shrunk(in *ir.Instr, o source) {
	n := int(in.Def.NumComponents)
	switch {
	case !s.floatMaker(in) && s.shrinkMaker(in):
	case n == 1 && o.reg != regConst:
		s.viewOf(in, o)
	case o.reg == regConst:
		for i := range o.con {
			o.con[i] &= 0xffff
		}
		s.viewOf(in, o)
	default:
		s.aluTo(s.dest(&in.Def), isa.OpImov, source{reg: regNone}, o)
	}
}

// shrinkMaker makes the instruction that computes the operand of a conversion to
// 16 bits write these; false where that cannot be.
func (s *isel) shrinkMaker(in *ir.Instr) bool {
	by := s.maker(in)
	if by == nil || by.op.Is(isa.Reduce) && (by.src[0].half != partFull || by.src[1].half != partFull) {
		return false
	}
	d := s.dest(&in.Def)
	d.describe(by)
	s.vals[in.Def.Index].by = by
	return true
}

// maker returns the instruction that computes the operand of a conversion to
// narrower lanes, if it makes all of it, as it is converted, and nothing else reads it.
func (s *isel) maker(in *ir.Instr) *inst {
	q := &in.Srcs[0]
	if q.Def.IsConst() || q.Def.IsUndef() || q.Def.BitSize != 32 || !q.Def.UsedOnce() || q.Def.Instr.Block != in.Block {
		return nil
	}
	n := int(in.Def.NumComponents)
	v := &s.vals[q.Def.Index]
	if s.lazy[q.Def.Index] || v.by == nil || v.by.half != partFull || v.by.dst != v.reg || v.by.mask != fullMask(n) || int(q.Def.NumComponents) != n {
		return nil
	}
	for i := range n {
		if q.Swizzle.Lane(i) != i || v.at[i] != uint8(i) {
			return nil
		}
	}
	return v.by
}

// loadHalves loads n 16-bit components, several at once where the access is
// aligned to words; load adds the load of a piece to the masked components of
// a register.
func (s *isel) loadHalves(in *ir.Instr, load func(d reg, p piece, mask uint8)) {
	n := int(in.Def.NumComponents)
	if n > 4 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, n, in.Def.BitSize)
		return
	}
	list := halfPieces(in, n)
	if len(list) == 1 {
		d := s.f.newNode((n + 1) / 2)
		load(d, list[0], fullMask((n+1)/2))
		s.set(&in.Def, packedHalves(d))
		return
	}
	var parts [4]source
	for _, p := range list {
		k := (p.n + 1) / 2
		d := s.f.newNode(k)
		load(d, p, fullMask(k))
		v := packedHalves(d)
		for i := range p.n {
			parts[p.first+i] = source{reg: d, swz: replicate(v.at[i]), high: v.high >> i & 1 * 15, half: partLow}
		}
	}
	s.set(&in.Def, packedHalves(s.gatherHalves(parts[:n])))
}

// halfPieces splits an access of n 16-bit components.
func halfPieces(in *ir.Instr, n int) []piece {
	words := in.Has(ir.IdxAlignMul) && in.Get(ir.IdxAlignMul) >= 4 && in.Get(ir.IdxAlignOffset)%4 == 0
	switch {
	case n == 1:
		return []piece{{0, 1, 1}}
	case !words:
		return pieces(n, 16, true)
	case n == 2:
		return []piece{{0, 2, 2}}
	case n == 3:
		return []piece{{0, 2, 2}, {2, 1, 1}}
	}
	return []piece{{0, 4, 3}}
}

// storeHalves stores 16-bit components, several at once where the access is
// aligned to words.
func (s *isel) storeHalves(in *ir.Instr, val *ir.Def, mask uint8, a address) {
	n := int(val.NumComponents)
	parts := s.halfParts(val)
	base := a.offset
	for _, p := range halfPieces(in, n) {
		if m := fullMask(p.n) << p.first; mask&m != m && p.n > 1 {
			// Not all of it: one by one.
			for i := range p.n {
				if mask>>(p.first+i)&1 != 0 {
					s.storeHalf(in, parts[p.first+i:p.first+i+1], piece{p.first + i, 1, 1}, a, base)
				}
			}
			continue
		}
		if mask>>p.first&1 != 0 {
			s.storeHalf(in, parts[p.first:p.first+p.n], p, a, base)
		}
	}
}

func (s *isel) storeHalf(in *ir.Instr, parts []source, p piece, a address, base int32) {
	a.offset = base + int32(p.first*2)
	if a.offset >= 1<<17 {
		s.fail(in, "an offset of %d bytes is not supported", a.offset)
		return
	}
	if p.n == 1 {
		s.storePiece(&a, p, 1, parts[0])
		return
	}
	k := p.n / 2
	s.storePiece(&a, piece{0, k, p.log}, fullMask(k), s.halfWords(parts))
}

// bufferHalves looks at 16-bit components at an offset of a buffer that is read as
// uniform.
func (s *isel) bufferHalves(in *ir.Instr, k abi.UBOKind, r abi.Resource, off uint32) {
	n := int(in.Def.NumComponents)
	first := off >> 1 & 1
	o := s.bufferWords(k, r, off&^3, (n+int(first)+1)/2)
	v := value{reg: o.reg}
	for i := range n {
		e := i + int(first)
		v.at[i] = o.swz[min(e/2, 3)]
		v.high |= uint8(e) & 1 << i
	}
	s.set(&in.Def, v)
}
