package agx

import (
	"math"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes/analysis"
)

// bound is the first offset at which an access of some size leaves a buffer,
// kept while a block is selected.
type bound struct {
	size  opnd
	bytes uint32
	limit opnd
}

// guard is an address that was moved away unless an access is inside, in the
// current block.
type guard struct {
	base   address
	inside cond
	far    bool // the low word was cleared too
	moved  address
}

// place is where an access goes: elements are counted from base, index << shift
// of them on.
type place struct {
	base  address
	index opnd
	shift uint8
	// signed: the index is, before it is extended to 64 bits.
	signed bool
}

// extension is the flag that says how the index is extended. Immediate ones are not negative.
func (p *place) extension() isa.Flags {
	if p.signed && p.index.kind != opImm {
		return 0
	}
	return isa.Unsigned
}

// maxMemoryIndex is the largest immediate index.
const maxMemoryIndex = 0x7fff

// element is a byte offset counted in elements, as found in the current block: index << shift of them. The shift is of 32
// bits, as offsets are; unless wide says that it loses nothing, which is the same as a shift of 64 bits.
type element struct {
	def   *ir.Def
	log   uint
	index opnd
	shift uint8
	wide  bool
	ok    bool
}

// access returns the place of an access of some bytes at a byte offset of a buffer,
// in elements of 1<<log bytes, moved away where it is out of bounds. Bounds in elements are
// as good as bounds in bytes, and the offset itself need not be computed.
func (s *isel) access(in *ir.Instr, b buffer, off *ir.Def, log uint, bytes int) place {
	o := s.comp(off, 0)
	if o.kind == opImm {
		return place{base: s.guarded(in, b, o, bytes), index: imm32(o.bits >> log)}
	}
	if e := s.placeable(in, off, log); e.ok && !s.tests(in) {
		return place{base: b.address, index: e.index, shift: e.shift}
	} else if e.ok && log > 0 && b.known && !s.early {
		if size := s.sizeOf(in, b); size.kind == opUniform {
			if n, ok := s.uni.limit(size.bits, uint32(bytes), uint32(log)+uint32(e.shift)); ok {
				c := cond{op: isa.CondULT, a: e.index, b: opnd{kind: opUniform, bits: n}}
				return place{base: s.nowhere(b.address, c, log+uint(e.shift) >= farLog), index: e.index, shift: e.shift}
			}
		}
	}
	// The offset has 32 bits, what it was shifted from may have had more.
	return place{base: s.guarded(in, b, o, bytes), index: s.shiftRight(false, o, uint32(log))}
}

// placeable is an offset counted in elements as an access takes it. A sum of bytes is what it is, and so is an offset
// of smaller steps: 32 bits of it count, and more may have been shifted out.
func (s *isel) placeable(in *ir.Instr, off *ir.Def, log uint) element {
	if log == 0 && off.Instr.IsALU(ir.OpIadd) || smallSteps(in) {
		return element{}
	}
	e := s.element(off, log, 0)
	if e.ok {
		e = s.placed(e)
	}
	return e
}

// smallSteps reports whether the offset of an access may be made of shifts that wrap around.
func smallSteps(in *ir.Instr) bool {
	return ir.Access(in.Get(ir.IdxAccess))&ir.AccessSmallSteps != 0
}

// maxElementDepth bounds how far sums are followed.
const maxElementDepth = 6

// element finds an offset's number of elements without a shift to the right: from
// shifts, multiplications and sums that the offset is made of.
func (s *isel) element(d *ir.Def, log uint, depth int) element {
	for i := range s.elems {
		if e := &s.elems[i]; e.def == d && e.log == log {
			return *e
		}
	}
	e := s.findElement(d, log, depth)
	e.def, e.log = d, log
	s.elems = append(s.elems, e)
	return e
}

