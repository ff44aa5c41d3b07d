package isa

import (
	"regexp"
	"slices"
	"strings"
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
		shape := v.gen.String() + mangle.Number.ReplaceAllString(v.text, "0")
		if seen[shape] || strings.HasPrefix(v.text, "raw ") || aFloat.MatchString(v.text) {
			continue
		}
		seen[shape] = true
		for _, at := range mangle.Number.FindAllStringIndex(v.text, -1) {
			before := v.text[:at[0]]
			for _, n := range mangle.Edges {
				if n == "62" && strings.HasSuffix(before, "r") || n == "0" && strings.HasPrefix(v.text[at[1]:], "<<") { // p0 by its number; a shifted 0 is left out
					continue
				}
				text := before + n + v.text[at[1]:]
				in, err := ParseText(v.gen, text)
				if err != nil {
					refused++
					continue
				}
				w, err := Pack(v.gen, &in)
				if err != nil {
					refused++
					continue
				}
				taken++
				back, err := Unpack(v.gen, w)
				if got := back.Text(v.gen); err != nil || !slices.Equal(mangle.Numbers(got), mangle.Numbers(text)) {
					t.Errorf("%s: %q reads back as %q, %v", v.gen, text, got, err)
				}
			}
		}
	}
	if taken < 10000 || refused < 10000 {
		t.Errorf("%d texts are taken, %d refused", taken, refused)
	}
}
