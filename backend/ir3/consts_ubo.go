package ir3

import (
	"math/bits"

	"nirc/backend"
	"nirc/ir"
)

// uboPush collects the accesses to uniform buffers at constant offsets, and to elements of arrays. Those
// parts are copied to the const file by the preamble (ir3.md §6.8 and 6.9), so that instructions read them
// directly, or relative to a0.x.
type uboPush struct {
	bufs   []uboBuf
	ranges []uboRange
	arrays []uboArray
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

// uboArray is an array that fibers choose elements from, not placed yet, and how often they do.
type uboArray struct {
	uboRange
	reads uint32
}

// arrayWorth is how many vec4 may be copied to the const file for each read relative to a0.x. A load
// by fibers takes a slow unit little more time than a copy.
const arrayWorth = 2

// maxPushedVec4 bounds the part of a buffer that is looked at, and maxPushedSlot the descriptors, as the
// instruction that copies names them; maxUBORanges the copies of a shader.
const (
	maxPushedVec4 = 256
	maxPushedSlot = 256
	maxUBORanges  = 32
	maxArrayBytes = 16 * maxPushedVec4
)

// constBuffer returns set and slot of a handle that is known at compile time.
func constBuffer(h *ir.Def) (set int8, slot uint32, ok bool) {
	if !h.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3) {
		return 0, 0, false
	}
	c, ok := h.Instr.Srcs[0].Def.Const(0)
	return int8(h.Instr.Get(ir.IdxDescSet)), uint32(c), ok
}

// note adds a vec4 of a buffer.
func (u *uboPush) note(set int8, slot, vec4 uint32) {
	if vec4 < maxPushedVec4 && slot < maxPushedSlot {
		u.buffer(set, slot).use(uint64(vec4))
	}
}

// noteArray adds reads of a part of a buffer by a variable index: all or none of it can be in the const file. Parts that
// overlap, such as the columns of matrices, are one.
func (u *uboPush) noteArray(a uboArray) {
	if a.slot >= maxPushedSlot {
		return
	}
	kept := u.arrays[:0]
	for _, b := range u.arrays {
		if a.set != b.set || a.slot != b.slot || a.first >= b.first+b.n || b.first >= a.first+a.n {
			kept = append(kept, b)
			continue
		}
		end := max(a.first+a.n, b.first+b.n)
		a.first = min(a.first, b.first)
		a.n, a.reads = end-a.first, a.reads+b.reads
	}
	u.arrays = append(kept, a)
}

// buffer returns the buffer of a descriptor, the one noted before if there is one.
func (u *uboPush) buffer(set int8, slot uint32) *uboBuf {
	for i := range u.bufs {
		if u.bufs[i].set == set && u.bufs[i].slot == slot {
			return &u.bufs[i]
		}
	}
	u.bufs = append(u.bufs, uboBuf{set: set, slot: slot})
	return &u.bufs[len(u.bufs)-1]
}

// use notes that a vec4 is read.
func (b *uboBuf) use(v uint64) {
	for uint64(len(b.used)) <= v>>6 {
		b.used = append(b.used, 0)
	}
	b.used[v>>6] |= 1 << (v & 63)
}

// addArrays adds the arrays that room (scalars) is left for beside what is read at constant offsets.
func (u *uboPush) addArrays(room int) {
	for i := range u.bufs {
		for v := u.bufs[i].next(0); v >= 0; v = u.bufs[i].next(v/copyUnit*copyUnit + copyUnit) {
			room -= 4 * copyUnit
		}
	}
	for i := range u.arrays {
		a := &u.arrays[i]
		if a.n > arrayWorth*a.reads {
			continue
		}
		// Whole units, and one more where the array does not begin with one.
		take := 4 * backend.AlignUp(int(a.n)+int(a.first%copyUnit), copyUnit)
		if take > room {
			continue
		}
		room -= take
		buf := u.buffer(a.set, a.slot)
		for v := range a.n {
			buf.use(uint64(a.first + v))
		}
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

// findArray returns the scalar of the const file where n vec4s of a buffer stand side by side.
func (u *uboPush) findArray(set int8, slot, first, n uint32) (int, bool) {
	for i := range u.ranges {
		r := &u.ranges[i]
		if r.set == set && r.slot == slot && first-r.first < r.n && first+n <= r.first+r.n {
			return r.at + 4*int(first-r.first), true
		}
	}
	return 0, false
}

// holds reports whether a load of a unit reads the const file only.
func (u *uboPush) holds(in *ir.Instr) bool {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	unit, known := in.Srcs[1].Def.Const(0)
	if ok && known {
		_, ok = u.find(set, slot, uint32(unit+in.Get(ir.IdxBase)))
	}
	return ok && known
}
