package interp

import (
	"testing"

	"nirc/internal/emu"
)

// The first and the last lane of a wave of up to 128.
func TestLowestHighest(t *testing.T) {
	for lane := range 128 {
		var m emu.Mask
		m.Set(lane)
		if lowest(m) != lane || highest(m) != lane {
			t.Errorf("lane %d alone: lowest %d, highest %d", lane, lowest(m), highest(m))
		}
		m.Set(5)
		m.Set(100)
		if lowest(m) != min(lane, 5) || highest(m) != max(lane, 100) {
			t.Errorf("lanes 5, 100 and %d: lowest %d, highest %d", lane, lowest(m), highest(m))
		}
	}
}
