package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

var errImages = errors.New("an image is accessed as a buffer")

// buffer is a resolved buffer descriptor.
type buffer struct {
	addr, size uint64
	tail       uint64 // bytes that are bound, after which to size anything may be read
	data       []byte // constant data instead of memory
	elem       uint32 // bytes an element of this slot has
	strict     bool   // an access out of bounds is an error
	missing    error  // an access at all is one: nothing is bound
}

type descCache struct {
	index uint32
	valid bool
	buf   buffer
}

// resolve finds the buffer of an index of a bindless set. Unbound slots
// give an empty buffer.
func (w *wave) resolve(base int, index uint32) (*buffer, error) {
	if base < 0 && index == abi.ConstDataUBO && len(w.p.meta.ConstData) > 0 {
		return &buffer{data: w.p.meta.ConstData, size: uint64(len(w.p.meta.ConstData)), elem: 4}, nil
	}
	if base < 0 || base > 7 {
		return nil, errors.New("the classic binding table holds constant data alone")
	}
	c := &w.cache[base]
	if c.valid && c.index == index {
		return &c.buf, nil
	}
	b, err := w.lookup(base, index)
	if err != nil {
		return nil, err
	}
	*c = descCache{index, true, b}
	return &c.buf, nil
}

func (w *wave) lookup(base int, index uint32) (buffer, error) {
	d, e, err := w.entry(base, index)
	if err != nil {
		return buffer{}, err
	}
	b := buffer{elem: 4}
	if _, part, _ := d.Element(index); int(part) < len(d.Views) {
		b.elem = uint32(d.Views[part])
	}
	switch x := w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element); x.Type {
	case emu.DescNone:
		b.missing = w.missing(&e)
		return b, nil
	case emu.DescUniformBuffer, emu.DescStorageBuffer, emu.DescAccelStruct:
		// Descriptors count elements; drivers round the bytes up.
		elem := uint64(max(b.elem, 1))
		b.addr, b.size, b.tail = x.Addr, (x.Size+elem-1)/elem*elem, x.Size
		if x.Type == emu.DescUniformBuffer { // counted in vec4
			b.size = (x.Size + 15) &^ 15
		}
		b.strict = w.check != nil && x.Type.Robust(&w.p.meta.Robust) == ir.RobustOff
		return b, nil
	}
	return buffer{}, errImages
}

// entry finds what the table of a set holds at an index, as the pipeline's layout says, and the
// binding of the metadata that the shader means by it: of several, for buffers and for images of some shapes, that which suits what
// is bound.
func (w *wave) entry(base int, index uint32) (*abi.Descriptor, layout.Entry, error) {
	e, ok := abi.Slots(w.p.meta.Gen).Lookup(w.l.Env.Layout, uint32(base), index)
	if !ok {
		return nil, e, fmt.Errorf("slot %d of descriptor set %d holds nothing by the pipeline's layout", index, base)
	}
	bound := w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element)
	var found *abi.Descriptor
	best := -1
	for i := range w.p.meta.Descriptors {
		d := &w.p.meta.Descriptors[i]
		if int(d.Base) != base {
			continue
		}
		if _, _, ok := d.Element(index); !ok {
			continue
		}
		if d.Set != e.Set || d.Binding != e.Binding {
			return nil, e, fmt.Errorf("slot %d of descriptor set %d holds binding %d of set %d by the pipeline's layout, the shader wants binding %d of set %d", index, base, e.Binding, e.Set, d.Binding, d.Set)
		}
		if n := suits(d, bound); n > best {
			found, best = d, n
		}
	}
	if found != nil {
		return found, e, nil
	}
	return nil, e, fmt.Errorf("slot %d of descriptor set %d belongs to no binding of the meta", index, base)
}

// suits is how well what is bound suits a row of the metadata.
func suits(d *abi.Descriptor, bound *emu.Descriptor) int {
	switch memory := bound.Type.InMemory(); {
	case (d.Kind == abi.Buffer) != memory:
		return 0
	case memory || d.Kind == abi.Sampler:
		return 1
	}
	return 1 + bound.Suits(d.View.Dim, d.View.Array)
}