func (s *isel) findElement(d *ir.Def, log uint, depth int) (e element) {
	in := d.Instr
	if in.Kind != ir.KindALU || d.NumComponents != 1 || d.BitSize != 32 || depth > maxElementDepth {
		return e
	}
	if in.Op == ir.OpIadd {
		return s.sumElement(in, log, depth)
	}
	c, isConst := in.Srcs[len(in.Srcs)-1].Const(0)
	switch in.Op {
	case ir.OpIshl:
		if n := uint(c & 31); isConst && n >= log {
			e.index, e.shift, e.ok = s.src(in, 0), uint8(n-log), true
			e.wide = in.NoUnsignedWrap || analysis.UintMax(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)) <= math.MaxUint32>>n
		}
	case ir.OpImul, ir.OpAmul:
		if isConst && uint32(c)&(1<<log-1) == 0 {
			e.index, e.ok = s.imul(false, s.src(in, 0), imm32(uint32(c)>>log)), true
		}
	}
	return e
}

// sumElement is findElement of a sum.
func (s *isel) sumElement(in *ir.Instr, log uint, depth int) (e element) {
	x, y := &in.Srcs[0], &in.Srcs[1]
	if _, ok := x.Const(0); ok {
		x, y = y, x
	}
	if x.Swizzle.Lane(0) != 0 || x.Def.NumComponents != 1 {
		return e
	}
	a := s.element(x.Def, log, depth+1)
	if !a.ok {
		return e
	}
	if c, ok := y.Const(0); ok {
		if n := uint32(c); n == 0 {
			return a
		} else if n&(1<<log-1) == 0 {
			e.index, e.ok = s.shiftAdd(imm32(uint32(int32(n)>>log)), a), true
		}
		return e
	}
	if y.Swizzle.Lane(0) != 0 || y.Def.NumComponents != 1 {
		return e
	}
	if b := s.element(y.Def, log, depth+1); b.ok {
		if a.shift < b.shift {
			a, b = b, a
		}
		// What both are shifted by may stay with the sum.
		a.shift -= b.shift
		e.index, e.shift, e.ok = s.shiftAdd(b.index, a), b.shift, true
		e.wide = a.wide && b.wide
	}
	return e
}

// shiftAdd adds elements to a number of them.
func (s *isel) shiftAdd(o opnd, e element) opnd {
	switch m := imm32(1 << e.shift); {
	case e.shift == 0:
		return s.addSub(false, e.index, o, false)
	case e.shift <= maxAddShift:
		return s.intOp(isa.Instr{Op: isa.OpIadd, Shift: e.shift}, false, o, e.index)
	case s.cheap(m):
		return s.intOp(isa.Instr{Op: isa.OpImadd}, false, e.index, m, o)
	}
	return s.addSub(false, s.shiftLeft(false, e.index, uint32(e.shift)), o, false)
}

// maxIndexShift is the most that memory instructions shift their index.
const maxIndexShift = 2

// placed shifts an element's index by what the memory instruction, whose shift is of 64 bits (agx.md §2.6), does not.
func (s *isel) placed(e element) element {
	most := uint8(maxIndexShift)
	if !e.wide {
		most = 0
	}
	if e.shift > most {
		e.index, e.shift = s.shiftLeft(false, e.index, uint32(e.shift-most)), most
	}
	return e
}

// limit returns the bound of accesses of a number of bytes.
func (s *isel) limit(size opnd, bytes uint32) opnd {
	if bytes <= 1 {
		return size
	}
	for i := range s.bnd {
		if b := &s.bnd[i]; b.size == size && b.bytes == bytes {
			return b.limit
		}
	}
	if size.kind == opUniform && !s.early {
		if n, ok := s.uni.limit(size.bits, bytes, 0); ok {
			return opnd{kind: opUniform, bits: n}
		}
	}
	l := s.subLimit(size, bytes)
	s.bnd = append(s.bnd, bound{size, bytes, l})
	return l
}

func (s *isel) subLimit(size opnd, bytes uint32) opnd {
	return s.intOp(isa.Instr{Op: isa.OpIadd, Flags: isa.Sub | isa.Sat}, false, size, imm32(bytes-1))
}

