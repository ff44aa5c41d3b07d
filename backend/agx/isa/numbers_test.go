package isa

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var (
	numberInText = regexp.MustCompile(`0x[0-9a-f]+|0b[01]+|\d+`)
	aFloat       = regexp.MustCompile(`\d\.\d`)
)

// edgesOfFields are the numbers around which fields end.
var edgesOfFields = []string{"0", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "31", "32", "33", "47", "48", "49", "62", "63", "64", "127", "128", "129", "255", "256", "257",
	"511", "512", "513", "1023", "1024", "1025", "2047", "2048", "4095", "4096", "8191", "8192", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "4294967296"}

// numbersOf are the numbers of a text except for zeros, which may be left out.
func numbersOf(text string) (list []uint64) {
	for _, n := range numberInText.FindAllString(text, -1) {
		if v, err := strconv.ParseUint(n, 0, 64); err != nil || v != 0 {
			list = append(list, v)
		}
	}
	return list
}

// TestNumbersOfText puts other numbers into the instructions' texts, one at a time: what comes out is refused, or is an instruction
// that reads back with the same numbers. Nothing is cut off to fit.
func TestNumbersOfText(t *testing.T) {
	taken, refused := 0, 0
	seen := map[string]bool{}
	for _, v := range vectors(t) {
		shape := numberInText.ReplaceAllString(v.text, "0")
		if seen[shape] || v.decodeOnly || aFloat.MatchString(v.text) {
			continue
		}
		seen[shape] = true
		for _, at := range numberInText.FindAllStringIndex(v.text, -1) {
			for _, n := range edgesOfFields {
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
				if got := back.Text(); err != nil || !slices.Equal(numbersOf(got), numbersOf(text)) {
					t.Errorf("%q reads back as %q, %v", text, got, err)
				}
			}
		}
	}
	if taken < 10000 || refused < 10000 {
		t.Errorf("%d texts are taken, %d refused", taken, refused)
	}
}
