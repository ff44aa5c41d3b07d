package ir

import "math"

// Float16Value returns the value of a half float.
func Float16Value(h uint16) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	e, m := int(h>>10&31), float64(h&0x3ff)
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Ldexp(m, -24)
	}
	return sign * math.Ldexp(m+1024, e-25)
}

// Float16Bits returns v rounded to the nearest half float, ties to even;
// overflow gives infinity.
func Float16Bits(v float64) uint16 { return float16(v, false) }

// Float16BitsRTZ returns v rounded toward zero; overflow gives the largest
// finite half, unless v is infinite.
func Float16BitsRTZ(v float64) uint16 { return float16(v, true) }

func float16(v float64, rtz bool) uint16 {
	b := math.Float64bits(v)
	sign := uint16(b >> 48 & 0x8000)
	exp := int(b>>52&0x7ff) - 1023
	man := b & (1<<52 - 1)
	switch {
	case exp == 1024 && man != 0:
		return sign | 0x7e00 | uint16(man>>42)
	case exp == 1024:
		return sign | 0x7c00
	case exp > 15:
		if rtz {
			return sign | 0x7bff
		}
		return sign | 0x7c00
	case exp < -25:
		return sign
	}
	shift := uint(42)
	man |= 1 << 52
	base := uint16(0)
	if exp < -14 {
		shift += uint(-14 - exp)
	} else {
		base = uint16(exp+14) << 10 // the hidden bit adds the last one
	}
	q := uint16(man >> shift)
	rest := man & (1<<shift - 1)
	half := uint64(1) << (shift - 1)
	if !rtz && (rest > half || rest == half && q&1 != 0) {
		q++
	}
	r := base + q
	if r >= 0x7c00 && rtz {
		r = 0x7bff
	}
	return sign | r
}
