package midgard

import (
	"math/bits"

	"nirc/backend/midgard/abi"
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
		parts[0], parts[1] = a.lo, a.hi
		n = 2
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

// pieces splits an access of n components of some bits. exact tells that no
// byte behind may be touched.
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
	switch b {
	case 16:
		s.loadHalves(in, load)
		return
	case 8:
		s.loadBytes(in, load)
		return
	}
	d := s.f.newNode(n * max(b/32, 1))
	for _, p := range pieces(n, b, !padded(in)) {
		load(d, p, fullMask(p.n)<<p.first)
	}
	s.set(&in.Def, value{reg: d, at: identity})
}

// loadSwizzle brings the components of a load to those from first on.
func loadSwizzle(first int) isa.Swizzle {
	return isa.Swz(max(0-first, 0), max(1-first, 0), max(2-first, 0), max(3-first, 0))
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

// sysval makes an operand of the four words of a system value.
func (s *isel) sysval(v abi.Sysval) source {
	k := s.tab.sysval(v)
	return s.bufferWords(abi.UBOSysvals, abi.Resource{}, uint32(16*k), 4)
}

// bufferWords makes an operand of n words at a byte offset of a buffer that is
// read as uniform: a uniform register where there is room, else a load.
func (s *isel) bufferWords(k abi.UBOKind, r abi.Resource, off uint32, n int) source {
	ubo, err := s.tab.ubo(k, r)
	if err != nil {
		s.err = err
		return constant(0)
	}
	first := off & 15 / 4
	if off&3 == 0 && int(first)+n <= 4 {
		if u, ok := s.tab.uniform(ubo, off&^15); ok {
			o := source{reg: u}
			for i := range 4 {
				o.swz[i] = uint8(min(int(first)+i, int(first)+n-1, 3))
			}
			return o
		}
	}
	d := s.f.newNode(n)
	s.loadUBO(ubo, d, 0, n, off, source{reg: regNone}, 0)
	return source{reg: d, swz: identity}
}

var uboOps = [5]isa.LdOp{isa.LdUboU8, isa.LdUboU16, isa.LdUbo32, isa.LdUbo64, isa.LdUbo128}

// loadUBO adds a load of n words of a table's buffer to components [first,
// first+n) of d, at an immediate offset and an index that is shifted.
func (s *isel) loadUBO(ubo int, d reg, first, n int, off uint32, index source, shift uint8) {
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n) << first}
	t.ld = isa.LoadStore{Op: uboOps[2+bits.Len(uint(n-1))], Swizzle: loadSwizzle(first), Index: isa.AddrReg{Reg: isa.AddrZero}, Shift: shift}
	s.uboAccess(&t, ubo, off, index)
}

func (s *isel) uboAccess(t *inst, ubo int, off uint32, index source) {
	if off > 0xffff {
		o := constant(off)
		if index.reg != regNone {
			o = s.temp(isa.OpIadd, 1, index, o)
		}
		index, off = o, 0
	}
	t.ld.SetUBO(ubo, int(off))
	if index.reg != regNone {
		in, number := s.input()
		s.move(in, 1, index)
		t.ld.Index = isa.AddrReg{Reg: number}
	}
	s.add(*t)
}

// readBuffer selects a load from a buffer of the table.
func (s *isel) readBuffer(in *ir.Instr, k abi.UBOKind, r abi.Resource, base uint32, off *ir.Def) {
	n, b := int(in.Def.NumComponents)*width(&in.Def), int(in.Def.BitSize)
	if n > 4 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, in.Def.NumComponents, b)
		return
	}
	o := s.comp(off, 0)
	if o.reg == regConst && b == 16 && (base+o.con[0])&1 == 0 && n <= 4 {
		s.bufferHalves(in, k, r, base+o.con[0])
		return
	}
	if o.reg == regConst && b == 8 {
		s.bufferBytes(in, k, r, base+o.con[0])
		return
	}
	if o.reg == regConst && b >= 32 {
		o := s.bufferWords(k, r, base+o.con[0], n)
		s.viewOf(in, o)
		return
	}
	ubo, err := s.tab.ubo(k, r)
	if err != nil {
		s.fail(in, "more than 256 uniform buffers are not supported")
		return
	}
	index := o
	if o.reg == regConst {
		base += o.con[0]
		index = source{reg: regNone}
	}
	load := func(d reg, p piece, mask uint8) {
		t := inst{kind: kindLdSt, dst: d, mask: mask}
		t.ld = isa.LoadStore{Op: uboOps[p.log], Swizzle: loadSwizzle(bits.TrailingZeros8(mask)), Index: isa.AddrReg{Reg: isa.AddrZero}}
		s.uboAccess(&t, ubo, base+uint32(p.first*b/8), index)
	}
	switch b {
	case 16:
		s.loadHalves(in, load)
		return
	case 8:
		s.loadBytes(in, load)
		return
	}
	d := s.f.newNode(n)
	s.loadUBO(ubo, d, 0, n, base, index, 0)
	s.set(&in.Def, value{reg: d, at: identity})
}

