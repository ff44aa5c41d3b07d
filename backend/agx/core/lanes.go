package core

import (
	"math"

	"nirc/backend/agx/isa"
)

// execShuffle runs the simd_shuffle family as the hardware does it: each
// source quad forms one offset by OR of its four lanes' indices, active or
// not, and offers its values displaced by it (agx.md §5.8).
func execShuffle(w *wave, x *inst) error {
	a, b := w.ints(&x.s[0], &w.buf[0]), w.ints(&x.s[1], &w.buf[1])
	var off [lanes / 4]uint32
	for i, v := range b {
		off[i>>2] |= v & 3
	}
	for i := range w.res {
		from, k := int(b[i]), uint32(0)
		switch x.Op {
		case isa.OpSimdShuffle:
			from &^= 3
		case isa.OpSimdShuffleXor:
			from ^= i
		case isa.OpSimdShuffleUp:
			from = i - from
		case isa.OpSimdShuffleDown:
			from += i
		default: // rotate up
			from = (i - from) & (lanes - 1)
		}
		w.res[i] = a[i]
		if from < 0 || from >= lanes {
			continue
		}
		q := from >> 2
		switch x.Op {
		case isa.OpSimdShuffle:
			k = off[q]
		case isa.OpSimdShuffleXor:
			k = uint32(i) ^ off[q]
		case isa.OpSimdShuffleDown:
			k = uint32(i) + off[q]
		default:
			k = uint32(i) - off[q]
		}
		w.res[i] = a[q<<2|int(k&3)]
	}
	w.put(x.d, &w.res)
	return nil
}

// execQuadShuffle runs the quad_shuffle family: the same inside a quad.
// Lanes that would read outside their quad keep their own value.
func execQuadShuffle(w *wave, x *inst) error {
	a, b := w.ints(&x.s[0], &w.buf[0]), w.ints(&x.s[1], &w.buf[1])
	for i := range w.res {
		q := i &^ 3
		off := int(b[q]|b[q+1]|b[q+2]|b[q+3]) & 3
		k, n := i&3, int(b[i]&0xffff)
		inside := true
		switch x.Op {
		case isa.OpQuadShuffle:
			k, inside = off, n < 4
		case isa.OpQuadShuffleXor:
			inside = k^n < 4
			k ^= off
		case isa.OpQuadShuffleUp:
			inside = k >= n
			k -= off
		case isa.OpQuadShuffleDown:
			inside = k+n < 4
			k += off
		default: // rotate up
			k -= off
		}
		w.res[i] = a[i]
		if inside {
			w.res[i] = a[q|k&3]
		}
	}
	w.put(x.d, &w.res)
	return nil
}

// execReduce combines the active lanes of the group or quad in lane order:
// all, or those before each lane.
func execReduce(w *wave, x *inst) error {
	v := w.ints(&x.s[0], &w.buf[0])
	size := 4
	if x.Flags&isa.Simd != 0 {
		size = lanes
	}
	op, n := isa.ReduceOp(x.Mode), x.s[0].bits
	if n == 8 {
		n = x.d.bits // an immediate has the size of the result
	}
	for base := 0; base < lanes; base += size {
		acc := identity(op, n)
		for i := base; i < base+size; i++ {
			if w.exec>>i&1 != 0 {
				w.res[i] = acc
				acc = combine(op, n, acc, v[i])
			}
		}
		if x.Flags&isa.Prefix == 0 {
			for i := base; i < base+size; i++ {
				w.res[i] = acc
			}
		}
	}
	w.put(x.d, &w.res)
	return nil
}

// identity is what leaves the other operand alone, of n bits.
func identity(op isa.ReduceOp, n uint8) uint32 {
	top := uint32(1) << (n - 1)
	switch op {
	case isa.ReduceAnd, isa.ReduceUMin:
		return top<<1 - 1
	case isa.ReduceSMin:
		return top - 1
	case isa.ReduceSMax:
		return top
	case isa.ReduceFMul:
		return floatOf(1, n)
	case isa.ReduceFMin:
		return floatOf(math.Inf(1), n)
	case isa.ReduceFMax:
		return floatOf(math.Inf(-1), n)
	}
	return 0
}

func floatOf(f float64, n uint8) uint32 {
	if n == 16 {
		return round16(f)
	}
	return round32(f)
}

// combine applies a reduction to two values of n bits.
func combine(op isa.ReduceOp, n uint8, a, b uint32) uint32 {
	switch op {
	case isa.ReduceAnd:
		return a & b
	case isa.ReduceOr:
		return a | b
	case isa.ReduceXor:
		return a ^ b
	case isa.ReduceIAdd:
		return (a + b) & (1<<(n-1)<<1 - 1)
	case isa.ReduceUMin:
		return min(a, b)
	case isa.ReduceUMax:
		return max(a, b)
	case isa.ReduceSMin, isa.ReduceSMax:
		sh := 32 - uint(n)
		less := int32(a<<sh) < int32(b<<sh)
		if less == (op == isa.ReduceSMin) {
			return a
		}
		return b
	}
	return combineFloats(op, n, a, b)
}

func combineFloats(op isa.ReduceOp, n uint8, a, b uint32) uint32 {
	x, y := ftz(a), ftz(b)
	if n == 16 {
		x, y = halfToSingle(a), halfToSingle(b)
	}
	switch op {
	case isa.ReduceFAdd:
		if n == 16 {
			return add16(x, y, 0)
		}
		return add32(x, y, 0)
	case isa.ReduceFMul:
		if n == 16 {
			return mul16(x, y, 0)
		}
		return mul32(x, y, 0)
	}
	fx, fy := toF(x), toF(y)
	switch {
	case fx != fx:
		return b
	case fy != fy:
		return a
	case (fx < fy) == (op == isa.ReduceFMin):
		return a
	}
	return b
}

// execDeriv is the difference inside the quad, to the right or downwards.
func execDeriv(w *wave, x *inst) error {
	if x.Flags&isa.Kill != 0 {
		return errKill
	}
	v := w.floats(&x.s[0], &w.buf[0])
	step := 1
	if x.Op == isa.OpDfdy {
		step = 2
	}
	for i := range w.res {
		a, b := v[i&^step], v[i|step]
		w.res[i] = add32(b, a^1<<31, 0)
	}
	w.finishFloat(x, false)
	return nil
}
