package core

import (
	"errors"
	"fmt"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// index64 is the index operand of a device memory instruction, shifted.
func (w *wave) index64(x *inst, o *isa.Operand, lane int) uint64 {
	v := w.value(o, lane)
	i := uint64(v)
	if o.Kind == isa.Imm || x.Flags&isa.Unsigned == 0 {
		i = uint64(int64(int32(v)))
	}
	if x.Format.Packed() {
		return i // they ignore the extra shift
	}
	return i << min(x.Shift, 2)
}

// load reads n bytes of device or driver memory.
func (w *wave) load(addr uint64, n int) uint32 {
	if addr>>48 != 0 {
		b := w.window(addr)
		if w.check != nil && w.fault == nil && len(b) < n && !w.faultsSoftly() {
			w.fault = beyond(addr)
		}
		return uint32(emu.LoadBytes(b, n))
	}
	w.reach(addr, n)
	return uint32(w.l.Env.Mem.Load(addr, n))
}

// beyond is what a load of the driver's memory does wrong that ends after what is there.
func beyond(addr uint64) error {
	if addr&^(1<<48-1) == abi.AttribAddr {
		return fmt.Errorf("a load of attribute slot %d beyond the end of its buffer", addr&(1<<48-1)>>40)
	}
	return fmt.Errorf("a load at %#x, where the driver has nothing", addr)
}

// hole is the end of the addresses where drivers map nothing: loads give 0 there and stores
// vanish (agx.md §7.1).
const hole = 1 << 36

// faultsSoftly reports whether loads give 0 where nothing is mapped: preambles may ask for that (agx.md §7.1).
func (w *wave) faultsSoftly() bool { return w.preamble && w.p.meta.SoftFaults }

// reach notes an access that hardware would fault on.
func (w *wave) reach(addr uint64, n int) {
	if w.check != nil && w.fault == nil && addr >= hole && !w.faultsSoftly() && !w.reachesMissing(addr) && w.l.Env.Mem.Bytes(addr, n) == nil {
		w.fault = fmt.Errorf("an access to %#x, where there is no memory", addr)
	}
}

// execDeviceLoad and the other loads put the elements that the mask names into
// consecutive registers.
func execDeviceLoad(w *wave, x *inst) error {
	if err := x.checkFormat(); err != nil {
		return err
	}
	size := uint64(x.Format.Size())
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		base := w.get64(&x.Srcs[0], lane)
		at := w.index64(x, &x.Srcs[1], lane)
		if x.Format.Packed() {
			w.tellDevice(x, (base+at*4)&^3, 4, lane, emu.AccessRead)
			w.unpackWord(x, lane, w.load((base+at*4)&^3, 4))
			continue
		}
		r := int(x.Dst.Val)
		for k := 0; k < 4; k++ {
			if x.Mask>>k&1 != 0 {
				a := (base + (at+uint64(k))*size) &^ (size - 1)
				if err := w.loaded(x, a, int(size), lane); err != nil {
					return err
				}
				w.tellDevice(x, a, int(size), lane, emu.AccessRead)
				v := w.load(a, int(size))
				w.set(r, x.Dst.Size, lane, fromMemory(x.Format, x.Dst.Size, k, v))
				r += int(x.Dst.Size) / 16
			}
		}
	}
	return nil
}

func execDeviceStore(w *wave, x *inst) error {
	if err := x.checkFormat(); err != nil {
		return err
	}
	size, exec := uint64(x.Format.Size()), w.storing()
	for lane := 0; lane < w.n; lane++ {
		if exec>>lane&1 == 0 {
			continue
		}
		base := w.get64(&x.Srcs[1], lane)
		at := w.index64(x, &x.Srcs[2], lane)
		if x.Format.Packed() {
			if err := w.store((base+at*4)&^3, 4, w.packWord(x, &x.Srcs[0], lane)); err != nil {
				return err
			}
			w.tellDevice(x, (base+at*4)&^3, 4, lane, emu.AccessWrite)
			continue
		}
		r := int(x.Srcs[0].Val)
		for k := 0; k < 4; k++ {
			if x.Mask>>k&1 != 0 {
				v := toMemory(x.Format, x.Srcs[0].Size, k, w.get(r, x.Srcs[0].Size, lane))
				a := (base + (at+uint64(k))*size) &^ (size - 1)
				if w.changes(a, int(size), v) {
					w.tellDevice(x, a, int(size), lane, emu.AccessWrite)
				}
				if err := w.store(a, int(size), v); err != nil {
					return err
				}
				w.stored(a, int(size), lane)
				r += int(x.Srcs[0].Size) / 16
			}
		}
	}
	return nil
}

// changes reports whether a store changes what is in memory: nobody could tell one that does not.
func (w *wave) changes(addr uint64, n int, v uint32) bool {
	return w.check == nil || addr>>48 != 0 || w.l.Env.Mem.Load(addr, n) != uint64(v)&(1<<(8*n)-1)
}

