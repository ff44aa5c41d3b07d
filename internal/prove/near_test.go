package prove

import (
	"math"
	"testing"
)

// TestNear: nothing but an infinite number of the same sign is near an infinite one.
func TestNear(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x, y float64
		want bool
	}{
		{1, 1, true}, {1, 1.05, true}, {1, 1.3, false}, {100, 105, true}, {0, 0.05, true}, {0, 0.2, false}, {-1, 1, false},
		{inf, inf, true}, {-inf, -inf, true}, {inf, -inf, false}, {inf, 3, false}, {-inf, -3e38, false}, {inf, math.MaxFloat64, false},
		{nan, nan, true}, {nan, 1, false}, {nan, inf, false},
	} {
		if Near(c.x, c.y, 0.1) != c.want || Near(c.y, c.x, 0.1) != c.want {
			t.Errorf("%v near %v: %v", c.x, c.y, !c.want)
		}
	}
}