// bufferOf finds the buffer of a handle: its address in x and y and its size in z
// of the operand; fixed tells that the handle is constant, and r names it.
func (s *isel) bufferOf(in *ir.Instr, h *ir.Def) (desc source, r abi.Resource, fixed bool) {
	e := s.comp(h, 0)
	if e.reg == regConst {
		r, ok := s.res.entry(e.con[0])
		if !ok {
			s.fail(in, "%s: the buffer comes from no binding", in.Intr)
		}
		return source{}, r, true
	}
	if s.res.Total > 1024 {
		s.fail(in, "an index that is not constant into arrays of more than 1024 buffers is not supported")
		return constant(0), r, false
	}
	var index source
	switch {
	case len(s.res.open) > 0:
		index = s.tailBuffers(e)
	case s.tab.dyn == 0:
		s.tab.dyn = len(s.meta.Sysvals) + 1
		for k := range s.res.Total {
			x, _ := s.res.entry(k)
			s.meta.Sysvals = append(s.meta.Sysvals, abi.Sysval{Kind: abi.SysvalSSBO, Set: x.Set, Binding: x.Binding, Element: x.Element})
		}
		fallthrough
	default:
		index = s.temp(isa.OpIadd, 1, e, constant(uint32(s.tab.dyn-1)))
	}
	ubo, err := s.tab.ubo(abi.UBOSysvals, abi.Resource{})
	if err != nil {
		s.err = err
	}
	d := s.f.newNode(3)
	s.loadUBO(ubo, d, 0, 3, 0, index, 4)
	return source{reg: d, swz: identity}, r, false
}

func (s *isel) descOf(in *ir.Instr, h *ir.Def) (desc source, fixed bool) {
	desc, r, fixed := s.bufferOf(in, h)
	if fixed && s.err == nil {
		desc = s.sysval(abi.Sysval{Kind: abi.SysvalSSBO, Set: r.Set, Binding: r.Binding, Element: r.Element})
	}
	return desc, fixed
}

// guarded is the address of an access of some bytes at a byte offset of a
// buffer. Out of bounds it is one that belongs to nobody: its high word is cleared, and
// nothing is mapped in the low 4 GiB. Constant offsets stay inside the block that the shader
// declares, which the bound buffer has room for.
func (s *isel) guarded(in *ir.Instr, h, off *ir.Def, bytes int) (a address) {
	desc, _ := s.descOf(in, h)
	a = address{pair: true, lo: desc.lane(0), hi: desc.lane(1), index: source{reg: regNone}}
	o := s.comp(off, 0)
	if o.reg == regConst {
		a.add(o)
		return a
	}
	a.index = o
	k := guard{h: h, off: off, bytes: bytes, blk: s.blk}
	if hi, ok := s.guardOf(k); ok {
		a.hi = hi
		return a
	}
	limit := desc.lane(2)
	if bytes > 1 {
		all := guard{h: h, bytes: bytes, blk: s.blk}
		var ok bool
		if all.hi, ok = s.guardOf(all); !ok {
			all.hi = s.temp(isa.OpUsubsat, 1, limit, constant(uint32(bytes-1)))
			s.guards = append(s.guards, all)
		}
		limit = all.hi
	}
	inside := s.temp(isa.OpUlt, 1, o, limit)
	a.hi = s.temp(isa.OpIand, 1, a.hi, inside)
	k.hi = a.hi
	s.guards = append(s.guards, k)
	return a
}

// guard is what an access through a handle found out: the high word of the
// address for an offset, and without offset the limit.
type guard struct {
	h, off *ir.Def
	bytes  int
	blk    int
	hi     source
}

// maxGuards is how many guards an access looks back at.
const maxGuards = 16

