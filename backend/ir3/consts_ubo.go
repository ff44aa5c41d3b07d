package ir3

import (
	"math/bits"

	"nirc/ir"
)

// uboPush collects the accesses to uniform buffers at constant offsets. Those
// parts are copied to the const file by the preamble
// (ir3.md §6.8 and 6.9), so that instructions read them directly.
type uboPush struct {
	bufs   []uboBuf
	ranges []uboRange
}

// uboBuf is one buffer: the vec4s of it that are read.
type uboBuf struct {
	set  int8
	slot uint32
	used []uint64
}

// uboRange is a run of vec4s of a buffer in the const file.
type uboRange struct {
	set   int8
	slot  uint32
	first uint32 // vec4 of the buffer
	n     uint32 // vec4s
	at    int    // scalar of the const file
}

// maxPushedVec4 bounds the part of a buffer that is looked at, and maxPushedSlot the descriptors, as the
// instruction that copies names them; maxUBORanges the copies of a shader.
const (
	maxPushedVec4 = 256
	maxPushedSlot = 256
	maxUBORanges  = 32
)

// constBuffer returns set and slot of a handle that is known at compile time.
func constBuffer(h *ir.Def) (set int8, slot uint32, ok bool) {
	if !h.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3) {
		return 0, 0, false
	}
	c, ok := h.Instr.Srcs[0].Def.Const(0)
	return int8(h.Instr.Get(ir.IdxDescSet)), uint32(c), ok
}

// note adds the bytes [off, off+n) of a buffer.
func (u *uboPush) note(set int8, slot, off, n uint32) {
	last := (uint64(off) + uint64(n) + 15) / 16
	if last > maxPushedVec4 || slot >= maxPushedSlot {
		return
	}
	var buf *uboBuf
	for i := range u.bufs {
		if u.bufs[i].set == set && u.bufs[i].slot == slot {
			buf = &u.bufs[i]
		}
	}
	if buf == nil {
		u.bufs = append(u.bufs, uboBuf{set: set, slot: slot})
		buf = &u.bufs[len(u.bufs)-1]
	}
	for v := uint64(off / 16); v < last; v++ {
		for uint64(len(buf.used)) <= v>>6 {
			buf.used = append(buf.used, 0)
		}
		buf.used[v>>6] |= 1 << (v & 63)
	}
}

// copyUnit is what copies to the const file count in, in vec4.
const copyUnit = 4

// layOut places the ranges from scalar at on as long as room (scalars) lasts,
// and returns the scalar after them. at is a whole number of units, and so are all ranges.
func (u *uboPush) layOut(at, room int) int {
	for i := range u.bufs {
		buf := &u.bufs[i]
		for v := buf.next(0); v >= 0; {
			if !faults.has(faultUnits) {
				v &^= copyUnit - 1
			}
			end := v + copyUnit
			for w := buf.next(end); w >= 0 && w < end+copyUnit; w = buf.next(end) {
				end += copyUnit
			}
			n := end - v
			if 4*n > room {
				n = room / (4 * copyUnit) * copyUnit
			}
			if n <= 0 || len(u.ranges) == maxUBORanges {
				return at
			}
			u.ranges = append(u.ranges, uboRange{set: buf.set, slot: buf.slot, first: uint32(v), n: uint32(n), at: at})
			at, room = at+4*n, room-4*n
			v = buf.next(end)
		}
	}
	return at
}

// next is the first vec4 in use from v on, or -1.
func (b *uboBuf) next(v int) int {
	for i := v >> 6; i < len(b.used); i++ {
		w := b.used[i]
		if i == v>>6 {
			w = w >> (v & 63) << (v & 63)
		}
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// find returns the scalar of the const file where a vec4 of a buffer stands.
func (u *uboPush) find(set int8, slot, vec4 uint32) (int, bool) {
	for i := range u.ranges {
		r := &u.ranges[i]
		if r.set == set && r.slot == slot && vec4-r.first < r.n {
			return r.at + 4*int(vec4-r.first), true
		}
	}
	return 0, false
}
