package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// The functions on floats. Those that OpenCL wants more exact than hardware's functions are have the precision of
// -cl-fast-relaxed-math and of Vulkan (docs/nir-ir.md §16); of 64 bits there are none.

// relaxed is operand i, a float of up to 32 bits, as one of 32.
func (t *translator) relaxed(in *inst, n spv.OpenCLstd, i int, like *ir.Def) *ir.Def {
	x := t.floatLike(in, i, nil)
	if x.BitSize == 64 {
		t.refuse(in.id, "OpenCL.std instruction %s of 64-bit floats is not supported: no target has the function, nor exponents and logarithms of that size to make it of", n)
	}
	if like != nil && x.NumComponents != like.NumComponents {
		t.fail(in.id, "%s: operand %d does not have the shape of the first", n, i)
	}
	return t.widen(x)
}

// setFloat defines the result, in the size that it has.
func (t *translator) setFloat(in *inst, d *ir.Def) {
	t.set(in, t.narrow(d, t.typeOf(in.typ).scalarType().bits))
}

// openclCommon translates clamps, roundings and the like.
func (t *translator) openclCommon(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	one := func() *ir.Def { return t.floatLike(in, 0, nil) }
	switch n {
	case spv.OpenCLstdFclamp:
		x := one()
		t.set(in, t.exactly(func() *ir.Def { return b.Fmin(b.Fmax(x, t.floatLike(in, 1, x)), t.floatLike(in, 2, x)) }))
	case spv.OpenCLstdDegrees:
		x := one()
		t.set(in, b.Fmul(x, t.float1(180/math.Pi, x)))
	case spv.OpenCLstdRadians:
		x := one()
		t.set(in, b.Fmul(x, t.float1(math.Pi/180, x)))
	case spv.OpenCLstdStep:
		edge := one()
		x := t.floatLike(in, 1, edge)
		less := t.exactly(func() *ir.Def { return b.Flt(x, edge) })
		t.set(in, b.Bcsel(less, t.float1(0, x), t.float1(1, x)))
	case spv.OpenCLstdSmoothstep:
		e0 := one()
		e1, x := t.floatLike(in, 1, e0), t.floatLike(in, 2, e0)
		s := b.Fsat(b.Fdiv(b.Fsub(x, e0), b.Fsub(e1, e0)))
		t.set(in, b.Fmul(b.Fmul(s, s), b.Fsub(t.float1(3, x), b.Fmul(t.float1(2, x), s))))
	case spv.OpenCLstdMad:
		x := one()
		y, z := t.floatLike(in, 1, x), t.floatLike(in, 2, x)
		exact := b.Exact
		b.Exact = false // any rounding will do
		d := b.Fadd(b.Fmul(x, y), z)
		b.Exact = exact
		t.set(in, d)
	case spv.OpenCLstdFma:
		t.multiplyAdd(in)
	case spv.OpenCLstdRound: // halves away from zero
		t.set(in, t.roundAway(one()))
	case spv.OpenCLstdFdim:
		x := one()
		y := t.floatLike(in, 1, x)
		t.set(in, t.exactly(func() *ir.Def { return b.Bcsel(b.Fge(y, x), t.float1(0, x), b.Fsub(x, y)) }))
	case spv.OpenCLstdMaxmag, spv.OpenCLstdMinmag:
		x := one()
		t.set(in, t.byMagnitude(x, t.floatLike(in, 1, x), n == spv.OpenCLstdMaxmag))
	case spv.OpenCLstdHypot:
		x := one()
		y := b.Fabs(t.floatLike(in, 1, x))
		t.set(in, t.hypot(b.Fabs(x), y))
	default:
		return false
	}
	return true
}

// roundAway rounds to the nearest integer, halves away from zero.
func (t *translator) roundAway(x *ir.Def) *ir.Def {
	b := t.f.b
	return t.exactly(func() *ir.Def {
		whole := b.Ftrunc(x)
		up := b.Fge(b.Fabs(b.Fsub(x, whole)), t.float1(0.5, x))
		return b.Bcsel(up, b.Fadd(whole, t.copySign(b.Bcsel(up, t.float1(1, x), t.float1(0, x)), x)), whole)
	})
}

