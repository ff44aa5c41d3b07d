package ir

import (
	"encoding/binary"
	"strings"
	"testing"
)

// TestDeserializeShapes: a value has up to 16 components and 64 bits; sizes that are no power of two are read by themselves.
func TestDeserializeShapes(t *testing.T) {
	for _, c := range []struct {
		words       []uint64
		comps, bits uint8
		want        string
	}{
		{[]uint64{0 << 3}, 0, 1, ""},
		{[]uint64{1<<3 | 3}, 1, 32, ""},
		{[]uint64{16<<3 | 4}, 16, 64, ""},
		{[]uint64{16<<3 | 5, 64}, 16, 64, ""},
		{[]uint64{16<<3 | 7, 24}, 16, 24, ""},
		{[]uint64{17 << 3}, 0, 0, "shape 136 is out of range"},
		{[]uint64{17<<3 | 7, 8}, 0, 0, "shape 143 is out of range"},
		{[]uint64{1<<3 | 5, 65}, 0, 0, "bit size 65 is out of range"},
		{[]uint64{1<<3 | 5}, 0, 0, "ill-formed number"},
	} {
		r := &serialReader{}
		for _, w := range c.words {
			r.b = binary.AppendUvarint(r.b, w)
		}
		func() {
			defer func() {
				err, _ := recover().(error)
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v: %v, want %q", c.words, err, c.want)
				}
			}()
			if comps, bits := r.shape(); comps != c.comps || bits != c.bits {
				t.Errorf("%v: %d components of %d bits", c.words, comps, bits)
			}
		}()
	}
}

// TestShapes: what is written of components and bits is read again, of sizes too that no table has.
func TestShapes(t *testing.T) {
	for comps := range uint8(17) {
		for bits := range uint8(65) {
			w := &serialWriter{}
			w.shape(comps, bits)
			if c, n := (&serialReader{b: w.b}).shape(); c != comps || n != bits {
				t.Errorf("%d components of %d bits are read as %d of %d", comps, bits, c, n)
			}
		}
	}
}
