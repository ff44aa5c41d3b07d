package passes

import "nirc/ir"

// The functions of this file build conversions between colours, 32 bits a
// component, and the bits of pixel formats. Formulas are those of the Vulkan
// specification, sections on fixed-point data conversion and on floating-point
// formats. Scalars and vectors of any width go through the same functions.

// MaskBits builds the low width bits of an unsigned value.
func MaskBits(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	if width >= 32 {
		return x
	}
	return b.Iand(x, b.Imm32(1<<width-1))
}

// SignExtend builds the value of the low width bits as a signed number.
func SignExtend(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	if width >= 32 {
		return x
	}
	n := b.Imm32(uint32(32 - width))
	return b.Ishr(b.Ishl(x, n), n)
}

// FloatToUnorm builds the nearest unsigned normalised number; NaN gives 0.
func FloatToUnorm(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	return b.F2u32(b.FroundEven(b.Fmul(b.Fsat(x), b.ImmFloat(float64(uint64(1)<<width-1), 32))))
}

// UnormToFloat builds the value of an unsigned normalised number.
func UnormToFloat(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	return b.Fdiv(b.U2f32(x), b.ImmFloat(float64(uint64(1)<<width-1), 32))
}

// FloatToSnorm builds the nearest signed normalised number, sign-extended.
func FloatToSnorm(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	return b.F2i32(b.FroundEven(b.Fmul(clampFloat(b, x, -1, 1), b.ImmFloat(float64(uint64(1)<<(width-1)-1), 32))))
}

// SnormToFloat builds the value of a sign-extended signed normalised number;
// the lowest code is -1 like the one above.
func SnormToFloat(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	return b.Fmax(b.Fdiv(b.I2f32(x), b.ImmFloat(float64(uint64(1)<<(width-1)-1), 32)), b.ImmFloat(-1, 32))
}

func clampFloat(b *ir.Builder, x *ir.Def, lo, hi float64) *ir.Def {
	return b.Fmin(b.Fmax(x, b.ImmFloat(lo, 32)), b.ImmFloat(hi, 32))
}

// LinearToSrgb builds the sRGB encoding, 0 to 1, of a linear value.
func LinearToSrgb(b *ir.Builder, x *ir.Def) *ir.Def {
	x = b.Fsat(x)
	curve := b.Fadd(b.Fmul(b.Fpow(x, b.ImmFloat(1/2.4, 32)), b.ImmFloat(1.055, 32)), b.ImmFloat(-0.055, 32))
	return b.Bcsel(b.Flt(x, b.ImmFloat(0.0031308, 32)), b.Fmul(x, b.ImmFloat(12.92, 32)), curve)
}

// SrgbToLinear builds the linear value of an sRGB encoding, 0 to 1.
func SrgbToLinear(b *ir.Builder, x *ir.Def) *ir.Def {
	curve := b.Fpow(b.Fmul(b.Fadd(x, b.ImmFloat(0.055, 32)), b.ImmFloat(1/1.055, 32)), b.ImmFloat(2.4, 32))
	return b.Bcsel(b.Fge(b.ImmFloat(0.04045, 32), x), b.Fmul(x, b.ImmFloat(1/12.92, 32)), curve)
}

// Bits of 32-bit floats: the exponent's place, its bias less that of a half,
// and the smallest value that is normal as a half.
const (
	floatMantissa  = 23
	floatRebias    = 112 << floatMantissa
	smallestNormal = 0x38800000
)

// FloatToUfloat builds the nearest unsigned float of 5 exponent bits and
// width-5 mantissa bits, ties to even: negative values give 0, too large finite
// ones the largest finite one, and infinity and NaN stay.
func FloatToUfloat(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	m := uint32(width - 5)
	cut := floatMantissa - m
	pos := b.Fmax(x, b.ImmFloat(0, 32))
	odd := b.Iand(b.Ushr(pos, b.Imm32(cut)), b.Imm32(1))
	rounded := b.Iadd(b.Iadd(pos, odd), b.Imm32(1<<(cut-1)-1))
	rebias := floatRebias
	normal := b.Umin(b.Ushr(b.Isub(rounded, b.Imm32(uint32(rebias))), b.Imm32(cut)), b.Imm32(31<<m-1))
	small := b.F2u32(b.FroundEven(b.Fmul(pos, b.ImmFloat(float64(uint32(1)<<(14+m)), 32))))
	v := b.Bcsel(b.Ult(pos, b.Imm32(smallestNormal)), small, normal)
	v = b.Bcsel(b.Ieq(x, b.Imm32(0x7f800000)), b.Imm32(31<<m), v)
	return b.Bcsel(b.Fneu(x, x), b.Imm32(31<<m|1), v)
}

