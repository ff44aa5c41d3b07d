package ir3

import (
	"math"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// descriptor sets the descriptor operand i of t from a handle that
// lowerDescriptors has marked.
func (s *isel) descriptor(in *ir.Instr, t *isa.Instr, i int, h *ir.Def, uses []mach.Value) []mach.Value {
	t.Set = int8(h.Instr.Get(ir.IdxDescSet)) + 1
	index := s.comp(h.Instr.Srcs[0].Def, 0)
	if index.kind == opImm && index.bits < 256 {
		t.Mode = isa.ModeImm
		t.Srcs[i] = isa.I(int32(index.bits))
		return uses
	}
	t.Mode = isa.ModeNonuniform
	return s.register(t, i, s.reg(index), 0, uses)
}

// elements turns a byte offset into one in units of 1<<shift bytes, plus an
// immediate part in the same units that is at most limit. Offsets made by a shift and an
// addition are taken apart; the aligned form is what SPIR-V's array accesses have.
func (s *isel) elements(in *ir.Instr, off *ir.Def, shift uint, limit uint32) (opnd, uint32) {
	if c, ok := off.Const(0); ok {
		n := uint32(c) >> shift
		if n <= limit {
			return immediate(0, false), n
		}
		return immediate(n, false), 0
	}
	if o, n, ok := s.elementSum(in, off, shift); ok {
		if n <= limit {
			return o, n
		}
		return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, o, immediate(n, false)), 0
	}
	if o, ok := s.unshift(in, off, shift); ok {
		return o, 0
	}
	o := s.comp(off, 0)
	return s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, o, immediate(uint32(shift), false)), 0
}

// elementSum takes an offset in bytes that is the sum of shifted elements and a constant apart
// into elements.
func (s *isel) elementSum(access *ir.Instr, off *ir.Def, shift uint) (o opnd, n uint32, ok bool) {
	if !off.Instr.IsALU(ir.OpIadd) {
		return opnd{}, 0, false
	}
	c, ok := off.Instr.Srcs[1].Const(0)
	base := off.Instr.Srcs[0]
	if !ok {
		c, ok = base.Const(0)
		base = off.Instr.Srcs[1]
	}
	if !ok || base.Swizzle.Lane(0) != 0 || base.Def.NumComponents != 1 {
		return opnd{}, 0, false
	}
	o, ok = s.unshift(access, base.Def, shift)
	return o, uint32(int32(uint32(c)) >> shift), ok
}

// unshift returns d >> shift where d, of an access' offset, is a left shift by at least as much, or a product by a multiple.
func (s *isel) unshift(access *ir.Instr, d *ir.Def, shift uint) (opnd, bool) {
	in := d.Instr
	if in.IsALU(ir.OpImul24) {
		return s.unscale(in, shift)
	}
	if !in.IsALU(ir.OpIshl) || d.NumComponents != 1 {
		return opnd{}, false
	}
	n, ok := in.Srcs[1].Const(0)
	if !ok || uint(n&31) < shift {
		return opnd{}, false
	}
	if x := in.Srcs[0].Def.Instr; s.isRoot(in) && !s.isRoot(x) && x.Kind == ir.KindALU {
		return opnd{}, false // the preamble has d, and what it is made of would be made again
	}
	o := s.src(in, 0)
	if k := uint32(n&31) - uint32(shift); k > 0 {
		o = s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, o, immediate(k, false))
	}
	// Elements of arrays may be smaller: the shift is not theirs alone.
	smaller := shift > 2 || ir.Access(access.Get(ir.IdxAccess))&ir.AccessSmallSteps != 0
	if smaller && !keepsBits(in) {
		o = s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, o, immediate(math.MaxUint32>>shift, false))
	}
	return o, true
}

// unscale returns a product of 24 bits that does not wrap >> shift, where its constant factor is a multiple.
func (s *isel) unscale(in *ir.Instr, shift uint) (opnd, bool) {
	n, ok := in.Srcs[1].Const(0)
	if !ok || !in.NoUnsignedWrap || in.Def.NumComponents != 1 || n >= 256<<shift || n&(1<<shift-1) != 0 || s.isRoot(in) {
		return opnd{}, false
	}
	return s.alu2(isa.Instr{Op: isa.OpMulS24}, false, false, immInt, s.src(in, 0), immediate(uint32(n)>>shift, false)), true
}

// iboLimit is the largest immediate offset of ldib.b and stib.b.
func (s *isel) iboLimit() uint32 {
	if s.gpu.HasIsamV {
		return 127
	}
	return 0
}

