package emu

import (
	"math"
	"testing"
)

// TestApprox looks at results that are off: within their bound, often at it, on both sides, the same for the same
// operand, and exact where they are powers of two.
func TestApprox(t *testing.T) {
	both := uint64(1) // a seed of errors on both sides
	for scatter(both)&3 < 2 {
		both++
	}
	rcp := &Approx{F: func(x float64) float64 { return 1 / x }, Single: Ulps(1), Half: Ulps(2)}
	for _, c := range []struct {
		bits   uint
		digits int
		ulps   float64
	}{{32, 24, 1}, {16, 11, 2}} {
		above, below, far := 0, 0, 0
		for i := range 1000 {
			x := 1 + float64(i)/1024
			y, got := 1/x, rcp.At(both, c.bits, x)
			if again := rcp.At(both, c.bits, x); again != got {
				t.Fatalf("1/%g is %g and %g", x, got, again)
			}
			off := (got - y) / lastPlace(y, c.digits, -149)
			switch {
			case math.Abs(off) > c.ulps:
				t.Fatalf("%d bits: 1/%g is off by %g", c.bits, x, off)
			case off > 0:
				above++
			case off < 0:
				below++
			}
			if !(math.Abs(off) <= c.ulps/2) {
				far++
			}
		}
		if above < 300 || below < 300 || far < 400 {
			t.Errorf("%d bits: %d above, %d below, %d far", c.bits, above, below, far)
		}
	}
	for _, x := range []float64{1, 2, 0.25, -8, math.Inf(1), 0} {
		if got := rcp.At(both, 32, x); got != 1/x {
			t.Errorf("1/%g is %g", x, got)
		}
	}
	if got, y := rcp.At(0, 32, 3), 1.0/3; got != y {
		t.Errorf("without a seed 1/3 is %g", got)
	}
	sides := map[bool]int{}
	for seed := range uint64(16) {
		n := 0
		for i := range 64 {
			if x := 1.01 + float64(i); rcp.At(seed+1, 32, x) > 1/x {
				n++
			}
		}
		sides[n == 0 || n == 64]++
	}
	if sides[true] == 0 || sides[false] == 0 {
		t.Errorf("seeds of one side and of both: %v", sides)
	}
	sine := &Approx{F: math.Sin, Single: Within(0x1p-12), Limit: 1}
	for seed := range uint64(8) {
		if got := sine.At(seed+1, 32, 1.57); !(math.Abs(got) <= 1) || !(math.Abs(got-1) <= 0x1p-11) {
			t.Errorf("sin(1.57) is %g", got)
		}
	}
}
