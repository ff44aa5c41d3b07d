package passes

import "nirc/ir"

var lowerALUPass = &Pass{
	Name: "lower_alu", For: ir.HasAwkward, Class: "A", Run: lowerALU, Idempotent: true,
	Doc: "Writes ALU operations that the target lacks and that are awkward as rules by others, as the target's options ask: bitfield_reverse and bit_count by masks " +
		"and shifts, the high half of a product from 16-bit pieces, 32x32 to 64-bit products, fmin and fmax that order zeros. fneo, fequ, funord and ford become pairs of comparisons whatever the target.",
}

func lowerALU(c *Context, s *ir.Shader) (bool, error) {
	o := s.Options
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		x := func(k int) *ir.Def { return srcValue(b, in, k) }
		switch in.Op {
		case ir.OpFneo, ir.OpFequ, ir.OpFunord, ir.OpFord:
			return orderedCompare(b, in)
		case ir.OpBitfieldReverse:
			if o.LowerBitfieldReverse {
				return bitReverse(b, x(0))
			}
		case ir.OpBitCount:
			if o.LowerBitCount && in.Srcs[0].Def.BitSize == 32 {
				return bitCount(b, x(0))
			}
		case ir.OpUmulHigh:
			if o.LowerMulHigh && in.Def.BitSize <= 32 {
				return mulHigh(b, x(0), x(1), false)
			}
		case ir.OpImulHigh:
			if o.LowerMulHigh && in.Def.BitSize <= 32 {
				return mulHigh(b, x(0), x(1), true)
			}
		case ir.OpUmul2x32_64:
			if o.LowerMul2x32_64 {
				p, q := x(0), x(1)
				return b.Pack64_2x32Split(b.Imul(p, q), highHalf(b, o, p, q, false))
			}
		case ir.OpImul2x32_64:
			if o.LowerMul2x32_64 {
				p, q := x(0), x(1)
				return b.Pack64_2x32Split(b.Imul(p, q), highHalf(b, o, p, q, true))
			}
		case ir.OpFmin, ir.OpFmax:
			if o.LowerFminMaxSignedZero && in.FastMath.Has(ir.FCSignedZeroPreserve, in.Def.BitSize) {
				return orderedZeroMinMax(b, in)
			}
		}
		return nil
	}), nil
}

// highHalf builds mul_high in the form that the target wants.
func highHalf(b *ir.Builder, o *ir.Options, x, y *ir.Def, signed bool) *ir.Def {
	switch {
	case o.LowerMulHigh:
		return mulHigh(b, x, y, signed)
	case signed:
		return b.ImulHigh(x, y)
	}
	return b.UmulHigh(x, y)
}

// swapBits exchanges neighbouring groups of n bits under mask.
func swapBits(b *ir.Builder, x *ir.Def, n uint32, mask uint32) *ir.Def {
	m := b.Imm32(mask)
	return b.Ior(b.Iand(b.Ushr(x, b.Imm32(n)), m), b.Ishl(b.Iand(x, m), b.Imm32(n)))
}

func bitReverse(b *ir.Builder, x *ir.Def) *ir.Def {
	x = swapBits(b, x, 1, 0x55555555)
	x = swapBits(b, x, 2, 0x33333333)
	x = swapBits(b, x, 4, 0x0f0f0f0f)
	x = swapBits(b, x, 8, 0x00ff00ff)
	return b.Ior(b.Ushr(x, b.Imm32(16)), b.Ishl(x, b.Imm32(16)))
}

func bitCount(b *ir.Builder, x *ir.Def) *ir.Def {
	x = b.Isub(x, b.Iand(b.Ushr(x, b.Imm32(1)), b.Imm32(0x55555555)))
	m := b.Imm32(0x33333333)
	x = b.Iadd(b.Iand(x, m), b.Iand(b.Ushr(x, b.Imm32(2)), m))
	x = b.Iand(b.Iadd(x, b.Ushr(x, b.Imm32(4))), b.Imm32(0x0f0f0f0f))
	return b.Ushr(b.Imul(x, b.Imm32(0x01010101)), b.Imm32(24))
}

// mulHigh builds the upper half of a product. Below 32 bits the 32-bit product
// holds it; at 32 bits it is put together from 16-bit pieces, and a signed
// product is corrected by the operands whose counterpart is negative.
func mulHigh(b *ir.Builder, x, y *ir.Def, signed bool) *ir.Def {
	if bits := x.BitSize; bits < 32 {
		wide := b.U2u32
		if signed {
			wide = b.I2i32
		}
		p := b.Ushr(b.Imul(wide(x), wide(y)), b.Imm32(uint32(bits)))
		return resizeUint(b, p, bits)
	}
	lo, sh := b.Imm32(0xffff), b.Imm32(16)
	xl, xh := b.Iand(x, lo), b.Ushr(x, sh)
	yl, yh := b.Iand(y, lo), b.Ushr(y, sh)
	ll, lh := b.Imul(xl, yl), b.Imul(xl, yh)
	hl, hh := b.Imul(xh, yl), b.Imul(xh, yh)
	// ll>>16 + low halves of the cross products carries at most 2 bits up.
	mid := b.Iadd(b.Iadd(b.Ushr(ll, sh), b.Iand(lh, lo)), b.Iand(hl, lo))
	r := b.Iadd(b.Iadd(hh, b.Ushr(lh, sh)), b.Iadd(b.Ushr(hl, sh), b.Ushr(mid, sh)))
	if signed {
		n := b.Imm32(31)
		r = b.Isub(r, b.Iand(b.Ishr(x, n), y))
		r = b.Isub(r, b.Iand(b.Ishr(y, n), x))
	}
	return r
}

// orderedZeroMinMax makes fmin prefer -0 and fmax +0 on targets that do not
// order zeros: when the operands compare equal, their bits decide. As integers, so that of two
// denormals that count as equal one comes out.
func orderedZeroMinMax(b *ir.Builder, in *ir.Instr) *ir.Def {
	x, y := srcValue(b, in, 0), srcValue(b, in, 1)
	b.FastMath = 0
	same, pick := b.Imin, b.Fmin
	if in.Op == ir.OpFmax {
		same, pick = b.Imax, b.Fmax
	}
	return b.Bcsel(b.Feq(x, y), same(x, y), pick(x, y))
}
