package emu

import (
	"math"
	"sync"

	"nirc/internal/lazy"
)

// unorm8 holds the float bits of n/255.
var unorm8 = lazy.Value[*[256]uint32]{Make: func() *[256]uint32 {
	t := new([256]uint32)
	for i := range t {
		t[i] = math.Float32bits(float32(float64(i) / 255))
	}
	return t
}}

// packUnorm8 rounds the float in bits to n/255, NaN to 0.
func packUnorm8(bits uint32) byte {
	x := math.Float32frombits(bits)
	if !(x > 0) {
		return 0
	}
	if x >= 1 {
		return 255
	}
	return byte(math.RoundToEven(float64(x) * 255))
}

// srgb8 holds the linear value of each 8-bit sRGB code.
var srgb8 = sync.OnceValue(func() *[256]float32 {
	var t [256]float32
	for i := range t {
		c := float64(i) / 255
		if c <= 0.04045 {
			t[i] = float32(c / 12.92)
		} else {
			t[i] = float32(math.Pow((c+0.055)/1.055, 2.4))
		}
	}
	return &t
})

// linearToSrgb8 encodes a linear value as the nearest 8-bit sRGB code.
func linearToSrgb8(x float32) byte {
	c := clampNum(float64(x), 0, 1)
	if c <= 0.0031308 {
		c *= 12.92
	} else {
		c = 1.055*math.Pow(c, 1/2.4) - 0.055
	}
	return byte(math.RoundToEven(c * 255))
}

// HalfToFloat widens an IEEE 754 half; NaN payloads are kept.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	e, m := uint32(h>>10)&31, uint32(h)&1023
	switch {
	case e == 31:
		return math.Float32frombits(sign | 255<<23 | m<<13)
	case e != 0:
		return math.Float32frombits(sign | (e+112)<<23 | m<<13)
	}
	v := float32(m) * (1.0 / (1 << 24))
	return math.Float32frombits(sign | math.Float32bits(v))
}

// FloatToHalf rounds to the nearest half, ties to even; too large values
// become infinite.
func FloatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN stays one
		return sign | 0x7c00 | 0x200 | uint16(b>>13&0x1ff)
	case b >= 0x477ff000: // rounds to 65536 and beyond
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(b))*(1<<24)))
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}

// ufloatToFloat widens an unsigned float of 5 exponent bits and w-5 mantissa
// bits (Vulkan's 10- and 11-bit floats): a half without sign whose mantissa is
// cut.
func ufloatToFloat(b uint32, w uint) float32 { return HalfToFloat(uint16(b << (15 - w))) }

// floatToUfloat rounds to the nearest unsigned float of w bits, ties to even.
// Negative values become 0 and too large finite values the largest finite one.
func floatToUfloat(f float32, w uint) uint32 {
	m := w - 5 // mantissa bits
	switch {
	case f != f:
		return 31<<m | 1
	case f <= 0:
		return 0
	case math.IsInf(float64(f), 1):
		return 31 << m
	}
	top := uint32(31)<<m - 1
	b := math.Float32bits(f)
	if b < 0x38800000 {
		return uint32(math.RoundToEven(math.Ldexp(float64(f), 14+int(m))))
	}
	cut := 23 - m
	b += 1<<(cut-1) - 1 + b>>cut&1
	return min((b-112<<23)>>cut, top)
}

// unpackSharedExp reads E5B9G9R9: three 9-bit mantissas and one exponent of
// bias 15.
func unpackSharedExp(b uint32, dst *[4]uint32) {
	e := int(b>>27) - 15 - 9
	for i := range 3 {
		dst[i] = math.Float32bits(float32(math.Ldexp(float64(b>>(9*i)&511), e)))
	}
}

// packSharedExp follows the Vulkan specification's RGB to shared exponent
// conversion.
func packSharedExp(v *[4]uint32) uint32 {
	const maxVal = 65408 // 511/512 * 2^16
	var c [3]float64
	top := 0.0
	for i := range c {
		c[i] = clampNum(float64(math.Float32frombits(v[i])), 0, maxVal)
		top = max(top, c[i])
	}
	e := -16
	if top > 0 {
		e = max(-16, math.Ilogb(top))
	}
	e += 16
	if math.Floor(math.Ldexp(top, -(e-24))+0.5) == 512 {
		e++
	}
	out := uint32(e) << 27
	for i := range c {
		out |= uint32(math.Floor(math.Ldexp(c[i], -(e-24))+0.5)) << (9 * i)
	}
	return out
}
