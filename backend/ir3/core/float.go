package core

import (
	"math"

	"nirc/backend/ir3/isa"
)

// ftz flushes an f32 denormal to a zero of its sign.
func ftz(u uint32) uint32 {
	if u&0x7f800000 == 0 {
		return u & 0x80000000
	}
	return u
}

func toF(u uint32) float32 { return math.Float32frombits(ftz(u)) }

func fromF(f float32) uint32 { return ftz(math.Float32bits(f)) }

// h2f widens an f16 (in the low half), denormals flushed.
func h2f(h uint32) float32 {
	s, e, m := h&0x8000<<16, h>>10&31, h&0x3ff
	switch e {
	case 0:
		return math.Float32frombits(s)
	case 31:
		return math.Float32frombits(s | 0x7f800000 | m<<13)
	}
	return math.Float32frombits(s | (e+112)<<23 | m<<13)
}

// f2h rounds to f16; results below the normal range become zero.
func f2h(f float64, mode isa.Round) uint32 {
	b := math.Float64bits(f)
	s := uint32(b>>48) & 0x8000
	e := int(b>>52&0x7ff) - 1023
	m := b & (1<<52 - 1)
	if e == 1024 {
		if m != 0 {
			return s | 0x7e00
		}
		return s | 0x7c00
	}
	if e < -15 {
		return s
	}
	sh := 42
	if e == -15 {
		sh = 43
	}
	q := 1<<52 | m
	h, rem, half := uint32(q>>sh), q&(1<<sh-1), uint64(1)<<(sh-1)
	switch mode {
	case isa.RoundEven:
		if rem > half || rem == half && h&1 != 0 {
			h++
		}
	case isa.RoundPosInf:
		if rem != 0 && s == 0 {
			h++
		}
	case isa.RoundNegInf:
		if rem != 0 && s != 0 {
			h++
		}
	}
	if e == -15 {
		if h >= 1024 {
			return s | 0x400
		}
		return s
	}
	r := uint32(e+14)<<10 + h
	if r >= 0x7c00 {
		up := mode == isa.RoundEven || mode == isa.RoundPosInf && s == 0 || mode == isa.RoundNegInf && s != 0
		if !up {
			return s | 0x7bff
		}
		return s | 0x7c00
	}
	return s | r
}

func toH(f float64) uint32 { return f2h(f, isa.RoundEven) }

// toSingle rounds a float64 to f32 by mode.
func toSingle(f float64, mode isa.Round) uint32 {
	r := float32(f)
	u := math.Float32bits(r)
	d := float64(r) - f
	if d == 0 || math.IsNaN(d) || mode == isa.RoundEven {
		return ftz(u)
	}
	away := d > 0 == (f > 0) // r is farther from zero than f
	switch {
	case mode == isa.RoundZero && away,
		mode == isa.RoundPosInf && d < 0 && f < 0, mode == isa.RoundNegInf && d > 0 && f > 0:
		u--
	case mode == isa.RoundPosInf && d < 0, mode == isa.RoundNegInf && d > 0:
		u++
	}
	return ftz(u)
}

// fma32 is a*b+c rounded once. The product is exact in float64; the sum is
// rounded to odd, so that the second rounding is right.
func fma32(a, b, c float32) float32 {
	p, c64 := float64(a)*float64(b), float64(c)
	s := p + c64
	t := s - p
	e := (p - (s - t)) + (c64 - t)
	if e == 0 {
		return float32(s)
	}
	if e == e && s-s == 0 { // finite
		bits := math.Float64bits(s)
		if bits&1 == 0 {
			if e > 0 == (s > 0) {
				bits++
			} else {
				bits--
			}
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

// clampInt converts to an integer in [lo, hi], toward zero; NaN gives 0.
func clampInt(f, lo, hi float64) uint32 {
	switch {
	case f != f:
		return 0
	case f <= lo:
		return uint32(int64(lo))
	case f >= hi:
		return uint32(int64(hi))
	}
	return uint32(int64(f))
}

func minF(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b || a < b:
		return a
	}
	return b
}

func maxF(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b || a > b:
		return a
	}
	return b
}

func signF(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0
}

// rndaz rounds to nearest, half away from zero.
func rndaz(a float64) float64 { return math.Round(a) }

func compare(c isa.Cond, lt, eq bool) bool {
	switch c {
	case isa.CondLT:
		return lt
	case isa.CondLE:
		return lt || eq
	case isa.CondGT:
		return !lt && !eq
	case isa.CondGE:
		return !lt
	case isa.CondEQ:
		return eq
	}
	return !eq
}

// compareF is ordered, except for ne.
func compareF(c isa.Cond, a, b float64) bool {
	if a != a || b != b {
		return c == isa.CondNE
	}
	return compare(c, a < b, a == b)
}