func (s *isel) loadSSBO(in *ir.Instr) {
	bits, n := in.Def.BitSize, int(in.Def.NumComponents)
	t, shift := isa.U32, uint(2)
	if bits == 16 {
		t, shift = isa.U16, 1
	}
	if s.readOnly(in, n) {
		s.setComps(&in.Def, s.isamBuffer(in, t, n, shift)...)
		return
	}
	off, imm := s.elements(in, in.Srcs[1].Def, shift, s.iboLimit())
	s.setComps(&in.Def, s.ldib(in, t, n, off, imm)...)
}

// readOnly reports whether a load of n words or halves goes through the texture path,
// which is quicker but does not see what the shader writes
// (ir3.md §7.7). Several components take isam.v, and so do words where storage is seen in
// halves; halves are loaded where it is.
func (s *isel) readOnly(in *ir.Instr, n int) bool {
	alone := n == 1 && s.gpu.Storage16 == (in.Def.BitSize == 16)
	return (readOnlyAccess(in) || faults.has(faultReadOnly)) && (s.gpu.HasIsamV || alone) && in.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3)
}

// readOnlyAccess reports whether nobody writes what the instruction reads.
func readOnlyAccess(in *ir.Instr) bool {
	const want = ir.AccessNonWriteable | ir.AccessCanReorder
	a := ir.Access(in.Get(ir.IdxAccess))
	return a&want == want && (a&(ir.AccessVolatile|ir.AccessCoherent) == 0 || faults.has(faultCoherent))
}

// isamBuffer loads n elements of 1<<shift bytes of a storage buffer by isam. Without .v the coordinates are those of a 2D texture, whose y is 0.
func (s *isel) isamBuffer(in *ir.Instr, typ isa.Type, n int, shift uint) []opnd {
	t := isa.Instr{Op: isa.OpIsam, Type: typ, Flags: isa.Tex1D}
	if faults.has(faultIsamBit) {
		t.Flags = 0
	}
	limit := uint32(0)
	if s.gpu.HasIsamV { // it loads elements of its own type, whatever the view's are
		t.Flags, limit = isa.TexS, 255
	}
	off, imm := s.elements(in, in.Srcs[1].Def, shift, limit)
	at := []opnd{off, immediate(0, false)}
	if s.gpu.HasIsamV {
		at = at[:1]
	}
	if imm > 0 {
		t.Flags |= isa.TexP
		t.Off = int32(imm)
	}
	h := in.Srcs[0].Def.Instr
	x := texSel{s: s, in: in, tex: texResource{set: int(h.Get(ir.IdxDescSet)), slot: s.comp(h.Srcs[0].Def, 0), ok: true, diverges: h.Srcs[0].Def.Divergent}}
	r := x.emit(t, uint8(1<<n-1), at, nil)
	return r[:n]
}

func (s *isel) ldib(in *ir.Instr, typ isa.Type, n int, off opnd, imm uint32) []opnd {
	t := isa.Instr{Op: isa.OpLdib, Flags: volatileFlag(in), Dims: 1, Type: typ, Size: uint16(n), Off: int32(imm)}
	uses := s.register(&t, 0, s.reg(off), 0, nil)
	uses = s.descriptor(in, &t, 1, in.Srcs[0].Def, uses)
	d := s.f.NewValue(gprClass(typ.Half()), n)
	s.add(t, d, uses...)
	return s.split(d, n)
}

// narrowLoad loads components of 8 or 16 bits from memory that is read in
// words: load gives the word of a word number.
func (s *isel) narrowLoad(in *ir.Instr, off *ir.Def, load func(word opnd) opnd) {
	bytes := uint32(in.Def.BitSize / 8)
	ops := make([]opnd, in.Def.NumComponents)
	for k := range ops {
		at := s.comp(off, 0)
		if k > 0 {
			at = s.addImm(at, uint32(k)*bytes)
		}
		if at.kind == opImm {
			w := load(immediate(at.bits>>2, false))
			if sh := at.bits & 3 * 8; sh != 0 {
				w = s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, w, immediate(sh, false))
			}
			ops[k] = s.narrow(w, 32)
			continue
		}
		w := load(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, at, immediate(2, false)))
		sh := s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, at, immediate(3, false))
		ops[k] = s.narrow(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, w, sh), 32)
	}
	s.setComps(&in.Def, ops...)
}

// addImm adds a constant to a 32-bit integer.
func (s *isel) addImm(o opnd, c uint32) opnd {
	switch {
	case c == 0:
		return o
	case o.kind == opImm:
		return immediate(o.bits+c, false)
	}
	return s.alu2(isa.Instr{Op: isa.OpAddU}, false, false, immInt, o, immediate(c, false))
}