// hypot is the root of x² + y² of magnitudes, whose squares need not fit.
func (t *translator) hypot(x, y *ir.Def) *ir.Def {
	b := t.f.b
	big, small := b.Fmax(x, y), b.Fmin(x, y)
	q := b.Fdiv(small, big)
	r := b.Fmul(big, b.Fsqrt(b.Fadd(t.float1(1, x), b.Fmul(q, q))))
	plain := b.Ior(b.Feq(small, t.float1(0, x)), b.Feq(big, t.infinity(x.BitSize)))
	return b.Bcsel(plain, big, r)
}

// byMagnitude is the one of larger, or smaller, magnitude; of equal ones the maximum, or the minimum.
func (t *translator) byMagnitude(x, y *ir.Def, most bool) *ir.Def {
	b := t.f.b
	return t.exactly(func() *ir.Def {
		a, c := b.Fabs(x), b.Fabs(y)
		if most {
			return b.Bcsel(b.Flt(c, a), x, b.Bcsel(b.Flt(a, c), y, b.Fmax(x, y)))
		}
		return b.Bcsel(b.Flt(a, c), x, b.Bcsel(b.Flt(c, a), y, b.Fmin(x, y)))
	})
}

// openclExp translates exponentials, logarithms and powers.
func (t *translator) openclExp(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	x := func() *ir.Def { return t.relaxed(in, n, 0, nil) }
	set := func(d *ir.Def) bool { t.setFloat(in, d); return true }
	switch n {
	case spv.OpenCLstdExp, spv.OpenCLstdHalf_exp, spv.OpenCLstdNative_exp:
		return set(t.exp(x()))
	case spv.OpenCLstdExp2, spv.OpenCLstdHalf_exp2, spv.OpenCLstdNative_exp2:
		return set(b.Fexp2(x()))
	case spv.OpenCLstdExp10, spv.OpenCLstdHalf_exp10, spv.OpenCLstdNative_exp10:
		a := x()
		return set(b.Fexp2(b.Fmul(a, t.float1(math.Log2(10), a))))
	case spv.OpenCLstdExpm1:
		return set(t.expm1(x()))
	case spv.OpenCLstdLog, spv.OpenCLstdHalf_log, spv.OpenCLstdNative_log:
		return set(t.ln(x()))
	case spv.OpenCLstdLog2, spv.OpenCLstdHalf_log2, spv.OpenCLstdNative_log2:
		return set(b.Flog2(x()))
	case spv.OpenCLstdLog10, spv.OpenCLstdHalf_log10, spv.OpenCLstdNative_log10:
		a := x()
		return set(b.Fmul(b.Flog2(a), t.float1(math.Log10(2), a)))
	case spv.OpenCLstdLog1p:
		return set(t.log1p(x()))
	case spv.OpenCLstdPow:
		a := x()
		return set(t.power(a, t.relaxed(in, n, 1, a)))
	case spv.OpenCLstdPowr, spv.OpenCLstdHalf_powr, spv.OpenCLstdNative_powr:
		a := x()
		y := t.relaxed(in, n, 1, a)
		return set(b.Bcsel(b.Feq(y, t.float1(0, y)), t.float1(1, a), b.Fpow(a, y)))
	case spv.OpenCLstdPown:
		a := x()
		k := t.intVector(t.arg(in, 1), a.NumComponents, 0)
		r := b.Bcsel(b.Ieq(k, t.f.constant(k.BitSize, 0)), t.float1(1, a), b.Fpow(b.Fabs(a), b.I2f32(k)))
		return set(t.oddSign(r, a, k))
	case spv.OpenCLstdRootn:
		a := x()
		k := t.intVector(t.arg(in, 1), a.NumComponents, 0)
		r := b.Fpow(b.Fabs(a), b.Frcp(b.I2f32(k)))
		even := b.Ieq(b.Iand(k, t.f.constant(k.BitSize, 1)), t.f.constant(k.BitSize, 0))
		none := b.Ior(b.Ieq(k, t.f.constant(k.BitSize, 0)), b.Iand(even, b.Flt(a, t.float1(0, a))))
		return set(b.Bcsel(none, t.float1(math.NaN(), a), t.oddSign(r, a, k)))
	case spv.OpenCLstdCbrt:
		a := x()
		r := t.copySign(b.Fexp2(b.Fmul(b.Flog2(b.Fabs(a)), t.float1(1.0/3, a))), a)
		return set(b.Bcsel(b.Feq(a, t.float1(0, a)), a, r))
	case spv.OpenCLstdErf, spv.OpenCLstdErfc:
		a := x()
		r := t.erfc(b.Fabs(a))
		neg := b.Flt(a, t.float1(0, a))
		if n == spv.OpenCLstdErfc {
			return set(b.Bcsel(neg, b.Fsub(t.float1(2, a), r), r))
		}
		near := b.Fmul(a, t.poly(b.Fmul(a, a), erfPoly))
		return set(b.Bcsel(b.Flt(b.Fabs(a), t.float1(0.5, a)), near, t.copySign(b.Fsub(t.float1(1, a), r), a)))
	}
	return false
}

