package core

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// toF is the value of a raw float of 16, 32 or 64 bits; exact.
func toF(bits uint, v uint64) float64 {
	switch bits {
	case 16:
		return float64(emu.HalfToFloat(uint16(v)))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// fromF rounds v + err to a raw float. err is what v lacks of the exact
// value, far smaller than v.
func fromF(bits uint, r isa.Round, v, err float64) uint64 {
	if err != err || math.IsInf(err, 0) {
		err = 0
	}
	switch bits {
	case 16:
		return uint64(roundHalf(r, v, err))
	case 32:
		return uint64(roundSingle(r, v, err))
	}
	return math.Float64bits(roundDouble(r, v, err))
}

// direction is which way the rounded value got has to move: 0 not, 1 up, -1
// down. diff is the exact value minus got, or has its sign.
func direction(r isa.Round, got, diff float64) int {
	switch {
	case diff == 0 || diff != diff:
	case r == isa.RoundN && diff < 0, r == isa.RoundZ && diff < 0 && got > 0:
		return -1
	case r == isa.RoundP && diff > 0, r == isa.RoundZ && diff > 0 && got < 0:
		return 1
	}
	return 0
}

func difference(v, got, err float64) float64 {
	if d := v - got; d != 0 {
		return d
	}
	return err
}

func roundDouble(r isa.Round, v, err float64) float64 {
	if math.IsInf(v, 0) || v != v {
		return v
	}
	switch direction(r, v, err) {
	case 1:
		return math.Nextafter(v, math.Inf(1))
	case -1:
		return math.Nextafter(v, math.Inf(-1))
	}
	return v
}

func roundSingle(r isa.Round, v, err float64) uint32 {
	f := float32(v)
	if math.IsInf(v, 0) || v != v {
		return math.Float32bits(f)
	}
	if r == isa.RoundE {
		f = breakTie(f, v, err)
		return math.Float32bits(f)
	}
	switch direction(r, float64(f), difference(v, float64(f), err)) {
	case 1:
		f = math.Nextafter32(f, float32(math.Inf(1)))
	case -1:
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return math.Float32bits(f)
}

// breakTie corrects a rounding of v that was a tie, while v + err is none.
func breakTie(f float32, v, err float64) float32 {
	d := v - float64(f)
	if err == 0 || d == 0 || math.IsInf(float64(f), 0) || (d > 0) != (err > 0) {
		return f
	}
	other := math.Nextafter32(f, float32(math.Copysign(math.Inf(1), d)))
	if float64(other)-v == d {
		return other
	}
	return f
}

// roundHalf rounds to an IEEE half.
func roundHalf(r isa.Round, v, err float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	switch {
	case v != v:
		return sign | 0x7e00
	case math.IsInf(v, 0):
		return sign | 0x7c00
	}
	a := math.Abs(v)
	_, e := math.Frexp(a)
	e = max(e-11, -24) // exponent of the last place
	n := math.RoundToEven(math.Ldexp(a, -e))
	h := uint16(0x7c00)
	if got := math.Ldexp(n, e); got < 65536 {
		switch {
		case n >= 2048:
			h = uint16(e+1+25)<<10 | uint16(n/2)&0x3ff
		case n >= 1024:
			h = uint16(e+25)<<10 | uint16(n)&0x3ff
		default:
			h = uint16(n)
		}
	}
	got := float64(emu.HalfToFloat(h | sign))
	d := direction(r, got, difference(v, got, err))
	if h == 0x7c00 {
		d = direction(r, got, -got)
	}
	if got == 0 && d != 0 && (d < 0) != (sign != 0) {
		return 1 ^ sign ^ 0x8000 // across zero: the exact value has the other sign
	}
	if d != 0 {
		if (d > 0) == (sign == 0) {
			h++
		} else {
			h--
		}
	}
	return h | sign
}

// twoSum is a + b and what its rounding lost.
func twoSum(a, b float64) (s, err float64) {
	s = a + b
	bb := s - a
	return s, (a - (s - bb)) + (b - bb)
}

// sinpi is sin(pi x), exact at multiples of one half. Infinities have no remainder, and give NaN.
func sinpi(x float64) float64 {
	r := math.Mod(x, 2) // (-2, 2), exact
	sign := 1.0
	if r < 0 {
		r, sign = -r, -1
	}
	if r >= 1 {
		r, sign = r-1, -sign
	}
	if r > 0.5 {
		r = 1 - r
	}
	switch r {
	case 0:
		return math.Copysign(0, x)
	case 0.5:
		return sign
	}
	if r > 0.25 {
		return sign * math.Cos(math.Pi*(0.5-r))
	}
	return sign * math.Sin(math.Pi*r)
}

// cospi is cos(pi x), exact at multiples of one half, NaN of infinities.
func cospi(x float64) float64 {
	r := math.Abs(math.Mod(x, 2))
	if r > 1 {
		r = 2 - r
	}
	sign := 1.0
	if r > 0.5 {
		r, sign = 1-r, -1
	}
	switch {
	case r == 0.5:
		return 0
	case r > 0.25:
		return sign * math.Sin(math.Pi*(0.5-r))
	}
	return sign * math.Cos(math.Pi*r)
}
