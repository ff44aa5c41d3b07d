package agx

import (
	"strings"
	"testing"
)

// TestDecodeHex: the digits are the bytes of one instruction, no more and no less, and what they say encodes to them.
func TestDecodeHex(t *testing.T) {
	for hex, want := range map[string]string{"8800": "stop", "0800": "trap", "88": "", "880000": "", "8800zz": "", "": "", "880": ""} {
		got, err := Target{}.DecodeHex("g13g", hex)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v, want %q", hex, got, err, want)
		}
		if again, wordy := (Target{}).DecodeHexVerbose("g13g", hex); again != got || (wordy == nil) != (err == nil) {
			t.Errorf("%q: %q with words, %v", hex, again, wordy)
		}
		if want == "" {
			continue
		}
		if back, err := (Target{}).EncodeHex("g13g", want); back != hex || err != nil {
			t.Errorf("%s encodes to %q, %v, and is %q", want, back, err, hex)
		}
	}
	if got, err := (Target{}).DecodeHex("g13g", "880000"); err == nil || !strings.Contains(err.Error(), "takes 2 of 3 bytes") {
		t.Errorf("bytes after an instruction: %q, %v", got, err)
	}
	if _, err := (Target{}).EncodeHex("g13g", "no instruction"); err == nil {
		t.Error("what is no instruction encodes")
	}
	for _, f := range []func(gpu, text string) (string, error){Target{}.DecodeHex, Target{}.EncodeHex} {
		if _, err := f("a630", "8800"); err == nil {
			t.Error("another target's device is taken")
		}
	}
}
