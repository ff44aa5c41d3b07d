package core

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
)

// TestDelays: for each producer and consumer the smallest number of slots
// that is accepted must be the reference's (ir3.md §4.1 and 4.2).
func TestDelays(t *testing.T) {
	for _, c := range []struct {
		name, producer, consumer string
		a6, a7                   int
	}{
		{"same size", "mov.f32f32 r1.x, c0.x", "add.f r3.x, r1.x, c0.x", 3, 2},
		{"mad src3", "mov.f32f32 r1.x, c0.x", "mad.f32 r3.x, c0.x, r2.x, r1.x", 1, 1},
		{"mad src1", "mov.f32f32 r1.x, c0.x", "mad.f32 r3.x, r1.x, r2.x, r2.y", 3, 2},
		{"sel src3", "mov.f32f32 r1.x, c0.x", "sel.b32 r3.x, r2.x, r2.x, r1.x", 3, 1},
		{"cat4", "mov.f32f32 r1.x, c0.x", "rcp r3.x, r1.x", 6, 5},
		{"cat6", "mov.f32f32 r1.x, c0.x", "stib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 0", 6, 5},
		{"half to full", "mov.f16f16 hr2.x, h(1.000000)", "add.f r3.x, r1.x, c0.x", 6, 5},
		{"full to half", "mov.f32f32 r1.x, c0.x", "add.f hr8.x, hr2.y, hr2.x", 6, 5},
		{"half to half", "mov.f16f16 hr2.x, h(1.000000)", "add.f hr8.x, hr2.x, hr2.x", 3, 2},
		{"half to full, src3", "mov.f16f16 hr2.x, h(1.000000)", "mad.f32 r3.x, c0.x, r2.x, r1.x", 4, 4},
		{"other half", "mov.f16f16 hr2.x, h(1.000000)", "add.f hr8.x, hr2.y, hr2.y", 0, 0},
		{"predicate", "cmps.u.lt p0.x, r0.x, 100", "br p0.x, #1", 6, 5},
		{"address", "mova a0.x, hr16.x", "mov.f32f32 r3.x, c<a0.x>", 6, 5},
		{"const", "mov.f32f32 r1.x, c0.x", "mov.f32f32 r3.x, c0.y", 0, 0},
		// The check values of ir3.md §4.2.
		{"4.2 x then y", "mov.f32f32 r1.x, c0.x\nmov.f32f32 r1.y, c0.x", "(rpt1)add.f r1.x, (r)r1.x, (r)c0.x", 2, 1},
		{"4.2 rpt mov", "(rpt1)mov.f32f32 r1.x, c0.x", "(rpt1)add.f r1.x, (r)r1.x, (r)c0.x", 2, 1},
		{"4.2 y then x", "mov.f32f32 r1.y, c0.x\nmov.f32f32 r1.x, c0.x", "(rpt1)add.f r1.x, (r)r1.x, (r)c0.x", 3, 2},
		{"4.2 rpt2, first", "(rpt2)mov.f32f32 r1.x, (r)c0.x", "add.f r3.x, r1.x, c0.x", 1, 0},
		{"4.2 rpt2, second", "(rpt2)mov.f32f32 r1.x, (r)c0.x", "add.f r3.x, r1.x, r1.y", 2, 1},
		{"4.2 shifted up", "(rpt1)mov.f32f32 r1.x, c0.x", "(rpt1)add.f r3.x, (r)r1.y, (r)c0.x", 3, 2},
		{"4.2 shifted down", "(rpt1)mov.f32f32 r1.y, c0.x", "(rpt1)add.f r3.x, (r)r1.x, (r)c0.x", 1, 0},
		{"4.2 mad", "mov.f32f32 r1.x, c0.x\nmov.f32f32 r1.y, c0.x\nmov.f32f32 r1.z, c0.x", "mad.f32 r3.x, r1.x, r1.y, r1.z", 2, 1},
		{"4.2 overwritten by rcp", "mov.f32f32 r1.x, c0.x\nrcp r1.x, r1.w", "(ss)add.f r3.x, r1.x, c0.x", 0, 0},
	} {
		for _, g := range []isa.Gen{isa.A6xx, isa.A7xx} {
			want := c.a6
			if g == isa.A7xx {
				want = c.a7
			}
			if got := minNops(t, g, c.producer, c.consumer); got != want {
				t.Errorf("%s %s: %d slots are accepted, want %d", g, c.name, got, want)
			}
		}
	}
}