// erfPoly is the beginning of the series of erf(x)/x in x² (NIST DLMF 7.6.1), erfcPoly the polynomial of W. J. Cody's kind of
// Abramowitz and Stegun 7.1.26: erfc(x) = t·poly(t)·exp(-x²), t = 1/(1 + 0.3275911·x), to 1.5e-7.
var (
	erfPoly  = []float64{2 / math.SqrtPi * 1, -2 / math.SqrtPi / 3, 2 / math.SqrtPi / 10, -2 / math.SqrtPi / 42, 2 / math.SqrtPi / 216, -2 / math.SqrtPi / 1320}
	erfcPoly = []float64{0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429}
)

// erfc is the complementary error function of x ≥ 0.
func (t *translator) erfc(x *ir.Def) *ir.Def {
	b := t.f.b
	u := b.Frcp(b.Fadd(t.float1(1, x), b.Fmul(t.float1(0.3275911, x), x)))
	return b.Fmul(b.Fmul(u, t.poly(u, erfcPoly)), t.exp(b.Fneg(b.Fmul(x, x))))
}

// expm1 is e^x - 1, near 0 by its series.
func (t *translator) expm1(x *ir.Def) *ir.Def {
	b := t.f.b
	near := b.Fmul(x, t.poly(x, []float64{1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040}))
	return b.Bcsel(b.Flt(b.Fabs(x), t.float1(0.5, x)), near, b.Fsub(t.exp(x), t.float1(1, x)))
}

// log1p is the logarithm of 1 + x, near 0 twice the area tangent of x/(2+x) by its series.
func (t *translator) log1p(x *ir.Def) *ir.Def {
	b := t.f.b
	s := b.Fdiv(x, b.Fadd(t.float1(2, x), x))
	near := b.Fmul(b.Fmul(t.float1(2, x), s), t.poly(b.Fmul(s, s), []float64{1, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9}))
	return b.Bcsel(b.Flt(b.Fabs(x), t.float1(0.25, x)), near, t.ln(b.Fadd(t.float1(1, x), x)))
}

// oddSign gives a power the sign of its base where the exponent is odd.
func (t *translator) oddSign(r, base, k *ir.Def) *ir.Def {
	b := t.f.b
	odd := b.Ine(b.Iand(k, t.f.constant(k.BitSize, 1)), t.f.constant(k.BitSize, 0))
	return b.Bcsel(odd, t.copySign(r, base), r)
}

// power is x to the y: of a negative base for whole exponents.
func (t *translator) power(x, y *ir.Def) *ir.Def {
	b := t.f.b
	zero, one := t.float1(0, x), t.float1(1, x)
	r := b.Fpow(b.Fabs(x), y)
	r = b.Bcsel(b.Ior(b.Feq(y, zero), b.Feq(x, one)), one, r)
	half := b.Fmul(y, t.float1(0.5, x))
	odd := b.Iand(b.Feq(b.Ffloor(y), y), b.Fneu(b.Ffloor(half), half))
	whole := b.Feq(b.Ffloor(y), y)
	r = b.Bcsel(odd, t.copySign(r, x), r)
	return b.Bcsel(b.Iand(b.Flt(x, zero), b.Inot(whole)), t.float1(math.NaN(), x), r)
}

