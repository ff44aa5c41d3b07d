package optab

import "math"

// Evaluations of float arithmetic.

// signBit is the sign bit of a size.
func signBit(bits uint8) uint64 { return 1 << (bits - 1) }

func evalFneg(_ Mode, bits uint8, s *[4]uint64) uint64 { return s[0] ^ signBit(bits) }
func evalFabs(_ Mode, bits uint8, s *[4]uint64) uint64 { return s[0] &^ signBit(bits) }

// float1 makes the evaluation of a function of one float, rounded at the end.
func float1(f func(x float64) float64) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 { return fstore(m, bits, f(fload(m, bits, s[0]))) }
}

// float2 makes the evaluation of an operation on two floats.
func float2(f func(m Mode, bits uint8, a, b float64) uint64) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		return f(m, bits, fload(m, bits, s[0]), fload(m, bits, s[1]))
	}
}

// clampTo limits x from below and from above by 1; NaN gives the lower limit.
func clampTo(low, x float64) float64 {
	if !(x > low) {
		return low
	}
	return min(x, 1)
}

func fsat(x float64) float64       { return clampTo(0, x) }
func fsatSigned(x float64) float64 { return clampTo(-1, x) }

func fclampPos(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return x
}

func fsign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x != x:
		return 0
	}
	return x
}

func sub(m Mode, bits uint8, a, b float64) uint64 { return add(m, bits, a, -b) }

// mulz is mul with 0 times anything 0.
func mulz(m Mode, bits uint8, a, b float64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return mul(m, bits, a, b)
}

func evalFfma(m Mode, bits uint8, s *[4]uint64) uint64 {
	return fma(m, bits, fload(m, bits, s[0]), fload(m, bits, s[1]), fload(m, bits, s[2]))
}

func evalFfmaz(m Mode, bits uint8, s *[4]uint64) uint64 {
	a, b, c := fload(m, bits, s[0]), fload(m, bits, s[1]), fload(m, bits, s[2])
	if a == 0 || b == 0 {
		return add(m, bits, 0, c)
	}
	return fma(m, bits, a, b, c)
}

func evalFrcp(m Mode, bits uint8, s *[4]uint64) uint64 { return div(m, bits, 1, fload(m, bits, s[0])) }
func evalFsqrt(m Mode, bits uint8, s *[4]uint64) uint64 {
	return sqrt(m, bits, fload(m, bits, s[0]))
}

func frsq(x float64) float64 { return 1 / math.Sqrt(x) }

// flog2 is accurate around 1 too, where math.Log2 cancels.
func flog2(x float64) float64 {
	if x > 0.75 && x < 1.5 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}

func fpow(m Mode, bits uint8, a, b float64) uint64 {
	if a < 0 {
		return fstore(m, bits, math.NaN())
	}
	return fstore(m, bits, math.Pow(a, b))
}

// sinpi and cospi take half turns; the argument is reduced exactly.
func sinpi(x float64) float64 {
	r := math.Mod(x, 2)
	switch math.Abs(r) {
	case 0, 1:
		return math.Copysign(0, x)
	}
	return math.Sin(r * math.Pi)
}

func cospi(x float64) float64 {
	r := math.Abs(math.Mod(x, 2))
	if r == 0.5 || r == 1.5 {
		return 0
	}
	return math.Cos(r * math.Pi)
}

func sinQuadrant(x float64) float64 { return sinpi(x / 2) }

// minimum is minimumNumber of IEEE 754-2019. Zeros are ordered in every mode,
// which is legal also where the mode does not ask for it.
func minimum(m Mode, bits uint8, a, b float64) uint64 {
	switch {
	case a != a:
		return fstore(m, bits, b)
	case b != b:
		return fstore(m, bits, a)
	}
	return fstore(m, bits, min(a, b))
}

func maximum(m Mode, bits uint8, a, b float64) uint64 {
	switch {
	case a != a:
		return fstore(m, bits, b)
	case b != b:
		return fstore(m, bits, a)
	}
	return fstore(m, bits, max(a, b))
}

// The AGX forms return one of the sources, bit for bit.
func evalFminAGX(_ Mode, _ uint8, s *[4]uint64) uint64 {
	if a, b := fvalue(s[0], 32), fvalue(s[1], 32); a < b || b != b {
		return s[0]
	}
	return s[1]
}

func evalFmaxAGX(_ Mode, _ uint8, s *[4]uint64) uint64 {
	if a, b := fvalue(s[0], 32), fvalue(s[1], 32); a > b || b != b {
		return s[0]
	}
	return s[1]
}

// evalFfract keeps the result below 1.
func evalFfract(m Mode, bits uint8, s *[4]uint64) uint64 {
	x := fload(m, bits, s[0])
	fl := math.Floor(x)
	r := add(m, bits, x, -fl)
	if one := fround(1, bits, false); r == one {
		return one - 1
	}
	return r
}

// modulo makes fmod and frem, rounding after each step as the lowered forms do.
func modulo(quotient func(float64) float64) evalFn {
	return float2(func(m Mode, bits uint8, a, b float64) uint64 {
		q := quotient(fvalue(div(m, bits, a, b), bits))
		p := fvalue(mul(m, bits, b, q), bits)
		return add(m, bits, a, -p)
	})
}

// evalFlrp rounds after each step.
func evalFlrp(m Mode, bits uint8, s *[4]uint64) uint64 {
	a, b, t := fload(m, bits, s[0]), fload(m, bits, s[1]), fload(m, bits, s[2])
	x := mul(m, bits, a, fvalue(add(m, bits, 1, -t), bits))
	y := mul(m, bits, b, t)
	return add(m, bits, fvalue(x, bits), fvalue(y, bits))
}

func evalLdexp(m Mode, bits uint8, s *[4]uint64) uint64 {
	e := max(-5000, min(5000, int(int32(s[1]))))
	x := fload(m, bits, s[0])
	if bits != 64 {
		return fstore(m, bits, math.Ldexp(x, max(-500, min(500, e))))
	}
	r := math.Ldexp(x, e)
	if m.rtz(64) && x != 0 && !math.IsInf(x, 0) {
		switch {
		case math.IsInf(r, 0):
			r = math.Copysign(math.MaxFloat64, r)
		case math.Abs(math.Ldexp(r, -e)) > math.Abs(x):
			r = math.Nextafter(r, 0)
		}
	}
	return fstore(m, bits, r)
}

func evalFrexpSig(m Mode, bits uint8, s *[4]uint64) uint64 {
	x := fload(m, bits, s[0])
	if x != x || math.IsInf(x, 0) {
		return s[0]
	}
	f, _ := math.Frexp(x)
	return fstore(m, bits, f)
}

func evalFrexpExp(m Mode, bits uint8, s *[4]uint64) uint64 {
	x := fload(m, bits, s[0])
	if x != x || math.IsInf(x, 0) {
		return 0
	}
	_, e := math.Frexp(x)
	return uint64(uint32(e))
}

func fquantize2f16(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.Abs(x) < 1.0/(1<<14):
		return math.Copysign(0, x)
	}
	return halfValue(halfBits(x, false))
}

// exponentMask is the exponent field of a size.
func exponentMask(bits uint8) uint64 {
	switch bits {
	case 16:
		return exp16
	case 32:
		return exp32
	}
	return exp64
}

func evalFisnormal(_ Mode, bits uint8, s *[4]uint64) uint64 {
	e := exponentMask(bits)
	return b2u(s[0]&e != 0 && s[0]&e != e)
}

func evalFisfinite(_ Mode, bits uint8, s *[4]uint64) uint64 {
	e := exponentMask(bits)
	return b2u(s[0]&e != e)
}
