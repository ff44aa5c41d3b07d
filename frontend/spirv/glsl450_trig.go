package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Polynomials of nir-ir.md §16: arc tangent on [0, 1]
// in t², arc sine on [0, 1/4] in x², and arc cosine divided by sqrt(1-x) on [0, 1].
var (
	atanPoly = []float64{0.999999901, -0.3333199076, 0.199697241, -0.1401948223, 0.09914296876, -0.05948645555, 0.02425245025, -0.004693289879}
	asinPoly = []float64{1.00000008, 0.1666513018, 0.07547153243, 0.03967789807, 0.05059201321}
	acosPoly = []float64{1.570796165, -0.21458471, 0.08874905699, -0.04877413028, 0.02684477755, -0.01109690706, 0.002279455655}
)

// poly evaluates a polynomial, lowest coefficient first, by Horner's rule.
func (t *translator) poly(x *ir.Def, c []float64) *ir.Def {
	b := t.f.b
	r := t.float1(c[len(c)-1], x)
	for k := len(c) - 2; k >= 0; k-- {
		r = b.Fadd(b.Fmul(r, x), t.float1(c[k], x))
	}
	return r
}

// glslTrig translates the trigonometric and hyperbolic functions.
func (t *translator) glslTrig(in *inst, n spv.GLSLstd450) bool {
	b := t.f.b
	var f func(x *ir.Def) *ir.Def
	switch n {
	case spv.GLSLstd450Tan:
		x := t.floatLike(in, 0, nil)
		t.set(in, b.Fdiv(b.Fsin(x), b.Fcos(x)))
		return true
	case spv.GLSLstd450Asin:
		f = t.asin
	case spv.GLSLstd450Acos:
		f = t.acos
	case spv.GLSLstd450Atan:
		f = t.atan
	case spv.GLSLstd450Sinh:
		f = func(x *ir.Def) *ir.Def {
			return b.Fmul(t.float1(0.5, x), b.Fsub(t.exp(x), t.exp(b.Fneg(x))))
		}
	case spv.GLSLstd450Cosh:
		f = func(x *ir.Def) *ir.Def {
			return b.Fmul(t.float1(0.5, x), b.Fadd(t.exp(x), t.exp(b.Fneg(x))))
		}
	case spv.GLSLstd450Tanh:
		f = t.tanh
	case spv.GLSLstd450Asinh:
		f = func(x *ir.Def) *ir.Def {
			a := b.Fabs(x)
			r := t.ln(b.Fadd(a, b.Fsqrt(b.Fadd(b.Fmul(a, a), t.float1(1, x)))))
			return t.copySign(r, x)
		}
	case spv.GLSLstd450Acosh:
		f = func(x *ir.Def) *ir.Def {
			return t.ln(b.Fadd(x, b.Fsqrt(b.Fsub(b.Fmul(x, x), t.float1(1, x)))))
		}
	case spv.GLSLstd450Atanh:
		f = func(x *ir.Def) *ir.Def {
			one := t.float1(1, x)
			return b.Fmul(t.float1(0.5, x), t.ln(b.Fdiv(b.Fadd(one, x), b.Fsub(one, x))))
		}
	case spv.GLSLstd450Atan2:
		y := t.floatLike(in, 0, nil)
		x := t.floatLike(in, 1, y)
		w := y.BitSize
		t.set(in, t.narrow(t.atan2(t.widen(y), t.widen(x)), w))
		return true
	default:
		return false
	}
	x := t.floatLike(in, 0, nil)
	t.set(in, t.narrow(f(t.widen(x)), x.BitSize))
	return true
}

// widen and narrow make 16-bit functions run at 32 bits.
func (t *translator) widen(x *ir.Def) *ir.Def {
	if x.BitSize != 16 {
		return x
	}
	return t.f.b.F2f32(x)
}

func (t *translator) narrow(x *ir.Def, bits uint8) *ir.Def {
	if x.BitSize == bits {
		return x
	}
	return t.f.b.F2f16(x)
}

