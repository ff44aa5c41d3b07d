package core

import "math"

const (
	nan32 = 0x7fc00000
	nan16 = 0x7e00
	// minNormal is 2^-126: what is below, before rounding, is flushed.
	minNormal = 0x1p-126
)

// ftz flushes an f32 denormal to a zero of its sign.
func ftz(u uint32) uint32 {
	if u&0x7f800000 == 0 {
		return u & 0x80000000
	}
	return u
}

func toF(u uint32) float32     { return math.Float32frombits(u) }
func fbits(f float32) uint32   { return math.Float32bits(f) }
func wideF(u uint32) float64   { return float64(math.Float32frombits(u)) }
func signOf(f float64) uint32  { return uint32(math.Float64bits(f)>>63) << 31 }
func halfBits(u uint32) uint32 { return halfToSingle(u & 0xffff) }

// round32 rounds a result to f32: denormals become zero by their magnitude
// before rounding, NaN becomes the canonical one. x must be exact, rounded
// to odd, or the sum of two floats.
func round32(x float64) uint32 {
	switch {
	case x != x:
		return nan32
	case x < minNormal && x > -minNormal:
		return signOf(x)
	}
	return fbits(float32(x))
}

// halfToSingle widens an f16 exactly, denormals included.
func halfToSingle(h uint32) uint32 {
	s, e, m := h&0x8000<<16, h>>10&31, h&0x3ff
	switch {
	case e == 31:
		return s | 0x7f800000 | m<<13
	case e != 0:
		return s | (e+112)<<23 | m<<13
	case m == 0:
		return s
	}
	return s | fbits(float32(m)*0x1p-24)
}

// round16 rounds to f16, to nearest even, denormals kept; NaN is canonical.
func round16(x float64) uint32 {
	s := signOf(x) >> 16
	a := math.Abs(x)
	switch {
	case x != x:
		return nan16
	case a >= 65520:
		return s | 0x7c00
	case a < 0x1p-14:
		return s | uint32(math.RoundToEven(a*0x1p24))
	}
	b := math.Float64bits(a)
	b += 1<<41 - 1 + b>>42&1 // to nearest even at bit 42
	return s | uint32(b>>42-(1023-15)<<10)
}

// addOdd is a + b, rounded to odd where it is not exact, so that rounding it
// again to a shorter format is right.
func addOdd(a, b float64) float64 {
	s := a + b
	t := s - a
	e := (a - (s - t)) + (b - t)
	if e == 0 || s-s != 0 || e != e {
		return s
	}
	if bits := math.Float64bits(s); bits&1 == 0 {
		if e > 0 == (s > 0) {
			return math.Float64frombits(bits + 1)
		}
		return math.Float64frombits(bits - 1)
	}
	return s
}

// add32 and mul32 take and give f32 bits, inputs already flushed. A double has more than twice the digits of a float and two more: a sum
// of two floats that is rounded to one first rounds to the float that the sum itself does (Figueroa, When is Double Rounding Innocuous?, 1995).
func add32(a, b, _ uint32) uint32 { return round32(wideF(a) + wideF(b)) }
func mul32(a, b, _ uint32) uint32 { return round32(wideF(a) * wideF(b)) }

// fmaLanes and its kin compute a * b + c, a + b, a * b on all lanes. Only
// sums with products that are not exact take the long way.
func fmaLanes(res, a, b, c *vec) {
	for i := range res {
		p, z := wideF(a[i])*wideF(b[i]), wideF(c[i])
		s := p + z
		t := s - p
		if (p-(s-t))+(z-t) != 0 {
			s = addOdd(p, z)
		}
		res[i] = round32(s)
	}
}

func addLanes(res, a, b, _ *vec) {
	for i := range res {
		res[i] = round32(wideF(a[i]) + wideF(b[i]))
	}
}

func mulLanes(res, a, b, _ *vec) {
	for i := range res {
		res[i] = round32(wideF(a[i]) * wideF(b[i]))
	}
}

// fma16 and friends take f32 bits of f16 values and give f16 bits.
func fma16(a, b, c uint32) uint32 { return round16(addOdd(wideF(a)*wideF(b), wideF(c))) }
func add16(a, b, _ uint32) uint32 { return round16(wideF(a) + wideF(b)) }
func mul16(a, b, _ uint32) uint32 { return round16(wideF(a) * wideF(b)) }

// saturate32 clamps to [0, 1]; NaN and -0 become 0.
func saturate32(u uint32) uint32 {
	switch f := toF(u); {
	case f >= 1:
		return 0x3f800000
	case f > 0:
		return u
	}
	return 0
}

func saturate16(h uint32) uint32 {
	switch f := toF(halfToSingle(h)); {
	case f >= 1:
		return 0x3c00
	case f > 0:
		return h
	}
	return 0
}

// unaryOps are the float functions of one source, on f32 bits.
func floor32(a uint32) uint32 { return round32(math.Floor(wideF(a))) }
func ceil32(a uint32) uint32  { return round32(math.Ceil(wideF(a))) }
func trunc32(a uint32) uint32 { return round32(math.Trunc(wideF(a))) }
func rint32(a uint32) uint32  { return round32(math.RoundToEven(wideF(a))) }

// sinPt1 folds an angle in quadrants, in [0, 4), to [-1, 1]. 4 is what the fraction of a tiny negative angle
// rounds to, in the reference's code too; what other angles give nobody has written down: no number.
func sinPt1(a uint32) uint32 {
	switch q := wideF(a); {
	case q < 0 || q > 4:
		return fbits(float32(math.NaN()))
	case q < 1:
		return round32(q)
	case q < 3:
		return round32(2 - q)
	default:
		return round32(q - 4)
	}
}