// data collects n components of a stored value from first on.
func (s *isel) data(d *ir.Def, first, n int) mach.Value {
	ops := make([]opnd, n)
	for k := range ops {
		ops[k] = s.comp(d, first+k)
	}
	return s.collect(ops...)
}

func (s *isel) storeSSBO(in *ir.Instr) {
	val := in.Srcs[0].Def
	typ, shift := isa.U32, uint(2)
	switch val.BitSize { // narrower than the GPU's: narrowStores
	case 32:
	case 16:
		typ, shift = isa.U16, 1
	default:
		s.fail(in, "%d-bit stores to storage buffers are not supported on %s", val.BitSize, s.gpu.Name)
		return
	}
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		data := s.data(val, first, n)
		off, imm := s.elements(in, in.Srcs[2].Def, shift, s.iboLimit())
		if first > 0 {
			if imm+uint32(first) <= s.iboLimit() {
				imm += uint32(first)
			} else {
				off, imm = s.addImm(off, imm+uint32(first)), 0
			}
		}
		t := isa.Instr{Op: isa.OpStib, Dims: 1, Type: typ, Size: uint16(n), Off: int32(imm)}
		uses := s.register(&t, 0, data, 0, nil)
		uses = s.register(&t, 1, s.reg(off), 0, uses)
		uses = s.descriptor(in, &t, 2, in.Srcs[1].Def, uses)
		s.add(t, 0, uses...)
	})
}

// atomicKind is an atomic operation as the three families of instructions have it.
type atomicKind struct {
	local isa.Op // atomic.X.l; the global and bindless ones follow
	b     isa.Op
	typ   isa.Type
}