// minNops finds the smallest accepted distance.
func minNops(t *testing.T, g isa.Gen, producer, consumer string) int {
	for n := 0; n < 9; n++ {
		m := newMachine()
		m.gen, m.check, m.consts = g, true, make([]uint32, 8)
		text := producer + strings.Repeat("\nnop", n) + "\n" + consumer + "\nnop\n(sy)(ss)nop\nend"
		if err := m.run(t, text); err == nil {
			return n
		} else if !strings.Contains(err.Error(), "are needed") && !strings.Contains(err.Error(), "branchstack") {
			t.Errorf("%s after %s: %v", consumer, producer, err)
			return -1
		}
	}
	return 9
}

// TestRelativeDelays: of what is written relative to a0.x, those registers are waited for that it overlaps, and no others.
func TestRelativeDelays(t *testing.T) {
	const address = "mov.u16u16 hr16.x, 4\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\n"
	name := func(n int) string { return fmt.Sprintf("r%d.%c", n/4, "xyzw"[n%4]) }
	for _, w := range []struct {
		text    string
		from, n int // in halves
	}{{"mov.u32u32 r<a0.x + 1>, r6.x", 10, 2}, {"mov.u16u16 hr<a0.x + 1>, hr30.x", 5, 1}, {"mov.u32u32 r<a0.x>, r6.x", 8, 2}} {
		for n := range 24 {
			for size, read := range []string{"mov.u16u16 hr20.x, h" + name(n), "mov.u32u32 r9.x, " + name(n)} {
				if size++; size*n >= 24 {
					continue
				}
				got, want := minNops(t, isa.A6xx, address+w.text, read), size*n < w.from+w.n && w.from < size*(n+1)
				if (got > 0) != want {
					t.Errorf("%s, then %s: %d slots are needed, overlap %v", w.text, read, got, want)
				}
			}
		}
	}
}

// TestNopCount: (nopN) counts as slots.
func TestNopCount(t *testing.T) {
	m := newMachine()
	m.check = true
	m.mustRun(t, "(nop3) add.u r1.x, r0.x, 1\nadd.u r2.x, r1.x, 1\nend")
	if err := m.run(t, "(nop2) add.u r1.x, r0.x, 1\nadd.u r2.x, r1.x, 1\nend"); err == nil {
		t.Error("2 slots are accepted")
	}
}