// copySign returns |x| with the sign bit of s.
func (t *translator) copySign(x, s *ir.Def) *ir.Def {
	b := t.f.b
	top := uint64(1) << (x.BitSize - 1)
	sign := b.Iand(s, t.f.constant(x.BitSize, top))
	return b.Ior(b.Iand(x, t.f.constant(x.BitSize, top-1)), sign)
}

func (t *translator) asin(x *ir.Def) *ir.Def {
	b := t.f.b
	a := b.Fabs(x)
	small := b.Fmul(x, t.poly(b.Fmul(x, x), asinPoly))
	root := b.Fsqrt(b.Fsub(t.float1(1, x), a))
	large := t.copySign(b.Fsub(t.float1(math.Pi/2, x), b.Fmul(root, t.poly(a, acosPoly))), x)
	return b.Bcsel(b.Flt(a, t.float1(0.5, x)), small, large)
}

func (t *translator) acos(x *ir.Def) *ir.Def {
	b := t.f.b
	a := b.Fabs(x)
	r := b.Fmul(b.Fsqrt(b.Fsub(t.float1(1, x), a)), t.poly(a, acosPoly))
	return b.Bcsel(b.Flt(x, t.float1(0, x)), b.Fsub(t.float1(math.Pi, x), r), r)
}

// atanUnit is the arc tangent of t in [0, 1].
func (t *translator) atanUnit(x *ir.Def) *ir.Def {
	return t.f.b.Fmul(x, t.poly(t.f.b.Fmul(x, x), atanPoly))
}

func (t *translator) atan(x *ir.Def) *ir.Def {
	b := t.f.b
	one := t.float1(1, x)
	a := b.Fabs(x)
	q := b.Fdiv(b.Fmin(a, one), b.Fmax(a, one))
	r := t.atanUnit(q)
	r = b.Bcsel(b.Flt(one, a), b.Fsub(t.float1(math.Pi/2, x), r), r)
	return t.copySign(r, x)
}

// atan2 is the angle of (x, y): the arc tangent of the smaller over the
// larger magnitude, mirrored into its octant.
func (t *translator) atan2(y, x *ir.Def) *ir.Def {
	b := t.f.b
	ax, ay := b.Fabs(x), b.Fabs(y)
	num, den := b.Fmin(ax, ay), b.Fmax(ax, ay)
	// A huge divisor's reciprocal would be flushed: scale both down.
	huge, scale := 1e18, 1.0/(1<<24)
	if x.BitSize == 64 {
		huge = 1e300
	}
	s := b.Bcsel(b.Fge(den, t.float1(huge, x)), t.float1(scale, x), t.float1(1, x))
	q := b.Fdiv(b.Fmul(num, s), b.Fmul(den, s))
	// Equal magnitudes, the zeros and infinities among them, are 45 degrees or 0.
	q = b.Bcsel(b.Feq(ax, ay), t.float1(1, x), q)
	q = b.Bcsel(b.Feq(den, t.float1(0, x)), t.float1(0, x), q)
	r := t.atanUnit(q)
	r = b.Bcsel(b.Flt(ax, ay), b.Fsub(t.float1(math.Pi/2, x), r), r)
	neg := b.Ilt(x, t.f.constant(x.BitSize, 0)) // by the sign bit, so that -0 counts
	r = b.Bcsel(neg, b.Fsub(t.float1(math.Pi, x), r), r)
	return t.copySign(r, y)
}

func (t *translator) tanh(x *ir.Def) *ir.Def {
	b := t.f.b
	limit := 10.0
	if x.BitSize == 64 {
		limit = 22
	}
	c := b.Fmax(b.Fmin(x, t.float1(limit, x)), t.float1(-limit, x))
	p, n := t.exp(c), t.exp(b.Fneg(c))
	r := b.Fdiv(b.Fsub(p, n), b.Fadd(p, n))
	some := t.exactly(func() *ir.Def { return b.Flt(t.float1(0, x), b.Fabs(x)) })
	keep := t.exactly(func() *ir.Def { return b.Fmul(x, t.float1(1, x)) })
	return b.Bcsel(some, r, keep)
}