func (s *isel) atomicOp(in *ir.Instr) (k atomicKind, ok bool) {
	k.typ = isa.U32
	switch ir.AtomicOp(in.Get(ir.IdxAtomicOp)) {
	case ir.AtomicIAdd:
		k.local, k.b = isa.OpAtomicLAdd, isa.OpAtomicBAdd
	case ir.AtomicIMin:
		k.local, k.b, k.typ = isa.OpAtomicLMin, isa.OpAtomicBMin, isa.S32
	case ir.AtomicUMin:
		k.local, k.b = isa.OpAtomicLMin, isa.OpAtomicBMin
	case ir.AtomicIMax:
		k.local, k.b, k.typ = isa.OpAtomicLMax, isa.OpAtomicBMax, isa.S32
	case ir.AtomicUMax:
		k.local, k.b = isa.OpAtomicLMax, isa.OpAtomicBMax
	case ir.AtomicIAnd:
		k.local, k.b = isa.OpAtomicLAnd, isa.OpAtomicBAnd
	case ir.AtomicIOr:
		k.local, k.b = isa.OpAtomicLOr, isa.OpAtomicBOr
	case ir.AtomicIXor:
		k.local, k.b = isa.OpAtomicLXor, isa.OpAtomicBXor
	case ir.AtomicXchg:
		k.local, k.b = isa.OpAtomicLXchg, isa.OpAtomicBXchg
	case ir.AtomicCmpXchg:
		k.local, k.b = isa.OpAtomicLCmpxchg, isa.OpAtomicBCmpxchg
	default:
		s.fail(in, "the atomic operation %s is not supported: it must be lowered", ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
		return k, false
	}
	switch {
	case in.Def.BitSize == 32:
		return k, true
	case !s.gpu.Atomic64:
		s.fail(in, "64-bit atomics are not supported on %s: the hardware has no 64-bit atomics, needs a740", s.gpu.Name)
	case in.Memory().Space == ir.SpaceShared:
		s.fail(in, "64-bit atomics of workgroup memory are not supported: the hardware has them on buffers, images and global memory")
	case k.b != isa.OpAtomicBXchg && k.b != isa.OpAtomicBCmpxchg:
		s.fail(in, "the 64-bit atomic operation %s is not supported: it must be lowered", ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
	default:
		k.typ = isa.U64
		return k, true
	}
	return k, false
}

// atomicOperands are the operands of an atomic from source first on, in words. A compare and swap
// takes the new value before the one to compare with, the other way round than the IR (ir3.md §2.9).
func (s *isel) atomicOperands(ops []opnd, in *ir.Instr, first int) []opnd {
	for i := len(in.Srcs) - 1; i >= first; i-- {
		for k := range backend.Parts(in.Srcs[i].Def) {
			ops = append(ops, s.comp(in.Srcs[i].Def, k))
		}
	}
	return ops
}

// atomicSSBO selects atomic.b: a vector of the result and the operands is
// source and destination at once. The offset of 64-bit atomics counts the halves
// of the descriptor's format, not their own elements.
func (s *isel) atomicSSBO(in *ir.Instr) {
	k, ok := s.atomicOp(in)
	if !ok {
		return
	}
	n := backend.Parts(&in.Def)
	ops := s.atomicOperands(make([]opnd, n), in, 2)
	shift := uint(2)
	if n == 2 {
		shift = 1
	}
	off, _ := s.elements(in, in.Srcs[1].Def, shift, 0)
	t := isa.Instr{Op: k.b, Dims: 1, Type: k.typ, Size: 1}
	s.atomicData(in, t, ops, s.reg(off), func(t *isa.Instr, i int, uses []mach.Value) []mach.Value {
		return s.descriptor(in, t, i, in.Srcs[0].Def, uses)
	})
}

// atomicData emits an atomic.b: ops are the place of the result, then the
// operands; at is the address, desc sets the descriptor operand.
func (s *isel) atomicData(in *ir.Instr, t isa.Instr, ops []opnd, at mach.Value, desc func(t *isa.Instr, i int, uses []mach.Value) []mach.Value) {
	data := s.collect(ops...)
	uses := s.register(&t, 0, data, 0, nil)
	uses = s.register(&t, 1, at, 0, uses)
	uses = desc(&t, 2, uses)
	d := s.f.NewValue(classFull, len(ops))
	m := s.add(t, d, uses...)
	s.code.tmpl[m.Ext].Dst = isa.Operand{}
	m.Ops[0].Flags |= mach.Tied
	vals := s.f.ValueList(len(ops))
	res := make([]opnd, backend.Parts(&in.Def))
	for k := range res {
		vals[k] = s.newReg(false)
		res[k] = s.value(vals[k])
	}
	s.generic(mach.OpSplit, vals, []mach.Value{d})
	s.setComps(&in.Def, res...)
}

// atomicLocal selects atomic.l: address, operand or (new, compare).
func (s *isel) atomicLocal(in *ir.Instr) {
	k, ok := s.atomicOp(in)
	if !ok {
		return
	}
	addr := s.addImm(s.comp(in.Srcs[0].Def, 0), uint32(in.Get(ir.IdxBase)))
	s.atomicAddr(in, k.local, k.typ, s.reg(addr), 1)
}

func (s *isel) atomicGlobal(in *ir.Instr) {
	k, ok := s.atomicOp(in)
	if !ok {
		return
	}
	op := isa.OpAtomicGAdd + (k.local - isa.OpAtomicLAdd)
	s.atomicAddr(in, op, k.typ, s.address(in.Srcs[0].Def), 1)
}

func (s *isel) atomicAddr(in *ir.Instr, op isa.Op, typ isa.Type, addr mach.Value, first int) {
	data := s.collect(s.atomicOperands(nil, in, first)...)
	t := isa.Instr{Op: op, Dims: 1, Type: typ, Size: 1}
	uses := s.register(&t, 0, addr, 0, nil)
	uses = s.register(&t, 1, data, 0, uses)
	n := backend.Parts(&in.Def)
	d := s.f.NewValue(classFull, n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

// address brings a 64-bit address, one component of 64 bits or two of 32,
// into a pair of registers.
func (s *isel) address(d *ir.Def) mach.Value { return s.collect(s.comp(d, 0), s.comp(d, 1)) }

func memType(bits uint8) isa.Type {
	switch bits {
	case 8:
		return isa.U8
	case 16:
		return isa.U16
	}
	return isa.U32
}

// inOrder is a flag of volatile loads, and of lookups of images that others may store to, that no encoding has: no access to the same memory moves past them, and they stay where
// nobody reads their results.
const inOrder isa.Flags = 1 << 31

// volatileFlag is inOrder of volatile accesses.
func volatileFlag(in *ir.Instr) isa.Flags {
	if in.Has(ir.IdxAccess) && ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0 {
		return inOrder
	}
	return 0
}

func (s *isel) loadGlobal(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	t := isa.Instr{Op: isa.OpLdg, Flags: volatileFlag(in), Type: memType(in.Def.BitSize), Size: uint16(n)}
	uses := s.register(&t, 0, s.address(in.Srcs[0].Def), 0, nil)
	d := s.f.NewValue(gprClass(isHalf(&in.Def)), n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

func (s *isel) storeGlobal(in *ir.Instr) {
	val := in.Srcs[0].Def
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		t := isa.Instr{Op: isa.OpStg, Type: memType(val.BitSize), Size: uint16(n), Off: int32(first) * int32(val.BitSize/8)}
		uses := s.register(&t, 0, s.address(in.Srcs[1].Def), 0, nil)
		uses = s.register(&t, 1, s.data(val, first, n), 0, uses)
		s.add(t, 0, uses...)
	})
}

// byteOffset takes a byte offset apart into a register and an immediate that
// local and private accesses can hold.
func (s *isel) byteOffset(off *ir.Def, base uint32) (opnd, uint32) {
	imm := base
	if c, ok := off.Const(0); ok {
		imm += uint32(c)
		if imm <= 4095 {
			return immediate(0, false), imm
		}
		return immediate(imm&^2047, false), imm & 2047
	}
	o := s.comp(off, 0)
	if in := off.Instr; in.IsALU(ir.OpIadd) && off.NumComponents == 1 {
		if c, ok := in.Srcs[1].Const(0); ok && uint32(c)+imm <= 4000 && uint32(c) <= 4000 && in.NoUnsignedWrap {
			o, imm = s.src(in, 0), imm+uint32(c)
		}
	}
	if imm > 4000 {
		return s.addImm(o, imm), 0
	}
	return o, imm
}

// loadLocal selects ldl and ldp.
func (s *isel) loadLocal(in *ir.Instr, op isa.Op) {
	n := int(in.Def.NumComponents)
	off, imm := s.byteOffset(in.Srcs[0].Def, uint32(in.Get(ir.IdxBase)))
	t := isa.Instr{Op: op, Type: memType(in.Def.BitSize), Size: uint16(n), Off: int32(imm)}
	uses := s.register(&t, 0, s.reg(off), 0, nil)
	d := s.f.NewValue(gprClass(isHalf(&in.Def)), n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

// storeLocal selects stl and stp.
func (s *isel) storeLocal(in *ir.Instr, op isa.Op) {
	val := in.Srcs[0].Def
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		off, imm := s.byteOffset(in.Srcs[1].Def, uint32(in.Get(ir.IdxBase))+uint32(first)*uint32(val.BitSize/8))
		t := isa.Instr{Op: op, Type: memType(val.BitSize), Size: uint16(n), Off: int32(imm)}
		uses := s.register(&t, 0, s.reg(off), 0, nil)
		uses = s.register(&t, 1, s.data(val, first, n), 0, uses)
		s.add(t, 0, uses...)
	})
}

// barrier selects fences and the workgroup barrier
// (ir3.md §7.8).
func (s *isel) barrier(in *ir.Instr) {
	modes := ir.Mode(in.Get(ir.IdxMemoryModes))
	sem := ir.Semantics(in.Get(ir.IdxMemorySemantics))
	scope := ir.Scope(in.Get(ir.IdxMemoryScope))
	acqrel := sem&(ir.SemAcquire|ir.SemRelease) != 0
	if acqrel && modes&(ir.ModeSSBO|ir.ModeImage|ir.ModeShared|ir.ModeGlobal|ir.ModeShaderOut) != 0 && scope != ir.ScopeInvocation {
		t := isa.Instr{Op: isa.OpFence, Flags: isa.BarR | isa.BarW}
		if modes&(ir.ModeSSBO|ir.ModeImage|ir.ModeGlobal|ir.ModeShaderOut) != 0 {
			t.Flags |= isa.BarG
		}
		if modes&(ir.ModeSSBO|ir.ModeImage) != 0 {
			t.Flags |= isa.BarL
		}
		others := s.gpu.Gen == isa.A7xx && scope > ir.ScopeWorkgroup && sem&ir.SemAcquire != 0 && modes&(ir.ModeSSBO|ir.ModeImage) != 0
		if others { // what other workgroups wrote is not seen by .r and .l
			t.Flags &^= isa.BarR | isa.BarL
		}
		if !faults.has(faultFence) {
			s.add(t, 0)
		}
		if others && !faults.has(faultCacheInvalidate) {
			s.add(isa.Instr{Op: isa.OpCcinv}, 0)
		}
	}
	if ir.Scope(in.Get(ir.IdxExecutionScope)) >= ir.ScopeWorkgroup && (s.sh.Stage == ir.StageCompute || faults.has(faultTessBarrier)) {
		s.add(isa.Instr{Op: isa.OpBar, Flags: isa.BarG | isa.SS | isa.SY}, 0)
		s.meta.UsesBarrier = true
	}
}
