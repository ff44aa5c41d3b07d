package mach

import "testing"

// TestOverfull: where values are looked at to see whether they fit, that is the liveness as it is computed later; where all values
// together are few enough, nothing is looked at.
func TestOverfull(t *testing.T) {
	looked := 0
	for seed := range int64(40) {
		f := randomFunc(seed, &testISA{units: 96}, 60, true)
		most := Pressure(f, 0)
		for _, limit := range []int{most - 1, most, most + 10, 1 << 20} {
			lv, over := Overfull(f, 0, limit+4, 4)
			low := f.lowest(0, limit, 4)
			if within := f.TotalWithin(0, low); (lv == nil) != within {
				t.Errorf("seed %d, limit %d: looked at %v, all within it %v", seed, limit, lv != nil, within)
			}
			if lv == nil {
				continue
			}
			looked++
			if got := lv.Pressure(f, 0); got != most {
				t.Errorf("seed %d: %d units live at once, not %d", seed, got, most)
			}
			if _, halves := pressure(f, lv, 0); over != (most > limit || halves > low) {
				t.Errorf("seed %d, limit %d: overfull %v with %d units, %d of halves", seed, limit, over, most, halves)
			}
		}
	}
	if looked < 40 {
		t.Errorf("%d were looked at", looked)
	}
}
