package passes

import "nirc/ir"

var lowerFP16CastsPass = &Pass{
	Name: "lower_fp16_casts", Class: "B", Run: lowerFP16Casts, Idempotent: true,
	Instead: "hardware: all targets convert to 16 bits in both roundings; it stays for those without",
	Doc: "Writes conversions of 32- and 64-bit floats to 16 bits by integer operations, for targets without them (NIR's nir_lower_fp16_conv.c): f2f16 in the shader's rounding mode, " +
		"f2f16_rtne and f2f16_rtz; NaNs stay NaNs and denormal results are made. Doubles are first cut to 32 bits with a sticky bit, so that nothing is rounded twice.",
	Options: []Option{
		{"f32", "conversions from 32 bits", true},
		{"f64", "conversions from 64 bits", true},
	},
}

func lowerFP16Casts(c *Context, s *ir.Shader) (bool, error) {
	f32, f64 := c.Bool("f32"), c.Bool("f64")
	rtz := s.Info.FloatControls.Has(ir.FCRoundRTZ, 16)
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		toZero := rtz
		switch in.Op {
		case ir.OpF2f16:
		case ir.OpF2f16Rtne:
			toZero = false
		case ir.OpF2f16Rtz:
			toZero = true
		default:
			return nil
		}
		switch bits := in.Srcs[0].Def.BitSize; {
		case bits == 32 && f32:
			return halfOf(b, srcValue(b, in, 0), toZero)
		case bits == 64 && f64:
			return halfOf(b, stickySingle(b, srcValue(b, in, 0)), toZero)
		}
		return nil
	}), nil
}

// stickySingle cuts a double to the bits of a float with the same order among
// halves: its last bit is set if any bit that fell off was. What is too large or
// too small for any half becomes the largest float or zero.
func stickySingle(b *ir.Builder, x *ir.Def) *ir.Def {
	lo, hi := b.Unpack64_2x32SplitX(x), b.Unpack64_2x32SplitY(x)
	imm := func(v uint32) *ir.Def { return b.Imm32(v) }
	sign := b.Iand(hi, imm(0x80000000))
	exp := b.Iand(b.Ushr(hi, imm(20)), imm(0x7ff))
	frac := b.Ior(b.Ishl(b.Iand(hi, imm(0xfffff)), imm(3)), b.Ushr(lo, imm(29)))
	lost := b.Ine(b.Iand(lo, imm(0x1fffffff)), imm(0))
	frac = b.Ior(frac, b.B2i32(lost))
	// Rebiased by 1023 - 127; out of the range of floats is out of that of halves.
	e := b.Isub(exp, imm(1023-127))
	mag := b.Ior(b.Ishl(e, imm(23)), frac)
	mag = b.Bcsel(b.Ige(e, imm(255)), imm(0x7f7fffff), mag)
	mag = b.Bcsel(b.Ige(imm(0), e), imm(0), mag)
	special := b.Ior(imm(0x7f800000), frac)
	return b.Ior(sign, b.Bcsel(b.Ieq(exp, imm(0x7ff)), special, mag))
}

// halfOf makes the half nearest to a float, or the one below it in magnitude.
func halfOf(b *ir.Builder, x *ir.Def, toZero bool) *ir.Def {
	imm := func(v uint32) *ir.Def { return b.Imm32(v) }
	abs := b.Iand(x, imm(0x7fffffff))
	sign := b.Iand(b.Ushr(x, imm(16)), imm(0x8000))

	// 0x38000000 is the difference of the biases, 127 - 15, in the exponent.
	normal := shiftOut(b, b.Isub(abs, imm(0x38000000)), imm(13), toZero)
	// Below 2^-14 the significand with its leading bit goes right until the
	// exponent is that of denormals; beyond 2^-25 only the sticky bits are left.
	shift := b.Umin(b.Isub(imm(126), b.Ushr(abs, imm(23))), imm(25))
	signif := b.Ior(b.Iand(abs, imm(0x7fffff)), imm(0x800000))
	denormal := shiftOut(b, signif, shift, toZero)
	h := b.Bcsel(b.Ult(abs, imm(0x38800000)), denormal, normal)

	// From 65520 on the nearest is infinity; cut, all finite ones stay below.
	overflow := imm(0x7c00)
	if toZero {
		overflow = imm(0x7bff)
	}
	h = b.Bcsel(b.Uge(abs, imm(0x47800000)), overflow, h)
	h = b.Bcsel(b.Uge(abs, imm(0x7f800000)), imm(0x7c00), h)
	nan := b.Ior(imm(0x7e00), b.Iand(b.Ushr(abs, imm(13)), imm(0x3ff)))
	h = b.Bcsel(b.Ult(imm(0x7f800000), abs), nan, h)
	return b.U2u16(b.Ior(h, sign))
}

// shiftOut shifts v right and rounds: to nearest, ties to even, or toward zero.
// The amount is 1 to 25.
func shiftOut(b *ir.Builder, v, by *ir.Def, toZero bool) *ir.Def {
	q := b.Ushr(v, by)
	if toZero {
		return q
	}
	// Half of the last place, less one if the quotient is even, carries exactly
	// when the remainder is above half, or half of an odd quotient.
	half := b.Isub(b.Ishl(b.Imm32(1), b.Isub(by, b.Imm32(1))), b.Imm32(1))
	odd := b.Iand(q, b.Imm32(1))
	return b.Ushr(b.Iadd(v, b.Iadd(half, odd)), by)
}
