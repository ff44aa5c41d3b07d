package midgard

import (
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

// Values of 8 bits lie in the bytes of one component, lane 0 in the lowest: a vector
// of up to four is one instruction an operation, on lanes of 16 bits with expanded
// sources and a shrunk result (midgard.md §4.1). Scalars and what comes from elsewhere may
// stand in any byte, which value says. Where the low bits of the result depend on those of
// the operands alone, scalars are computed in 32 bits, on the scalar units too; then the
// bits above the value mean nothing.

// packedBytes is the 8-bit value that fills component x of r.
func packedBytes(r reg) value { return value{reg: r, high: 0b1100, odd: 0b1010} }

// packed is the operand that reads lanes of r one after the other, of 8 bits.
func packed(r reg, mod isa.Mod) source {
	v := packedBytes(r)
	return source{reg: r, high: v.high, odd: v.odd, half: partByte, mod: mod}
}

// byteModes are the operations that run on lanes of 16 bits with operands of 8:
// what they are of the extended operands says of the result.
var byteModes = lazy.Value[*[256]bool]{Make: func() *[256]bool {
	is := new([256]bool)
	for _, op := range []isa.Op{
		isa.OpIadd, isa.OpIsub, isa.OpImul, isa.OpImin, isa.OpImax, isa.OpUmin, isa.OpUmax, isa.OpIabsdiff,
		isa.OpIand, isa.OpIor, isa.OpIxor, isa.OpInor, isa.OpInand, isa.OpIandnot, isa.OpIornot, isa.OpInxor, isa.OpImov,
		isa.OpIshl, isa.OpIasr, isa.OpIlsr, isa.OpIavg, isa.OpUavg, isa.OpIravg, isa.OpUravg,
		isa.OpIeq, isa.OpIne, isa.OpIlt, isa.OpIle, isa.OpUlt, isa.OpUle, isa.OpIcsel, isa.OpIcselV,
	} {
		is[op] = true
	}
	return is
}}

// byteOperands makes the operands of t, of which one or the result has bytes, fit
// lanes of 16 bits; where the operation has wider ones, operands of 8 bits become
// such of 16.
func (s *isel) byteOperands(d dest, t *inst, a, b source) (source, source) {
	if !d.bytes && (!d.half || a.wide() || b.wide() || !byteModes.Get()[t.op]) {
		lanes := t.lanesRead(0)
		if t.half == partLow || t.half == partHigh {
			lanes = d.lanes
		}
		return s.widened(a, lanes), s.widened(b, lanes)
	}
	if d.half && t.half != partBoth {
		// A lane alone is one of the eight too.
		t.half, t.skip = partBoth, 0
		t.skip = t.lanes() &^ d.lanes
	}
	a, b = s.shortOperand(a, d.lanes), s.shortOperand(b, d.lanes)
	if a.reg == regConst && b.reg != regConst && t.op.Is(isa.Commutes) {
		a, b = b, a
	}
	a = s.shortConstant(a, d.lanes)
	if _, inline := inlineConstant(t.op, b, d.lanes); b.reg == regConst && !inline {
		b = s.shortConstant(b, d.lanes)
	}
	return a, b
}

// wide reports whether the operand is a register that is read in lanes of 32 bits.
func (o *source) wide() bool { return o.reg != regConst && o.reg != regNone && o.half == partFull }

// widened brings lanes of 8 bits to 16, extended as the operand says.
func (s *isel) widened(o source, lanes uint8) source {
	if o.half != partByte || lanes == 0 {
		return o
	}
	d := dest{reg: s.f.newNode((bits.Len8(lanes) + 1) / 2), half: true, lanes: lanes}
	s.aluTo(d, isa.OpImov, source{reg: regNone}, o)
	v := packedHalves(d.reg)
	return source{reg: d.reg, swz: v.at, high: v.high, half: partLow, mod: o.mod}
}

// shortOperand returns o as an operand of lanes of 16 bits: bytes of one
// component, 16-bit values of one half of a register, or the low halves of words there.
func (s *isel) shortOperand(o source, lanes uint8) source {
	switch {
	case o.reg == regConst || o.reg == regNone:
		return o
	case o.half == partByte:
		return s.oneByte(o, lanes)
	case o.half == partFull:
		o.half = partLow
	}
	return s.oneHalf(o, lanes)
}

// shortConstant gives a constant operand of lanes of 16 bits the form of bytes, which
// all stand in one word; what does not fit goes through a register.
func (s *isel) shortConstant(o source, lanes uint8) source {
	if o.reg != regConst || o.half == partByte {
		return o
	}
	word, signed, unsigned := uint32(0), true, true
	for i, v := range o.con {
		if lanes>>i&1 != 0 {
			signed = signed && int32(v) == int32(int8(v))
			unsigned = unsigned && v <= 0xff
			word |= v & 0xff << (8 * i)
		}
	}
	p := packed(regConst, isa.ModSext)
	switch {
	case signed:
	case unsigned:
		p.mod = isa.ModZext
	default:
		var parts [4]source
		n := bits.Len8(lanes)
		for i := range n {
			parts[i] = o.lane(i)
		}
		r := s.gatherHalves(parts[:n])
		v := packedHalves(r)
		return source{reg: r, swz: v.at, high: v.high, half: partLow}
	}
	p.con = [4]uint32{word, word, word, word}
	return p
}

// oneByte returns o with the lanes that are read in one component.
func (s *isel) oneByte(o source, lanes uint8) source {
	if m := o.components(lanes); m&(m-1) == 0 {
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
	return packed(s.gatherBytes(parts[:n]), o.mod)
}

// inPairs reports whether bytes stand two and two in halves of words as they do
// where they go, and returns these halves.
func inPairs(parts []source) (halves [2]source, ok bool) {
	for i, p := range parts {
		h := &halves[i/2]
		switch {
		case p.reg == regConst || p.reg == regNone || p.odd&1 != uint8(i&1):
			return halves, false
		case i&1 != 0 && (p.reg != h.reg || p.swz[0] != h.swz[0] || (p.high^h.high)&1 != 0):
			return halves, false
		}
		*h = p
		h.half, h.mod, h.odd = partLow, 0, 0
	}
	return halves, true
}

// gatherBytes moves one 8-bit operand to each byte of a new register, but
// nothing where a part is no register.
func (s *isel) gatherBytes(parts []source) reg {
	if halves, ok := inPairs(parts); ok {
		return s.gatherHalves(halves[:(len(parts)+1)/2])
	}
	d := dest{reg: s.f.newNode(1), bytes: true}
	left := fullMask(len(parts))
	for i := range parts {
		if left>>i&1 == 0 || parts[i].reg == regNone {
			continue
		}
		same, short := like(parts, left, i)
		left &^= same
		o := parts[i]
		for k := range parts {
			if same>>k&1 != 0 {
				o.swz[k], o.con[k] = parts[k].swz[0], parts[k].con[0]
				o.high = o.high&^(1<<k) | parts[k].high&1<<k
				o.odd = o.odd&^(1<<k) | parts[k].odd&1<<k
			}
		}
		if short {
			o.half, o.odd = partLow, 0
		}
		o.mod = 0
		d.lanes = same
		t := s.aluTo(d, isa.OpImov, source{reg: regNone}, o)
		d.done |= t.mask
	}
	return d.reg
}

// like returns the parts, of those left, that one move takes along with part i:
// constants, the bytes of one component, or the low bytes of the 16-bit lanes of half a
// register (short).
func like(parts []source, left uint8, i int) (same uint8, short bool) {
	p := &parts[i]
	var low uint8
	for k := i; k < len(parts); k++ {
		q := &parts[k]
		if left>>k&1 == 0 || q.reg != p.reg {
			continue
		}
		if p.reg == regConst || q.swz[0] == p.swz[0] {
			same |= 1 << k
		}
		if q.swz[0]>>1 == p.swz[0]>>1 && q.odd&1 == 0 {
			low |= 1 << k
		}
	}
	if p.reg != regConst && p.odd&1 == 0 && bits.OnesCount8(low) > bits.OnesCount8(same) {
		return low, true
	}
	return same, false
}

// byteParts is the components of an 8-bit def, one by one.
func (s *isel) byteParts(d *ir.Def) (parts [4]source) {
	o := s.whole(d).extend(d, isa.ModSext)
	for i := range parts {
		parts[i] = o.lane(i)
	}
	return parts
}

// extend gives a source the extension by which bytes are read; constants are
// extended at once.
func (o source) extend(d *ir.Def, mod isa.Mod) source {
	switch {
	case d.BitSize != 8:
	case o.reg != regConst:
		o.mod = mod
	case o.half == partByte:
	case mod == isa.ModSext:
		for i, v := range o.con {
			o.con[i] = uint32(int32(int8(v)))
		}
	default:
		for i := range o.con {
			o.con[i] &= 0xff
		}
	}
	return o
}

// byteWord makes an operand of the word that 8-bit parts fill.
func (s *isel) byteWord(parts []source) source {
	o := source{reg: parts[0].reg, swz: replicate(parts[0].swz[0])}
	word, ready := uint32(0), o.reg != regNone
	for i, p := range parts {
		if p.reg == regConst {
			word |= p.con[0] & 0xff << (8 * i)
		}
		ready = ready && p.reg == o.reg && (p.reg == regConst || p.swz[0] == o.swz[0] && int(p.high&1*2+p.odd&1) == i)
	}
	switch {
	case !ready:
		return source{reg: s.gatherBytes(parts)}
	case o.reg == regConst:
		return constant(word)
	}
	return o
}

// inWord reports whether n lanes of bytes are the lowest of one component, or
// constant, and returns the component.
func (o source) inWord(n int) (source, bool) {
	if o.reg == regConst {
		word := uint32(0)
		for i := range n {
			word |= o.con[i] & 0xff << (8 * i)
		}
		if n == 1 {
			word = o.con[0] // extended
		}
		return constant(word), o.half != partByte
	}
	v := packedBytes(o.reg)
	lanes := fullMask(n)
	m := o.components(lanes)
	if o.half != partByte || m&(m-1) != 0 || ((o.high^v.high)|(o.odd^v.odd))&lanes != 0 {
		return o, false
	}
	return source{reg: o.reg, swz: replicate(o.swz[0])}, true
}

// vecBytes selects a vector of 8-bit scalars.
func (s *isel) vecBytes(in *ir.Instr) {
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
		v.at[i], v.con[i] = p.swz[0], p.con[0]
		v.high |= p.high & 1 << i
		v.odd |= p.odd & 1 << i
		parts[i] = p.extend(q.Def, isa.ModSext)
		one = one && p.reg == parts[0].reg && p.swz[0] == parts[0].swz[0]
	}
	v.reg = parts[0].reg
	switch {
	case one:
	case readByLane(&in.Def):
		for i := range n {
			parts[i] = s.lowByte(parts[i])
		}
		v = value{reg: s.f.newNode(n), at: identity}
		s.gather(v.reg, parts[:n])
	default:
		v = packedBytes(s.gatherBytes(parts[:n]))
	}
	s.set(&in.Def, v)
}
