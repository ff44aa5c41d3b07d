package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/lazy"
	"nirc/ir"
)

// buffer is a buffer as an access finds it: by a number of type uniforms, or
// by what was loaded from the descriptor table.
type buffer struct {
	known   bool
	key     abi.Uniform // set, binding, element of a known one
	entry   opnd        // its entry of the table
	address address
	size    opnd
}

// address is the base of an access: a 64-bit uniform, two words, or the
// register pair lo of both.
type address struct {
	uniform, pair bool
	number        uint32
	lo, hi        opnd
}

// words are the two halves of an address as operands.
func (a address) words() (lo, hi opnd) {
	if a.uniform {
		return opnd{kind: opUniform, bits: a.number}, opnd{kind: opUniform, bits: a.number + 2}
	}
	return a.lo, a.hi
}

// memState is what memory accesses share.
type memState struct {
	loaded []loadedBuffer // table entries loaded in the current block
	epoch  uint32
}

type loadedBuffer struct {
	entry opnd
	buf   buffer
}

// buffer finds the buffer of a handle.
func (s *isel) buffer(in *ir.Instr, h *ir.Def) buffer {
	e := s.comp(h, 0)
	if e.kind == opImm {
		set, binding, element, ok := s.res.entry(e.bits)
		if !ok {
			s.broken(in, "%s: the buffer comes from no binding", in.Intr)
			return buffer{}
		}
		key := abi.Uniform{Set: set, Binding: binding, Element: element}
		a := key
		a.Kind = abi.UniformBufferAddr
		if n, ok := s.uni.take(a, baseHalves); ok {
			return buffer{known: true, key: key, entry: e, address: address{uniform: true, number: n}}
		}
	}
	return s.tableEntry(in, e)
}

// tableEntry loads address and size from the descriptor table.
func (s *isel) tableEntry(in *ir.Instr, e opnd) buffer {
	if s.mem.epoch != s.epoch {
		s.mem.epoch, s.mem.loaded = s.epoch, s.mem.loaded[:0]
	}
	for i := range s.mem.loaded {
		if l := &s.mem.loaded[i]; l.entry == e {
			return l.buf
		}
	}
	n := s.take(in, abi.Uniform{Kind: abi.UniformTable}, baseHalves)
	t := isa.Instr{Format: isa.FormatI32, Mask: 7, Shift: 2, Flags: isa.Unsigned}
	v := s.load(t, address{uniform: true, number: n}, e, classFull, 3)
	w := s.split(v, 3)
	b := buffer{address: address{lo: w[0], hi: w[1]}, size: w[2]}
	s.mem.loaded = append(s.mem.loaded, loadedBuffer{e, b})
	return b
}

// sizeOf returns the size of a buffer in bytes.
func (s *isel) sizeOf(in *ir.Instr, b buffer) opnd {
	if !b.known {
		return b.size
	}
	k := b.key
	k.Kind = abi.UniformBufferSize
	n, ok := s.uni.take(k, uniformHalves)
	if !ok {
		return s.tableEntry(in, b.entry).size
	}
	return opnd{kind: opUniform, bits: n}
}

// covered is the condition that the invocation is no helper, or that it is.
func (s *isel) covered(yes bool) cond {
	m := opnd{}
	if s.meta.PerSample {
		m = s.intOp(bitop(tableAnd), true, s.getSR(srCoverage, true), s.in.sampleMask)
	} else {
		m = s.getSR(srNotHelper, true)
	}
	return cond{op: isa.CondUEQ, inv: yes, a: m, b: imm16(0)}
}

// baseSource makes an address source i of t.
func (s *isel) baseSource(t *isa.Instr, i int, a address, uses []mach.Value) []mach.Value {
	if a.uniform {
		t.Srcs[i] = isa.Operand{Kind: isa.Uniform, Size: 64, Count: 1, Val: int32(a.number)}
		return uses
	}
	if a.pair {
		return s.register(t, i, a.lo.val, uses)
	}
	return s.register(t, i, s.pair(a.lo, a.hi), uses)
}

// load emits a device load of n registers.
func (s *isel) load(t isa.Instr, a address, index opnd, class uint8, n int) mach.Value {
	t.Op = isa.OpDeviceLoad
	uses := s.baseSource(&t, 0, a, nil)
	uses = s.index(&t, 1, index, uses)
	d := s.f.NewValue(class, n)
	s.add(t, d, uses...)
	return d
}

// memShape is what the components of a memory access look like.
type memShape struct {
	format isa.Format
	class  uint8
	log    uint
}

