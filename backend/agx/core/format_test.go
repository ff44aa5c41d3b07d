package core

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/backend/agx/isa"
)

// TestNormalised: each value of a format comes back from its float, which is its share of the greatest; what is beyond the
// ends is cut off, NaN is 0.
func TestNormalised(t *testing.T) {
	for _, c := range []struct {
		f      isa.Format
		lo, hi int
	}{{isa.FormatU8Norm, 0, 255}, {isa.FormatS8Norm, -127, 127}, {isa.FormatU16Norm, 0, 65535}, {isa.FormatS16Norm, -32767, 32767}, {isa.FormatSRGBA8, 0, 255}} {
		mask := uint32(0xff)
		if c.hi > 255 {
			mask = 0xffff
		}
		for v := c.lo; v <= c.hi; v++ {
			x := fromMemory(c.f, 32, 0, uint32(v)&mask)
			if c.f != isa.FormatSRGBA8 {
				if want := math.Float32bits(float32(float64(v) / float64(c.hi))); x != want {
					t.Fatalf("%s: %d is %#x, want %#x", c.f, v, x, want)
				}
			}
			if got := toMemory(c.f, 32, 0, x); got&mask != uint32(v)&mask {
				t.Fatalf("%s: %d comes back as %#x", c.f, v, got)
			}
		}
		if c.lo < 0 {
			if x := fromMemory(c.f, 32, 0, uint32(c.lo-1)&mask); x != math.Float32bits(-1) {
				t.Errorf("%s: the least value is %#x, not -1", c.f, x)
			}
		}
		for x, want := range map[float32]int{1: c.hi, 2: c.hi, -1: c.lo, -2: c.lo, float32(math.Inf(1)): c.hi, float32(math.Inf(-1)): c.lo, 0: 0} {
			if got := int32(toMemory(c.f, 32, 0, math.Float32bits(x))); got != int32(want) {
				t.Errorf("%s: %g is stored as %d, want %d", c.f, x, got, want)
			}
		}
		if got := toMemory(c.f, 32, 0, 0x7fc00000); got != 0 {
			t.Errorf("%s: NaN is stored as %d", c.f, got)
		}
		// Halves are widened first; alpha is linear.
		if got := toMemory(c.f, 16, 3, 0x3c00); int(int32(got)) != c.hi {
			t.Errorf("%s: a half of 1 is stored as %d", c.f, got)
		}
	}
	for v := range uint32(256) {
		if got := fromMemory(isa.FormatSRGBA8, 32, 3, v); got != math.Float32bits(float32(float64(v)/255)) {
			t.Fatalf("alpha %d of sRGB is %#x", v, got)
		}
	}
	for _, c := range []struct{ x, linear float64 }{{0.04045, 0.04045 / 12.92}, {0.0405, math.Pow((0.0405+0.055)/1.055, 2.4)}, {0, 0}, {1, 1}} {
		if got := fromSRGB(c.x); got != c.linear {
			t.Errorf("sRGB %g is %g, want %g", c.x, got, c.linear)
		}
	}
	if a, b := toSRGB(0.0031307), toSRGB(0.0031308); a != 0.0031307*12.92 || b != 1.055*math.Pow(0.0031308, 1/2.4)-0.055 || toSRGB(-1) != 0 || toSRGB(2) != 1 {
		t.Errorf("to sRGB: %g and %g", a, b)
	}
	if packedCount(isa.FormatRGB10A2) != 4 || packedCount(isa.FormatRG11B10F) != 3 {
		t.Error("components of packed formats")
	}
}

// TestSharedExponent: of colours that share an exponent, it is the least with which the greatest has 9 digits when it is rounded; all are rounded to the nearest with it, or
// towards zero. What is below zero, or no number, is 0, what is beyond the greatest is the greatest (agx.md §2.9).
func TestSharedExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, f := range []isa.Format{isa.FormatRGB9E5, isa.FormatRGB9E5Trunc} {
		round := math.RoundToEven
		if f == isa.FormatRGB9E5Trunc {
			round = math.Trunc
		}
		for range 20000 {
			var c [4]float64
			scale := r.IntN(36) - 2
			var inside [3]float64
			for k := range inside {
				digits := []float64{float64(r.IntN(513)), 512 - float64(r.IntN(9))/4, r.Float64() * 512}[r.IntN(3)]
				c[k] = math.Ldexp(digits, scale-24)
				if r.IntN(20) == 0 {
					c[k] = []float64{-c[k], math.Inf(1), math.Inf(-1), math.NaN(), 65408, 1e9}[r.IntN(6)]
				}
				if c[k] > 0 {
					inside[k] = min(c[k], 65408)
				}
			}
			exponent := 0
			for top := max(inside[0], inside[1], inside[2]); round(math.Ldexp(top, 24-exponent)) > 511; {
				exponent++
			}
			want := uint32(exponent) << 27
			for k, v := range inside {
				want |= uint32(round(math.Ldexp(v, 24-exponent))) << (9 * k)
			}
			if got := packFloats(f, &c); got != want {
				t.Fatalf("%s: %v is %#x, want %#x", f, c[:3], got, want)
			}
		}
	}
}