// openclTrig translates the trigonometric and hyperbolic functions.
func (t *translator) openclTrig(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	if n == spv.OpenCLstdAtan2 || n == spv.OpenCLstdAtan2pi {
		y := t.relaxed(in, n, 0, nil)
		x := t.relaxed(in, n, 1, y)
		r := t.atan2(y, x, openclArcs)
		if n == spv.OpenCLstdAtan2pi {
			r = b.Fmul(r, t.float1(1/math.Pi, r))
		}
		t.setFloat(in, r)
		return true
	}
	f := t.circular(n)
	if f == nil {
		f = t.hyperbolic(n)
	}
	if f == nil {
		return false
	}
	t.setFloat(in, f(t.relaxed(in, n, 0, nil)))
	return true
}

// circular is a trigonometric function of one number, nil if n is none.
func (t *translator) circular(n spv.OpenCLstd) func(*ir.Def) *ir.Def {
	b := t.f.b
	over := func(f func(*ir.Def) *ir.Def) func(*ir.Def) *ir.Def {
		return func(x *ir.Def) *ir.Def { return b.Fmul(f(x), t.float1(1/math.Pi, x)) }
	}
	tan := func(x *ir.Def) *ir.Def { return b.Fdiv(b.Fsin(x), b.Fcos(x)) }
	switch n {
	case spv.OpenCLstdSin, spv.OpenCLstdHalf_sin, spv.OpenCLstdNative_sin:
		return b.Fsin
	case spv.OpenCLstdCos, spv.OpenCLstdHalf_cos, spv.OpenCLstdNative_cos:
		return b.Fcos
	case spv.OpenCLstdTan, spv.OpenCLstdHalf_tan, spv.OpenCLstdNative_tan:
		return tan
	case spv.OpenCLstdSinpi:
		return func(x *ir.Def) *ir.Def { return b.Fsin(t.halfTurns(x)) }
	case spv.OpenCLstdCospi:
		return func(x *ir.Def) *ir.Def { return b.Fcos(t.halfTurns(x)) }
	case spv.OpenCLstdTanpi:
		return func(x *ir.Def) *ir.Def { return tan(t.halfTurns(x)) }
	case spv.OpenCLstdAsin:
		return t.arc((*translator).asin, openclArcs)
	case spv.OpenCLstdAcos:
		return t.arc((*translator).acos, openclArcs)
	case spv.OpenCLstdAtan:
		return t.arc((*translator).atan, openclArcs)
	case spv.OpenCLstdAsinpi:
		return over(t.arc((*translator).asin, openclArcs))
	case spv.OpenCLstdAcospi:
		return over(t.arc((*translator).acos, openclArcs))
	case spv.OpenCLstdAtanpi:
		return over(t.arc((*translator).atan, openclArcs))
	}
	return nil
}

// hyperbolic is a hyperbolic function, nil if n is none.
func (t *translator) hyperbolic(n spv.OpenCLstd) func(*ir.Def) *ir.Def {
	b := t.f.b
	switch n {
	case spv.OpenCLstdSinh:
		return func(x *ir.Def) *ir.Def { // by e^x - 1, which does not cancel near 0
			e := t.expm1(b.Fabs(x))
			d := b.Fadd(e, b.Fdiv(e, b.Fadd(e, t.float1(1, x))))
			return t.copySign(b.Bcsel(b.Flt(t.float1(20, x), b.Fabs(x)), b.Fmul(t.float1(0.5, x), e), b.Fmul(t.float1(0.5, x), d)), x)
		}
	case spv.OpenCLstdCosh:
		return func(x *ir.Def) *ir.Def {
			return b.Fmul(t.float1(0.5, x), b.Fadd(t.exp(x), t.exp(b.Fneg(x))))
		}
	case spv.OpenCLstdTanh:
		return t.tanh
	case spv.OpenCLstdAsinh:
		return func(x *ir.Def) *ir.Def {
			a := b.Fabs(x)
			r := t.ln(b.Fadd(a, b.Fsqrt(b.Fadd(b.Fmul(a, a), t.float1(1, x)))))
			near := t.poly(b.Fmul(a, a), []float64{1, -1.0 / 6, 3.0 / 40, -15.0 / 336, 105.0 / 3456})
			return t.copySign(b.Bcsel(b.Flt(a, t.float1(0.25, x)), b.Fmul(a, near), r), x)
		}
	case spv.OpenCLstdAcosh:
		return func(x *ir.Def) *ir.Def {
			return t.ln(b.Fadd(x, b.Fsqrt(b.Fsub(b.Fmul(x, x), t.float1(1, x)))))
		}
	case spv.OpenCLstdAtanh:
		return func(x *ir.Def) *ir.Def {
			return b.Fmul(t.float1(0.5, x), t.log1p(b.Fdiv(b.Fmul(t.float1(2, x), x), b.Fsub(t.float1(1, x), x))))
		}
	}
	return nil
}

