package passes

import "nirc/ir"

// Digits of quotients and roots come from single precision floats: what is
// left, as a float, times an estimate of the reciprocal. Two roundings of the
// operands, one of the product and one of the bias, each up to an ulp as the
// mode may round toward zero, and a reciprocal up to 2 ulp off are 2^-20.4
// together. The bias of 2^-20 keeps a digit from being too large; it is too
// small by at most 2^-19.2 of it, and what truncation takes. That leaves less
// than twice the divisor at the end, which one correction takes care of.
const digitBias = 1 - 0x1p-20

// floating runs f with float operations that nobody may change.
func (d *doubleLowering) floating(f func() *ir.Def) *ir.Def {
	d.Exact = true
	r := f()
	d.Exact = false
	return r
}

// digit is about x times the scaled estimate, never more.
func (d *doubleLowering) digit(x pair, scaled *ir.Def) *ir.Def {
	return d.floating(func() *ir.Def { return d.F2u32(d.Fmul(d.estimate(x), scaled)) })
}

// factor is a significand prepared for products with digits: where the upper
// half of a 32-bit product takes long, in pieces of 12 bits.
type factor struct {
	pair
	limbs [5]*ir.Def
}

func (d *doubleLowering) factor(x pair) factor {
	f := factor{pair: x}
	if d.Shader.Options.LowerMulHigh {
		m := d.Imm32(1<<12 - 1)
		f.limbs = [5]*ir.Def{
			d.Iand(x.lo, m), d.Iand(d.Ushr(x.lo, d.Imm32(12)), m),
			d.Iand(d.Ior(d.Ushr(x.lo, d.Imm32(24)), d.Ishl(x.hi, d.Imm32(8))), m),
			d.Iand(d.Ushr(x.hi, d.Imm32(4)), m), d.Iand(d.Ushr(x.hi, d.Imm32(16)), m),
		}
	}
	return f
}

// times is the product with a digit below 2^20 modulo 2^64.
func (d *doubleLowering) times(f factor, digit *ir.Def) pair {
	if f.limbs[0] == nil {
		p := d.mul32(f.lo, digit)
		return pair{p.lo, d.Iadd(p.hi, d.Imul(f.hi, digit))}
	}
	part := func(i int) *ir.Def { return d.Imul24Relaxed(f.limbs[i], digit) }
	at := func(p *ir.Def, n uint32) pair {
		return pair{d.Ishl(p, d.Imm32(n)), d.Ushr(p, d.Imm32(32-n))}
	}
	r := d.add(at(part(1), 12), pair{part(0), d.Imm32(0)})
	r = d.add(r, at(part(2), 24))
	high := d.Iadd(d.Ishl(part(3), d.Imm32(4)), d.Ishl(part(4), d.Imm32(16)))
	return pair{r.lo, d.Iadd(r.hi, high)}
}

// fdiv is the rounded quotient: three digits of 18 bits, then the remainder
// decides what is below.
func (d *doubleLowering) fdiv(x, y pair) pair {
	a, b := d.normalised(d.open(x)), d.normalised(d.open(y))
	scaled := d.floating(func() *ir.Def {
		return d.Fmul(d.Frcp(d.estimate(b.sig)), d.ImmFloat(digitBias*0x1p18, 32))
	})
	divisor, rest := d.factor(b.sig), a.sig
	var digits [3]*ir.Def
	for i := range digits {
		digits[i] = d.digit(rest, scaled)
		rest = d.sub(d.shl(rest, 18), d.times(divisor, digits[i]))
	}
	q := pair{d.Ishl(digits[1], d.Imm32(18)), d.Iadd(d.Ishl(digits[0], d.Imm32(4)), d.Ushr(digits[1], d.Imm32(14)))}
	q = d.add(q, pair{digits[2], d.Imm32(0)})
	more := d.Inot(d.ult(rest, b.sig))
	q = d.add(q, pair{d.B2i32(more), d.Imm32(0)})
	w := []*ir.Def{d.leftOver(more, rest, b.sig), q.lo, q.hi}
	r, _ := d.roundWords(w, 1, d.Iadd(d.Isub(a.e, b.e), d.Imm32(936)))

	zeroX, zeroY := d.isZero(d.Ior(a.abs, x.lo)), d.isZero(d.Ior(b.abs, y.lo))
	zero := d.Ior(zeroX, d.Ieq(b.exp, d.Imm32(maxExp)))
	inf := d.Ior(zeroY, d.Ieq(a.exp, d.Imm32(maxExp)))
	nan := d.Ior(d.Iand(zero, inf), d.isNaNKey(d.Umax(d.nanKey(a.abs, x.lo), d.nanKey(b.abs, y.lo))))
	hi := d.Bcsel(zero, d.Imm32(0), d.Bcsel(inf, d.Imm32(infinity), r.hi))
	hi = d.Ior(d.Bcsel(nan, d.Imm32(quietNaN), hi), d.signBit(d.Ixor(x.hi, y.hi)))
	return pair{d.Bcsel(d.Ior(zero, inf), d.Imm32(0), r.lo), hi}
}

