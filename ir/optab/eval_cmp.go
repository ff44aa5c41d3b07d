package optab

// Evaluations of comparisons; to is the size of the boolean.

func fcmp(to uint8, f func(a, b float64) bool) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		return truth(f(fload(m, bits, s[0]), fload(m, bits, s[1])), to)
	}
}

func icmp(to uint8, f func(a, b int64) bool) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 {
		return truth(f(sext(s[0], bits), sext(s[1], bits)), to)
	}
}

func ucmp(to uint8, f func(a, b uint64) bool) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 { return truth(f(s[0], s[1]), to) }
}

func flt(a, b float64) bool    { return a < b }
func fge(a, b float64) bool    { return a >= b }
func feq(a, b float64) bool    { return a == b }
func fneu(a, b float64) bool   { return a != b }
func fltu(a, b float64) bool   { return !(a >= b) }
func fgeu(a, b float64) bool   { return !(a < b) }
func fequ(a, b float64) bool   { return a == b || a != a || b != b }
func fneo(a, b float64) bool   { return a < b || a > b }
func funord(a, b float64) bool { return a != a || b != b }
func ford(a, b float64) bool   { return a == a && b == b }
func ilt(a, b int64) bool      { return a < b }
func ige(a, b int64) bool      { return a >= b }
func ieq(a, b uint64) bool     { return a == b }
func ine(a, b uint64) bool     { return a != b }
func ult(a, b uint64) bool     { return a < b }
func uge(a, b uint64) bool     { return a >= b }

// fset makes a comparison whose result is 1.0 or 0.0.
func fset(f func(a, b float64) bool) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		if f(fload(m, bits, s[0]), fload(m, bits, s[1])) {
			return fround(1, bits, false)
		}
		return 0
	}
}
