package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// TestUniformNumbers: a lookup in a uniform mode takes its numbers from the first active fiber, and checking mode does not let
// them differ; in the other mode each fiber has its own.
func TestUniformNumbers(t *testing.T) {
	const same = "mov.u32u32 r3.x, 1\nmov.u32u32 r3.y, 0\n"
	const unlike = "cmps.u.eq r3.x, r0.x, 0\nmov.u32u32 r3.y, 0\n"
	const tail = "(rpt5)nop\nisam.v.s2en.MODE.base0 (u32)(x)r1.x, r4.x, r3.x\n(sy)(rpt5)nop" + store + "\n(sy)(ss)nop\nend"
	for _, c := range []struct {
		name, mode, numbers, want string
		check                     bool
		second                    uint32
	}{
		{"the same in all", "uniform", same, "", true, 7},
		{"one for each", "nonuniform", unlike, "", true, 5},
		{"one for each, uniform", "uniform", unlike, "in r3.x differ between fibers", true, 0},
		{"one for each, uniform, unchecked", "uniform", unlike, "", false, 7},
	} {
		m := newMachine()
		m.gen, m.check = isa.A7xx, c.check
		emu.StoreBytes(m.ubo.Data[0:], 4, 7)
		emu.StoreBytes(m.out.Data[0:], 4, 5)
		err := m.run(t, "mov.u32u32 r4.x, 0\n"+c.numbers+strings.Replace(tail, "MODE", c.mode, 1))
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)), c.want == "" && err != nil:
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		case c.want == "" && (m.word(0) != 7 || m.word(1) != c.second):
			t.Errorf("%s: %d and %d, want 7 and %d", c.name, m.word(0), m.word(1), c.second)
		}
	}
}

// TestResultOverNumbers: what a lookup in a uniform mode gives may take the register of the number of its texture: no fiber writes
// before all have read.
func TestResultOverNumbers(t *testing.T) {
	for _, op := range []string{"isam.v.s2en.uniform.base0 (u32)(x)r3.x, r4.x, r3.x", "getbuf.s2en.uniform.base0 (u32)(x)r3.x, r3.x"} {
		m := newMachine()
		m.gen, m.check = isa.A7xx, true
		emu.StoreBytes(m.out.Data[0:], 4, 5)
		err := m.run(t, "mov.u32u32 r4.x, 0\nmov.u32u32 r3.x, 1\nmov.u32u32 r3.y, 0\n(rpt5)nop\n"+op+"\n(sy)mov.u32u32 r1.x, r3.x\n(rpt5)nop"+store+"\n(sy)(ss)nop\nend")
		if err != nil || m.word(1) != m.word(0) {
			t.Errorf("%s: %d and %d, error %v", op, m.word(0), m.word(1), err)
		}
	}
}
