package emu

import "testing"

// TestCounter sums up runs and lanes.
func TestCounter(t *testing.T) {
	var c Counter
	for _, n := range []int{32, 0, 7} {
		c.Add(n)
	}
	if c.Runs() != 3 || c.Lanes() != 39 {
		t.Errorf("%d runs of %d lanes, want 3 of 39", c.Runs(), c.Lanes())
	}
}
