package isa

import "testing"

// TestUnknownWords: a word of an unknown type is its four words of 32 bits, and no more.
func TestUnknownWords(t *testing.T) {
	b, err := ParseBundle("Unknown word type 0:\n\t0x0, 0xffffffff, 0x0, 0x80000000\n", TextOptions{})
	if err != nil || b.Raw[4] != 0xff || b.Raw[15] != 0x80 {
		t.Errorf("%+v, %v", b, err)
	}
	for _, words := range []string{"0x0, 0x100000000, 0x0, 0x0", "0x0, 0x0, 0x0", "0x0, 0x0, 0x0, 0x0, 0x0", "0x0, -1, 0x0, 0x0"} {
		if _, err := ParseBundle("Unknown word type 0:\n\t"+words+"\n", TextOptions{}); err == nil {
			t.Errorf("%s is taken", words)
		}
	}
}
