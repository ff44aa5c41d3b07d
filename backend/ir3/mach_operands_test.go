package ir3

import "testing"

// TestImmediates: those of halves have 16 bits, whatever more they are made of, and a sign of that size.
func TestImmediates(t *testing.T) {
	for _, c := range []struct {
		bits   uint32
		half   bool
		want   uint32
		signed int32
	}{
		{0xffffff8c, true, 0xff8c, -116}, {0xffffff8c, false, 0xffffff8c, -116}, {0x1ffff, true, 0xffff, -1}, {0x1ffff, false, 0x1ffff, 0x1ffff},
		{0x8000, true, 0x8000, -0x8000}, {0x8000, false, 0x8000, 0x8000}, {0x7fff, true, 0x7fff, 0x7fff},
	} {
		o := immediate(c.bits, c.half)
		if o.bits != c.want || o.signed() != c.signed || o.half != c.half || !o.isImm(c.want) {
			t.Errorf("%#x, half %v: %+v, signed %d", c.bits, c.half, o, o.signed())
		}
		if n := o.negated(); n.isImm(c.want) || n.mods != 0 {
			t.Errorf("%#x negated as a float is %+v", c.bits, n)
		}
	}
}
