package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

// byteRow is an operation with operands of 8 bits.
type byteRow struct {
	op  isa.Op
	mod isa.Mod    // how the operands are extended
	out isa.OutMod // how the result is reduced
	how byteShape
}

// byteShape is what kind of operation it is.
type byteShape uint8

const (
	byteNone    byteShape = iota
	byteWide              // lane by lane: the extended operands matter
	byteLow               // the low bits of the operands make those of the result
	byteBits              // bit by bit
	byteShift             // by a count of 32 bits
	byteCompare           // makes a boolean
	byteSwapped           // the same with its operands exchanged
)

// byteTable gives the operations on 8 bits that are one instruction.
var byteTable = lazy.Value[[]byteRow]{Make: func() []byteRow {
	t := make([]byteRow, ir.NumOps)
	sx, zx, keep := isa.ModSext, isa.ModZext, isa.OutKeepLow
	for op, r := range map[ir.Op]byteRow{
		ir.OpIadd: {isa.OpIadd, sx, keep, byteLow}, ir.OpIsub: {isa.OpIsub, sx, keep, byteLow}, ir.OpImul: {isa.OpImul, sx, keep, byteLow},
		ir.OpIneg: {isa.OpIsub, sx, keep, byteLow}, ir.OpIshl: {isa.OpIshl, sx, keep, byteShift},
		ir.OpIand: {isa.OpIand, sx, keep, byteBits}, ir.OpIor: {isa.OpIor, sx, keep, byteBits}, ir.OpIxor: {isa.OpIxor, sx, keep, byteBits},
		ir.OpInot: {isa.OpInor, sx, keep, byteBits},
		ir.OpImin: {isa.OpImin, sx, keep, byteWide}, ir.OpImax: {isa.OpImax, sx, keep, byteWide},
		ir.OpUmin: {isa.OpUmin, zx, keep, byteWide}, ir.OpUmax: {isa.OpUmax, zx, keep, byteWide}, ir.OpIabs: {isa.OpIabsdiff, sx, keep, byteWide},
		ir.OpIhadd: {isa.OpIavg, sx, keep, byteWide}, ir.OpUhadd: {isa.OpUavg, zx, keep, byteWide},
		ir.OpIrhadd: {isa.OpIravg, sx, keep, byteWide}, ir.OpUrhadd: {isa.OpUravg, zx, keep, byteWide},
		// Sums and differences of extended operands saturate as the result is cut.
		ir.OpIaddSat: {isa.OpIadd, sx, isa.OutSsat, byteWide}, ir.OpUaddSat: {isa.OpIadd, zx, isa.OutUsat, byteWide},
		ir.OpIsubSat: {isa.OpIsub, sx, isa.OutSsat, byteWide}, ir.OpUsubSat: {isa.OpIsub, zx, isa.OutUsat, byteWide},
		ir.OpImulHigh: {isa.OpImul, sx, isa.OutKeepHigh, byteWide}, ir.OpUmulHigh: {isa.OpImul, zx, isa.OutKeepHigh, byteWide},
		ir.OpIshr: {isa.OpIasr, sx, keep, byteShift}, ir.OpUshr: {isa.OpIlsr, zx, keep, byteShift},
		ir.OpIlt: {isa.OpIlt, sx, keep, byteCompare}, ir.OpIge: {isa.OpIle, sx, keep, byteSwapped},
		ir.OpUlt: {isa.OpUlt, zx, keep, byteCompare}, ir.OpUge: {isa.OpUle, zx, keep, byteSwapped},
		ir.OpIeq: {isa.OpIeq, sx, keep, byteCompare}, ir.OpIne: {isa.OpIne, sx, keep, byteCompare},
	} {
		t[op] = r
	}
	for op, narrow := range map[ir.Op]ir.Op{
		ir.OpIlt32: ir.OpIlt, ir.OpIge32: ir.OpIge, ir.OpUlt32: ir.OpUlt, ir.OpUge32: ir.OpUge, ir.OpIeq32: ir.OpIeq, ir.OpIne32: ir.OpIne,
	} {
		t[op] = t[narrow]
	}
	return t
}}