// UfloatToFloat builds the value of an unsigned float of 5 exponent bits.
func UfloatToFloat(b *ir.Builder, x *ir.Def, width uint8) *ir.Def {
	return b.UnpackHalf2x16SplitX(b.Ishl(x, b.Imm32(uint32(15-width))))
}

// FormatClamp builds a colour limited to what the format can hold.
func FormatClamp(b *ir.Builder, f *PixelFormat, color *ir.Def) *ir.Def {
	var out [4]*ir.Def
	n := int(color.NumComponents)
	for k := range n {
		out[k] = b.Channel(color, k)
	}
	for _, c := range f.Channels {
		if k := int(c.Comp); c.Kind != PixelNone && k < n {
			out[k] = clampChannel(b, out[k], c)
		}
	}
	return b.Vec(out[:n]...)
}

// clampChannel limits x to the range of a channel.
func clampChannel(b *ir.Builder, x *ir.Def, c PixelChannel) *ir.Def {
	top := uint64(1)<<c.Width - 1
	switch c.Kind {
	case PixelUnorm, PixelSrgb:
		return b.Fsat(x)
	case PixelSnorm:
		return clampFloat(b, x, -1, 1)
	case PixelUscaled:
		return clampFloat(b, x, 0, float64(top))
	case PixelSscaled:
		return clampFloat(b, x, -float64(top/2)-1, float64(top/2))
	case PixelUfloat:
		return b.Fmax(x, b.ImmFloat(0, 32))
	case PixelUint:
		if c.Width < 32 {
			return b.Umin(x, b.Imm32(uint32(top)))
		}
	case PixelSint:
		if c.Width < 32 {
			return b.Imin(b.Imax(x, b.Imm32(-uint32(top/2)-1)), b.Imm32(uint32(top/2)))
		}
	}
	return x
}

// encodeChannel builds the bits of a channel, zero above its width.
func encodeChannel(b *ir.Builder, x *ir.Def, c PixelChannel) *ir.Def {
	switch c.Kind {
	case PixelUnorm:
		return FloatToUnorm(b, x, c.Width)
	case PixelSrgb:
		return FloatToUnorm(b, LinearToSrgb(b, x), c.Width)
	case PixelSnorm:
		return MaskBits(b, FloatToSnorm(b, x, c.Width), c.Width)
	case PixelUscaled:
		return b.F2u32(b.FroundEven(clampChannel(b, x, c)))
	case PixelSscaled:
		return MaskBits(b, b.F2i32(b.FroundEven(clampChannel(b, x, c))), c.Width)
	case PixelUint:
		return clampChannel(b, x, c)
	case PixelSint:
		return MaskBits(b, clampChannel(b, x, c), c.Width)
	case PixelUfloat:
		return FloatToUfloat(b, x, c.Width)
	case PixelSfloat:
		if c.Width == 16 {
			return b.PackHalf2x16Split(x, b.ImmFloat(0, 32))
		}
	}
	return x
}

// decodeChannel builds the value of a channel's bits.
func decodeChannel(b *ir.Builder, x *ir.Def, c PixelChannel) *ir.Def {
	switch c.Kind {
	case PixelUnorm:
		return UnormToFloat(b, x, c.Width)
	case PixelSrgb:
		return SrgbToLinear(b, UnormToFloat(b, x, c.Width))
	case PixelSnorm:
		return SnormToFloat(b, SignExtend(b, x, c.Width), c.Width)
	case PixelUscaled:
		return b.U2f32(x)
	case PixelSscaled:
		return b.I2f32(SignExtend(b, x, c.Width))
	case PixelSint:
		return SignExtend(b, x, c.Width)
	case PixelUfloat:
		return UfloatToFloat(b, x, c.Width)
	case PixelSfloat:
		if c.Width == 16 {
			return b.UnpackHalf2x16SplitX(x)
		}
	}
	return x
}

