package ir

import (
	"math"
	"testing"
)

// halfBits is the value of the bits of a positive half, from its definition; that after the largest is 2^16.
func halfBits(h uint16) float64 {
	e, m := int(h>>10), float64(h&0x3ff)
	if e == 0 {
		return math.Ldexp(m, -24)
	}
	return math.Ldexp(1024+m, e-25)
}

// TestFloat16Rounds goes through all halves and what lies between each and the next: a bit more, a bit less than the middle, the middle.
func TestFloat16Rounds(t *testing.T) {
	for h := range uint16(0x7c00) {
		v, next := halfBits(h), halfBits(h+1)
		mid := (v + next) / 2
		even := h + h&1
		up := h + 1 // infinity after the largest
		for _, c := range []struct {
			v         float64
			rne, down uint16
		}{
			{v, h, h}, {math.Nextafter(v, next), h, h}, {math.Nextafter(mid, v), h, h}, {mid, even, h}, {math.Nextafter(mid, next), up, h},
			{math.Nextafter(next, v), up, h},
		} {
			for _, sign := range []uint16{0, 0x8000} {
				x := c.v
				if sign != 0 {
					x = -x
				}
				if got := Float16Bits(x); got != c.rne|sign {
					t.Fatalf("%g is %#x, want %#x", x, got, c.rne|sign)
				}
				if got := Float16BitsRTZ(x); got != c.down|sign {
					t.Fatalf("%g towards zero is %#x, want %#x", x, got, c.down|sign)
				}
			}
		}
	}
	for _, c := range []struct {
		v         float64
		rne, down uint16
	}{{0x1p-25, 0, 0}, {0x1.8p-25, 1, 0}, {0x1p-26, 0, 0}, {0x1p300, 0x7c00, 0x7bff}, {0x1p-300, 0, 0}, {0x1p16, 0x7c00, 0x7bff}, {math.Float64frombits(1), 0, 0}} {
		if a, b := Float16Bits(c.v), Float16BitsRTZ(c.v); a != c.rne || b != c.down {
			t.Errorf("%g: %#x, towards zero %#x", c.v, a, b)
		}
	}
	if Float16Bits(math.Inf(-1)) != 0xfc00 || Float16BitsRTZ(math.Inf(1)) != 0x7c00 {
		t.Error("infinity is another")
	}
	for _, nan := range []uint64{0x7ff0000000000001, 0x7ff8000000000000, 0xfff4000000000000} {
		want := uint16(nan>>48&0x8000) | 0x7e00 | uint16(nan>>42&0x3ff)
		if got := Float16Bits(math.Float64frombits(nan)); got != want {
			t.Errorf("the NaN %#x is %#x, want %#x", nan, got, want)
		}
	}
}
