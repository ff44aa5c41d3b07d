package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// arcs are the polynomials of the arc functions (nir-ir.md §16), lowest coefficient first: arc tangent on [0, 1]
// in t², arc sine on [0, 1/4] in x², and arc cosine divided by sqrt(1-x) on [0, 1].
type arcs struct{ atan, asin, acos []float64 }

// Vulkan allows these functions 4096 ULP, OpenCL from 4 to 6.
var (
	glslArcs = &arcs{
		atan: []float64{0.9999956297, -0.3329945982, 0.1956359368, -0.1212390821, 0.05747735951, -0.01348048864},
		asin: []float64{0.9999984906, 0.1668521954, 0.07148400456, 0.06506757262},
		acos: []float64{1.570787439, -0.2141108148, 0.08459657029, -0.03564343807, 0.008591808541},
	}
	openclArcs = &arcs{
		atan: []float64{0.999999901, -0.3333199076, 0.199697241, -0.1401948223, 0.09914296876, -0.05948645555, 0.02425245025, -0.004693289879},
		asin: []float64{1.00000008, 0.1666513018, 0.07547153243, 0.03967789807, 0.05059201321},
		acos: []float64{1.570796165, -0.21458471, 0.08874905699, -0.04877413028, 0.02684477755, -0.01109690706, 0.002279455655},
	}
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
		f = t.arc((*translator).asin, glslArcs)
	case spv.GLSLstd450Acos:
		f = t.arc((*translator).acos, glslArcs)
	case spv.GLSLstd450Atan:
		f = t.arc((*translator).atan, glslArcs)
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
		t.set(in, t.narrow(t.atan2(t.widen(y), t.widen(x), glslArcs), w))
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
	return t.giveSign(t.f.b.Iand(x, t.f.constant(x.BitSize, 1<<(x.BitSize-1)-1)), s)
}

// giveSign returns x, whose sign bit is clear, with that of s.
func (t *translator) giveSign(x, s *ir.Def) *ir.Def {
	b := t.f.b
	return b.Ior(x, b.Iand(s, t.f.constant(x.BitSize, 1<<(x.BitSize-1))))
}

// arc is an arc function with its polynomials.
func (t *translator) arc(f func(t *translator, x *ir.Def, p *arcs) *ir.Def, p *arcs) func(x *ir.Def) *ir.Def {
	return func(x *ir.Def) *ir.Def { return f(t, x, p) }
}

func (t *translator) asin(x *ir.Def, p *arcs) *ir.Def {
	b := t.f.b
	a := b.Fabs(x)
	small := b.Fmul(x, t.poly(b.Fmul(x, x), p.asin))
	root := b.Fsqrt(b.Fsub(t.float1(1, x), a))
	large := t.giveSign(b.Fsub(t.float1(math.Pi/2, x), b.Fmul(root, t.poly(a, p.acos))), x)
	return b.Bcsel(b.Flt(a, t.float1(0.5, x)), small, large)
}

func (t *translator) acos(x *ir.Def, p *arcs) *ir.Def {
	b := t.f.b
	a := b.Fabs(x)
	r := b.Fmul(b.Fsqrt(b.Fsub(t.float1(1, x), a)), t.poly(a, p.acos))
	return b.Bcsel(b.Flt(x, t.float1(0, x)), b.Fsub(t.float1(math.Pi, x), r), r)
}

// atan is the arc tangent of x, or a right angle with the sign of x less that of 1/x. What is added to the former is -0, which
// leaves it the sign of a zero.
func (t *translator) atan(x *ir.Def, p *arcs) *ir.Def {
	b := t.f.b
	large := b.Flt(t.float1(1, x), b.Fabs(x))
	u := b.Bcsel(large, b.Fdiv(t.float1(-1, x), x), x)
	right := b.Bcsel(b.Flt(x, t.float1(0, x)), t.float1(-math.Pi/2, x), t.float1(math.Pi/2, x))
	r := b.Fmul(u, t.poly(b.Fmul(u, u), p.atan))
	return b.Fadd(r, b.Bcsel(large, right, t.float1(math.Copysign(0, -1), x)))
}

// atan2 is the angle of (x, y): the arc tangent of the smaller over the
// larger magnitude, mirrored into its octant.
func (t *translator) atan2(y, x *ir.Def, p *arcs) *ir.Def {
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
	r := b.Fmul(q, t.poly(b.Fmul(q, q), p.atan))
	r = b.Bcsel(b.Flt(ax, ay), b.Fsub(t.float1(math.Pi/2, x), r), r)
	neg := b.Ilt(x, t.f.constant(x.BitSize, 0)) // by the sign bit, so that -0 counts
	r = b.Bcsel(neg, b.Fsub(t.float1(math.Pi, x), r), r)
	return t.giveSign(r, y)
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
