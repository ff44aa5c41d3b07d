package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
)

// TestAliasTable: a buffer is read through the texture path at names that
// stand for consts, immediates and other registers.
func TestAliasTable(t *testing.T) {
	// isam.v reads elements 3 and 4 of the second buffer, by an immediate, a const or a register.
	const tail = "\n(sy)add.u r1.x, r2.x, r2.y\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 0\n(sy)(ss)nop\nend"
	const read = "isam.v.base0 (u32)(xy)r2.x, r40.x, s#0, t#1"
	for _, c := range []struct{ name, text, want string }{
		{"immediate", "alias.tex.b32.0 r40.x, (0x3)\n" + read, ""},
		{"const", "alias.tex.b32.0 r40.x, c0.y\n" + read, ""},
		{"register", "mov.u32u32 r3.x, 3\n(rpt4)nop\nalias.tex.b32.0 r40.x, r3.x\n" + read, ""},
		{"too early", "mov.u32u32 r3.x, 3\n(rpt2)nop\nalias.tex.b32.0 r40.x, r3.x\n" + read, "slots"},
		{"two entries", "alias.tex.b32.1 r40.x, (0x3)\nalias.tex.b32.0 r40.y, (0x9)\n" + read, ""},
		{"under way", "rcp r3.x, r3.y\nalias.tex.b32.0 r40.x, r3.x\n" + read, "(ss) is missing"},
		{"written behind", "alias.tex.b32.0 r40.x, r3.x\n" + read + "\nmov.u32u32 r3.x, 1", "may still read it"},
		{"wrong size", "alias.tex.b32.1 r40.x, (0x3)\n" + read, "says its size"},
		{"no texture", "alias.tex.b32.0 r40.x, (0x3)\nnop\n" + read, "says its size"},
	} {
		m := newMachine()
		m.gen, m.check, m.consts = isa.A7xx, true, []uint32{5, 3, 0, 0}
		for i := range m.ubo.Data {
			m.ubo.Data[i] = byte(i)
		}
		err := m.run(t, c.text+tail)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		case c.want == "" && m.word(0) != m.word(1):
			t.Errorf("%s: fibers differ", c.name)
		case c.want == "" && m.word(0) != 0x0f0e0d0c+0x13121110:
			t.Errorf("%s: %#x", c.name, m.word(0))
		}
	}
}