// storeLimits computes, in a preamble, the bounds that the shader asked for.
func (s *isel) storeLimits() {
	for _, l := range s.uni.limits {
		n := s.subLimit(opnd{kind: opUniform, bits: l.size}, l.bytes)
		if l.shift > 0 {
			// Rounded up, without a sum that could overflow.
			mask := imm32(1<<l.shift - 1)
			rest := s.addSub(false, s.intOp(bitop(tableAnd), false, n, mask), mask, false)
			n = s.addSub(false, s.shiftRight(false, n, l.shift), s.shiftRight(false, rest, l.shift), false)
		}
		s.storeUniform(s.reg(n), l.result)
	}
}

// farLog is the size from which on an index of elements reaches out of the hole.
const farLog = 4

// nowhere makes the address one that belongs to nobody unless the condition
// holds: its high word is cleared. Nothing is ever mapped in the low 64 GiB,
// where loads give 0 and stores vanish (agx.md §7.1). An index of elements of 16 bytes (far)
// reaches to the end of those 64 GiB from their start, and beyond from the low word of an address.
func (s *isel) nowhere(a address, c cond, far bool) address {
	far = far && !faults.has(faultGuardLow)
	for i := range s.guards {
		if g := &s.guards[i]; g.base == a && g.inside == c && g.far == far {
			return g.moved
		}
	}
	lo, hi := a.words()
	if far {
		lo = s.selectBy(c, false, lo, imm32(0))
	}
	moved := s.value(s.pair(lo, s.selectBy(c, false, hi, imm32(0))))
	s.guards = append(s.guards, guard{a, c, far, address{lo: moved, pair: true}})
	return s.guards[len(s.guards)-1].moved
}

// tests reports whether the bounds of a buffer's access are tested.
func (s *isel) tests(in *ir.Instr) bool {
	return s.sh.Options.Robust.Of(in.MemoryModes()) != ir.RobustOff
}

// guarded returns the address of an access of some bytes at a byte offset,
// moved away where the offset is out of bounds, if the shader is to be robust against that. A constant
// offset is tested by its last byte: the size is all that the test reads.
func (s *isel) guarded(in *ir.Instr, b buffer, off opnd, bytes int) address {
	if !s.tests(in) {
		return b.address
	}
	if last := uint64(off.bits) + uint64(bytes) - 1; off.kind == opImm {
		if last > math.MaxUint32 {
			last = math.MaxUint32
		}
		// The index is 4 GiB at most from the start of the hole or the low word of the address.
		return s.nowhere(b.address, cond{op: isa.CondULT, a: imm32(uint32(last)), b: s.sizeOf(in, b)}, false)
	}
	lim := s.limit(s.sizeOf(in, b), uint32(bytes))
	return s.nowhere(b.address, cond{op: isa.CondULT, a: off, b: lim}, false)
}

// index makes a memory index source i of t.
func (s *isel) index(t *isa.Instr, i int, o opnd, uses []mach.Value) []mach.Value {
	if o.kind == opImm && o.bits <= maxMemoryIndex {
		t.Srcs[i] = isa.I(int(o.bits))
		return uses
	}
	return s.register(t, i, s.reg(s.sized(o, false)), uses)
}

// group makes base and index of a threadgroup access of elements of 1<<log
// bytes at a byte offset, sources i and i+1 of t.
func (s *isel) group(t *isa.Instr, i int, off *ir.Def, bytes uint32, log uint, uses []mach.Value) []mach.Value {
	o := s.comp(off, 0)
	if o.kind == opImm {
		bytes += o.bits
		o = imm16(0)
	}
	if bytes>>log > 0x7fff || bytes&(1<<log-1) != 0 {
		o, bytes = s.addSub(true, o, imm16(bytes), false), 0
	}
	t.Srcs[i+1] = isa.I(int(bytes >> log))
	if o = o.fold(); o.isImm(0) {
		t.Srcs[i] = isa.I(0)
		return uses
	}
	if o.kind == opUniform {
		t.Srcs[i] = isa.Operand{Kind: isa.Uniform, Size: 16, Count: 1, Val: int32(o.bits)}
		return uses
	}
	return s.register(t, i, s.reg(o), uses)
}
