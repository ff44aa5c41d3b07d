package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// narrowFloat is a format of floats that no GPU computes with: they are converted from and to floats of 32 bits, by integers.
// The zero value is none: a float of IEEE 754.
type narrowFloat uint8

// Of bfloat16, the upper half of a float of 32 bits; and of the Open Compute Project's 8-bit floating point formats (OFP8): E4M3
// has no infinity and one not-a-number, E5M2 is the upper half of a float of 16 bits.
const (
	bfloat16 narrowFloat = iota + 1
	e4m3
	e5m2
)

// floatEncoding reads the encoding that OpTypeFloat names.
func (t *translator) floatEncoding(in *inst) (narrowFloat, uint8) {
	e := spv.FPEncoding(in.args[1])
	switch bits := in.args[0]; {
	case e == spv.FPEncodingBFloat16KHR && bits == 16:
		return bfloat16, 16
	case e == spv.FPEncodingFloat8E4M3EXT && bits == 8:
		return e4m3, 8
	case e == spv.FPEncodingFloat8E5M2EXT && bits == 8:
		return e5m2, 8
	}
	caps := spv.KindFPEncoding.Capabilities(uint32(e))
	t.refuse(in.id, "the float encoding %s of %d bits (%s) is not supported%s", e, in.args[0], capabilityWords(caps), t.reason(caps))
	return 0, 16
}

// shape is the number of bits of the mantissa, the bias of the exponent and the code of the largest number.
func (f narrowFloat) shape() (mantissa, bias, largest uint32) {
	if f == e4m3 {
		return 3, 7, 0x7e
	}
	return 2, 15, 0x7b
}

// beyond are the codes of what is too large and of what is no number.
func (f narrowFloat) beyond() (large, nan uint32) {
	if f == e4m3 {
		return 0x7f, 0x7f
	}
	return 0x7c, 0x7e
}

// fromNarrow is the float of 32 bits that one of a narrow format is.
func (t *translator) fromNarrow(x *ir.Def, f narrowFloat) *ir.Def {
	if f == bfloat16 {
		return t.fromBrain(x)
	}
	b := t.f.b
	mantissa, bias, largest := f.shape()
	w := b.U2u32(x)
	mag := b.Iand(w, b.Imm32(0x7f))
	normal := b.IAddImm(b.Ishl(mag, b.Imm32(23-mantissa)), int64(127-bias)<<23)
	small := b.Fmul(b.U2f32(mag), b.ImmFloat(math.Ldexp(1, 1-int(bias+mantissa)), 32))
	r := b.Bcsel(b.Ult(mag, b.Imm32(1<<mantissa)), small, normal)
	special := b.Ior(b.Ishl(mag, b.Imm32(23-mantissa)), b.Imm32(0x7f800000))
	r = b.Bcsel(b.Ult(b.Imm32(largest), mag), special, r)
	return b.Ior(r, b.Ishl(b.Iand(w, b.Imm32(0x80)), b.Imm32(24)))
}

// toNarrow rounds a float of 32 bits to the nearest, or even, one of a narrow format. What is too large becomes infinity, or no number
// where there is none, or the largest number if it saturates.
func (t *translator) toNarrow(x *ir.Def, f narrowFloat, saturates bool) *ir.Def {
	if f == bfloat16 {
		return t.toBrain(x)
	}
	b := t.f.b
	mantissa, bias, largest := f.shape()
	large, nan := f.beyond()
	if saturates {
		large = largest
	}
	mag := b.Iand(x, b.Imm32(math.MaxInt32))
	drop := b.Imm32(23 - mantissa)
	even := b.Iand(b.Ushr(mag, drop), b.Imm32(1))
	normal := b.Ushr(b.Iadd(mag, b.IAddImm(even, 1<<(22-mantissa)-1)), drop)
	normal = b.IAddImm(normal, -int64((127-bias)<<mantissa))
	// Below the least normal number all are multiples of one step, the least normal number one of them.
	small := b.F2u32(b.FroundEven(b.Fmul(mag, b.ImmFloat(math.Ldexp(1, int(bias+mantissa)-1), 32))))
	r := b.Bcsel(b.Ult(mag, b.Imm32((128-bias)<<23)), small, normal)
	r = b.Bcsel(b.Ult(b.Imm32(largest), r), b.Imm32(large), r)
	r = b.Bcsel(b.Ult(b.Imm32(0x7f800000), mag), b.Imm32(nan), r)
	return b.ALU(ir.OpU2u8, b.Ior(r, b.Iand(b.Ushr(x, b.Imm32(24)), b.Imm32(0x80))))
}

// narrowConvert converts numbers of which one at least is of a narrow format, by way of floats of 32 bits.
func (t *translator) narrowConvert(in *inst, c conversion, x *ir.Def, from, to *typ) *ir.Def {
	b := t.f.b
	switch {
	case from.encoding == e5m2 && to.kind == tFloat && to.encoding == 0 && to.bits == 16: // with its denormals, on all targets
		return b.Ishl(b.ALU(ir.OpU2u16, x), b.Imm32(8))
	case from.encoding != 0:
		x = t.fromNarrow(x, from.encoding)
	case from.kind != tFloat:
		x = b.ALU(c.ops[ir.SizeIndex(32)], x)
	case x.BitSize == 64:
		x = t.oddFloat(x)
	case x.BitSize != 32:
		x = b.ALU(ir.OpF2f32, x)
	}
	switch {
	case to.encoding != 0:
		return t.toNarrow(x, to.encoding, t.saturates(in))
	case to.kind == tFloat && to.bits == 16:
		return t.toHalf(in, x)
	case to.kind == tFloat && to.bits == 32:
		return x
	}
	return b.ALU(c.ops[ir.SizeIndex(to.bits)], x)
}

// oddFloat is a double as a float of 32 bits that is odd where it is not exact, so that the rounding that follows counts alone.
func (t *translator) oddFloat(x *ir.Def) *ir.Def {
	b := t.f.b
	y := b.ALU(ir.OpF2f32, x)
	back := b.ALU(ir.OpF2f64, y)
	off := b.Iand(b.Fneu(back, x), b.Ieq(b.Iand(y, b.Imm32(1)), b.Imm32(0)))
	off = b.Iand(off, b.Feq(x, x))
	step := b.Bcsel(b.Flt(b.Fabs(x), b.Fabs(back)), b.Imm32(math.MaxUint32), b.Imm32(1))
	return b.Bcsel(off, b.Iadd(y, step), y)
}

// saturates reports whether a conversion to 8 bits is decorated to give the largest number for what is too large.
func (t *translator) saturates(in *inst) bool {
	i := t.m.DefIndex(spv.ID(in.id))
	if i < 0 {
		return false
	}
	_, ok := t.decOf(i, spv.DecorationSaturatedToLargestFloat8NormalConversionEXT)
	return ok
}
