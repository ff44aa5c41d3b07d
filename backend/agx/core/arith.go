package core

import (
	"math"

	"nirc/backend/agx/isa"
)

// execAdd runs iadd (isub) and imadd (imsub).
func execAdd(w *wave, x *inst) error {
	mad := x.Op == isa.OpImadd
	add := 1 // the source that is negated and shifted
	if mad {
		add = 2
	}
	var lo, hi [3]*vec
	for i := 0; i < x.nsrc; i++ {
		lo[i] = w.ints(&x.s[i], &w.buf[2*i])
		hi[i] = w.high(&x.s[i], lo[i], &w.buf[2*i+1])
	}
	saturates := x.Flags&isa.Sat != 0 && x.Shift == 0 && x.d.bits <= 32 && x.s[add].bits <= 32 && (mad || x.s[0].bits <= 32)
	for i := range w.res {
		a := uint64(lo[0][i]) | uint64(hi[0][i])<<32
		b := uint64(lo[1][i]) | uint64(hi[1][i])<<32
		c := b
		if mad {
			c = uint64(lo[2][i]) | uint64(hi[2][i])<<32
		}
		if x.Flags&isa.Sub != 0 {
			c = -c
		}
		if x.Shift > 4 {
			c = 0
		}
		c <<= x.Shift
		var r uint64
		switch {
		case saturates && mad:
			r = clampTo(saturatingMul(a, b)+int64(c), x)
		case saturates:
			r = clampTo(int64(a)+int64(c), x)
		case mad:
			r = a*b + c
		default:
			r = a + c
		}
		w.res[i], w.res2[i] = uint32(r), uint32(r>>32)
	}
	w.put(x.d, &w.res)
	if x.d.bits == 64 {
		d := x.d
		d.num++
		w.put(d, &w.res2)
	}
	return nil
}

// saturatingMul multiplies two integers of 33 bits. Large products are cut to
// 62 bits: they are clamped to 32 anyway, whatever is added.
func saturatingMul(a, b uint64) int64 {
	p := a * b
	if int64(a) >= 0 && int64(b) >= 0 {
		return int64(min(p, 1<<62))
	}
	return min(max(int64(p), math.MinInt64/2), math.MaxInt64/2)
}

// clampTo clamps to the range of the destination, signed if any source has
// its sign flag.
func clampTo(v int64, x *inst) uint64 {
	n := uint(x.d.bits)
	lo, hi := int64(0), int64(1)<<n-1
	if x.signed {
		lo, hi = -int64(1)<<(n-1), int64(1)<<(n-1)-1
	}
	return uint64(min(max(v, lo), hi))
}
