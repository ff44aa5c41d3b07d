package interp

import (
	"reflect"
	"testing"

	"nirc/internal/emu"
)

// TestLetOn: younger fragments may pass where all lanes of the wave that still run have come to the end of their critical section;
// lanes that have left, and those that the launch does not have, hold nobody up.
func TestLetOn(t *testing.T) {
	mask := func(bits int) (m emu.Mask) {
		for lane := range 4 {
			if bits>>lane&1 != 0 {
				m.Set(lane)
			}
		}
		return m
	}
	for _, c := range []struct {
		active, dead int // masks of three lanes
		want         uint64
	}{{7, 0, 1}, {3, 0, 0}, {3, 4, 1}, {1, 4, 0}, {6, 1, 1}, {6, 0, 0}, {4, 3, 1}, {7, 2, 1}, {8, 7, 1}} {
		order := new(emu.PixelOrder)
		w := &Wave{l: &emu.Launch{NumLanes: 3, Pixels: order}, active: mask(c.active), dead: mask(c.dead)}
		w.letOn()
		if got := reflect.ValueOf(order).Elem().FieldByName("signalled").Uint(); got != c.want {
			t.Errorf("lanes %03b have come and %03b left: fences %b are signalled, want %b", c.active, c.dead, got, c.want)
		}
	}
}