func (s *isel) shapeOfMem(in *ir.Instr, bits uint8, n int) memShape {
	if n <= maxVectorRegisters {
		switch bits {
		case 8:
			return memShape{isa.FormatI8, classHalf, 0}
		case 16:
			return memShape{isa.FormatI16, classHalf, 1}
		case 32:
			return memShape{isa.FormatI32, classFull, 2}
		}
	}
	s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, n, bits)
	return memShape{}
}

// isCoherent reports whether an access must see what other cores do.
func isCoherent(in *ir.Instr) bool {
	return ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0
}

func (s *isel) setCoherent(in *ir.Instr, t *isa.Instr) {
	if isCoherent(in) && !faults.has(faultCoherent) {
		if err := t.SetCoherent(); err != nil {
			s.broken(in, "%v", err)
		}
	}
}

// loadBuffer selects loads from uniform and storage buffers.
func (s *isel) loadBuffer(in *ir.Instr) {
	if in.Intr == ir.IntrLoadUbo && s.pushBuffer(in) {
		return
	}
	n := int(in.Def.NumComponents)
	m := s.shapeOfMem(in, in.Def.BitSize, n)
	b := s.buffer(in, in.Srcs[0].Def)
	s.deviceLoad(in, m, s.access(in, b, in.Srcs[1].Def, m.log, n<<m.log))
}

// deviceLoad selects a load from a place.
func (s *isel) deviceLoad(in *ir.Instr, m memShape, at place) {
	n := int(in.Def.NumComponents)
	t := isa.Instr{Op: isa.OpDeviceLoad, Format: m.format, Mask: 1<<n - 1, Flags: at.extension(), Shift: at.shift}
	if in.Intr != ir.IntrLoadPushConstant && in.Intr != ir.IntrLoadUbo && in.Intr != ir.IntrLoadConstant {
		s.setCoherent(in, &t)
	}
	s.setComps(&in.Def, s.split(s.load(t, at.base, at.index, m.class, n), n)...)
}

// pushBuffer takes a load at a constant offset of a known uniform buffer from
// uniform registers, which the driver fills; false if there is no room.
func (s *isel) pushBuffer(in *ir.Instr) bool {
	e, off := s.comp(in.Srcs[0].Def, 0), s.comp(in.Srcs[1].Def, 0)
	if e.kind != opImm || off.kind != opImm {
		return false
	}
	set, binding, element, ok := s.res.entry(e.bits)
	if !ok {
		return false
	}
	return s.pushed(in, abi.Uniform{Kind: abi.UniformBufferData, Set: set, Binding: binding, Element: element}, off.bits)
}

// pushed gives in's components from uniform registers that hold bytes of k.
func (s *isel) pushed(in *ir.Instr, k abi.Uniform, off uint32) bool {
	bits := uint32(in.Def.BitSize)
	if bits != 32 && bits != 16 {
		return false
	}
	var buf [16]opnd
	var words [16]uint32
	n := int(in.Def.NumComponents)
	if !s.uni.words(words[:n], k, off, bits) {
		return false
	}
	for c := range n {
		buf[c] = opnd{kind: opUniform, bits: words[c], half: bits == 16}
	}
	s.setComps(&in.Def, buf[:n]...)
	return true
}

func (s *isel) loadPush(in *ir.Instr) {
	base := uint32(in.Get(ir.IdxBase))
	if off := s.comp(in.Srcs[0].Def, 0); off.kind == opImm && s.pushed(in, abi.Uniform{Kind: abi.UniformPush}, base+off.bits) {
		return
	}
	m := s.shapeOfMem(in, in.Def.BitSize, int(in.Def.NumComponents))
	n := s.take(in, abi.Uniform{Kind: abi.UniformPushAddr}, baseHalves)
	off := s.addSub(false, s.comp(in.Srcs[0].Def, 0), imm32(base), false)
	t := isa.Instr{Format: m.format, Mask: 1<<in.Def.NumComponents - 1, Flags: isa.Unsigned}
	v := s.load(t, address{uniform: true, number: n}, s.shiftRight(false, off, uint32(m.log)), m.class, int(in.Def.NumComponents))
	s.setComps(&in.Def, s.split(v, int(in.Def.NumComponents))...)
}

