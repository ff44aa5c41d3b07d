package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
)

// TestLateAccesses: what two waves see of each other's accesses, that one of them orders or does not.
func TestLateAccesses(t *testing.T) {
	const head = `
	mov.u32u32 r2.x, 7
	mov.u32u32 r1.x, 0
	mov.u32u32 r5.x, 300
	(rpt5)nop
`
	for _, c := range []struct {
		name, text string
		gpu        string
		want       uint32 // in the second wave, where the first ran ahead
	}{
		{"store", "stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nbar.g\n(sy)ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0", "", 7},
		{"workgroup memory, no fence", "SWITCH stl.u32 l[r5.x], r2.x, 1\nEND bar.g\n(sy)ldl.u32 r1.x, l[r5.x], 1\n(ss)nop", "", 0},
		{"workgroup memory, fence", "SWITCH stl.u32 l[r5.x], r2.x, 1\nEND fence.r.w\n(ss)(sy)bar.g\n(sy)ldl.u32 r1.x, l[r5.x], 1\n(ss)nop", "", 7},
		{"buffer, no fence", "SWITCH stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nEND bar.g\n(sy)ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0", "", 0},
		{"buffer, fence of workgroup memory", "SWITCH stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nEND fence.r.w\n(ss)(sy)bar.g\n(sy)ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0", "", 0},
		{"buffer, fence", "SWITCH stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nEND fence.g.l.r.w\n(ss)(sy)bar.g\n(sy)ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0", "", 7},
		{"load on its way at the barrier", "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0\nbar.g\nSWITCH stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nEND fence.g.l.r.w\n", "", 7},
		{"load before the barrier", "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0\n(sy)bar.g\nSWITCH stib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0\nEND fence.g.l.r.w\n", "", 0},
	} {
		// Only the first wave does what stands between SWITCH and END.
		text := strings.NewReplacer("SWITCH", "cmps.u.lt p0.x, r0.x, 4\n(rpt5)nop\nbr !p0.x, #other\n", "END", "other: (jp)(ss)(sy)nop\n").Replace(c.text)
		m := newMachine()
		m.check, m.lanes, m.waves = true, 4, 2
		m.mustRun(t, head+text+"\n(sy)(ss)nop\nbar.g\n(sy)(ss)nop"+store) // the first wave does not end before the other loads
		if got := m.word(4); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestLacks: a device refuses what it does not have.
func TestLacks(t *testing.T) {
	for _, c := range []struct{ gpu, text, want string }{
		{"a630", "getfiberid.u32 r1.x", "no getfiberid"},
		{"a660", "getfiberid.u32 r1.x", ""},
		{"a650", "isam.v.base0 (u32)(x)r1.x, r2.x, s#0, t#0", "no isam.v"},
		{"a630", "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x+3, 0", "no offset in ldib and stib"},
		{"a630", "add.u r48.x, r48.y, 1", "no scalar unit"},
		{"a630", "dp2acc.mixed.low r1.x, r2.x, r3.x, r4.x", "no dp2acc"},
		{"a650", "dp4acc.unsigned.low r1.x, r2.x, r3.x, r4.x", "no dp4acc"},
		{"a630", "sad.s32 r1.x, r2.x, r3.x, r4.x", "no sum of three"},
		{"a630", "ldib.b.untyped.1d.u32.1.imm.base6 r1.x, r5.x, 0", "no descriptor set 6"},
		{"a730", "atomic.b.add.untyped.1d.u64.1.imm.base0 r2.x, r5.x, 0", "no atomic of 64 bits"},
		{"a740", "atomic.b.add.untyped.1d.u64.1.imm.base0 r2.x, r5.x, 0", "no atomic of 64 bits other than exchanges"},
		{"a740", "atomic.g.max.untyped.1d.u64.1.g r2.x, r5.x, r6.x", "no atomic of 64 bits other than exchanges"},
		{"a740", "mov.u32u32 r2.z, 3\nmov.u32u32 r2.w, 4\nmov.u32u32 r5.x, 0\n(rpt5)nop\natomic.b.xchg.untyped.1d.u64.1.imm.base0 r2.x, r5.x, 0", ""},
		{"a630", "stib.b.untyped.1d.u16.1.imm.base0 hr2.x, r5.x, 0", "no storage of 16 bits"},
		{"a660", "isam.base0 (u32)(x)r1.x, r2.x, s#0, t#0", "bit 18"},
		{"a630", "resinfo.b.untyped.1d.u32.1.imm.base0 r1.x, 0", "(ss)nop does not follow"},
		{"a630", "resinfo.b.untyped.1d.u32.1.imm.base0 r1.x, 0\n(ss)nop", ""},
	} {
		m := newMachine()
		m.check, m.gpu = true, c.gpu
		m.gen = abi.FindGPU(c.gpu).Gen
		err := m.run(t, c.text+"\n(rpt5)nop\n(sy)(ss)nop\nend")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s on %s: error %v, want %q", c.text, c.gpu, err, c.want)
		}
	}
}

// TestLockedEnd: where the GPU has locks, a compute program ends with a lock that waits for everything, and an unlock.
func TestLockedEnd(t *testing.T) {
	for text, ok := range map[string]bool{
		"(sy)(ss)lock\nunlock\nend": true, "end": false, "nop\nnop\nend": false, "(sy)(ss)nop\nunlock\nend": false, "(sy)(ss)lock\nnop\nend": false,
		"(sy)lock\nunlock\nend": false, "(ss)lock\nunlock\nend": false, "lock\nunlock\nend": false, "(sy)(ss)lock\nunlock\nnop\nend": false,
	} {
		m := newMachine()
		m.check, m.gpu, m.gen = true, "a740", isa.A7xx
		code, err := isa.Assemble(m.gen, text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.start(m.loadCode(t, code))[0].Run(10)
		if ok && err != nil || !ok && (err == nil || !strings.Contains(err.Error(), "lock and unlock do not stand before")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestUniformTail: nobody knows what follows a binding in its last vec4.
func TestUniformTail(t *testing.T) {
	m := newMachine()
	m.check, m.lanes = true, 1
	m.ubo.Data = m.ubo.Data[:24]
	m.ubo.Data[20] = 9
	const text = "(rpt5)nop\nldc.offset1.1.imm.base0 r1.x, 1, 1\nldc.offset2.1.imm.base0 r2.x, 1, 1\n(sy)add.u r1.x, r1.x, r2.x" + store
	m.seed = 5
	m.mustRun(t, text)
	first := m.word(0)
	m.seed = 6
	m.mustRun(t, text)
	if second := m.word(0); first == 9 || first == second {
		t.Errorf("with two seeds %#x and %#x", first, second)
	}
}

// TestUnits: copies to the const file count in 4 vec4.
func TestUnits(t *testing.T) {
	for _, copied := range []string{"mova1 a1.x, 8\n(rpt5)nop\nldc.1.k.imm.base0 c[a1.x], 0, 1", "mova1 a1.x, 16\n(rpt5)nop\nldc.1.k.imm.base0 c[a1.x], 2, 1"} {
		m := newMachine()
		m.check, m.consts = true, make([]uint32, 64)
		if err := m.run(t, copied+"\n(sy)(ss)nop\nend"); err == nil || !strings.Contains(err.Error(), "multiples of 4 vec4") {
			t.Errorf("%s: %v", copied, err)
		}
	}
}
