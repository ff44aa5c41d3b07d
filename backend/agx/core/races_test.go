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

// TestWaitsOfLanes: a result under way is waited for in the lanes that asked for it: others may read and write the register,
// and those may not.
func TestWaitsOfLanes(t *testing.T) {
	const load = "\tmov_imm r3, 5, 0b0\n\tmov_imm r2, 5, 0b0\n\tif_icmp r0l, ult, r10, 7, 1\n\tdevice_load 1, i32, xy, r2_r3, u2_u3, r10, unsigned\n"
	for _, c := range []struct {
		name, body string
		ok         bool
	}{
		{"others read", load + "\telse_icmp r0l, ult, r10, 32, 1\n\tiadd r4, r3, 1\n\tpop_exec r0l, 1\n\twait 1", true},
		{"others write", load + "\telse_icmp r0l, ult, r10, 32, 1\n\tmov_imm r3, 6, 0b0\n\tpop_exec r0l, 1\n\twait 1", true},
		{"the same read", load + "\tiadd r4, r3, 1\n\tpop_exec r0l, 1\n\twait 1", false},
		{"all read", load + "\tpop_exec r0l, 1\n\tiadd r4, r3, 1\n\twait 1", false},
		{"all read afterwards", load + "\tpop_exec r0l, 1\n\twait 1\n\tiadd r4, r3, 1", true},
	} {
		m := newMachine()
		m.check = true
		if err := m.run(t, head+c.body+tail); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
