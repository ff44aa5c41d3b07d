package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// address is a lane's address of ldg and stg; off is the offset register's
// operand index.
func (w *wave) address(x *inst, offSrc, lane int) uint64 {
	var a uint64
	if s := x.Srcs[0]; s.Kind == isa.Const {
		a = uint64(w.constGet(int(s.Val), &src{})) | uint64(w.constGet(int(s.Val)+1, &src{}))<<32
	} else {
		a = uint64(w.laneGet(int(s.Val), lane, false)) | uint64(w.laneGet(int(s.Val)+1, lane, false))<<32
	}
	switch x.Op {
	case isa.OpLdgA6, isa.OpStgA6:
		o := uint64(w.laneGet(int(x.Srcs[offSrc].Val), lane, false))
		if x.Shift == 0 {
			return a + (o+uint64(x.Off))<<2
		}
		return a + o<<(x.Shift+2) + uint64(x.Off)<<2
	case isa.OpLdgA7, isa.OpStgA7:
		return a + uint64(w.laneGet(int(x.Srcs[offSrc].Val), lane, false)) + uint64(x.Off)
	}
	return a + uint64(int64(x.Off))
}

func execLdg(w *wave, x *inst) error {
	n := memBytes(x.Type)
	for lane := range w.exec.Lanes() {
		a := w.address(x, 1, lane)
		for k := 0; k < int(x.Size); k++ {
			w.loadGlobal(a+uint64(k*n), n, int(x.Dst.Val)+k, lane, x.dst.half)
		}
	}
	return nil
}

func execStg(w *wave, x *inst) error {
	n := memBytes(x.Type)
	m := w.writers()
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		a := w.address(x, 2, lane)
		for k := 0; k < int(x.Size); k++ {
			w.storeGlobal(lane, a+uint64(k*n), n, uint64(w.laneGet(int(x.Srcs[1].Val)+k, lane, x.Srcs[1].IsHalf())))
		}
	}
	return nil
}

// constTarget is the const number of a ConstDst or ConstA1 operand.
func (w *wave) constTarget(o isa.Operand) int {
	if o.Kind == isa.ConstA1 {
		return int(o.Val) + int(w.a1)
	}
	return int(o.Val)
}

func execLdgK(w *wave, x *inst) error {
	lane := first(&w.exec)
	if lane < 0 {
		return nil
	}
	a := w.address(x, 1, lane)
	for k := 0; k < int(x.Size); k++ {
		if err := w.constSet(w.constTarget(x.Dst)+k, uint32(w.l.Env.Mem.Load(a+uint64(4*k), 4))); err != nil {
			return err
		}
	}
	return nil
}

// execStc stores to the const file; 16-bit data are packed from the low half
// of the first const upward.
func execStc(w *wave, x *inst) error {
	lane := first(&w.exec)
	if lane < 0 {
		return nil
	}
	at := w.constTarget(x.Dst)
	for k := 0; k < int(x.Size); k++ {
		v := w.laneGet(int(x.Srcs[0].Val)+k, lane, x.Srcs[0].IsHalf())
		n := at + k
		if x.Type.Half() {
			n = at + k/2
			old := w.constGet(n, &src{})
			sh := k % 2 * 16
			v = old&^(0xffff<<sh) | v&0xffff<<sh
		}
		if err := w.constSet(n, v); err != nil {
			return err
		}
	}
	return nil
}

// execStsc copies push constants to the const file.
func execStsc(w *wave, x *inst) error {
	for k := 0; k < int(x.Size); k++ {
		if err := w.constSet(int(x.Dst.Val)+k, w.pushWord(int(x.Srcs[0].Val)+k)); err != nil {
			return err
		}
	}
	return nil
}

// sharedMem is the workgroup's memory, or that between the stages of the
// geometry pipeline; other stages have none.
func (w *wave) sharedMem() ([]byte, error) {
	if w.chain != nil && w.chain.local != nil {
		return w.chain.local, nil
	}
	if w.l.Compute == nil {
		return nil, errors.New("local memory exists in compute shaders and between the stages of the geometry pipeline only")
	}
	return w.l.Compute.Shared, nil
}

