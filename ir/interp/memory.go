package interp

import (
	"encoding/binary"
	"math"
	"slices"

	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

// Memory as a lane sees it. What is out of bounds loads 0 and stores nothing.

// bytesAt returns n bytes of a space, nil if out of bounds. Global memory and
// buffers go through the device's address space.
func (w *Wave) bytesAt(sp space, lane int, h, addr uint64, n int) []byte {
	var b []byte
	switch sp {
	case spPrivate:
		size := int(w.p.private)
		b = w.priv[lane*size : (lane+1)*size]
	case spShared:
		b = w.l.Compute.Shared
	case spPayload:
		b = w.l.Compute.Mesh.Payload
	case spPush:
		b = w.l.Env.Push
		if addr < uint64(len(b)) && addr+uint64(n) > uint64(len(b)) { // zero-padded
			var pad [8]byte
			copy(pad[:n], b[addr:])
			return append([]byte(nil), pad[:n]...)
		}
	case spConst:
		b = w.p.constMem
	case spData:
		b = w.p.shader.ConstantData
	case spBuffer:
		if uint32(h) != w.bufHandle || !w.bufValid {
			w.bindBuffer(uint32(h))
		}
		if b = w.buf; b == nil { // the range leaves its buffer: access by access
			if addr > w.bufSize || uint64(n) > w.bufSize-addr {
				return nil
			}
			return w.l.Env.Mem.Bytes(w.bufAddr+addr, n)
		}
	case spGlobal:
		return w.l.Env.Mem.Bytes(addr, n)
	case spGeneric:
		sp, addr = resolve(addr)
		return w.bytesAt(sp, lane, h, addr, n)
	default:
		return nil
	}
	if addr > uint64(len(b)) || uint64(n) > uint64(len(b))-addr {
		return nil
	}
	return b[addr : addr+uint64(n)]
}

// bindBuffer remembers the bytes of a buffer descriptor.
func (w *Wave) bindBuffer(h uint32) {
	w.bufHandle, w.bufValid = h, true
	d := w.l.Env.Bindings.Desc(int(int32(h)))
	w.buf, w.bufAddr, w.bufSize = nil, d.Addr, d.Size
	if d.Size <= math.MaxInt32 && d.Size > 0 {
		w.buf = w.l.Env.Mem.Bytes(d.Addr, int(d.Size))
	}
}

func (w *Wave) load(sp space, lane int, h, addr uint64, n int) uint64 {
	if sp == spStageIn || sp == spStageOut {
		return w.loadStage(sp, lane, addr, n)
	}
	b := w.bytesAt(sp, lane, h, addr, n)
	if b == nil {
		return 0
	}
	return emu.LoadBytes(b, n)
}

func (w *Wave) store(sp space, lane int, h, addr uint64, n int, v uint64) {
	switch sp {
	case spPush, spConst, spData:
		return
	case spGeneric:
		sp, addr = resolve(addr)
		w.store(sp, lane, h, addr, n, v)
		return
	case spStageIn, spStageOut:
		w.storeStage(sp, lane, addr, n, v)
		return
	}
	if b := w.bytesAt(sp, lane, h, addr, n); b != nil {
		emu.StoreBytes(b, n, v)
	}
}

// execMemory runs the instructions that reach memory or make its addresses.
func (w *Wave) execMemory(i *inst) {
	switch i.op {
	case opLoadMem:
		w.execLoad(i)
	case opStoreMem:
		w.execStore(i)
	case opPointer:
		w.execPointer(i)
	case opBounds:
		w.execBounds(i)
	case opCopyMem:
		w.execCopyMem(i)
	case opAtomic:
		w.execAtomic(i)
	case opInit:
		for _, l := range w.on {
			copy(w.priv[int(l)*int(w.p.private)+int(i.imm):], i.x.data)
		}
	}
}

// Offsets into buffers from lostOffset on are out of bounds and stay so; those from belowZero on are negative.
const lostOffset, belowZero = 1 << 31, 0xf0000000

// bufferOffset adds to a byte offset of a buffer. What leaves 32 bits is out of bounds, and does not come back by
// wrapping around.
func bufferOffset(off, n uint64) uint64 {
	if off >= lostOffset && off < belowZero {
		return off
	}
	at := int64(int32(off)) + int64(n)
	if at < belowZero-1<<32 || at >= lostOffset {
		at = lostOffset
	}
	return uint64(uint32(at))
}

// execLoad loads a vector in every active lane.
func (w *Wave) execLoad(i *inst) {
	x := i.x
	if x.space == spPrivate && x.bytes == 4 && i.bits == 32 {
		w.loadWords(i)
		return
	}
	size := int(x.bytes)
	addr := w.regs[i.a:]
	handle := addr
	if x.space == spBuffer {
		handle = w.regs[i.b:]
	}
	for _, l := range w.on {
		at := addr[l] + i.imm
		switch x.space {
		case spGlobal:
			w.aligned(x, l, at, size)
		case spBuffer:
			at = bufferOffset(addr[l], i.imm)
		case spGeneric:
		default:
			at &= 0xffffffff
		}
		for k := int32(0); k < int32(i.n); k++ {
			v := w.loadLane(x, l, handle[l], at+uint64(k)*uint64(x.comp))
			if i.bits == 1 && v != 0 {
				v = 1
			}
			w.regs[i.dst+k*w.w+int32(l)] = v & lowBits(i.bits)
		}
	}
}

// loadLane reads one component for a lane; 0 outside memory.
func (w *Wave) loadLane(x *extra, l uint8, handle, at uint64) uint64 {
	size := int(x.bytes)
	if x.space == spStageIn || x.space == spStageOut {
		return w.loadStage(x.space, int(l), at, size)
	}
	b := w.bytesAt(x.space, int(l), handle, at, size)
	if b == nil && w.inTail(x, at, size) {
		return uint64(w.l.Env.Mem.LoadWithin(w.bufAddr, w.bufSize, at, size, 0))
	}
	if b == nil {
		w.beyond(x, x.space, l, handle)
		return 0
	}
	if w.races != nil && x.in.Intr != ir.IntrLoadUbo {
		w.note(x.space, int(l), at, size, kindOf(x.in, emu.AccessRead))
	}
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return emu.LoadBytes(b, size)
}

// inTail reports whether a load is of a word that the uniform buffer at hand has only a part of: loads of bytes become those of words
// (lower_mem_access_bit_sizes), and sizes of buffers need not be multiples of 4.
func (w *Wave) inTail(x *extra, at uint64, n int) bool {
	return (x.in.Intr == ir.IntrLoadUbo || x.in.Intr == ir.IntrLoadUboVec4) && n <= 4 && at < w.bufSize
}

// loadWords is execLoad of words in private memory.
func (w *Wave) loadWords(i *inst) {
	addr, size := w.regs[i.a:], uint64(w.p.private)
	for k := int32(0); k < int32(i.n); k++ {
		d, off := w.regs[i.dst+k*w.w:], i.imm+uint64(k)*uint64(i.x.comp)
		for _, l := range w.on {
			if at := (addr[l] + off) & 0xffffffff; at+4 <= size {
				d[l] = uint64(binary.LittleEndian.Uint32(w.priv[uint64(l)*size+at:]))
			} else {
				d[l] = 0
			}
		}
	}
}

// storeWords is execStore of words to private memory.
func (w *Wave) storeWords(i *inst) {
	addr, size := w.regs[i.a:], uint64(w.p.private)
	for k, s := range i.x.src[0] {
		if i.x.mask>>k&1 == 0 {
			continue
		}
		v, off := w.regs[s:], i.imm+uint64(k)*uint64(i.x.comp)
		for _, l := range w.on {
			if at := (addr[l] + off) & 0xffffffff; at+4 <= size {
				binary.LittleEndian.PutUint32(w.priv[uint64(l)*size+at:], uint32(v[l]))
			}
		}
	}
}

// execStore stores the masked components of a vector in every active lane.
func (w *Wave) execStore(i *inst) {
	x := i.x
	if x.space == spPrivate && x.bytes == 4 {
		w.storeWords(i)
		return
	}
	addr := w.regs[i.a:]
	handle := addr
	if x.space == spBuffer {
		handle = w.regs[i.b:]
	}
	val := x.src[0]
	for _, l := range w.on {
		if x.helper && w.helper.Get(int(l)) {
			continue
		}
		at := addr[l] + i.imm
		switch x.space {
		case spGlobal:
			w.aligned(x, l, at, int(x.bytes))
		case spBuffer:
			at = bufferOffset(addr[l], i.imm)
		case spGeneric:
		default:
			at &= 0xffffffff
		}
		for k := range val {
			if x.mask>>k&1 == 0 {
				continue
			}
			a := at + uint64(k)*uint64(x.comp)
			if (w.p.strict || w.l.Check) && x.space != spStageOut && w.bytesAt(x.space, int(l), handle[l], a, int(x.bytes)) == nil {
				w.beyond(x, x.space, l, handle[l])
			}
			if w.races != nil {
				w.noteStore(x, int(l), handle[l], a, int(x.bytes), w.regs[val[k]+int32(l)])
			}
			w.store(x.space, int(l), handle[l], a, int(x.bytes), w.regs[val[k]+int32(l)])
		}
	}
}

// execCopyMem moves the bytes of an object, all read before any is written.
func (w *Wave) execCopyMem(i *inst) {
	x := i.x
	d, s := x.src[0], x.src[1]
	sp := x.from
	total := 0
	for _, r := range x.runs {
		total += int(r.n)
	}
	if cap(w.tmp) < total {
		w.tmp = make([]byte, total)
	}
	runs := x.runs
	for _, l := range w.on {
		if len(x.src) > 2 { // a size that only the lane knows
			n := min(w.regs[x.src[2][0]+int32(l)], maxMemory)
			runs = []run{{n: uint32(n)}}
			w.tmp = slices.Grow(w.tmp[:0], int(n))
		}
		buf := w.tmp[:0]
		for _, r := range runs {
			at := w.regs[s[1]+int32(l)] + uint64(r.src)
			n := len(buf)
			buf = buf[:n+int(r.n)]
			if b := w.bytesAt(sp, int(l), w.regs[s[0]+int32(l)], at, int(r.n)); b != nil {
				copy(buf[n:], b)
				continue
			}
			w.beyond(x, sp, l, w.regs[s[0]+int32(l)])
			for k := range int(r.n) { // at the edge: byte by byte
				buf[n+k] = byte(w.load(sp, int(l), w.regs[s[0]+int32(l)], at+uint64(k), 1))
			}
		}
		if x.helper && w.helper.Get(int(l)) {
			continue
		}
		n := 0
		for _, r := range runs {
			at := w.regs[d[1]+int32(l)] + uint64(r.dst)
			for k := range int(r.n) {
				w.store(x.space, int(l), w.regs[d[0]+int32(l)], at+uint64(k), 1, uint64(buf[n+k]))
			}
			n += int(r.n)
		}
	}
}

// execAtomic runs an atomic lane by lane.
func (w *Wave) execAtomic(i *inst) {
	x := i.x
	op := ir.AtomicOp(x.in.Get(ir.IdxAtomicOp))
	n := int(i.bits / 8)
	for _, l := range w.on {
		if x.helper && w.helper.Get(int(l)) {
			continue
		}
		at := w.regs[i.a+int32(l)] + i.imm
		a := w.regs[x.src[0][0]+int32(l)]
		var b uint64
		if len(x.src) > 1 {
			b = w.regs[x.src[1][0]+int32(l)]
		}
		f := func(old uint64) uint64 { return w.atomicValue(op, i.bits, old, a, b) }
		var old uint64
		sp := x.space
		if sp == spGeneric {
			sp, at = resolve(at)
		}
		switch sp {
		case spBuffer:
			at = bufferOffset(at-i.imm, i.imm)
			if w.bytesAt(spBuffer, int(l), w.regs[i.b+int32(l)], at, n) != nil {
				w.note(spBuffer, int(l), at, n, emu.AccessAtomic)
				old = w.l.Env.Mem.Atomic(w.bufAddr+at, n, f)
			} else {
				w.beyond(x, spBuffer, l, w.regs[i.b+int32(l)])
			}
		case spGlobal:
			w.aligned(x, l, at, n)
			w.note(spGlobal, int(l), at, n, emu.AccessAtomic)
			old = w.l.Env.Mem.Atomic(at, n, f)
		default:
			at &= 0xffffffff
			if m := w.bytesAt(sp, int(l), 0, at, n); m != nil {
				w.note(sp, int(l), at, n, emu.AccessAtomic)
				old = emu.LoadBytes(m, n)
				emu.StoreBytes(m, n, f(old))
			}
		}
		w.regs[i.dst+int32(l)] = old
	}
}

// atomicOps are the ALU operations of the atomics that have one.
var atomicOps = lazy.Value[*[ir.AtomicDecWrap + 1]*optab.Op]{Make: func() *[ir.AtomicDecWrap + 1]*optab.Op {
	t := new([ir.AtomicDecWrap + 1]*optab.Op)
	for a, op := range map[ir.AtomicOp]ir.Op{ir.AtomicIAdd: ir.OpIadd, ir.AtomicIMin: ir.OpImin, ir.AtomicUMin: ir.OpUmin, ir.AtomicIMax: ir.OpImax,
		ir.AtomicUMax: ir.OpUmax, ir.AtomicIAnd: ir.OpIand, ir.AtomicIOr: ir.OpIor, ir.AtomicIXor: ir.OpIxor,
		ir.AtomicFAdd: ir.OpFadd, ir.AtomicFMin: ir.OpFmin, ir.AtomicFMax: ir.OpFmax} {
		t[a] = op.Info()
	}
	return t
}}

// atomicValue is what an atomic leaves in memory; b is the new value of a
// compare-exchange with a.
func (w *Wave) atomicValue(op ir.AtomicOp, bits uint8, old, a, b uint64) uint64 {
	switch op {
	case ir.AtomicXchg:
		return a
	case ir.AtomicCmpXchg:
		if old == a {
			return b
		}
		return old
	case ir.AtomicFCmpXchg:
		if ir.FloatValue(old, bits) == ir.FloatValue(a, bits) {
			return b
		}
		return old
	case ir.AtomicIncWrap:
		if old >= a {
			return 0
		}
		return old + 1
	case ir.AtomicDecWrap:
		if old == 0 || old > a {
			return a
		}
		return old - 1
	}
	return atomicOps.Get()[op].Eval(w.p.mode, bits, &[4]uint64{old, a})
}