// leftOver is 1 if a remainder, less what is taken off once more, is not 0.
func (d *doubleLowering) leftOver(more *ir.Def, rest, off pair) *ir.Def {
	if0, if1 := d.Ior(rest.lo, rest.hi), d.Ior(d.Ixor(rest.lo, off.lo), d.Ixor(rest.hi, off.hi))
	return d.sticky(d.Bcsel(more, if1, if0))
}

// fsqrt is the rounded root: digits of 20, 17 and 17 bits of the root of
// m·2^54, where m = sig or 2·sig makes the exponent even. The first digit is
// m times its reciprocal root; where s is the root so far and r = m - s², the
// next is r/2√m, less than (√m - s)(√m + s)/2√m by at most (√m - s)²/2√m, 1.1
// of its units for the second digit and nothing for the third.
func (d *doubleLowering) fsqrt(x pair) pair {
	a := d.normalised(d.open(x))
	even := d.isZero(d.Iand(a.e, d.Imm32(1)))
	m := d.sel(even, d.shl(a.sig, 1), a.sig)
	inv := d.floating(func() *ir.Def { return d.Fmul(d.Frsq(d.estimate(m)), d.ImmFloat(digitBias, 32)) })
	scaled := func(by float64) *ir.Def {
		return d.floating(func() *ir.Def { return d.Fmul(inv, d.ImmFloat(by, 32)) })
	}

	d1 := d.digit(m, scaled(0x1p-7))
	sq := d.times(d.factor(pair{d1, d.Imm32(0)}), d1)
	rest := d.sub(m, d.shl(sq, 14))

	d2 := d.digit(rest, scaled(0x1p9))
	s := d.add(pair{d.Ishl(d1, d.Imm32(18)), d.Ushr(d1, d.Imm32(14))}, pair{d2, d.Imm32(0)})
	rest = d.sub(d.shl(rest, 20), d.times(d.factor(s), d2))

	d3 := d.digit(rest, scaled(0x1p6))
	s = d.add(pair{d.Ishl(d1, d.Imm32(17)), d.Ushr(d1, d.Imm32(15))}, pair{d2, d.Imm32(0)})
	twice := d.add(d.shl(s, 18), pair{d3, d.Imm32(0)})
	rest = d.sub(pair{d.Imm32(0), d.Ishl(rest.lo, d.Imm32(2))}, d.times(d.factor(twice), d3))
	s = d.add(d.shl(s, 17), pair{d3, d.Imm32(0)})

	// s + 1 has the square s² + 2s + 1.
	next := d.shl(s, 1)
	next.lo = d.Ior(next.lo, d.Imm32(1))
	more := d.Inot(d.ult(rest, next))
	left := d.leftOver(more, rest, next)
	s = d.shl(d.add(s, pair{d.B2i32(more), d.Imm32(0)}), 9)
	r := d.round(pair{d.Ior(s.lo, left), s.hi}, d.Ushr(d.Iadd(a.e, d.Imm32(1021)), d.Imm32(1)))

	zero := d.isZero(d.Ior(a.abs, x.lo))
	r = d.sel(d.Ior(zero, d.Ieq(a.exp, d.Imm32(maxExp))), x, r)
	nan := d.Iand(d.Ilt(x.hi, d.Imm32(0)), d.Inot(zero))
	return d.sel(nan, pair{d.Imm32(0), d.Imm32(quietNaN)}, r)
}
