package ir3

import "testing"

// TestDecodeHex: a word has up to 16 digits, with 0x before them or without.
func TestDecodeHex(t *testing.T) {
	for hex, want := range map[string]string{"0": "nop", "0x0000000000000000": "nop", "00000000000000000": "", "10000000000000000": "", "0x": "", "nop": ""} {
		got, err := Target{}.DecodeHex("a630", hex)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", hex, got, err, want)
		}
	}
	if _, err := (Target{}).DecodeHex("g13g", "0"); err == nil {
		t.Error("another target's device is taken")
	}
}
