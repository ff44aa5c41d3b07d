package emu

import "testing"

// TestPixelOrder: a fence holds fragments back until the older ones of their pixels have retired or signalled it, and no others.
func TestPixelOrder(t *testing.T) {
	wave := func(o *overlap, x int32, mask uint32) *fragmentWave {
		w := newFragmentWave(1)
		w.lanes[0] = FragmentLane{Prim: &Primitive{}, X: x}
		w.mask[0], w.n = mask, 1
		w.order = PixelOrder{o: o, wave: w}
		o.waves = append(o.waves, w)
		return w
	}
	o := &overlap{}
	first, other, helper, last := wave(o, 1, 1), wave(o, 2, 1), wave(o, 1, 0), wave(o, 1, 1)
	for _, c := range []struct {
		w    *fragmentWave
		pass bool
	}{{first, true}, {other, true}, {helper, true}, {last, false}} {
		if got := c.w.order.Passed(12); got != c.pass {
			t.Errorf("wave at %d with mask %d passes: %v", c.w.lanes[0].X, c.w.mask[0], got)
		}
	}
	if first.order.Signal(4); last.order.Passed(12) || !last.order.Passed(4) {
		t.Error("one fence is signalled, not both")
	}
	if first.order.Signal(8); !last.order.Passed(12) {
		t.Error("both fences are signalled")
	}
	first.order.signalled = 0
	if o.waves = o.waves[1:]; !last.order.Passed(1) {
		t.Error("the older fragment has retired")
	}
	if alone := (*PixelOrder)(nil); !alone.Passed(1) {
		t.Error("a wave that runs alone waits")
	}
}
