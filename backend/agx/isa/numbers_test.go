package isa

import (
	"regexp"
	"slices"
	"testing"

	"nirc/internal/mangle"
)

var aFloat = regexp.MustCompile(`\d\.\d`)

// TestNumbersOfText puts other numbers into the instructions' texts, one at a time: what comes out is refused, or is an instruction
// that reads back with the same numbers. Nothing is cut off to fit.
func TestNumbersOfText(t *testing.T) {
	taken, refused := 0, 0
	seen := map[string]bool{}
	for _, v := range vectors(t) {
		shape := mangle.Number.ReplaceAllString(v.text, "0")
		if seen[shape] || v.decodeOnly || aFloat.MatchString(v.text) {
			continue
		}
		seen[shape] = true
		for _, at := range mangle.Number.FindAllStringIndex(v.text, -1) {
			for _, n := range mangle.Edges {
				text := v.text[:at[0]] + n + v.text[at[1]:]
				in, err := ParseText(text)
				if err != nil {
					refused++
					continue
				}
				code, err := Pack(&in)
				if err != nil {
					refused++
					continue
				}
				taken++
				back, _, err := Unpack(code)
				if got := back.Text(); err != nil || !slices.Equal(mangle.Numbers(got), mangle.Numbers(text)) {
					t.Errorf("%q reads back as %q, %v", text, got, err)
				}
			}
		}
	}
	if taken < 10000 || refused < 10000 {
		t.Errorf("%d texts are taken, %d refused", taken, refused)
	}
}