// guardOf finds what an earlier access of the block found out.
func (s *isel) guardOf(k guard) (hi source, ok bool) {
	for i := len(s.guards) - 1; i >= max(0, len(s.guards)-maxGuards); i-- {
		g := &s.guards[i]
		if g.h == k.h && g.off == k.off && g.bytes == k.bytes && g.blk == k.blk {
			return g.hi, true
		}
	}
	return source{}, false
}

func (s *isel) loadBuffer(in *ir.Instr) {
	h, off := in.Srcs[0].Def, in.Srcs[1].Def
	if in.Intr == ir.IntrLoadUbo {
		if e := s.comp(h, 0); e.reg == regConst {
			r, ok := s.res.entry(e.con[0])
			if !ok {
				s.fail(in, "%s: the buffer comes from no binding", in.Intr)
				return
			}
			s.readBuffer(in, abi.UBOBinding, r, 0, off)
			return
		}
	}
	a := s.guarded(in, h, off, int(in.Def.NumComponents)*int(in.Def.BitSize)/8)
	if s.err == nil {
		s.loadAt(in, a)
	}
}

func (s *isel) storeBuffer(in *ir.Instr) {
	val := in.Srcs[0].Def
	last := bits.Len(uint(in.Get(ir.IdxWriteMask)))
	a := s.guarded(in, in.Srcs[1].Def, in.Srcs[2].Def, last*int(val.BitSize)/8)
	if s.err == nil {
		s.storeAt(in, val, a)
	}
}

// bufferSize selects the size of a buffer in bytes.
func (s *isel) bufferSize(in *ir.Instr) {
	desc, _ := s.descOf(in, in.Srcs[0].Def)
	s.viewOf(in, desc.lane(2))
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

var atomicOps = map[ir.AtomicOp]isa.LdOp{
	ir.AtomicIAdd: isa.LdAtomicAdd, ir.AtomicIMin: isa.LdAtomicSmin, ir.AtomicUMin: isa.LdAtomicUmin, ir.AtomicIMax: isa.LdAtomicSmax,
	ir.AtomicUMax: isa.LdAtomicUmax, ir.AtomicIAnd: isa.LdAtomicAnd, ir.AtomicIOr: isa.LdAtomicOr, ir.AtomicIXor: isa.LdAtomicXor,
	ir.AtomicXchg: isa.LdAtomicXchg, ir.AtomicCmpXchg: isa.LdAtomicCmpXchg,
}

// atomicAt selects an atomic whose operands are the sources from k on.
func (s *isel) atomicAt(in *ir.Instr, a address, k int) {
	op, ok := atomicOps[ir.AtomicOp(in.Get(ir.IdxAtomicOp))]
	bitSize := in.Def.BitSize
	if !ok || bitSize != 32 && bitSize != 64 {
		s.fail(in, "the %d-bit atomic operation %s is not supported", bitSize, ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
		return
	}
	n := width(&in.Def)
	if n == 2 {
		op++ // the same on 64 bits
	}
	d := s.f.newFirst(n)
	s.set(&in.Def, value{reg: d, at: identity})
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: op}
	val := s.whole(in.Srcs[k].Def)
	if t.ld.Op.Info().Kind == isa.KindCmpXchg {
		// The comparand has the index's place: the address is one value.
		cmp := val
		val = s.whole(in.Srcs[k+1].Def)
		s.plainAddress(&a)
		var parts [4]source
		for i := range n {
			parts[i], parts[n+i] = val.lane(i), cmp.lane(i)
		}
		s.gather(regLd0, parts[:2*n])
		s.put(&t.ld, &a, regLd1, 1)
		t.ld.Index = isa.AddrReg{Reg: 0, Comp: uint8(n)}
	} else {
		s.move(regLd0, fullMask(n), val)
		s.put(&t.ld, &a, regLd1, 1)
	}
	t.ld.SetAtomicSrc(isa.AddrReg{Reg: 0})
	s.turn = 1
	s.add(t)
}

// plainAddress brings an address with an index to one without: LEA adds.
func (s *isel) plainAddress(a *address) {
	if a.index.reg == regNone {
		return
	}
	d := s.f.newNode(2)
	t := inst{kind: kindLdSt, dst: d, mask: 3}
	t.ld = isa.LoadStore{Op: isa.LdLea, Swizzle: isa.XYZW}
	in, number := s.input()
	s.put(&t.ld, a, in, number)
	s.add(t)
	o := source{reg: d, swz: identity}
	*a = address{pair: true, lo: o.lane(0), hi: o.lane(1), index: source{reg: regNone}}
}