// holds reports whether n bytes at an offset lie in a buffer. Where they do not, and the program
// promised that they do, that is noted; not of helpers, nor in preambles, which read ahead.
func (w *wave) holds(b *buffer, lane int, off uint64, n int) bool {
	if off <= b.size && uint64(n) <= b.size-off {
		return true
	}
	w.absent(lane, b.missing)
	if b.strict && !w.check.preamble && !w.helper.Get(lane) {
		w.beyond = fmt.Errorf("%d bytes at offset %#x of a buffer of %d bytes are out of bounds, and robust access was not asked for", n, off, b.size)
	}
	return false
}

// missing tells of a slot that nothing is bound to, of an array that has something elsewhere, in checking mode.
func (w *wave) missing(e *layout.Entry) error {
	if w.check == nil {
		return nil
	}
	return w.l.Env.Bindings.Missing(e.Set, e.Binding, e.Element, &w.p.meta.Robust)
}

// absent notes an access of a lane to what is missing; not of helpers, nor in preambles, which read ahead.
func (w *wave) absent(lane int, missing error) {
	if missing != nil && !w.check.preamble && !w.helper.Get(lane) {
		w.beyond = missing
	}
}

// reaches notes an access of a lane to a texture or an image that is missing.
func (w *wave) reaches(lane, base int, index uint32, res *emu.Descriptor) {
	if res.Type != emu.DescNone || w.check == nil {
		return
	}
	if _, e, err := w.entry(base, index); err == nil {
		w.absent(lane, w.missing(&e))
	}
}

// load reads n bytes at a byte offset for a lane; out of bounds gives 0.
func (w *wave) load(b *buffer, lane int, off uint64, n int) uint32 {
	if !w.holds(b, lane, off, n) {
		return 0
	}
	if b.data != nil {
		return uint32(emu.LoadBytes(b.data[off:], n))
	}
	if off+uint64(n) > b.tail {
		return w.l.Env.Mem.LoadWithin(b.addr, b.tail, off, n, w.garbage.Word())
	}
	return uint32(w.l.Env.Mem.Load(b.addr+off, n))
}

// loadOld is load through the texture cache, which does not see what the dispatch stores.
func (w *wave) loadOld(b *buffer, lane int, off uint64, n int) uint32 {
	if !w.holds(b, lane, off, n) {
		return 0
	}
	if b.data != nil {
		return w.load(b, lane, off, n)
	}
	return uint32(w.l.Env.Mem.LoadOld(b.addr+off, n))
}

func (w *wave) storeTo(b *buffer, lane int, off uint64, n int, v uint32) {
	if !w.holds(b, lane, off, n) || b.data != nil {
		return
	}
	w.storeDevice(lane, b.addr+off, n, uint64(v))
}

// loadTo loads n bytes at a byte offset into a register of a lane; out of bounds gives 0.
func (w *wave) loadTo(b *buffer, off uint64, n, reg, lane int, half bool) {
	if b.data != nil || !w.holds(b, lane, off, n) {
		w.laneSet(reg, lane, half, w.load(b, lane, off, n))
		return
	}
	w.note(spaceDevice, lane, b.addr+off, n, emu.AccessRead)
	w.lateLoad(lateRead{at: b.addr + off, reg: int16(reg), lane: uint8(lane), n: uint8(n), space: spaceDevice, half: half}, nil, isa.SY)
}

// index returns a lane's descriptor index of a category 6 instruction.
func (w *wave) index(o isa.Operand, lane int) uint32 {
	if o.Kind == isa.Imm {
		return uint32(o.Val)
	}
	return w.laneGet(int(o.Val), lane, false)
}

// memBytes is the size of a type in memory.
func memBytes(t isa.Type) int {
	switch t {
	case isa.F16, isa.U16, isa.S16:
		return 2
	case isa.U8, isa.U8x32:
		return 1
	}
	return 4
}

// active lanes that may have side effects.
func (w *wave) writers() emu.Mask { return andNot(w.exec, w.helper) }