func (w *wave) store(addr uint64, n int, v uint32) error {
	if w.reachesMissing(addr) {
		return nil
	}
	if addr>>48 != 0 && addr < abi.AttribAddr || addr>>48 == 0 && addr >= abi.ImageAddr || addr >= abi.BiasAddr {
		return fmt.Errorf("a store to %#x, which is the driver's", addr)
	}
	if addr >= abi.StageAddr {
		if b := w.driver.bytes(addr); len(b) >= n {
			emu.StoreBytes(b, n, uint64(v))
		}
		return nil
	}
	w.reach(addr, n)
	w.l.Env.Mem.Store(addr, n, uint64(v))
	return nil
}

// execUniformStore is the preamble's way to leave results.
func execUniformStore(w *wave, x *inst) error {
	if !w.preamble {
		return errors.New("uniforms can only be stored in a preamble")
	}
	if x.Format != isa.FormatI16 || x.Srcs[0].Size != 16 {
		return fmt.Errorf("uniform_store of format %s is not supported, only of i16", x.Format)
	}
	at := int(x.Srcs[1].Val)
	if x.Srcs[1].Kind == isa.Reg {
		at = int(int32(w.get(at, 32, 0)))
	}
	n := x.Srcs[0].Halves()
	if at < 0 || at+n > 2*numUnis {
		return fmt.Errorf("uniform halves %d to %d do not exist", at, at+n-1)
	}
	if w.exec&1 == 0 {
		return nil
	}
	for i := 0; i < n; i++ {
		v, u := w.get(int(x.Srcs[0].Val)+i, 16, 0), &w.unis[(at+i)/2]
		if (at+i)&1 == 0 {
			*u = *u&0xffff0000 | v
		} else {
			*u = *u&0xffff | v<<16
		}
	}
	return nil
}

// atomicFn computes what an atomic operation leaves in memory.
func atomicFn(op isa.AtomicOp, old, v, compare uint32) uint32 {
	switch op {
	case isa.AtomicAdd:
		return old + v
	case isa.AtomicSub:
		return old - v
	case isa.AtomicXchg:
		return v
	case isa.AtomicCmpXchg:
		if old == compare {
			return v
		}
		return old
	case isa.AtomicUMin:
		return min(old, v)
	case isa.AtomicUMax:
		return max(old, v)
	case isa.AtomicIMin:
		return uint32(min(int32(old), int32(v)))
	case isa.AtomicIMax:
		return uint32(max(int32(old), int32(v)))
	case isa.AtomicAnd:
		return old & v
	case isa.AtomicOr:
		return old | v
	}
	return old ^ v
}

// atomicData reads the operand of an atomic: new value, and comparand, which only some have.
func (w *wave) atomicData(o *isa.Operand, lane int) (v, compare uint32) {
	return w.get(int(o.Val), 32, lane), w.get(int(o.Val)+2, 32, lane)
}

func execAtomic(w *wave, x *inst) error {
	if f, _ := x.Field("u5"); f>>1 != 1 {
		return errors.New("64-bit atomics are not supported")
	}
	op := isa.AtomicOp(x.Mode)
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		index := w.value(&x.Srcs[1], lane)
		off := uint64(index)
		if x.Srcs[1].Kind == isa.Imm || x.Flags&isa.Unsigned == 0 {
			off = uint64(int64(int32(index)))
		}
		addr := (w.get64(&x.Srcs[0], lane) + off<<2) &^ 3
		v, compare := w.atomicData(&x.Srcs[2], lane)
		f := func(o uint64) uint64 { return uint64(atomicFn(op, uint32(o), v, compare)) }
		var old uint64
		switch {
		case addr >= abi.ImageAddr && addr>>48 == 0:
			var err error
			if old, err = w.imageAtomic(x, lane, addr, f); err != nil {
				return err
			}
		case addr>>48 == 0:
			w.reach(addr, 4)
			w.tellDevice(x, addr, 4, lane, emu.AccessAtomic)
			old = w.l.Env.Mem.Atomic(addr, 4, f)
		default:
			return fmt.Errorf("an atomic at %#x, which is the driver's", addr)
		}
		if x.Dst.Kind == isa.Reg {
			w.set(int(x.Dst.Val), 32, lane, uint32(old))
		}
	}
	return nil
}

// groupAt is the byte address of a threadgroup memory instruction.
func (w *wave) groupAt(x *inst, base, index *isa.Operand, lane, size int) int {
	a, i := int(w.value(base, lane)), int(int32(w.value(index, lane)))
	return a + i*size
}

// group returns n bytes of workgroup memory, nil outside of it.
func (w *wave) group(at, n int) []byte {
	if s := w.l.Compute.Shared; at >= 0 && at+n <= len(s) {
		return s[at : at+n]
	}
	return nil
}

var errNoGroup = errors.New("there is no threadgroup memory in this stage")

func execGroupLoad(w *wave, x *inst) error { return w.groupAccess(x, &x.Dst, x.Srcs[0:2], false) }

func execGroupStore(w *wave, x *inst) error {
	return w.groupAccess(x, &x.Srcs[0], x.Srcs[1:3], true)
}

