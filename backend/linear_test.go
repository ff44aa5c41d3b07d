package backend

import (
	"testing"

	"nirc/ir"
)

// Masks of what is interpolated without perspective: as text and back, and what is none.
func TestLinear(t *testing.T) {
	for text, want := range map[string]Linear{
		"0x5": LinearOf(5), "1,1,1,1": LinearOf(1), "0x1,0,4,0": {1, 0, 4, 0}, "0": {}, "0,0,0,0": {}, "1,2,3": {}, "1,2,3,4,5": {}, "": {}, "x": {}, "1,2,,4": {}, "0x100000000": {},
	} {
		got, ok := ParseLinear(text)
		if got != want && ok || ok != (want != Linear{}) {
			t.Errorf("%q: %v, %t, want %v", text, got, ok, want)
		}
	}
	for want, l := range map[string]Linear{"": {}, "linear:0x5": LinearOf(5), "linear:0x1,0x0,0x4,0x0": {1, 0, 4, 0}} {
		if got := l.ABI(); got != want {
			t.Errorf("%v: %q, want %q", l, got, want)
		}
	}
}

// A location of which nothing has perspective counts as a whole, built-ins and patches do not count.
func TestInterpolations(t *testing.T) {
	var p Interpolations
	p.Add(ir.SlotVar0, 1, ir.InterpNoPerspective)
	p.Add(ir.SlotVar0+3, 1, ir.InterpSmooth)
	p.Add(ir.SlotVar0+3, 6, ir.InterpNoPerspective)
	p.Add(ir.SlotVar0+4, 15, ir.InterpFlat)
	p.Add(ir.SlotVar0+32, 15, ir.InterpNoPerspective)
	p.Add(ir.SlotPos, 15, ir.InterpNoPerspective)
	if got, want := p.Linear(), (Linear{1, 9, 9, 1}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