// TestHazards has programs that the checking mode must refuse (want) or take
// (want empty). Each runs without the checks too and must then end well.
func TestHazards(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		setup            func(m *machine)
	}{
		{name: "ss missing", text: "rcp r1.x, r1.y\nadd.f r2.x, r1.x, c0.x", want: "(ss) is missing"},
		{name: "ss", text: "rcp r1.x, r1.y\n(ss)add.f r2.x, r1.x, c0.x"},
		{name: "ss, write", text: "rcp r1.x, r1.y\nmov.u32u32 r1.x, 0", want: "(ss) is missing"},
		{name: "ss, other register", text: "rcp r1.x, r1.y\nmov.u32u32 r1.z, 0"},
		{name: "sy missing", text: "ldib.b.untyped.1d.u32.2.imm.base0 r2.x, r5.x, 0\nmov.u32u32 r3.x, r2.y", want: "(sy) is missing"},
		{name: "sy", text: "ldib.b.untyped.1d.u32.2.imm.base0 r2.x, r5.x, 0\n(sy)mov.u32u32 r3.x, r2.y"},
		{name: "ss for sy", text: "ldib.b.untyped.1d.u32.2.imm.base0 r2.x, r5.x, 0\n(ss)mov.u32u32 r3.x, r2.y", want: "(sy) is missing"},
		{name: "WAR after load", text: "ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nmov.u32u32 r5.x, 1", want: "(ss) or (sy)"},
		{name: "WAR after load, ss", text: "ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(ss)mov.u32u32 r5.x, 1"},
		{name: "WAR after load, sy", text: "ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(sy)add.u r0.y, r2.x, 1\nmov.u32u32 r5.x, 1"},
		{name: "WAR after store, sy", text: "stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(sy)mov.u32u32 r5.x, 1", want: "(ss) is missing"},
		{name: "WAR after store, ss", text: "stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(ss)mov.u32u32 r2.x, 1"},
		{name: "WAR after rsq", text: "rsq r1.x, r5.x\nmov.u32u32 r5.x, 1", want: "(ss) is missing"},
		{name: "local load", text: "ldl.u32 r1.x, l[r5.x], 1\nmov.u32u32 r2.x, r1.x", want: "(ss) is missing"},
		{name: "shared write", text: "mov.u32u32 r48.x, r0.x\nmov.u32u32 r1.x, r48.x", want: "(ss) is missing"},
		{name: "scalar ALU in order", text: "mov.u32u32 r48.x, 3\nadd.u r48.y, r48.x, 4\n(ss)mov.u32u32 r1.x, r48.y",
			setup: func(m *machine) { m.gpu = "a660" }},
		{name: "scalar ALU read", text: "mov.u32u32 r48.x, 3\nmov.u32u32 r1.x, r48.x", want: "scalar unit",
			setup: func(m *machine) { m.gpu = "a660" }},
		{name: "stc", text: "(rpt5)nop\nstc.u32 c[4], r5.x, 1\nmov.u32u32 r1.x, c1.x", want: "const file"},
		{name: "stc, ss", text: "(rpt5)nop\nstc.u32 c[4], r5.x, 1\n(ss)mov.u32u32 r1.x, c1.x"},
		{name: "fine derivative", text: "dsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x\n(sy)mov.u32u32 r3.x, r1.x"},
		{name: "fine derivative, sy missing", text: "dsypp.1 (x)r1.x, r2.x\ndsypp.1.p (x)r1.x, r2.x\nmov.u32u32 r3.x, r1.x", want: "(sy) is missing"},
		{name: "fine derivative over a load", text: "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0\ndsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x", want: "(sy) is missing"},
		{name: "fine derivative after a load", text: "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0\n(sy)dsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x"},
		{name: "wait in a fine derivative", text: "dsxpp.1 (x)r1.x, r2.x\n(sy)dsxpp.1.p (x)r1.x, r2.x", want: "no pair"},
		{name: "fine derivative apart", text: "dsxpp.1 (x)r1.x, r2.x\nnop\ndsxpp.1.p (x)r1.x, r2.x", want: "no pair"},
		{name: "halves of two fine derivatives", text: "dsxpp.1 (x)r1.x, r2.x\ndsypp.1.p (x)r1.x, r2.x", want: "no pair"},
		{name: "second half of a fine derivative", text: "dsxpp.1.p (x)r1.x, r2.x", want: "no pair"},
		{name: "after a last read", text: "mov.u32u32 r2.x, (last)r1.x\nmov.u32u32 r3.x, r1.x", want: "after its (last)", setup: func(m *machine) { m.gen = isa.A7xx }},
		{name: "half after a last read", text: "cov.u16u32 r2.x, (last)hr2.y\nmov.u32u32 r3.x, r1.x", want: "after its (last)", setup: func(m *machine) { m.gen = isa.A7xx }},
		{name: "written after a last read", text: "mov.u32u32 r2.x, (last)r1.x\n(nop3) and.b r1.x, r0.x, 1\nmov.u32u32 r3.x, (last)r1.x", setup: func(m *machine) { m.gen = isa.A7xx }},
		{name: "fiber id", text: "getfiberid.u32 r1.x\nmov.u32u32 r2.x, r1.x", want: "(ss) is missing"},
		{name: "footprint", text: "mov.u32u32 r4.x, 1", want: "vec4 registers", setup: func(m *machine) { m.regs = 4 }},
		{name: "footprint of halves", text: "mov.u16u16 hr8.x, 1", want: "vec4 registers", setup: func(m *machine) { m.regs = 4 }},
		{name: "footprint kept", text: "mov.u16u16 hr7.w, 1", setup: func(m *machine) { m.regs = 4 }},
		{name: "a0.x across blocks", want: "a0.x", text: `
	mova a0.x, hr16.x
	jump #next
next:	(rpt5)nop
	mov.u32u32 r1.x, c<a0.x>`},
		{name: "relative", text: "mov.u16u16 hr16.x, 4\n(rpt5)nop\nmova a0.x, hr16.x\nldib.b.untyped.1d.u32.1.imm.base0 r2.y, r5.x, 0\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x + 4>"},
		{name: "relative, sy missing", want: "(sy) is missing", text: "mov.u16u16 hr16.x, 4\n(rpt5)nop\nmova a0.x, hr16.x\nldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x + 4>"},
		{name: "relative, write", want: "(sy) is missing", text: "mov.u16u16 hr16.x, 4\n(rpt5)nop\nmova a0.x, hr16.x\nldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\n(rpt5)nop\nmov.u32u32 r<a0.x + 4>, r1.x"},
		{name: "branchstack", want: "branchstack", text: `
	cmps.u.lt p0.x, r0.x, 4
	(rpt5)nop
	br p0.x, #x
	nop
x:	(jp)nop`, setup: func(m *machine) { m.branch = 0 }},
		{name: "example 4.8a", text: "rsq r10.x, r1.x\n(rpt1)mul.f r2.x, (r)r3.x, r4.x\n(rpt2)nop\n(ss)add.f r10.y, r10.x, r2.y"},
		{name: "example 4.8a, too early", text: "rsq r10.x, r1.x\n(rpt1)mul.f r2.x, (r)r3.x, r4.x\n(rpt1)nop\n(ss)add.f r10.y, r10.x, r2.y", want: "2 slots"},
		{name: "preamble without branchstack", text: `
	shps #main
	getone #main
	(rpt5)nop
	stc.u32 c[4], r5.x, 1
	(sy)(ss)shpe
main:	(jp)mov.u32u32 r1.x, c1.x`, setup: func(m *machine) { m.branch = 0 }},
		{name: "shpe without flags", want: "preamble ends", text: `
	shps #main
	getone #main
	(rpt5)nop
	stc.u32 c[4], r5.x, 1
	shpe
main:	(jp)nop`},
		// The other side of a branch need not wait for this side's results.
		{name: "results of the other branch", text: `
	cmps.u.lt p0.x, r0.x, 4
	(rpt5)nop
	br !p0.x, #else
	rcp r1.x, r1.y
	jump #end
else:	(jp)mov.u32u32 r1.x, 1
	(rpt2)nop
end:	(jp)(ss)mov.u32u32 r2.x, r1.x`},
		{name: "results of both branches", want: "(ss) is missing", text: `
	cmps.u.lt p0.x, r0.x, 4
	(rpt5)nop
	br !p0.x, #else
	rcp r1.x, r1.y
	jump #end
else:	(jp)mov.u32u32 r1.x, 1
	(rpt2)nop
end:	(jp)mov.u32u32 r2.x, r1.x`},
	} {
		for _, check := range []bool{true, false} {
			m := newMachine()
			m.check, m.consts = check, make([]uint32, 16)
			if c.setup != nil {
				c.setup(m)
			}
			err := m.run(t, c.text+"\n(rpt5)nop\n(sy)(ss)nop\nend")
			switch {
			case (!check || c.want == "") && err != nil:
				t.Errorf("%s, check %v: %v", c.name, check, err)
			case check && c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			}
		}
	}
}

