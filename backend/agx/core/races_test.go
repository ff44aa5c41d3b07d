package core

import (
	"testing"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// TestCoherentForms: of all values of the bits that choose how an access goes through the caches only one is the coherent form,
// which counts as an atomic access where races are looked for.
func TestCoherentForms(t *testing.T) {
	for _, c := range []struct {
		op   isa.Op
		kind emu.AccessKind
	}{{isa.OpDeviceLoad, emu.AccessRead}, {isa.OpDeviceStore, emu.AccessWrite}} {
		forms := 0
		for high := range uint32(8) {
			for low := range uint32(2) {
				x := &inst{Instr: isa.Instr{Op: c.op}}
				if x.SetField("u4", high) != nil || c.op == isa.OpDeviceStore && x.SetField("u6", low) != nil || c.op == isa.OpDeviceLoad && low != 0 {
					continue
				}
				forms++
				want := high == 7 || c.op == isa.OpDeviceStore && high == 3 && low == 1
				kind := c.kind
				if want {
					kind = emu.AccessAtomic
				}
				if x.coherent() != want || raceKind(x, c.kind) != kind {
					t.Errorf("%s with %d and %d: coherent %v, a race's access of kind %d", c.op, high, low, x.coherent(), raceKind(x, c.kind))
				}
			}
		}
		if forms != 8 {
			t.Errorf("%s has %d forms", c.op, forms)
		}
		x := &inst{Instr: isa.Instr{Op: c.op}}
		if x.coherent() {
			t.Errorf("%s is coherent by itself", c.op)
		}
		if err := x.SetCoherent(); err != nil || !x.coherent() {
			t.Errorf("%s made coherent is not: %v", c.op, err)
		}
	}
}
