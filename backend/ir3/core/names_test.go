package core

import "testing"

// TestUnitNames: messages name the first and the last unit of each kind.
func TestUnitNames(t *testing.T) {
	for u, want := range map[int]string{
		0: "r0.x (hr0.x)", 1: "r0.x (hr0.y)", 10: "r1.y (hr2.z)", 191: "r23.w (hr47.w)",
		192: "r24.x", 383: "r47.w", unitShared: "r48.x", unitShared + 1: "r48.x", unitA0 - 1: "r55.w",
		unitA0: "a0.x", unitA1: "a1.x", unitPred: "p0.x", numUnits - 1: "p0.w",
	} {
		if got := unitName(u); got != want {
			t.Errorf("unit %d is %q, want %q", u, got, want)
		}
	}
}
