package mach

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPhiPlaces: a phi goes where an operation wants its result, or to where a source was that ends, unless what lives on is there.
func TestPhiPlaces(t *testing.T) {
	const src = `func f target test
block 0 -> 1 2
  v1:full = const {1}
  v2:full = const {2}
  v3:pred = const {1}
  store FIRST
  br v3
block 1 <- 0 -> 3
  v4:full = LEFT
  jump
block 2 <- 0 -> 3
  v5:full = const {5}
  jump
block 3 <- 1 2
  v6:full = phi v4, v5
  v7:full = phi RIGHT
  v8:full = const {8}
  store v8, v7 {7}
  store THEN {8}
  store LAST {9}
  end
`
	for _, c := range []struct{ first, left, right, then, last string }{
		{"v1!fixed@8", "const {4}", "v1, v2", "v6!fixed@8", "v1"},
		{"v1!fixed@8", "const {4}", "v1, v2", "v6!fixed@8", "v2"},
		{"v1!fixed@8", "const {4}", "v4, v2", "v6!fixed@8", "v7"},
		{"v1!fixed@0, v2!fixed@8", "const {4}", "v4, v1", "v6!fixed@8, v7!fixed@10", "v1, v2"},
		{"v1!fixed@0, v2!fixed@8", "alu v1, v2 {4}", "v4, v2", "v6!fixed@0", "v1, v2"},
		{"v1!fixed@0, v2!fixed@8", "alu v1, v2 {4}", "v4, v1", "v6!fixed@0, v7!fixed@8", "v2"},
		{"v1!fixed@0, v2!fixed@2", "alu v2 {4}", "v2, v1", "v6, v7", "v1, v2"},
		{"v1!fixed@0, v2!fixed@2", "alu v2 {4}", "v2, v1", "v7", "v6"},
	} {
		text := strings.NewReplacer("FIRST", c.first, "LEFT", c.left, "RIGHT", c.right, "THEN", c.then, "LAST", c.last).Replace(src)
		for seed := range int64(2) {
			free, err := Parse(regexp.MustCompile("!fixed@[0-9]+").ReplaceAllString(text, ""), &testISA{units: 32})
			if err != nil {
				t.Fatal(err)
			}
			want, err := run(free, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, opts := range []AllocOptions{{}, {RoundRobin: true}, {MergeSets: true}, {PassWishes: true}} {
				f, err := Parse(text, &testISA{units: 32})
				if err != nil {
					t.Fatal(err)
				}
				if err := allocate(f, opts); err != nil {
					t.Errorf("%+v: %v\n%s", c, err, f)
				} else if got, err := run(f, seed); err != nil || !slices.Equal(got, want) {
					t.Errorf("%+v: stored %x, %v; want %x\n%s", c, got, err, want, f)
				}
			}
		}
	}
}
