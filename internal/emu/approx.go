package emu

import "math"

// Approx is an operation whose results hardware does not round: a function, and how far
// from its value a result may lie. Each core has a table of its own.
type Approx struct {
	F func(x float64) float64
	// Single bounds results of 32 bits, Half those of 16.
	Single, Half Bound
	// Limit, if not 0, is what no result exceeds in magnitude.
	Limit float64
}

// Bound is how far from y, the value at x, a result may lie; ulp is the distance of numbers
// of the result's format around y.
type Bound func(x, y, ulp float64) float64

// Ulps is a bound of n units in the last place.
func Ulps(n float64) Bound { return func(_, _, ulp float64) float64 { return n * ulp } }

// Within is an absolute bound.
func Within(d float64) Bound { return func(_, _, _ float64) float64 { return d } }

// LogBound is a bound of logarithms: absolute for x from 0.5 to 2, n units in the last place elsewhere.
func LogBound(absolute, n float64) Bound {
	return func(x, _, ulp float64) float64 {
		if x >= 0.5 && x <= 2 {
			return absolute
		}
		return n * ulp
	}
}

// At returns the operation's result at x: F(x), to be rounded, if seed is 0; else the number of the format,
// which has so many bits, that lies farthest from F(x) within the bound, on the side
// that the seed and x choose: the same for the same. Powers of two at which the function is
// exact stay.
func (a *Approx) At(seed uint64, bits uint, x float64) float64 {
	y := a.F(x)
	if seed == 0 || y-y != 0 || y == 0 || powerOfTwo(y) || powerOfTwo(x) && y == math.Trunc(y) {
		return y
	}
	digits, least, most, bound := 24, -149, math.MaxFloat32, a.Single
	if bits == 16 {
		digits, least, most, bound = 11, -24, 65504, a.Half
	}
	ulp := lastPlace(y, digits, least)
	d := max(bound(x, y, ulp), ulp/2)
	t, round := y+d, math.Floor
	if !above(seed, x) {
		t, round = y-d, math.Ceil
	}
	if math.Abs(y) > most || math.Abs(t) > most {
		return y
	}
	ulp = lastPlace(t, digits, least)
	r := round(t/ulp) * ulp
	if a.Limit != 0 && math.Abs(r) > a.Limit {
		return math.Copysign(a.Limit, y)
	}
	return r
}

// above reports whether the result at x lies above the exact one: a quarter of the seeds
// say always, a quarter never, for errors that add up; others go by x.
func above(seed uint64, x float64) bool {
	switch h := scatter(seed); h & 3 {
	case 0:
		return true
	case 1:
		return false
	}
	return scatter(seed^math.Float64bits(x))&1 != 0
}

// Doubt reports whether the waves take the second of two readings of an ISA's reference, where n numbers the
// core's doubts: by the seed, one for all waves of a dispatch or draw; the first where results are exact.
func (l *Launch) Doubt(n uint64) bool { return scatter(fork(l.Approx, n))&1 != 0 }

// lastPlace is the distance of numbers around y in a format.
func lastPlace(y float64, digits, least int) float64 {
	_, e := math.Frexp(y)
	return math.Ldexp(1, max(e-digits, least))
}

func powerOfTwo(x float64) bool {
	f, _ := math.Frexp(math.Abs(x))
	return f == 0.5
}

// Log2 is the logarithm, precise near 1 too, where math.Log2 is not.
func Log2(x float64) float64 {
	if x <= 0 || x-x != 0 {
		return math.Log2(x)
	}
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	return float64(e) + math.Log1p(f-1)/math.Ln2
}