// execLdib loads from a storage buffer: untyped in units of the type,
// typed one element of the descriptor's view.
func execLdib(w *wave, x *inst) error {
	if x.Flags&isa.Typed != 0 && w.isImage(x, 1) {
		return w.loadImage(x)
	}
	for lane := range w.exec.Lanes() {
		b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[1], lane))
		if err != nil {
			return err
		}
		at := uint64(w.laneGet(int(x.Srcs[0].Val), lane, false) + uint32(x.Off))
		if x.Flags&isa.Typed != 0 {
			w.loadTo(b, at*uint64(b.elem), int(b.elem), int(x.Dst.Val), lane, x.dst.half)
			continue
		}
		n := memBytes(x.Type)
		if err := w.fits(b, n); err != nil {
			return err
		}
		for k := 0; k < int(x.Size); k++ {
			w.loadTo(b, (at+uint64(k))*uint64(n), n, int(x.Dst.Val)+k, lane, x.dst.half)
		}
	}
	return nil
}

func execStib(w *wave, x *inst) error {
	if x.Flags&isa.Typed != 0 && w.isImage(x, 2) {
		return w.storeImage(x)
	}
	m := w.writers()
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[2], lane))
		if err != nil {
			return err
		}
		at := uint64(w.laneGet(int(x.Srcs[1].Val), lane, false) + uint32(x.Off))
		data, half := int(x.Srcs[0].Val), x.Srcs[0].IsHalf()
		if x.Flags&isa.Typed != 0 {
			w.storeTo(b, lane, at*uint64(b.elem), int(b.elem), w.laneGet(data, lane, half))
			continue
		}
		n := memBytes(x.Type)
		if err := w.fits(b, n); err != nil {
			return err
		}
		for k := 0; k < int(x.Size); k++ {
			w.storeTo(b, lane, (at+uint64(k))*uint64(n), n, w.laneGet(data+k, lane, half))
		}
	}
	return nil
}

// execLdc loads from a uniform buffer; offsets are in vec4.
func execLdc(w *wave, x *inst) error {
	if x.Dst.Val == isa.NoReg {
		return nil // a descriptor prefetch
	}
	shared := x.dst.kind == dstShared
	for lane := range w.exec.Lanes() {
		b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[1], lane))
		if err != nil {
			return err
		}
		off := uint64(w.index(x.Srcs[0], lane))*16 + uint64(x.Index)*4
		for k := 0; k < int(x.Size); k++ {
			w.laneSet(int(x.Dst.Val)+k, lane, false, w.load(b, lane, off+uint64(4*k), 4))
		}
		if shared {
			return nil
		}
	}
	return nil
}

// execLdcK copies vec4s of a uniform buffer to the const file at a1.x.
func execLdcK(w *wave, x *inst) error {
	lane := first(&w.exec)
	if lane < 0 {
		return nil
	}
	if w.check != nil && (w.a1%16 != 0 || w.index(x.Srcs[0], lane)%4 != 0) {
		return fmt.Errorf("const %d and vec4 %d are no multiples of 4 vec4", w.a1, w.index(x.Srcs[0], lane))
	}
	if x.Set == 0 {
		return w.copyDriver(x, lane)
	}
	b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[1], lane))
	if err != nil {
		return err
	}
	off := uint64(w.index(x.Srcs[0], lane)) * 16
	for k := 0; k < 4*int(x.Size); k++ {
		if err := w.constSet(int(w.a1)+k, w.load(b, lane, off+uint64(4*k), 4)); err != nil {
			return err
		}
	}
	return nil
}

