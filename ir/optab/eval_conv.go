package optab

import "math"

// Evaluations of conversions. bits is the size of the source; the constructors
// take that of the result.

func intToInt(to uint8) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 { return uint64(sext(s[0], bits)) & maskOf(to) }
}

func uintToUint(to uint8) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] & maskOf(to) }
}

func floatToFloat(to uint8) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 { return fstore(m, to, fload(m, bits, s[0])) }
}

// floatToHalf ignores the mode's rounding.
func floatToHalf(rtz bool) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		r := fround(fload(m, bits, s[0]), 16, rtz)
		if m.flush(16) {
			r = flushBits(r, 16)
		}
		return r
	}
}

// intToFloat rounds to nearest whatever the mode.
func intToFloat(to uint8) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 {
		v := sext(s[0], bits)
		if to == 32 {
			return uint64(math.Float32bits(float32(v)))
		}
		return fround(float64(v), to, false) // for 16: beyond 53 bits all is infinite
	}
}

func uintToFloat(to uint8) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 {
		if to == 32 {
			return uint64(math.Float32bits(float32(s[0])))
		}
		return fround(float64(s[0]), to, false)
	}
}

// floatToInt truncates and saturates; NaN gives 0.
func floatToInt(to uint8) evalFn {
	limit := math.Ldexp(1, int(to)-1)
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		v := math.Trunc(fload(m, bits, s[0]))
		switch {
		case v != v:
			return 0
		case v >= limit:
			return maskOf(to) >> 1
		case v < -limit:
			return 1 << (to - 1)
		}
		return uint64(int64(v)) & maskOf(to)
	}
}

func floatToUint(to uint8) evalFn {
	limit := math.Ldexp(1, int(to))
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		v := math.Trunc(fload(m, bits, s[0]))
		switch {
		case v != v || v <= 0:
			return 0
		case v >= limit:
			return maskOf(to)
		}
		return uint64(v)
	}
}

func boolToFloat(to uint8) evalFn {
	one := fround(1, to, false)
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 {
		if s[0] != 0 {
			return one
		}
		return 0
	}
}

func evalB2i(_ Mode, _ uint8, s *[4]uint64) uint64 { return b2u(s[0] != 0) }

func boolToBool(to uint8) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 { return truth(s[0] != 0, to) }
}