// changes reports whether a store of v to the n bytes b, which are nil where there are none, changes
// them: one that does not is none that others could tell.
func (w *wave) changes(b []byte, n int, v uint64) bool {
	return b != nil && w.races.On() && emu.LoadBytes(b, n) != v&(1<<(8*n)-1)
}

func within(mem []byte, at uint32, n int) []byte {
	if uint64(at)+uint64(n) > uint64(len(mem)) {
		return nil
	}
	return mem[at:]
}

func execLdl(w *wave, x *inst) error {
	mem, err := w.sharedMem()
	if err != nil {
		return err
	}
	n := memBytes(x.Type)
	for lane := range w.exec.Lanes() {
		a := w.laneGet(int(x.Srcs[0].Val), lane, false) + uint32(x.Off)
		for k := 0; k < int(x.Size); k++ {
			w.note(spaceLocal, lane, uint64(a)+uint64(k*n), n, emu.AccessRead)
			w.lateLoad(lateRead{at: uint64(a + uint32(k*n)), reg: int16(int(x.Dst.Val) + k), lane: uint8(lane), n: uint8(n), space: spaceLocal, half: x.dst.half}, mem, isa.SS)
		}
	}
	return nil
}

func execStl(w *wave, x *inst) error {
	mem, err := w.sharedMem()
	if err != nil {
		return err
	}
	n := memBytes(x.Type)
	m := w.writers()
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		a := w.laneGet(int(x.Srcs[0].Val), lane, false) + uint32(x.Off)
		for k := 0; k < int(x.Size); k++ {
			at, v := uint64(a+uint32(k*n)), uint64(w.laneGet(int(x.Srcs[1].Val)+k, lane, x.Srcs[1].IsHalf()))
			if w.changes(within(mem, uint32(at), n), n, v) {
				w.note(spaceLocal, lane, at, n, emu.AccessWrite)
			}
			w.lateStore(spaceLocal, at, n, v, mem)
		}
	}
	return nil
}

// privateMem is where component k, of n bytes, of an access of a lane's private memory at byte
// off lies (ir3.md §6.11); nil outside of it. In the layout by waves the words of a fiber stand
// apart, but those of one access follow each other all the same.
func (w *wave) privateMem(lane int, off uint32, k, n int) ([]byte, error) {
	size := int(w.p.meta.PrivateSize)
	if size == 0 {
		return nil, fmt.Errorf("private memory is used, but the meta says 0 bytes")
	}
	if w.private == nil {
		w.private = make([]byte, size*w.size)
		w.garbage.Mark("private memory, byte", 0, 0)
		w.garbage.Fill(w.private)
	}
	if w.p.meta.PrivatePerFiber {
		return within(w.private[lane*size:lane*size+size], off+uint32(k*n), n), nil
	}
	if uint64(off)+uint64(n) > uint64(size) {
		return nil, nil
	}
	return within(w.private, off/4*uint32(4*w.size)+uint32(4*lane)+off%4+uint32(k*n), n), nil
}

func execLdp(w *wave, x *inst) error {
	n := memBytes(x.Type)
	for lane := range w.exec.Lanes() {
		a := w.laneGet(int(x.Srcs[0].Val), lane, false) + uint32(x.Off)
		for k := 0; k < int(x.Size); k++ {
			mem, err := w.privateMem(lane, a, k, n)
			if err != nil {
				return err
			}
			w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, uint32(emu.LoadBytes(mem, n)))
		}
	}
	return nil
}

func execStp(w *wave, x *inst) error {
	n := memBytes(x.Type)
	for lane := range w.exec.Lanes() {
		a := w.laneGet(int(x.Srcs[0].Val), lane, false) + uint32(x.Off)
		for k := 0; k < int(x.Size); k++ {
			mem, err := w.privateMem(lane, a, k, n)
			if err != nil {
				return err
			}
			emu.StoreBytes(mem, n, uint64(w.laneGet(int(x.Srcs[1].Val)+k, lane, x.Srcs[1].IsHalf())))
		}
	}
	return nil
}

