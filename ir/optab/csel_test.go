package optab

import (
	"math"
	"testing"
)

// TestConditionalSelects: each select asks its own question of the first source, a float or an integer of 32 bits.
func TestConditionalSelects(t *testing.T) {
	float := func(v uint64) float32 { return math.Float32frombits(uint32(v)) }
	for _, c := range []struct {
		name string
		eval func(Mode, uint8, *[4]uint64) uint64
		take func(v uint64) bool
	}{
		{"csel", evalCsel, func(v uint64) bool { return v != 0 }},
		{"fcsel", evalFcsel, func(v uint64) bool { return float(v) != 0 }},
		{"fcsel_gt", evalFcselGt, func(v uint64) bool { return float(v) > 0 }},
		{"fcsel_ge", evalFcselGe, func(v uint64) bool { return float(v) >= 0 }},
		{"icsel_eqz", evalIcselEqz, func(v uint64) bool { return v == 0 }},
		{"icsel_gt", evalIcselGt, func(v uint64) bool { return int32(v) > 0 }},
		{"icsel_ge", evalIcselGe, func(v uint64) bool { return int32(v) >= 0 }},
	} {
		for _, v := range []uint64{0, 1, 2, 1 << 31, 1<<31 + 1, 1<<31 - 1, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x80800000} {
			want := uint64(77)
			if c.take(v) {
				want = 66
			}
			if got := c.eval(Mode{}, 32, &[4]uint64{v, 66, 77}); got != want {
				t.Errorf("%s of %#x gives %d, want %d", c.name, v, got, want)
			}
		}
	}
}