// halfTurns is π·x without whole turns.
func (t *translator) halfTurns(x *ir.Def) *ir.Def {
	b := t.f.b
	turns := b.FroundEven(b.Fmul(x, t.float1(0.5, x)))
	return b.Fmul(b.Fsub(x, b.Fmul(t.float1(2, x), turns)), t.float1(math.Pi, x))
}

// openclBits translates what works on the bits of floats.
func (t *translator) openclBits(in *inst, n spv.OpenCLstd) bool {
	b := t.f.b
	switch n {
	case spv.OpenCLstdCopysign:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.copySign(x, t.floatLike(in, 1, x)))
	case spv.OpenCLstdNan:
		x := t.intLike(in, 0, nil)
		quiet := map[uint8]uint64{16: 0x7e00, 32: 0x7fc00000, 64: 0x7ff8000000000000}[x.BitSize]
		if quiet == 0 {
			t.fail(in.id, "%s of %d bits", n, x.BitSize)
		}
		payload := b.Iand(x, t.f.constant(x.BitSize, 1<<(map[uint8]uint{16: 9, 32: 22, 64: 51}[x.BitSize])-1))
		t.set(in, b.Ior(payload, t.f.constant(x.BitSize, quiet)))
	case spv.OpenCLstdNextafter:
		x := t.floatLike(in, 0, nil)
		t.set(in, t.nextAfter(x, t.floatLike(in, 1, x)))
	case spv.OpenCLstdLdexp:
		x := t.floatLike(in, 0, nil)
		t.set(in, b.Ldexp(x, t.signExtend(t.intVector(t.arg(in, 1), x.NumComponents, 0), 32)))
	case spv.OpenCLstdIlogb, spv.OpenCLstdLogb:
		x := t.floatLike(in, 0, nil)
		e := b.Iadd(b.FrexpExp(x), t.f.u32(^uint32(0)))
		zero := b.Feq(x, t.float1(0, x))
		odd := t.exactly(func() *ir.Def { return b.Inot(b.Flt(b.Fabs(x), t.infinity(x.BitSize))) }) // infinite or no number
		if n == spv.OpenCLstdIlogb {
			t.set(in, b.Bcsel(zero, t.f.u32(1<<31), b.Bcsel(odd, t.f.u32(1<<31-1), e)))
			return true
		}
		r := b.ALU(i2fOps[ir.SizeIndex(x.BitSize)], e)
		t.set(in, b.Bcsel(zero, b.Fneg(t.infinity(x.BitSize)), b.Bcsel(odd, b.Fabs(x), r)))
	default:
		return false
	}
	return true
}

// nextAfter is the float after x on the way to y.
func (t *translator) nextAfter(x, y *ir.Def) *ir.Def {
	b, w := t.f.b, x.BitSize
	top := t.f.constant(w, 1<<(w-1))
	zero, one := t.f.constant(w, 0), t.f.constant(w, 1)
	return t.exactly(func() *ir.Def {
		away := b.Ieq(b.Flt(x, y), b.Ige(x, zero)) // from 0
		step := b.Bcsel(away, b.Iadd(x, one), b.Isub(x, one))
		first := b.Ior(one, b.Iand(y, top)) // of either zero
		r := b.Bcsel(b.Feq(x, t.float1(0, x)), first, step)
		r = b.Bcsel(b.Feq(x, y), y, r)
		r = b.Bcsel(b.Fneu(y, y), y, r)
		return b.Bcsel(b.Fneu(x, x), x, r)
	})
}