// byteInstr selects operations on 8 bits; false if in is none.
func (s *isel) byteInstr(in *ir.Instr) bool {
	if len(in.Srcs) == 0 || in.Srcs[0].Def.BitSize != 8 {
		return false
	}
	r := byteTable.Get()[in.Op]
	n := int(in.Def.NumComponents)
	if r.how == byteNone {
		x := aluTable[in.Op]
		if x.shape == shapeNone || x.shape == shapeReduce || in.Op == ir.OpI2f32 || in.Op == ir.OpU2f32 {
			return false
		}
		s.fail(in, "%s of 8 bits is not supported: it must be lowered", in.Op)
		return true
	}
	a := s.byteSource(in, 0, r.mod)
	b := constant(0)
	switch {
	case in.Op == ir.OpIneg:
		a, b = b, a
	case r.how == byteShift:
		b = s.shiftCount(in)
	case len(in.Srcs) > 1:
		b = s.byteSource(in, 1, r.mod)
	}
	switch {
	case r.how >= byteCompare:
		if r.how == byteSwapped {
			a, b = b, a
		}
		s.compareBytes(in, r.op, a, b)
		return true
	case r.how == byteBits || n == 1 && (r.how == byteLow || in.Op == ir.OpIshl):
		if s.inWords(in, r.op, a, b) {
			return true
		}
	}
	s.aluTo(s.dest(&in.Def), r.op, a, b).out = r.out
	return true
}

// byteSource is source i of an operation on 8 bits.
func (s *isel) byteSource(in *ir.Instr, i int, mod isa.Mod) source {
	return s.src(in, i).extend(in.Srcs[i].Def, mod)
}

// shiftCount is the count of a shift of 8 bits, of which three bits count.
func (s *isel) shiftCount(in *ir.Instr) source {
	c := s.src(in, 1)
	if c.reg == regConst {
		for i := range c.con {
			c.con[i] &= 7
		}
		return c
	}
	n := int(in.Def.NumComponents)
	if n == 1 {
		return s.temp(isa.OpIand, 1, c, constant(7))
	}
	d := dest{reg: s.f.newNode((n + 1) / 2), half: true, lanes: fullMask(n)}
	s.aluTo(d, isa.OpIand, c, constant(7))
	v := packedHalves(d.reg)
	return source{reg: d.reg, swz: v.at, high: v.high, half: partLow}
}

// inWords computes bytes as the low bits of a word; false where an operand
// does not stand there.
func (s *isel) inWords(in *ir.Instr, op isa.Op, a, b source) bool {
	n := int(in.Def.NumComponents)
	x, ok := a.inWord(n)
	if !ok {
		return false
	}
	y := b
	if b.reg == regConst || b.half == partByte {
		if y, ok = b.inWord(n); !ok {
			return false
		}
	}
	o := s.temp(op, 1, x, y)
	s.set(&in.Def, packedBytes(o.reg))
	return true
}

// compareBytes makes booleans of 32 bits: two lanes of 16 bits each, in each
// instruction those of two.
func (s *isel) compareBytes(in *ir.Instr, op isa.Op, a, b source) {
	r := s.result(&in.Def)
	n := int(in.Def.NumComponents)
	for i := 0; i < n; i += 2 {
		k := uint8(min(i+1, n-1))
		from := [4]uint8{uint8(i), uint8(i), k, k}
		d := dest{reg: r, half: true, lanes: fullMask(2 * min(n-i, 2))}
		t := s.aluTo(d, op, a.place(from), b.place(from))
		t.mask <<= i
	}
}

// selectBytes selects a choice between values of 8 bits: as words where one condition
// governs all lanes and they stand alike.
func (s *isel) selectBytes(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	c := s.src(in, 0)
	a, b := s.byteSource(in, 1, isa.ModSext), s.byteSource(in, 2, isa.ModSext)
	one := true
	for i := range n {
		one = one && c.swz[i] == c.swz[0] && c.con[i] == c.con[0]
	}
	if one {
		x, ok := a.inWord(n)
		y, too := b.inWord(n)
		if ok && too {
			r := s.f.newNode(1)
			s.selectTo(dest{reg: r, lanes: 1}, c.lane(0), x, y)
			s.set(&in.Def, packedBytes(r))
			return
		}
	}
	s.selectTo(s.dest(&in.Def), c, a, b)
}

// fromBytes selects conversions of 8 bits to 16 and 32.
func (s *isel) fromBytes(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	mod := isa.ModSext
	if in.Op == ir.OpU2u32 || in.Op == ir.OpU2u16 {
		mod = isa.ModZext
	}
	o := s.byteSource(in, 0, mod)
	switch {
	case o.reg == regConst:
		if in.Def.BitSize == 16 {
			for i := range o.con {
				o.con[i] &= 0xffff
			}
		}
		s.viewOf(in, o)
		return
	case in.Def.BitSize == 16:
		s.unaryTo(s.dest(&in.Def), isa.OpImov, o)
		return
	}
	if mod == isa.ModZext {
		if w, ok := s.zeroExtended(in, o); ok {
			s.viewOf(in, w)
			return
		}
	} else if m := o.components(fullMask(n)); m&(m-1) != 0 && (o.high|o.odd)&fullMask(n) == 0 {
		o.half, o.mod = partFull, 0
		up := s.temp(isa.OpIshl, n, o, constant(24))
		s.alu(isa.OpIasr, s.result(&in.Def), fullMask(n), up, constant(24))
		return
	}
	if w := s.widened(o, fullMask(n)); readsIntegers(&in.Def) {
		s.viewOf(in, w)
	} else {
		s.unaryTo(s.dest(&in.Def), isa.OpImov, w)
	}
}

