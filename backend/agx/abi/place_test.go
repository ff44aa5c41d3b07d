package abi

import (
	"slices"
	"testing"

	"nirc/ir"
)

// TestPlace places varyings for fragment programs that read them in several ways.
func TestPlace(t *testing.T) {
	a, b, c := ir.SlotVar0, ir.SlotVar0+1, ir.SlotVar0+5
	m := Meta{Varyings: []Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotClipDist0, Count: 1, Word: 20}, {Slot: ir.SlotClipDist0, Count: 1, User: true, Word: NoWord},
		{Slot: ir.SlotViewport, Count: 1, User: true, Word: NoWord}, {Slot: CullSlot0, Count: 2, User: true, Word: NoWord},
		{Slot: a, Count: 4, User: true, Word: NoWord}, {Slot: b, First: 1, Count: 2, User: true, Word: NoWord}, {Slot: c, Count: 3, User: true, Word: NoWord}}}
	for _, x := range []struct {
		read                 map[ir.Slot]ir.Interp
		want                 map[ir.Slot]int
		smooth, flat, linear int
	}{
		{nil, map[ir.Slot]int{ir.SlotClipDist0: 4, a: 5, b: 9, c: 11, ir.SlotViewport: 14, CullSlot0: 15}, 10, 1, 2},
		{map[ir.Slot]ir.Interp{a: ir.InterpFlat, b: ir.InterpNoPerspective, c: ir.InterpSmooth, ir.SlotViewport: ir.InterpFlat},
			map[ir.Slot]int{ir.SlotClipDist0: 4, c: 5, ir.SlotViewport: 8, a: 9, CullSlot0: 13, b: 15}, 4, 5, 4},
	} {
		var read Interps
		for slot, i := range x.read {
			read.Set(slot, 15, i)
		}
		w := m.Place(&read)
		if w.Smooth != x.smooth || w.Flat != x.flat || w.Linear != x.linear {
			t.Errorf("%d, %d and %d words, want %d, %d and %d", w.Smooth, w.Flat, w.Linear, x.smooth, x.flat, x.linear)
		}
		for slot, at := range x.want {
			if first := max(0, slices.IndexFunc(w.At[slot][:], func(n int) bool { return n != NoWord })); w.At[slot][first] != at {
				t.Errorf("slot %d at words %d, want %d", slot, w.At[slot], at)
			}
		}
		if n, ok := w.Word(b, 2); !ok || n != x.want[b]+1 {
			t.Errorf("component 2 of slot %d at word %d %v", b, n, ok)
		}
		for _, k := range []uint8{0, 3} {
			if n, ok := w.Word(b, k); ok {
				t.Errorf("component %d of slot %d, which is not written, at word %d", k, b, n)
			}
		}
	}
}

// TestPlaceShared places the outputs that share a location, each in the group of what the fragment program makes of it.
func TestPlaceShared(t *testing.T) {
	a := ir.SlotVar0
	m := Meta{Varyings: []Varying{{Slot: a, Count: 2, User: true, Word: NoWord}, {Slot: a, First: 2, Count: 1, User: true, Word: NoWord}, {Slot: a, First: 3, Count: 1, User: true, Word: NoWord}},
		Coefs: []Coef{{Slot: a, First: 1, Count: 1, Interp: ir.InterpNoPerspective}, {Slot: a, First: 2, Count: 1, Interp: ir.InterpFlat}, {Source: CoefW, Count: 1, Interp: ir.InterpFlat}}}
	read := m.Interps()
	w := m.Place(&read)
	if w.At[a] != [4]int{6, 7, 5, 4} || w.Smooth != 1 || w.Flat != 1 || w.Linear != 2 {
		t.Errorf("components at words %v; %d, %d and %d words", w.At[a], w.Smooth, w.Flat, w.Linear)
	}
}
