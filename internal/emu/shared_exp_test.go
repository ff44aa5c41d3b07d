package emu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSharedExponent: the exponent is the least for which the largest component has a mantissa of nine bits, the mantissas are the nearest,
// and what is negative, no number or too large is 0 or the largest.
func TestSharedExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	nan := float32(math.NaN())
	colors := [][3]float32{{}, {-1, nan, 0}, {1e30, 1, 65408}, {65407, 65409, 3}, {511.4, 511.5, 511.6}, {0.9990234, 0, 0}, {0.99902344, 0.5, 0}, {0x1p-24, 0x1p-25, 0x1p-26}, {0x1p-16, 511.5 * 0x1p-24, 0}, {1, 0.5, 0.25}, {float32(math.Inf(1)), 0, 0}}
	for range 2000 {
		var c [3]float32
		for i := range c {
			c[i] = float32(math.Ldexp(r.Float64(), r.IntN(44)-27))
		}
		colors = append(colors, c)
	}
	for _, c := range colors {
		var v [4]uint32
		var clamped [3]float64
		top := 0.0
		for i, x := range c {
			v[i] = math.Float32bits(x)
			if x > 0 {
				clamped[i] = min(float64(x), 65408)
			}
			top = max(top, clamped[i])
		}
		nearest := func(x float64, e int) float64 { return math.Floor(math.Ldexp(x, 24-e) + 0.5) }
		e := 0
		for nearest(top, e) > 511 {
			e++
		}
		packed := packSharedExp(&v)
		want := uint32(e) << 27
		for i, x := range clamped {
			want |= uint32(nearest(x, e)) << (9 * i)
		}
		if packed != want {
			t.Fatalf("%v becomes %#x, want %#x", c, packed, want)
		}
		var back [4]uint32
		unpackSharedExp(packed, &back)
		for i, x := range clamped {
			if got := float64(math.Float32frombits(back[i])); got != math.Ldexp(nearest(x, e), e-24) {
				t.Fatalf("%#x is read as %g in component %d, want %g", packed, got, i, math.Ldexp(nearest(x, e), e-24))
			}
		}
	}
}
