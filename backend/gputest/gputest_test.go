package gputest

import (
	"math"
	"testing"
)

// Numbers are close to what differs in the last places, to no infinite number but the same one, and nothing is close to what is no number but another such.
func TestClose32(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b float64
		want bool
	}{
		{0, 1e-3, true}, {0, 3e-3, false}, {1000, 1001, true}, {1000, 1003, false}, {-1000, 1000, false},
		{inf, inf, true}, {-inf, -inf, true}, {inf, -inf, false}, {inf, 3e38, false}, {inf, 0, false},
		{nan, nan, true}, {nan, 1, false}, {nan, inf, false},
	} {
		a, b := math.Float32bits(float32(c.a)), math.Float32bits(float32(c.b))
		if Close32(a, b) != c.want || Close32(b, a) != c.want {
			t.Errorf("%v and %v are close: %t", c.a, c.b, !c.want)
		}
	}
}