// copyDriver copies from one of the driver's buffers.
func (w *wave) copyDriver(x *inst, lane int) error {
	for k := 0; k < 4*int(x.Size); k++ {
		v, err := w.driverWord(w.index(x.Srcs[1], lane), 4*int(w.index(x.Srcs[0], lane))+k)
		if err == nil {
			err = w.constSet(int(w.a1)+k, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *wave) constSet(n int, v uint32) error {
	if n < 0 || n >= len(w.consts) {
		return fmt.Errorf("a write to c[%d] is outside the %d consts of the meta", n, len(w.consts))
	}
	w.consts[n] = v
	return nil
}

// fits demands of an untyped access that the elements of the buffer's view are no larger than its own.
func (w *wave) fits(b *buffer, n int) error {
	if w.check != nil && b.elem != 0 && n < int(b.elem) {
		return fmt.Errorf("an access of %d bytes through a view of elements of %d", n, b.elem)
	}
	return nil
}

// execResinfo gives the size of a storage buffer in elements of its view.
func execResinfo(w *wave, x *inst) error {
	if x.Dst.Val == isa.NoReg {
		return nil
	}
	if w.isImage(x, 0) {
		return w.imageInfo(x)
	}
	for lane := range w.exec.Lanes() {
		b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[0], lane))
		if err != nil {
			return err
		}
		w.laneSet(int(x.Dst.Val), lane, x.dst.half, uint32(b.size/uint64(max(b.elem, 1))))
		w.laneSet(int(x.Dst.Val)+1, lane, x.dst.half, 1)
		w.laneSet(int(x.Dst.Val)+2, lane, x.dst.half, 1)
	}
	return nil
}

// execAtomicB is an atomic on a storage buffer; the data vector's first
// register receives the old value, the operands follow.
func execAtomicB(w *wave, x *inst) error {
	if x.Flags&isa.Typed != 0 && w.isImage(x, 2) {
		return w.atomicImage(x)
	}
	n, unit := 4, uint64(4)
	if x.Type == isa.U64 {
		n, unit = 8, 2 // that of the descriptor's format
	}
	m := w.writers()
	for lane := range w.exec.Lanes() {
		b, err := w.resolve(int(x.Set)-1, w.index(x.Srcs[2], lane))
		if err != nil {
			return err
		}
		off := uint64(w.laneGet(int(x.Srcs[1].Val), lane, false)) * unit
		data := int(x.Srcs[0].Val)
		op1, op2 := w.wide(data+n/4, lane, n), w.wide(data+n/2, lane, n)
		old := uint64(0)
		if m.Get(lane) && w.holds(b, lane, off, n) && b.data == nil {
			w.beforeAtomic(spaceDevice, b.addr+off, n)
			w.note(spaceDevice, lane, b.addr+off, n, x.atomicAccess())
			old = w.l.Env.Mem.Atomic(b.addr+off, n, func(v uint64) uint64 { return atomic(x.atomicOp(), x.Type, v, op1, op2) })
		}
		w.setWide(data, lane, n, old)
	}
	return nil
}

// wide reads a value of 4 or 8 bytes from full registers.
func (w *wave) wide(reg, lane, n int) uint64 {
	v := uint64(w.laneGet(reg, lane, false))
	if n == 8 {
		v |= uint64(w.laneGet(reg+1, lane, false)) << 32
	}
	return v
}

func (w *wave) setWide(reg, lane, n int, v uint64) {
	w.laneSet(reg, lane, false, uint32(v))
	if n == 8 {
		w.laneSet(reg+1, lane, false, uint32(v>>32))
	}
}

// atomicKind is the operation of an atomic, in the order of the opcodes.
type atomicKind int

const (
	atomicAdd atomicKind = iota
	atomicSub
	atomicXchg
	atomicInc
	atomicDec
	atomicCmpxchg
	atomicMin
	atomicMax
	atomicAnd
	atomicOr
	atomicXor
)

func (x *inst) atomicOp() atomicKind {
	switch {
	case x.Op >= isa.OpAtomicBAdd && x.Op <= isa.OpAtomicBXor:
		k := atomicKind(x.Op - isa.OpAtomicBAdd)
		if k >= atomicInc { // atomic.b has no inc and dec
			k += 2
		}
		return k
	case x.Op >= isa.OpAtomicGAdd && x.Op <= isa.OpAtomicGXor:
		return atomicKind(x.Op - isa.OpAtomicGAdd)
	}
	return atomicKind(x.Op - isa.OpAtomicLAdd)
}

// atomic computes the new value; a and b are the operands in the order of their
// registers, cmpxchg's new value and what it compares with.
func atomic(k atomicKind, t isa.Type, v, a, b uint64) uint64 {
	switch k {
	case atomicAdd:
		return v + a
	case atomicSub:
		return v - a
	case atomicXchg:
		return a
	case atomicInc:
		if v >= a {
			return 0
		}
		return v + 1
	case atomicDec:
		if v == 0 || v > a {
			return a
		}
		return v - 1
	case atomicCmpxchg:
		if v == b {
			return a
		}
		return v
	case atomicMin, atomicMax:
		less := v < a
		if t == isa.S32 {
			less = int32(v) < int32(a)
		}
		if less == (k == atomicMin) {
			return v
		}
		return a
	case atomicAnd:
		return v & a
	case atomicOr:
		return v | a
	}
	return v ^ a
}
