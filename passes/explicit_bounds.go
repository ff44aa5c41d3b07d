package passes

import (
	"math"

	"nirc/ir"
	"nirc/passes/analysis"
)

// room says how far the byte offset of an address is from wrapping around. Where buffers are robust, an
// offset must not come back into bounds from beyond 32 bits: indices are held to what does not,
// and their sums to the end.
type room struct {
	bounded bool   // the offset must not wrap around
	fixed   bool   // the offset is a constant
	lost    bool   // the offset is out of any bounds, whatever is added
	left    uint32 // what may be added to the largest offset
	back    uint32 // what constants have taken away
}

// lostOffset is an offset out of any bounds, with room for the bytes of a vector.
const lostOffset = math.MaxUint32 &^ 15

// maxBoundedStride is the largest element, and half the largest constant offset, that offsets of 32
// bits leave enough room for.
const maxBoundedStride = 1 << 30

// roomOf is the room of a pointer to a buffer.
func roomOf(ptr *ir.Def, r ir.Robustness) room {
	if r == ir.RobustOff {
		return room{}
	}
	if ptr.Instr.IsIntrinsic(ir.IntrLoadVulkanDescriptor) {
		return room{bounded: true, fixed: true, left: math.MaxUint32}
	}
	return room{bounded: true}
}

// lose moves the address out of bounds.
func (e *explicitIO) lose(a *address) {
	a.off, a.mul, a.offset = e.b.Imm32(lostOffset), 0, 0
	a.room.lost, a.room.left = true, 0
}

// maxBack is how far constants lead back, all together: below zero, the offset wraps around to where no buffer reaches.
const maxBack = 1 << 31

// addConstBounded adds a constant.
func (e *explicitIO) addConstBounded(a *address, n int64) {
	switch r := &a.room; {
	case r.lost:
	case n < int64(r.back)-maxBack || n > math.MaxUint32-1<<20:
		e.lose(a)
	case n <= int64(r.left):
		a.off = e.b.IAddImm(a.off, n)
		r.left -= uint32(max(n, 0))
		r.back += uint32(max(-n, 0))
	default:
		// The largest offset of a's alignment that n can be added to.
		a.mul = min(a.mul, 1<<16)
		end := uint32(math.MaxUint32 - n)
		if a.mul != 0 {
			end = end&^(a.mul-1) - a.mul + a.offset&(a.mul-1)
		}
		a.off = e.b.IAddImm(e.b.Umin(a.off, e.b.Imm32(end)), n)
		r.left = math.MaxUint32 - end - uint32(n)
	}
}

// addIndexBounded adds an index times stride. An index counts as unsigned: one below zero is out of bounds.
func (e *explicitIO) addIndexBounded(a *address, index *ir.Def, stride uint32) {
	r := &a.room
	if r.lost || stride == 0 {
		return
	}
	if stride > maxBoundedStride {
		e.refuse(index.Instr, "with robust buffers, an index into elements of %d bytes is not supported: offsets of 32 bits are tested", stride)
		return
	}
	a.strided(stride)
	most := analysis.UintMax(index, 0)
	if most <= uint64(r.left/stride) { // no index is too large
		a.off = e.b.Iadd(a.off, e.b.IMulImm(index, int64(stride)))
		r.left -= uint32(most) * stride
		r.fixed = false
		return
	}
	if left := r.left; r.fixed && left > math.MaxUint32-maxBoundedStride {
		last := left/stride - 1 // an element of room remains for what is added to it
		a.off = e.b.Iadd(a.off, e.b.IMulImm(e.b.Umin(index, e.b.Imm32(last)), int64(stride)))
		r.fixed, r.left = false, left-last*stride
		return
	}
	a.off = e.addSaturated(a, index, stride)
}

// addSaturated returns the offset of a plus index times stride, or the largest of its alignment, after
// which an element has room.
func (e *explicitIO) addSaturated(a *address, index *ir.Def, stride uint32) *ir.Def {
	last := math.MaxUint32/stride - 1
	step := e.b.IMulImm(e.b.Umin(index, e.b.Imm32(last)), int64(stride))
	end := last*stride + a.offset
	a.room.fixed, a.room.left = false, math.MaxUint32-end
	return e.b.Iadd(step, e.b.Umin(a.off, e.b.Isub(e.b.Imm32(end), step)))
}

// addStepBounded moves a pointer by elements, forward or back.
func (e *explicitIO) addStepBounded(a *address, index *ir.Def, stride uint32) {
	if _, ok := index.Const(0); ok || analysis.UintMax(index, 0) < 1<<31 || stride == 0 || stride > maxBoundedStride || a.room.lost {
		e.addIndex(a, index, stride, anyElement)
		return
	}
	a.strided(stride)
	from := a.off
	forth := e.addSaturated(a, index, stride)
	back := e.b.IMulImm(e.b.Umin(e.b.Ineg(index), e.b.Imm32(math.MaxUint32/stride-1)), int64(stride))
	end := e.b.Imm32(math.MaxUint32 - a.room.left)
	below := e.b.Bcsel(e.b.Uge(from, back), e.b.Isub(from, back), end)
	a.off = e.b.Bcsel(e.b.Ilt(index, e.b.Imm32(0)), below, forth)
}

// part is the offset of what lies delta bytes after an address.
func (e *explicitIO) part(a *address, delta uint32) *ir.Def {
	if !a.room.bounded {
		return e.b.IAddImm(a.off, int64(delta))
	}
	at := *a
	e.addConstBounded(&at, int64(delta))
	return at.off
}