// loadConstant reads the shader's constant data, which is never out of bounds: arrays
// are as large as their indices are promised to be.
func (s *isel) loadConstant(in *ir.Instr) {
	m := s.shapeOfMem(in, in.Def.BitSize, int(in.Def.NumComponents))
	n := s.take(in, abi.Uniform{Kind: abi.UniformConstData}, baseHalves)
	s.meta.ConstData = s.sh.ConstantData
	base := uint32(in.Get(ir.IdxBase))
	at := place{base: address{uniform: true, number: n}}
	if e := s.element(in.Srcs[0].Def, m.log, 0); e.ok && base&(1<<m.log-1) == 0 {
		if base > 0 {
			e.index, e.shift = s.shiftAdd(imm32(base>>m.log), e), 0
		}
		e = s.placed(e)
		at.index, at.shift = e.index, e.shift
	} else {
		at.index = s.shiftRight(false, s.addSub(false, s.comp(in.Srcs[0].Def, 0), imm32(base), false), uint32(m.log))
	}
	s.deviceLoad(in, m, at)
}

// data collects n components of a stored value from first on.
func (s *isel) data(d *ir.Def, first, n int) mach.Value {
	ops := make([]opnd, n)
	for k := range ops {
		ops[k] = s.comp(d, first+k)
	}
	return s.collect(ops...)
}

func (s *isel) storeBuffer(in *ir.Instr) {
	val, off := in.Srcs[0].Def, in.Srcs[2].Def
	b := s.buffer(in, in.Srcs[1].Def)
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		m := s.shapeOfMem(in, val.BitSize, n)
		s.deviceStore(in, m, s.access(in, b, off, m.log, (first+n)<<m.log), first, n)
	})
}

// deviceStore selects a store of components to a place, which is that of
// component 0.
func (s *isel) deviceStore(in *ir.Instr, m memShape, at place, first, n int) {
	t := isa.Instr{Op: isa.OpDeviceStore, Format: m.format, Mask: 1<<n - 1, Flags: at.extension(), Shift: at.shift}
	index := at.index
	if first > 0 {
		if t.Shift > 0 {
			index, t.Shift = s.shiftLeft(false, index, uint32(t.Shift)), 0
		}
		index = s.addSub(false, index, imm32(uint32(first)), false)
	}
	uses := s.register(&t, 0, s.data(in.Srcs[0].Def, first, n), nil)
	uses = s.baseSource(&t, 1, at.base, uses)
	uses = s.index(&t, 2, index, uses)
	s.setCoherent(in, &t)
	s.add(t, 0, uses...)
}

// global is the address of a global access.
func (s *isel) global(in *ir.Instr, d *ir.Def) address {
	if int(d.BitSize)*int(d.NumComponents) != 64 {
		s.broken(in, "%s needs a 64-bit address", in.Intr)
		return address{}
	}
	lo, hi := s.comp(d, 0), s.comp(d, 1)
	if d.Instr.IsIntrinsic(ir.IntrLoadSysvalAgx) || s.uni.isBase(lo, hi) {
		return address{uniform: true, number: lo.bits}
	}
	return address{lo: lo, hi: hi}
}

// globalPlace is where a global access of elements of 1<<log bytes goes: what is added to its
// address is the access' own index, if that can have it.
func (s *isel) globalPlace(in *ir.Instr, d *ir.Def, log uint) place {
	x := d.Instr
	if x.Kind != ir.KindALU || d.NumComponents != 1 || d.BitSize != 64 {
		return place{base: s.global(in, d), index: imm32(0)}
	}
	switch x.Op {
	case ir.OpIleaAgx, ir.OpUleaAgx:
		k, ok := x.Srcs[2].Const(0)
		if b := x.Srcs[0].Def; ok && b.NumComponents == 1 && uint(k) >= log && uint(k) <= log+2 {
			return place{base: s.global(in, b), index: s.src(x, 1), shift: uint8(uint(k) - log), signed: x.Op == ir.OpIleaAgx}
		}
	case ir.OpIadd:
		for k := range 2 {
			c, ok := x.Srcs[1-k].Const(0)
			if b := x.Srcs[k].Def; ok && b.NumComponents == 1 && c&(1<<log-1) == 0 && c>>log <= maxMemoryIndex {
				return place{base: s.global(in, b), index: imm32(uint32(c >> log))}
			}
		}
	}
	return place{base: s.global(in, d), index: imm32(0)}
}

func (s *isel) loadGlobal(in *ir.Instr) {
	m := s.shapeOfMem(in, in.Def.BitSize, int(in.Def.NumComponents))
	s.deviceLoad(in, m, s.globalPlace(in, in.Srcs[0].Def, m.log))
}

func (s *isel) storeGlobal(in *ir.Instr) {
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		m := s.shapeOfMem(in, in.Srcs[0].Def.BitSize, n)
		at := s.globalPlace(in, in.Srcs[1].Def, m.log)
		if first > 0 && at.index.kind != opImm { // the sum might not fit the index
			at = place{base: s.global(in, in.Srcs[1].Def), index: imm32(0)}
		}
		if s.err == nil {
			s.deviceStore(in, m, at, first, n)
		}
	})
}

