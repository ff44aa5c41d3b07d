package optab

import (
	"math"
	"testing"
)

// TestHalfTurns: sines and cosines of half turns are exact at whole, half and quarter ones, however large, and zeros of sines
// have the sign of the angle.
func TestHalfTurns(t *testing.T) {
	r := math.Sqrt(0.5)
	sin := []float64{0, r, 1, r, 0, -r, -1, -r}
	for n := -64; n <= 64; n++ {
		x := float64(n) / 4
		k := n & 7
		s, c := sinpi(x), cospi(x)
		if want := sin[k]; math.Abs(s-want) > 1e-15 || want == math.Trunc(want) && s != want {
			t.Errorf("the sine of %v half turns is %v, want %v", x, s, want)
		}
		if want := sin[(k+2)&7]; math.Abs(c-want) > 1e-15 || want == math.Trunc(want) && c != want {
			t.Errorf("the cosine of %v half turns is %v, want %v", x, c, want)
		}
		if n%4 == 0 && n != 0 && math.Signbit(s) != (n < 0) {
			t.Errorf("the sine of %v half turns is %v", x, s)
		}
		if want := sinQuadrant(2 * x); s != want {
			t.Errorf("the sine of %v quadrants is %v, want %v", 2*x, want, s)
		}
	}
	for _, x := range []float64{1 << 52, 1<<53 + 2, 1e300, 1<<40 + 1} {
		want := 1.0
		if x == 1<<40+1 {
			want = -1
		}
		if s, c := sinpi(x), cospi(x); s != 0 || c != want {
			t.Errorf("of %v half turns: %v and %v", x, s, c)
		}
		if s, c := sinpi(-x), cospi(-x); s != 0 || !math.Signbit(s) || c != want {
			t.Errorf("of %v half turns: %v and %v", -x, s, c)
		}
	}
	if s := sinpi(math.Copysign(0, -1)); !math.Signbit(s) || s != 0 {
		t.Errorf("the sine of -0 is %v", s)
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if s, c := sinpi(x), cospi(x); s == s || c == c {
			t.Errorf("of %v half turns: %v and %v", x, s, c)
		}
	}
}