// FormatPack builds the words of a texel from a colour of up to four 32-bit
// components: floats, or integers of integer formats. Components that the
// colour lacks are 0.
func FormatPack(b *ir.Builder, f *PixelFormat, color *ir.Def) []*ir.Def {
	if f.SharedExponent {
		return []*ir.Def{packSharedExponent(b, color)}
	}
	words := make([]*ir.Def, f.Words())
	for _, c := range f.Channels {
		if c.Kind == PixelNone {
			continue
		}
		x := b.Imm32(0)
		if int(c.Comp) < int(color.NumComponents) {
			x = encodeChannel(b, b.Channel(color, int(c.Comp)), c)
		}
		if sh := c.Offset % 32; sh != 0 {
			x = b.Ishl(x, b.Imm32(uint32(sh)))
		}
		if w := &words[c.Offset/32]; *w == nil {
			*w = x
		} else {
			*w = b.Ior(*w, x)
		}
	}
	for i := range words {
		if words[i] == nil {
			words[i] = b.Imm32(0)
		}
	}
	return words
}

// FormatUnpack builds the colour of a texel's words: four components of 32
// bits. Missing colours are 0 and missing alpha is 1.
func FormatUnpack(b *ir.Builder, f *PixelFormat, words []*ir.Def) *ir.Def {
	one := b.ImmFloat(1, 32)
	if f.IsInteger() {
		one = b.Imm32(1)
	}
	zero := b.Imm32(0)
	out := [4]*ir.Def{zero, zero, zero, one}
	if f.SharedExponent {
		unpackSharedExponent(b, words[0], &out)
		return b.Vec(out[:]...)
	}
	for _, c := range f.Channels {
		if c.Kind == PixelNone {
			continue
		}
		x := words[c.Offset/32]
		if sh := c.Offset % 32; sh != 0 {
			x = b.Ushr(x, b.Imm32(uint32(sh)))
		}
		out[c.Comp] = decodeChannel(b, MaskBits(b, x, c.Width), c)
	}
	return b.Vec(out[:]...)
}

// The shared exponent format: mantissas of 9 bits, an exponent of bias 15, and
// the largest value.
const (
	sharedMantissa = 9
	sharedBias     = 15
	sharedMax      = 65408 // 511/512 · 2^16
)

// powerOfTwo builds 2^e as a float, e in the range of normal floats.
func powerOfTwo(b *ir.Builder, e *ir.Def) *ir.Def {
	return b.Ishl(b.IAddImm(e, 127), b.Imm32(floatMantissa))
}

// packSharedExponent follows the Vulkan specification's conversion of RGB to
// shared exponents.
func packSharedExponent(b *ir.Builder, color *ir.Def) *ir.Def {
	var c [3]*ir.Def
	for i := range c {
		c[i] = clampFloat(b, b.Channel(color, i), 0, sharedMax)
	}
	top := b.Fmax(b.Fmax(c[0], c[1]), c[2])
	e := b.IAddImm(b.Ushr(top, b.Imm32(floatMantissa)), -127)
	e = b.IAddImm(b.Imax(e, b.ImmInt(-sharedBias-1, 32)), sharedBias+1)
	mantissa := func(x, e *ir.Def) *ir.Def {
		scale := powerOfTwo(b, b.Isub(b.Imm32(sharedBias+sharedMantissa), e))
		return b.F2u32(b.Ffloor(b.Fadd(b.Fmul(x, scale), b.ImmFloat(0.5, 32))))
	}
	full := b.Ieq(mantissa(top, e), b.Imm32(1<<sharedMantissa))
	e = b.Iadd(e, b.B2i32(full))
	word := b.Ishl(e, b.Imm32(3*sharedMantissa))
	for i := range c {
		word = b.Ior(word, b.Ishl(mantissa(c[i], e), b.Imm32(uint32(sharedMantissa*i))))
	}
	return word
}

func unpackSharedExponent(b *ir.Builder, word *ir.Def, out *[4]*ir.Def) {
	scale := powerOfTwo(b, b.IAddImm(b.Ushr(word, b.Imm32(3*sharedMantissa)), -sharedBias-sharedMantissa))
	for i := range 3 {
		m := b.Iand(b.Ushr(word, b.Imm32(uint32(sharedMantissa*i))), b.Imm32(1<<sharedMantissa-1))
		out[i] = b.Fmul(b.U2f32(m), scale)
	}
}
