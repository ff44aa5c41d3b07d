package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
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
		{"lookup without wait", "isam.base0 (u32)(x)r3.x, r3.y, s#0, t#1\nalias.tex.b32.0 r40.x, r3.x\n" + read, "(sy) is missing"},
		{"lookup that waits for its name", "mov.u32u32 r4.x, 60\n(rpt5)nop\nisam.v.base0 (u32)(x)r3.x, r4.x, s#0, t#1\nalias.tex.b32.0 r40.x, r3.x\n(sy)" + read, ""},
		{"written after", "alias.tex.b32.0 r40.x, r3.x\n" + read + "\nmov.u32u32 r3.x, 1", "may still read it"},
		{"wrong size", "alias.tex.b32.1 r40.x, (0x3)\n" + read, "says its size"},
		{"no texture", "alias.tex.b32.0 r40.x, (0x3)\nnop\n" + read, "says its size"},
	} {
		m := newMachine()
		m.gen, m.check, m.consts = isa.A7xx, true, []uint32{5, 3, 0, 0}
		for i := range m.ubo.Data {
			m.ubo.Data[i] = byte(i)
		}
		emu.StoreBytes(m.ubo.Data[4*60:], 4, 3)
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

// TestAliasDerivatives: the operand of a derivative may be a name, of halves too; that of an isam with an
// immediate offset may not, and no name waits by (sy).
func TestAliasDerivatives(t *testing.T) {
	for _, c := range []struct {
		text, want string
		value      uint32
	}{
		{"alias.tex.b32.0 r40.x, r3.x\ndsx (f32)(x)r1.x, r40.x\n", "", 0x40400000},
		{"cov.f32f16 hr4.x, r3.x\n(rpt5)nop\nalias.tex.b16.0 hr40.x, hr4.x\ndsx (f32)(x)r1.x, hr40.x\n", "", 0x40400000},
		{"alias.tex.b32.0 r40.x, c0.x\ndsx (f32)(x)r1.x, r40.x\n", "", 0},
		{"alias.tex.b32.0 r40.x, (0x3)\nisam.v.base0 (u32)(x)r1.x, r40.x+1, s#0, t#1\n", "do not always work", 0},
		{"(sy)alias.tex.b32.0 r40.x, r3.x\ndsx (f32)(x)r1.x, r40.x\n", "(sy) belongs to the lookup", 0},
	} {
		m := newMachine()
		m.gpu, m.gen, m.check, m.consts = "a740", isa.A7xx, true, []uint32{5, 3, 0x40400000, 0}
		err := m.run(t, "cov.u32f32 r3.x, r0.x\n(rpt5)nop\nmul.f r3.x, r3.x, c0.z\n(rpt5)nop\n"+c.text+"(sy)(rpt5)nop"+store+"\n(sy)(ss)nop\nend")
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.want)
			}
			continue
		}
		if err != nil || m.word(0) != c.value {
			t.Errorf("%q: %#x, %v, want %#x", c.text, m.word(0), err, c.value)
		}
	}
}

// TestAliasRTChecks: alias.rt works at the listed components, in the preamble.
func TestAliasRTChecks(t *testing.T) {
	const head, tail = "shps #main\ngetone #main\n", "(sy)(ss)shpe\nmain: (jp)nop\nend"
	for _, c := range []struct{ name, text, want string }{
		{"immediate and const", head + "alias.rt.f32.0 rt1.x, (2.500000)\nalias.rt.f32.0 rt1.w, c0.y\n" + tail, ""},
		{"outside", head + tail + "\nalias.rt.f32.0 rt1.x, (2.500000)\n", "outside the preamble"},
		{"not listed", head + "alias.rt.f32.0 rt1.y, (2.500000)\n" + tail, "component 1 of render target 1, which"},
		{"other target", head + "alias.rt.f32.0 rt0.x, (2.500000)\n" + tail, "render target 0, which"},
		{"one missing", head + "alias.rt.f32.0 rt1.x, (2.500000)\n" + tail, "components 0x80 that no alias.rt names"},
		{"count", head + "alias.rt.f32.1 rt1.x, (2.500000)\nalias.rt.f32.0 rt1.w, c0.y\n" + tail, "announces 1 more entries"},
		{"const under way", head + "mov.u32u32 r1.x, 7\n(rpt5)nop\nstc.u32 c[1], r1.x, 1\nalias.rt.f32.0 rt1.x, (2.500000)\nalias.rt.f32.0 rt1.w, c0.y\n" + tail, "const file is under way"},
	} {
		code, err := isa.Assemble(isa.A7xx, c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		meta := abi.Meta{Gen: isa.A7xx, Stage: ir.StageFragment, MaxRegs: 4, ConstLen: 4, BranchStack: 1,
			Consts:  abi.Consts{Immediates: []uint32{5, 3}},
			Outputs: []abi.Output{{Slot: ir.SlotData0 + 1, Mask: 15, AliasRT: 9, Reg: 4}}}
		p, err := Load(code, &meta)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		l := &emu.Launch{NumLanes: 4, Check: true, Out: make([]emu.Slots, 4), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Fragment: make([]emu.FragmentLane, 4)}
		_, err = p.NewWave(l).Run(1000)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		case c.want == "" && (l.Out[2][ir.SlotData0+1][0] != 0x40200000 || l.Out[2][ir.SlotData0+1][3] != 3):
			t.Errorf("%s: fiber 2 has %v", c.name, l.Out[2][ir.SlotData0+1])
		}
	}
	meta := abi.Meta{Gen: isa.A7xx, Stage: ir.StageFragment, Outputs: []abi.Output{{Slot: ir.SlotDepth, Mask: 1, AliasRT: 1}}}
	if err := meta.Check(); err == nil {
		t.Error("an alias of the depth is accepted")
	}
}