// operandValue is a lane's value of a register or immediate operand.
func (w *wave) operandValue(o isa.Operand, lane, n int) uint64 {
	if o.Kind == isa.Imm {
		return uint64(o.Val)
	}
	return w.wide(int(o.Val), lane, n)
}

func execAtomicL(w *wave, x *inst) error {
	mem, err := w.sharedMem()
	if err != nil {
		return err
	}
	m := w.writers()
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		at := w.operandValue(x.Srcs[0], lane, 4)
		w.beforeAtomic(spaceLocal, at, 4)
		w.note(spaceLocal, lane, at, 4, emu.AccessAtomic)
		cell := within(mem, uint32(at), 4)
		old := emu.LoadBytes(cell, 4)
		a := w.operandValue(x.Srcs[1], lane, 4)
		b := uint64(0)
		if x.Op == isa.OpAtomicLCmpxchg {
			b = w.wide(int(x.Srcs[1].Val)+1, lane, 4)
		}
		emu.StoreBytes(cell, 4, atomic(x.atomicOp(), x.Type, old, a, b))
		w.laneSet(int(x.Dst.Val), lane, false, uint32(old))
	}
	return nil
}

func execAtomicG(w *wave, x *inst) error {
	n := 4
	if x.Type == isa.U64 {
		n = 8
	}
	m := w.writers()
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		a := w.operandValue(x.Srcs[1], lane, n)
		b := uint64(0)
		if x.Op == isa.OpAtomicGCmpxchg {
			b = w.wide(int(x.Srcs[1].Val)+n/4, lane, n)
		}
		at := w.wide(int(x.Srcs[0].Val), lane, 8)
		w.beforeAtomic(spaceDevice, at, n)
		w.note(spaceDevice, lane, at, n, emu.AccessAtomic)
		old := w.l.Env.Mem.Atomic(at, n, func(v uint64) uint64 {
			return atomic(x.atomicOp(), x.Type, v, a, b)
		})
		w.setWide(int(x.Dst.Val), lane, n, old)
	}
	return nil
}

// execGetID gives the fiber number; the wave slot and processor are 0.
func execGetID(w *wave, x *inst) error {
	for lane := range w.exec.Lanes() {
		v := 0
		if x.Op == isa.OpGetfiberid {
			v = lane
		}
		w.laneSet(int(x.Dst.Val), lane, x.dst.half, uint32(v))
	}
	return nil
}

// execShfl moves data between fibers by a wave-uniform amount. A fiber whose source is not
// active, or is not there, keeps what it has (ir3.md §3.8).
func execShfl(w *wave, x *inst) error {
	f := first(&w.exec)
	if f < 0 {
		return nil
	}
	by := int(uint32(w.operandValue(x.Srcs[1], f, 4)))
	half := x.Srcs[0].IsHalf()
	var from emu.Mask
	for lane := range w.exec.Lanes() {
		if n := int(uint32(w.operandValue(x.Srcs[1], lane, 4))); n != by && w.check != nil {
			return fmt.Errorf("fibers %d and %d shuffle by different amounts, %d and %d", f, lane, by, n)
		}
		if k := shflFrom(x.Op, lane, by, w.size); k >= 0 && k < w.n && w.exec.Get(k) {
			w.res[lane] = w.laneGet(int(x.Srcs[0].Val), k, half)
			from.Set(lane)
		}
	}
	return w.storeOnly(from, x, 0)
}

// storeOnly writes component k of the result of some of the active fibers.
func (w *wave) storeOnly(m emu.Mask, x *inst, k int) error {
	exec, full := w.exec, w.full
	w.exec, w.full = m, m == w.all
	err := w.store(&x.dst, k, 0, w.n, w.res[:])
	w.exec, w.full = exec, full
	return err
}

func shflFrom(o isa.Op, lane, by, size int) int {
	by &= size - 1
	switch o {
	case isa.OpShflXor:
		return lane ^ by
	case isa.OpShflUp:
		return lane - by
	case isa.OpShflDown:
		return lane + by
	case isa.OpShflRup:
		return (lane - by) & (size - 1)
	}
	return (lane + by) & (size - 1)
}
