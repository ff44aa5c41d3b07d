package optab

import (
	"math"
	"math/big"
)

// This file holds what all evaluations share: reading operands as integers and
// floats, and rounding results. Results are always zero-extended bits.

type (
	evalFn = func(m Mode, bits uint8, s *[4]uint64) uint64
	vecFn  = func(m Mode, bits uint8, src [][]uint64, dst []uint64)
)

// maskOf returns a mask of the low bits.
func maskOf(bits uint8) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// sext reads the low bits of v as two's complement; 1 bit set is -1.
func sext(v uint64, bits uint8) int64 {
	sh := 64 - bits
	return int64(v<<sh) >> sh
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// truth returns a boolean of the given size: 0, or all bits set.
func truth(b bool, bits uint8) uint64 {
	if b {
		return maskOf(bits)
	}
	return 0
}

// sizeBit is the bit of a float size in the sets of a Mode.
func sizeBit(bits uint8) uint8 { return bits >> 4 & 7 }

func (m Mode) flush(bits uint8) bool { return m.FlushDenorm&sizeBit(bits) != 0 }
func (m Mode) rtz(bits uint8) bool   { return m.RTZ&sizeBit(bits) != 0 }

// Bits of canonical NaNs and of exponent fields.
const (
	nan16 = 0x7e00
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
	exp16 = 0x7c00
	exp32 = 0x7f800000
	exp64 = 0x7ff0000000000000
)

// flushBits makes a denormal a zero of the same sign.
func flushBits(v uint64, bits uint8) uint64 {
	switch bits {
	case 16:
		if v&exp16 == 0 {
			return v & 0x8000
		}
	case 32:
		if v&exp32 == 0 {
			return v & 0x80000000
		}
	case 64:
		if v&exp64 == 0 {
			return v & (1 << 63)
		}
	}
	return v
}

// fload reads an operand of float arithmetic, flushed if the mode says so.
func fload(m Mode, bits uint8, v uint64) float64 {
	if m.FlushDenorm != 0 && m.flush(bits) {
		v = flushBits(v, bits)
	}
	return fvalue(v, bits)
}

func fvalue(v uint64, bits uint8) float64 {
	switch bits {
	case 16:
		return halfValue(uint16(v))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// fstore rounds a result of float arithmetic by the mode. A NaN becomes the
// canonical one, so that a result does not depend on how it was computed.
func fstore(m Mode, bits uint8, v float64) uint64 {
	r := fround(v, bits, m.RTZ != 0 && m.rtz(bits))
	if m.FlushDenorm != 0 && m.flush(bits) {
		r = flushBits(r, bits)
	}
	return r
}

// fround returns the bits of v rounded to a size, to nearest even or toward zero.
func fround(v float64, bits uint8, rtz bool) uint64 {
	if v != v {
		switch bits {
		case 16:
			return nan16
		case 32:
			return nan32
		}
		return nan64
	}
	switch bits {
	case 16:
		return uint64(halfBits(v, rtz))
	case 32:
		f := float32(v)
		if rtz && math.Abs(float64(f)) > math.Abs(v) {
			return uint64(math.Float32bits(f) - 1)
		}
		return uint64(math.Float32bits(f))
	}
	return math.Float64bits(v)
}

// halfValue returns the value of a half float.
func halfValue(h uint16) float64 {
	sign := uint64(h>>15) << 63
	e, man := uint64(h>>10&31), uint64(h&0x3ff)
	switch e {
	case 31:
		return math.Float64frombits(sign | exp64 | man<<42)
	case 0:
		v := float64(man) / (1 << 24)
		return math.Float64frombits(math.Float64bits(v) | sign)
	}
	return math.Float64frombits(sign | (e+1008)<<52 | man<<42)
}

// halfBits rounds v, not a NaN, to a half float.
func halfBits(v float64, rtz bool) uint16 {
	b := math.Float64bits(v)
	sign := uint16(b >> 48 & 0x8000)
	exp := int(b>>52&0x7ff) - 1023
	switch {
	case exp == 1024:
		return sign | exp16
	case exp > 15 && rtz:
		return sign | 0x7bff
	case exp > 15:
		return sign | exp16
	case exp < -25:
		return sign
	}
	man := b&(1<<52-1) | 1<<52
	shift, base := uint(42), uint16(0)
	if exp < -14 {
		shift += uint(-14 - exp)
	} else {
		base = uint16(exp+14) << 10 // the hidden bit adds the last one
	}
	q, rest, half := uint16(man>>shift), man&(1<<shift-1), uint64(1)<<(shift-1)
	if !rtz && (rest > half || rest == half && q&1 != 0) {
		q++
	}
	return sign | base + q
}

// odd turns r, an exact result rounded to nearest, into the result rounded to
// odd; err has the sign of (exact - r). Rounding that to a size of at most 51
// bits is the same as rounding the exact result.
func odd(r, err float64) float64 {
	if err == 0 || err != err || r != r || math.IsInf(r, 0) {
		return r
	}
	b := math.Float64bits(r)
	if (err < 0) != (r < 0) {
		b--
	}
	return math.Float64frombits(b | 1)
}

// add returns the rounded sum of two floats of the given size.
func add(m Mode, bits uint8, a, b float64) uint64 {
	if bits == 64 && m.rtz(64) {
		return exactRTZ(m, func(z *big.Float, x []*big.Float) { z.Add(x[0], x[1]) }, a+b, a, b)
	}
	s := a + b
	if bits == 64 {
		return fstore(m, bits, s)
	}
	return fstore(m, bits, odd(s, sumError(a, b, s)))
}

// sumError returns the exact error of s = a + b (Knuth's two-sum).
func sumError(a, b, s float64) float64 {
	t := s - a
	return float64(a-float64(s-t)) + float64(b-t)
}

// mul returns the rounded product.
func mul(m Mode, bits uint8, a, b float64) uint64 {
	if bits == 64 && m.rtz(64) {
		return exactRTZ(m, func(z *big.Float, x []*big.Float) { z.Mul(x[0], x[1]) }, a*b, a, b)
	}
	return fstore(m, bits, a*b) // exact unless 64 bits
}

// fma returns a*b + c rounded once.
func fma(m Mode, bits uint8, a, b, c float64) uint64 {
	if bits == 64 {
		if m.rtz(64) {
			return exactRTZ(m, func(z *big.Float, x []*big.Float) { z.Add(z.Mul(x[0], x[1]), x[2]) }, math.FMA(a, b, c), a, b, c)
		}
		return fstore(m, bits, math.FMA(a, b, c))
	}
	return add(m, bits, float64(a*b), c)
}

// div returns the rounded quotient. That of two floats of 24 bits is a float of 25, or 2^-49 of it away from all of them, so
// what rounding to 53 bits first does is not seen in rounding to 24; the same holds of the square root.
func div(m Mode, bits uint8, a, b float64) uint64 {
	if bits == 64 && m.rtz(64) {
		return exactRTZ(m, func(z *big.Float, x []*big.Float) { z.SetPrec(2200).Quo(x[0], x[1]) }, a/b, a, b)
	}
	return fstore(m, bits, a/b)
}

// sqrt returns the rounded square root.
func sqrt(m Mode, bits uint8, a float64) uint64 {
	r := math.Sqrt(a)
	if bits == 64 && m.rtz(64) && a > 0 {
		return exactRTZ(m, func(z *big.Float, x []*big.Float) { z.SetPrec(200).Sqrt(x[0]).SetMode(big.ToZero) }, r, a) // Sqrt takes the mode of x
	}
	return fstore(m, bits, r)
}

// exactRTZ computes a 64-bit operation toward zero: op on exact operands,
// unless one of them or nearest, the result to nearest, is special.
func exactRTZ(m Mode, op func(z *big.Float, x []*big.Float), nearest float64, v ...float64) uint64 {
	x := make([]*big.Float, len(v))
	special := nearest != nearest
	for i, f := range v {
		if math.IsInf(f, 0) || f != f {
			special = true
			break
		}
		x[i] = new(big.Float).SetPrec(4400).SetFloat64(f)
	}
	if special || math.IsInf(nearest, 0) && len(v) == 2 && v[1] == 0 {
		return fstore(m, 64, nearest)
	}
	z := new(big.Float).SetPrec(4400).SetMode(big.ToZero)
	op(z, x)
	if z.Sign() == 0 {
		return fstore(m, 64, nearest)
	}
	e := z.MantExp(nil)
	r := math.MaxFloat64
	switch {
	case e < -1073:
		r = 0
	case e <= 1024:
		r, _ = z.SetPrec(uint(min(53, e+1074))).Float64()
		r = math.Abs(r)
	}
	if z.Signbit() {
		r = math.Copysign(r, -1)
	}
	return fstore(m, 64, r)
}