// TestHalfBeyondFile: halves end at hr47.w.
func TestHalfBeyondFile(t *testing.T) {
	m := newMachine()
	m.check = true
	err := m.run(t, "mov.u16u16 hr48.x, hr0.x\nend")
	if err != nil { // hr48.x is the shared half register: legal
		t.Error(err)
	}
	for _, reg := range []string{"hr47.w", "r47.w"} {
		typ := "u32u32"
		if reg[0] == 'h' {
			typ = "u16u16"
		}
		if err := m.run(t, fmt.Sprintf("mov.%s %s, 1\nend", typ, reg)); err != nil {
			t.Errorf("%s: %v", reg, err)
		}
	}
}

// TestPreambleRegisters: one wave runs the preamble, so that no other has what it leaves in registers; what it has put back it
// has left alone.
func TestPreambleRegisters(t *testing.T) {
	const head, tail = "shps #main\ngetone #main\n(rpt5)nop\n", "(sy)(ss)shpe\n"
	for _, c := range []struct{ name, text, want string }{
		{"general", head + "mov.u32u32 r1.x, 3\n" + tail + "main: (jp)mov.u32u32 r2.x, r1.x", "reads r1.x (hr2.x), which the preamble wrote"},
		{"shared", head + "mov.u32u32 r48.x, 3\n" + tail + "main: (jp)mov.u32u32 r2.x, r48.x", "reads r48.x, which the preamble wrote"},
		{"predicate", head + "cmps.u.lt p0.y, r0.x, 4\n" + tail + "main: (jp)kill p0.y", "reads p0.y, which the preamble wrote"},
		{"written again", head + "mov.u32u32 r1.x, 3\n" + tail + "main: (jp)mov.u32u32 r1.x, 4\n(rpt5)nop\nmov.u32u32 r2.x, r1.x", ""},
		{"put back", head + "mov.u32u32 r1.x, r0.x\nmov.u32u32 r0.x, 3\n(rpt5)nop\nmov.u32u32 r0.x, r1.x\n(rpt5)nop\n" + tail + "main: (jp)mov.u32u32 r2.x, r0.x", ""},
		// It passes the check, and then a compute shader has no varyings.
		{"fetch to nowhere", head + "mov.u32u32 r0.x, 3\n(rpt5)nop\n" + tail + "main: (jp)bary.f (ei)r63.x, 0, r0.x", "varyings exist in fragment shaders only"},
		{"const", head + "mov.u32u32 r1.x, 3\n(rpt5)nop\nstc.u32 c[4], r1.x, 1\n" + tail + "main: (jp)mov.u32u32 r2.x, c1.x", ""},
	} {
		m := newMachine()
		m.check, m.consts = true, make([]uint32, 16)
		err := m.run(t, c.text+"\n(rpt5)nop\n(sy)(ss)nop\nend")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMixedSizes: a half that is written while a full write of its register is under way is there when both are.
func TestMixedSizes(t *testing.T) {
	for slots, want := range []string{"2 slots after it was written in another size, 6 are needed", "", "3 are needed"} {
		m := newMachine()
		m.check = true
		text := [...]string{
			"mov.u32u32 r2.x, 5\nmov.u16u16 hr4.x, 7\nnop\nmov.u16u16 hr5.x, hr4.x",
			"mov.u32u32 r2.x, 5\nmov.u16u16 hr4.x, 7\n(rpt4)nop\nmov.u16u16 hr5.x, hr4.x",
			"mov.u16u16 hr4.x, 5\nmov.u16u16 hr4.x, 7\n(rpt1)nop\nmov.u16u16 hr5.x, hr4.x",
		}[slots]
		if slots == 0 {
			text = "mov.u32u32 r2.x, 5\nmov.u16u16 hr4.x, 7\n(rpt2)nop\nmov.u16u16 hr5.x, hr4.x"
			want = "4 slots after it was written in another size, 6 are needed"
		}
		err := m.run(t, text+"\n(rpt5)nop\nend")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestLateA1: an instruction that takes indices or addresses from a1.x reads it late.
func TestLateA1(t *testing.T) {
	const load = "mova1 a1.x, 16\n(rpt5)nop\nldc.1.k.imm.base0 c[a1.x], 0, 1\n"
	for text, want := range map[string]string{
		load + "mova1 a1.x, 32":                   "writes a1.x while an earlier instruction may still read it",
		load + "(ss)mova1 a1.x, 32":               "",
		load + "(sy)mov.u32u32 r0.x, c4.x":        "",
		load + "(sy)nop\nmova1 a1.x, 32\n(ss)nop": "",
	} {
		m := newMachine()
		m.check, m.consts = true, make([]uint32, 64)
		err := m.run(t, text+"\n(rpt5)nop\n(sy)(ss)nop\nend")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