// zeroExtended is the operand of a conversion of 8 bits as words, if each stands
// in the low byte of one.
func (s *isel) zeroExtended(in *ir.Instr, o source) (source, bool) {
	n := int(in.Def.NumComponents)
	lanes := fullMask(n)
	if o.half != partByte || (o.high|o.odd)&lanes != 0 {
		return o, false
	}
	o.half, o.mod = partFull, 0
	if s.vals[in.Srcs[0].Def.Index].clean {
		return o, true
	}
	return s.temp(isa.OpIand, n, o, constant(0xff)), true
}

// readsIntegers reports whether all that reads d extends its operands.
func readsIntegers(d *ir.Def) bool {
	for u := range d.Uses() {
		in := u.Instr
		if in == nil || in.Kind != ir.KindALU || in.Def.BitSize != 32 {
			return false
		}
		r := aluTable[in.Op]
		if r.shape != shapeLanes && r.shape != shapeSwapped || r.op.Is(isa.FloatSrc) {
			return false
		}
	}
	return true
}

// toBytes selects conversions of integers to 8 bits: a scalar is looked at where
// it is.
func (s *isel) toBytes(in *ir.Instr) {
	q := &in.Srcs[0]
	o := s.src(in, 0)
	if q.Def.BitSize == 64 {
		o = o.place([4]uint8{0, 2, 0, 0})
	}
	n := int(in.Def.NumComponents)
	if n == 1 && s.byteOfWord(in) {
		return
	}
	if n > 1 && q.Def.BitSize == 32 && o.reg != regConst && !readByLane(&in.Def) {
		d := dest{reg: s.f.newNode((n + 1) / 2), half: true, lanes: fullMask(n)}
		if by := s.maker(in); by != nil && !by.op.Is(isa.FloatDst) {
			d.describe(by)
			v := packedHalves(d.reg)
			o = source{reg: d.reg, swz: v.at, high: v.high, half: partLow}
		}
	}
	s.narrowTo(in, o)
}

// byteOfWord looks at a byte of a word that a shift would bring down; false if in is
// of nothing such.
func (s *isel) byteOfWord(in *ir.Instr) bool {
	q := &in.Srcs[0]
	x := q.Def.Instr
	if x.Kind != ir.KindALU || x.Op != ir.OpUshr && x.Op != ir.OpIshr || q.Def.BitSize != 32 {
		return false
	}
	lane := q.Swizzle.Lane(0)
	n := s.comp(x.Srcs[1].Def, x.Srcs[1].Swizzle.Lane(lane))
	c := n.con[0]
	if n.reg != regConst || c&7 != 0 || c > 24 {
		return false
	}
	o := s.comp(x.Srcs[0].Def, x.Srcs[0].Swizzle.Lane(lane))
	if o.half != partFull || o.reg == regConst {
		return false
	}
	s.set(&in.Def, value{reg: o.reg, at: o.swz, high: uint8(c>>4&1) * 15, odd: uint8(c>>3&1) * 15})
	return true
}

// narrowTo gives in the low bytes of lanes of 16 or 32 bits.
func (s *isel) narrowTo(in *ir.Instr, o source) {
	n := int(in.Def.NumComponents)
	v := value{reg: o.reg, at: o.swz, con: o.con, high: o.high}
	m := o.components(fullMask(n))
	switch {
	case o.reg == regConst:
		for i := range v.con {
			v.con[i] &= 0xff
		}
	case m&(m-1) != 0 && !readByLane(&in.Def):
		var parts [4]source
		o.half = partByte // the low bytes
		for i := range n {
			parts[i] = o.lane(i)
		}
		v = packedBytes(s.gatherBytes(parts[:n]))
	}
	s.set(&in.Def, v)
}

// floatToBytes selects conversions of floats to 8 bits, which stay in their range:
// cut to 16 bits, then to 8.
func (s *isel) floatToBytes(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	d := dest{reg: s.f.newNode((n + 1) / 2), half: true, lanes: fullMask(n)}
	s.aluTo(d, isa.OpF2iRtz, s.floatSource(in, 0, isa.OpF2iRtz), constant(0)).out = isa.OutSsat
	v := packedHalves(d.reg)
	t := s.aluTo(s.dest(&in.Def), isa.OpImov, source{reg: regNone}, source{reg: d.reg, swz: v.at, high: v.high, half: partLow})
	t.out = isa.OutSsat
	if in.Op == ir.OpF2u8 {
		t.out = isa.OutUsat
	}
}
