package core

import (
	"math"
	"math/bits"

	"nirc/backend/midgard/isa"
)

// eval computes the result of an instruction from the thread's registers.
func (x *inst) eval(t *thread) (res [2]uint64) {
	if x.quick != quickNone && (t.flush&flushSingle == 0 || !x.arith) {
		return x.evalQuick(t)
	}
	if x.quick != quickNone && !x.readsDenormals(t) {
		return x.zeros(x.evalQuick(t))
	}
	if x.reduces() {
		x.put(&res, 0, x.reduce(t))
		for k := 1; k < x.nout; k++ {
			x.put(&res, k, element(&res, x.off[0], x.dstBits))
		}
		return res
	}
	for k := range x.nout {
		a, b := x.read(t, 0, k), x.read(t, 1, k)
		var v uint64
		switch x.shape {
		case shapeSelect:
			c := element(&t.file[fileCond], x.lane[k]*uint8(x.bits/8), x.bits)
			v = c&a | ^c&b
		case shapeSelectW:
			c := uint64(int64(int32(t.file[fileCond][1] >> 32)))
			v = (c&a | ^c&b) & mask(x.bits)
		default:
			v = x.lane0(t, a, b)
		}
		x.put(&res, k, x.result(t, v))
	}
	return res
}

// lane0 computes one lane, as hardware of the thread's seed may.
func (x *inst) lane0(t *thread, a, b uint64) uint64 {
	if x.approx != nil && t.approx != 0 {
		return fromF(x.bits, isa.RoundE, x.approx.At(t.approx, x.bits, toF(x.bits, a)), 0)
	}
	if t.counts && x.op == isa.OpIpopcnt {
		return byteCounts(a)
	}
	return x.fn(x.bits, x.round, a, b)
}

// byteCounts counts the one bits of each byte in its place.
func byteCounts(a uint64) (v uint64) {
	for i := 0; i < 64; i += 8 {
		v |= uint64(bits.OnesCount8(uint8(a>>i))) << i
	}
	return v
}

func (x *inst) put(res *[2]uint64, k int, v uint64) {
	res[x.off[k]>>3&1] |= (v & mask(x.dstBits)) << (x.off[k] & 7 * 8)
}

// reduce makes the one result of a reduction.
func (x *inst) reduce(t *thread) uint64 {
	n := x.bits
	switch x.shape {
	case shapeDot:
		var sum uint64
		for k := range x.n {
			p := aluFns.Get()[isa.OpFmul](n, isa.RoundE, x.read(t, 0, k), x.read(t, 1, k))
			if k == 0 {
				sum = p
			} else {
				sum = aluFns.Get()[isa.OpFadd](n, isa.RoundE, sum, p)
			}
		}
		return x.result(t, sum)
	case shapeFma:
		a, b := toF(n, x.read(t, 0, 0)), toF(n, x.read(t, 0, 1))
		c := toF(n, x.read(t, 1, 0))
		if n == 64 {
			return x.result(t, fromF(n, x.round, math.FMA(a, b, c), 0))
		}
		v, err := twoSum(a*b, c) // the product of 32-bit floats is exact
		return x.result(t, fromF(n, x.round, v, err))
	}
	any, all := false, true
	for k := range x.n {
		c := x.fn(n, x.round, x.read(t, 0, k), x.read(t, 1, k)) != 0
		any, all = any || c, all && c
	}
	if x.shape == shapeAll {
		return x.output(truth(n, all))
	}
	return x.output(truth(n, any))
}

// output applies the output modifier and narrows the result.
func (x *inst) output(v uint64) uint64 {
	if x.float {
		if x.out != isa.OutNone {
			v = x.clamp(v)
		}
		if x.shrink {
			v = fromF(x.dstBits, x.round, toF(x.bits, v), 0)
		}
		return v
	}
	if !x.shrink {
		return v
	}
	n := x.dstBits
	s := sx(x.bits, v)
	switch x.out {
	case isa.OutSsat:
		top := int64(mask(n - 1))
		if x.op.Is(isa.Unsigned) && v > uint64(top) {
			s = top
		}
		return uint64(max(min(s, top), -top-1))
	case isa.OutUsat:
		if x.op.Is(isa.Unsigned) {
			return min(v, mask(n))
		}
		return uint64(max(min(s, int64(mask(n))), 0))
	case isa.OutKeepHigh:
		return v >> n
	}
	return v
}

func (x *inst) clamp(v uint64) uint64 {
	f := toF(x.bits, v)
	lo, hi := 0.0, math.Inf(1)
	switch x.out {
	case isa.OutSigned1:
		lo, hi = -1, 1
	case isa.OutSaturate:
		hi = 1
	}
	switch {
	case f > hi:
		f = hi
	case f > lo:
		return v
	default: // also a NaN, and the zeros
		f = lo
	}
	return fromF(x.bits, isa.RoundE, f, 0)
}
