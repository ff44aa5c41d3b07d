package midgard

import (
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// input takes the load/store input that the next access uses, in turn, so that
// two accesses may share a bundle.
func (s *isel) input() (r reg, number uint8) {
	s.turn ^= 1
	return regLd0 + reg(s.turn), s.turn
}

// address is where an access goes: the parts of the address expression.
type address struct {
	base   isa.AddrReg // register of the machine, or AddrZero
	long   bool        // base is a 64-bit value
	lo, hi source      // 64-bit base in two operands, if any
	pair   bool
	index  source // 32-bit offset, regNone for none
	format isa.IndexFormat
	offset int32
}

// put moves what an address needs into a load/store input and describes it in l.
func (s *isel) put(l *isa.LoadStore, a *address, in reg, number uint8) {
	l.Arg, l.Toggle, l.Index, l.Format = a.base, a.long, isa.AddrReg{Reg: isa.AddrZero}, isa.IndexU32
	if a.format != 0 {
		l.Format = a.format
	}
	l.Offset = a.offset
	var parts [4]source
	n := 0
	if a.pair {
		l.Arg, l.Toggle = isa.AddrReg{Reg: number}, true
		if faults.has(faultLongPair) {
			l.Arg.Comp, n = 1, 1
		}
		parts[n], parts[n+1] = a.lo, a.hi
		n += 2
	}
	if a.index.reg != regNone {
		l.Index = isa.AddrReg{Reg: number, Comp: uint8(n)}
		parts[n] = a.index
		n++
	}
	s.gather(in, parts[:n])
}

// add folds an offset into the immediate one if it fits.
func (a *address) add(off source) {
	if off.reg == regConst {
		v := int64(int32(off.con[0])) + int64(a.offset)
		if v >= -1<<17 && v < 1<<17 {
			a.offset = int32(v)
			return
		}
	}
	a.index = off
}

// loadOps are the operations of a load by the number of its bytes' log.
var loadOps = [5]isa.LdOp{isa.LdU8, isa.LdU16, isa.Ld32, isa.Ld64, isa.Ld128}

var storeOps = [5]isa.LdOp{isa.StU8, isa.StU16, isa.St32, isa.St64, isa.St128}

// piece is one access of a vector access: components [first, first+n).
type piece struct{ first, n, log int }

// pieces splits an access of n components of some bits. exact: no byte
// after them may be touched.
func pieces(n, bitSize int, exact bool) (list []piece) {
	log := bits.TrailingZeros(uint(bitSize / 8))
	switch {
	case bitSize < 32:
		for i := range n {
			list = append(list, piece{i, 1, log})
		}
	case bitSize == 64:
		return pieces(2*n, 32, exact)
	case n == 3 && exact:
		return []piece{{0, 2, 3}, {2, 1, 2}}
	case n == 3:
		return []piece{{0, 3, 4}}
	default:
		return []piece{{0, n, 2 + bits.Len(uint(n-1))}}
	}
	return list
}

// padded reports whether the 16 bytes from an access on belong to its object:
// it is aligned so.
func padded(in *ir.Instr) bool {
	return in.Has(ir.IdxAlignMul) && in.Get(ir.IdxAlignMul) >= 16 && in.Get(ir.IdxAlignOffset)%16 == 0
}

// loadAt selects a load from an address.
func (s *isel) loadAt(in *ir.Instr, a address) {
	n, b := int(in.Def.NumComponents), int(in.Def.BitSize)
	if n*max(b, 32) > 128 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, n, b)
		return
	}
	base := a.offset
	load := func(d reg, p piece, mask uint8) {
		off := int64(base) + int64(p.first*min(b, 32)/8)
		if off >= 1<<17 {
			s.fail(in, "an offset of %d bytes is not supported", off)
			return
		}
		a.offset = int32(off)
		input, number := s.input()
		t := inst{kind: kindLdSt, dst: d, mask: mask}
		t.ld = isa.LoadStore{Op: loadOps[p.log]}
		t.ld.Swizzle = loadSwizzle(bits.TrailingZeros8(mask))
		s.put(&t.ld, &a, input, number)
		s.add(t)
	}
	if s.loadNarrow(in, load) {
		return
	}
	d := s.f.newNode(n * max(b/32, 1))
	for _, p := range pieces(n, b, !padded(in)) {
		load(d, p, fullMask(p.n)<<p.first)
	}
	s.set(&in.Def, value{reg: d, at: identity})
}

// loadSwizzle brings the components of a load to those from first on, from the second one on where that is -1.
func loadSwizzle(first int) isa.Swizzle {
	return isa.Swz(max(0-first, 0), max(1-first, 0), max(2-first, 0), min(max(3-first, 0), 3))
}

// storeAt selects a store of the components in the instruction's write mask; the
// address is that of component 0.
func (s *isel) storeAt(in *ir.Instr, val *ir.Def, a address) {
	mask := uint8(in.Get(ir.IdxWriteMask)) & fullMask(int(val.NumComponents))
	w := width(val)
	n, b := int(val.NumComponents)*w, int(val.BitSize)
	if n > 4 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, val.NumComponents, b)
		return
	}
	if w == 2 {
		var wide uint8
		for i := range 2 {
			wide |= mask >> i & 1 * 3 << (2 * i)
		}
		mask = wide
	}
	switch b {
	case 16:
		s.storeHalves(in, val, mask, a)
		return
	case 8:
		s.storeBytes(in, val, mask, a)
		return
	}
	data := s.whole(val)
	base := a.offset
	for _, p := range pieces(n, min(b, 32), false) {
		m := mask >> p.first & fullMask(p.n)
		if m == 0 {
			continue
		}
		a.offset = base + int32(p.first*min(b, 32)/8)
		if a.offset >= 1<<17 {
			s.fail(in, "an offset of %d bytes is not supported", a.offset)
			return
		}
		s.storePiece(&a, p, m, data.shifted(-p.first))
	}
}

// storePiece stores lanes of data.
func (s *isel) storePiece(a *address, p piece, mask uint8, data source) {
	t := inst{kind: kindLdSt, dst: regNone}
	t.ld = isa.LoadStore{Op: storeOps[p.log], Reg: 0, Swizzle: isa.XYZW, Mask: mask}
	switch p.log {
	case 0:
		t.ld.Mask = 1
	case 1:
		t.ld.Mask = 3
	case 2:
		t.ld.Mask = 15
	case 3: // a bit is a quarter of the stored bytes
		t.ld.Mask = mask&1*3 | mask>>1&1*12
	}
	s.move(regLd0, mask, data)
	s.put(&t.ld, a, regLd1, 1)
	s.turn = 1
	s.add(t)
}

// global is a 64-bit address, in a 64-bit value or two words.
func (s *isel) global(d *ir.Def) address {
	o := s.operand(d, 2, func(i int) int { return i })
	return address{pair: true, lo: o.lane(0), hi: o.lane(1), index: source{reg: regNone}}
}

// segment is an address in a segment that a register of the machine points to.
func (s *isel) segment(reg, comp uint8, off *ir.Def, base int32) address {
	a := address{base: isa.AddrReg{Reg: reg, Comp: comp}, long: true, index: source{reg: regNone}, format: isa.IndexS32, offset: base}
	a.add(s.comp(off, 0))
	return a
}

func (s *isel) shared(in *ir.Instr, off *ir.Def) address {
	return s.segment(isa.AddrLocal, 2, off, int32(in.Get(ir.IdxBase)))
}

func (s *isel) scratch(off *ir.Def) address { return s.segment(isa.AddrPCSP, 2, off, 0) }