// bufferSize selects the size of a buffer in bytes.
func (s *isel) bufferSize(in *ir.Instr) {
	s.setComps(&in.Def, s.sizeOf(in, s.buffer(in, in.Srcs[0].Def)))
}

var atomicOps = lazy.Value[map[ir.AtomicOp]isa.AtomicOp]{Make: func() map[ir.AtomicOp]isa.AtomicOp {
	return map[ir.AtomicOp]isa.AtomicOp{
		ir.AtomicIAdd: isa.AtomicAdd, ir.AtomicIMin: isa.AtomicIMin, ir.AtomicUMin: isa.AtomicUMin, ir.AtomicIMax: isa.AtomicIMax,
		ir.AtomicUMax: isa.AtomicUMax, ir.AtomicIAnd: isa.AtomicAnd, ir.AtomicIOr: isa.AtomicOr, ir.AtomicIXor: isa.AtomicXor,
		ir.AtomicXchg: isa.AtomicXchg, ir.AtomicCmpXchg: isa.AtomicCmpXchg,
	}
}}

// atomicData collects the operand of an atomic whose data is from source k
// on: new value before comparand.
func (s *isel) atomicData(in *ir.Instr, k int) (op isa.AtomicOp, data mach.Value, ok bool) {
	op, ok = atomicOps.Get()[ir.AtomicOp(in.Get(ir.IdxAtomicOp))]
	if ok && in.Def.BitSize == 64 {
		s.fail(in, "the 64-bit atomic operation %s is not supported: the hardware has no 64-bit atomics but a minimum and a maximum without result", ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
		return 0, 0, false
	}
	if !ok || in.Def.BitSize != 32 {
		s.fail(in, "the %d-bit atomic operation %s is not supported: the hardware has none of that size", in.Def.BitSize, ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
		return 0, 0, false
	}
	if len(in.Srcs) > k+1 {
		return op, s.collect(s.comp(in.Srcs[k+1].Def, 0), s.comp(in.Srcs[k].Def, 0)), true
	}
	return op, s.reg(s.comp(in.Srcs[k].Def, 0)), true
}

func (s *isel) atomicBuffer(in *ir.Instr) {
	op, data, ok := s.atomicData(in, 2)
	if !ok {
		return
	}
	at := s.access(in, s.buffer(in, in.Srcs[0].Def), in.Srcs[1].Def, 2, 4)
	if at.shift > 0 {
		at.index = s.shiftLeft(false, at.index, uint32(at.shift)) // atomics do not shift
	}
	s.atomic(in, op, at, data)
}

func (s *isel) atomicGlobal(in *ir.Instr) {
	if op, data, ok := s.atomicData(in, 1); ok {
		at := s.globalPlace(in, in.Srcs[0].Def, 2)
		if at.shift > 0 { // atomics have no shift
			at = place{base: s.global(in, in.Srcs[0].Def), index: imm32(0)}
		}
		s.atomic(in, op, at, data)
	}
}

func (s *isel) atomic(in *ir.Instr, op isa.AtomicOp, at place, data mach.Value) {
	t := isa.Instr{Op: isa.OpAtomic, Mode: uint8(op), Flags: at.extension()}
	if err := t.SetMultiDie(s.gpu.MultiDie); err != nil {
		s.broken(in, "%v", err)
	}
	uses := s.baseSource(&t, 0, at.base, nil)
	uses = s.index(&t, 1, at.index, uses)
	uses = s.register(&t, 2, data, uses)
	s.result(in, t, uses)
}

// result adds an atomic with its result, if that is wanted.
func (s *isel) result(in *ir.Instr, t isa.Instr, uses []mach.Value) {
	if in.Def.Unused() {
		s.add(t, 0, uses...)
		s.setComps(&in.Def, imm32(0))
		return
	}
	d := s.newReg(false)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.value(d))
}

func (s *isel) loadShared(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	m := s.shapeOfMem(in, in.Def.BitSize, n)
	t := isa.Instr{Op: isa.OpThreadgroupLoad, Format: m.format, Mask: 1<<n - 1}
	uses := s.group(&t, 0, in.Srcs[0].Def, uint32(in.Get(ir.IdxBase)), m.log, nil)
	d := s.f.NewValue(m.class, n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

func (s *isel) storeShared(in *ir.Instr) {
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		m := s.shapeOfMem(in, in.Srcs[0].Def.BitSize, n)
		t := isa.Instr{Op: isa.OpThreadgroupStore, Format: m.format, Mask: 1<<n - 1}
		uses := s.register(&t, 0, s.data(in.Srcs[0].Def, first, n), nil)
		uses = s.group(&t, 1, in.Srcs[1].Def, uint32(in.Get(ir.IdxBase))+uint32(first)<<m.log, m.log, uses)
		s.add(t, 0, uses...)
	})
}

func (s *isel) atomicShared(in *ir.Instr) {
	op, data, ok := s.atomicData(in, 1)
	if !ok {
		return
	}
	t := isa.Instr{Op: isa.OpThreadgroupAtomic, Mode: uint8(op)}
	uses := s.group(&t, 0, in.Srcs[0].Def, uint32(in.Get(ir.IdxBase)), 2, nil)
	uses = s.register(&t, 2, data, uses)
	s.result(in, t, uses)
}

func (s *isel) loadScratch(in *ir.Instr) {
	n := int(in.Def.NumComponents)
	m := s.shapeOfMem(in, in.Def.BitSize, n)
	t := isa.Instr{Op: isa.OpStackLoad, Format: m.format, Mask: 1<<n - 1}
	uses := s.index(&t, 0, s.comp(in.Srcs[0].Def, 0), nil)
	d := s.f.NewValue(m.class, n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

func (s *isel) storeScratch(in *ir.Instr) {
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		m := s.shapeOfMem(in, in.Srcs[0].Def.BitSize, n)
		t := isa.Instr{Op: isa.OpStackStore, Format: m.format, Mask: 1<<n - 1}
		off := s.comp(in.Srcs[1].Def, 0)
		if first > 0 {
			off = s.addSub(false, off, imm32(uint32(first)<<m.log), false)
		}
		uses := s.register(&t, 0, s.data(in.Srcs[0].Def, first, n), nil)
		uses = s.index(&t, 1, off, uses)
		s.add(t, 0, uses...)
	})
}

// Codes of memory_barrier (agx.md §7.6).
var (
	barrierMemory = []uint32{0x96}
	barrierDevice = []uint32{0x96, 0x33, 0x9a, 0x9e, 0x03, 0x99, 0x9d}
	barrierImage  = []uint32{0xaa, 0xae}
	barrierAfter  = []uint32{0xa9, 0xad}
)

func (s *isel) memoryBarrier(codes []uint32) {
	for _, c := range codes {
		s.add(isa.Instr{Op: isa.OpMemoryBarrier, Imm: c}, 0)
	}
}

// barrier selects memory barriers and the barrier of the workgroup.
func (s *isel) barrier(in *ir.Instr) {
	modes := ir.Mode(in.Get(ir.IdxMemoryModes))
	scope := ir.Scope(in.Get(ir.IdxMemoryScope))
	least := ir.ScopeSubgroup
	if faults.has(faultSubgroupBarrier) {
		least = ir.ScopeWorkgroup
	}
	if in.Get(ir.IdxMemorySemantics) == 0 || scope < least {
		modes = 0
	}
	switch {
	case modes&(ir.ModeSSBO|ir.ModeGlobal|ir.ModeImage) == 0:
	case scope == ir.ScopeWorkgroup && faults.has(faultWorkgroupFence):
	case scope > ir.ScopeWorkgroup:
		s.memoryBarrier(barrierDevice)
	default:
		s.memoryBarrier(barrierMemory)
	}
	if modes&ir.ModeImage != 0 {
		s.memoryBarrier(barrierImage)
	}
	if ir.Scope(in.Get(ir.IdxExecutionScope)) >= ir.ScopeWorkgroup && s.sh.Stage == ir.StageCompute && !faults.has(faultGroupBarrier) {
		s.add(isa.Instr{Op: isa.OpThreadgroupBarrier}, 0)
		s.meta.UsesBarrier = true
	}
	if modes&ir.ModeImage != 0 {
		s.memoryBarrier(barrierAfter)
	}
}

// storeFormatted selects a store that converts to a memory format: of elements from
// an index on, counted in elements of the format.
func (s *isel) storeFormatted(in *ir.Instr) {
	s.meta.WritesMemory = true
	n := int(in.Srcs[0].Def.NumComponents)
	t := isa.Instr{Op: isa.OpDeviceStore, Format: isa.Format(in.Get(ir.IdxFormat)), Mask: 1<<n - 1, Flags: isa.Unsigned}
	uses := s.register(&t, 0, s.data(in.Srcs[0].Def, 0, n), nil)
	uses = s.baseSource(&t, 1, s.global(in, in.Srcs[1].Def), uses)
	uses = s.index(&t, 2, s.comp(in.Srcs[2].Def, 0), uses)
	s.add(t, 0, uses...)
}