func (w *wave) groupAccess(x *inst, data *isa.Operand, at []isa.Operand, store bool) error {
	if w.p.meta.Stage != ir.StageCompute {
		return errNoGroup
	}
	if err := x.checkFormat(); err != nil {
		return err
	}
	if x.Format.Packed() {
		return fmt.Errorf("threadgroup memory of format %s is not supported", x.Format)
	}
	size := x.Format.Size()
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		a, r := w.groupAt(x, &at[0], &at[1], lane, size), int(data.Val)
		for k := 0; k < 4; k++ {
			if x.Mask>>k&1 == 0 {
				continue
			}
			b := w.group(a+k*size, size)
			if b == nil && w.check != nil {
				return fmt.Errorf("lane %d reaches byte %d of %d of threadgroup memory", lane, a+k*size, len(w.l.Compute.Shared))
			}
			if store {
				v := uint64(toMemory(x.Format, data.Size, k, w.get(r, data.Size, lane)))
				if emu.LoadBytes(b, size) != v&(1<<(8*size)-1) {
					w.tellGroup(a+k*size, size, lane, emu.AccessWrite)
				}
				emu.StoreBytes(b, size, v)
			} else {
				w.tellGroup(a+k*size, size, lane, emu.AccessRead)
				w.set(r, data.Size, lane, fromMemory(x.Format, data.Size, k, uint32(emu.LoadBytes(b, size))))
			}
			r += int(data.Size) / 16
		}
	}
	return nil
}

func execGroupAtomic(w *wave, x *inst) error {
	if w.p.meta.Stage != ir.StageCompute {
		return errNoGroup
	}
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		at := w.groupAt(x, &x.Srcs[0], &x.Srcs[1], lane, 4)
		w.tellGroup(at, 4, lane, emu.AccessAtomic)
		b := w.group(at, 4)
		v, compare := w.atomicData(&x.Srcs[2], lane)
		old := uint32(emu.LoadBytes(b, 4))
		emu.StoreBytes(b, 4, uint64(atomicFn(isa.AtomicOp(x.Mode), old, v, compare)))
		if x.Dst.Kind == isa.Reg {
			w.set(int(x.Dst.Val), x.Dst.Size, lane, old)
		}
	}
	return nil
}

// frame is one stack_adjust: where the frame starts, in words a lane.
type frame struct{ start, words int }

// maxStack is how many words a lane's stack can have: the scratch of the meta, which has
// what stack_adjust takes on top (agx.md §7.4).
func (p *program) maxStack() int {
	return int(max(p.meta.ScratchSize, p.meta.PreambleScratch)+3) / 4
}

// frameReserved is what a frame holds besides the bytes that the shader addresses.
const frameReserved = 40

// execStackAdjust opens a frame of v words, or closes the last one by -v.
func execStackAdjust(w *wave, x *inst) error {
	v := int(int32(x.Imm))
	switch k := len(w.frames); {
	case v > 0 && w.stackTop+v > w.p.maxStack():
		return fmt.Errorf("%d words of stack, but the meta says %d bytes of scratch", w.stackTop+v, w.p.meta.ScratchSize)
	case v > 0:
		w.frames = append(w.frames, frame{w.stackTop, v})
		w.stackTop += v
	case v < 0 && k > 0 && w.frames[k-1].words == -v:
		w.frames = w.frames[:k-1]
		w.stackTop += v
	case v != 0:
		return fmt.Errorf("stack_adjust %d does not fit the %d words on the stack", v, w.stackTop)
	}
	w.growStack(w.stackTop * 4 * w.n)
	return nil
}

func execStackLoad(w *wave, x *inst) error  { return w.stackAccess(x, &x.Dst, &x.Srcs[0], false) }
func execStackStore(w *wave, x *inst) error { return w.stackAccess(x, &x.Srcs[0], &x.Srcs[1], true) }

// stackAccess moves data between registers and the frame. Words of the lanes
// are interleaved, so that growing the stack moves nothing.
func (w *wave) stackAccess(x *inst, data, index *isa.Operand, store bool) error {
	if len(w.frames) == 0 {
		return errors.New("the stack is used before stack_adjust")
	}
	switch x.Format {
	case isa.FormatI8, isa.FormatI16, isa.FormatI32:
	default:
		return fmt.Errorf("stack memory of format %s is not supported", x.Format)
	}
	if err := x.checkFormat(); err != nil {
		return err
	}
	f, size := w.frames[len(w.frames)-1], x.Format.Size()
	limit := f.words * 4
	if w.check != nil {
		limit -= frameReserved
	}
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		at, r := int(int32(w.value(index, lane))), int(data.Val)
		for k := 0; k < 4; k++ {
			if x.Mask>>k&1 == 0 {
				continue
			}
			a := at + k*size
			if a < 0 || a+size > limit || a&(size-1) != 0 {
				return fmt.Errorf("lane %d reaches byte %d of a frame of %d", lane, a, limit)
			}
			b := w.stack[((f.start+a/4)*w.n+lane)*4+a&3:]
			if store {
				emu.StoreBytes(b, size, uint64(w.get(r, data.Size, lane)))
			} else {
				w.set(r, data.Size, lane, uint32(emu.LoadBytes(b, size)))
			}
			r += int(data.Size) / 16
		}
	}
	return nil
}
