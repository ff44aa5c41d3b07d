package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
)

// TestScalarHazards: the scalar unit runs in order; what it makes and reads is
// waited for by others, and by itself where sizes differ.
func TestScalarHazards(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"in order", "mov.u32u32 r48.x, 3\nmul.f r48.y, r48.x, c0.x\nadd.f r48.x, r48.y, c0.x\n(ss)mov.u32u32 r1.x, r48.x", ""},
		{"read by vector ALU", "mov.u32u32 r48.x, 3\nadd.u r1.x, r48.x, r0.x", "scalar unit, (ss) is missing"},
		{"half of a full result", "mov.u32u32 r48.x, 3\nadd.u hr48.z, hr48.x, h(1)", "scalar unit, (ss) is missing"},
		{"full of a half result", "mov.u16u16 hr48.x, 3\nadd.u r48.y, r48.x, 1", "scalar unit, (ss) is missing"},
		{"half, waited for", "mov.u32u32 r48.x, 3\n(ss)add.u hr48.z, hr48.x, h(1)\n(ss)nop", ""},
		{"halves in order", "mov.u16u16 hr48.x, 3\nadd.u hr48.y, hr48.x, h(1)\n(ss)nop", ""},
		{"cat4 reads it", "mov.u32u32 r48.x, 3\nrcp r48.y, r48.x", "scalar unit, (ss) is missing"},
		{"cat4 result", "mov.u32u32 r48.x, 3\n(ss)rcp r48.y, r48.x\nadd.f r48.z, r48.y, r48.y", "result is under way, (ss) is missing"},
		{"load over what it reads", "mov.u32u32 r48.x, 3\n(ss)add.u r48.y, r48.x, 1\nldc.u.offset0.1.imm.base0 r48.x, 0, 1", "the scalar unit may still read it, (ss) is missing"},
		{"load over it, waited for", "mov.u32u32 r48.x, 3\n(ss)add.u r48.y, r48.x, 1\n(ss)nop\nldc.u.offset0.1.imm.base0 r48.x, 0, 1", ""},
		{"its write over what cat4 reads", "mov.u32u32 r48.x, 3\n(ss)rcp r48.y, r48.x\nmov.u32u32 r48.x, 4", "may still read it, (ss) is missing"},
		{"load result", "ldc.u.offset0.1.imm.base0 r48.x, 0, 1\n(ss)add.u r48.y, r48.x, 1", "(sy) is missing"},
		{"load result, half waited for", "ldc.u.offset0.1.imm.base0 r48.x, 0, 1\n(sy)add.u r48.y, r48.x, 1", "(ss) is missing"},
		{"load result, waited for", "ldc.u.offset0.1.imm.base0 r48.x, 0, 1\n(sy)(ss)add.u r48.y, r48.x, 1", ""},
		{"no slots pass", "mov.u32u32 r1.x, 1\nmov.u32u32 r48.x, 1\nmov.u32u32 r48.y, 1\nmov.u32u32 r48.z, 1\n(ss)add.u r2.x, r1.x, 1", "0 slots after"},
		{"no mad", "mad.f32 r48.x, c0.x, r48.y, r48.z", "no such instruction for shared"},
		{"second source of a choice", "sel.b32 r48.x, r48.y, r1.x, r48.z", "the second source of a shared result is a shared register"},
		{"first source of a choice", "sel.b32 r48.x, r1.x, r48.y, r48.z", "the sources of a shared result are shared"},
		{"relative source", "add.u r48.x, r<a0.x>, 1", "the sources of a shared result are shared"},
		{"normal result of a normal and a shared source", "mov.u32u32 r48.x, 3\n(ss)add.u r1.x, r48.x, r48.x", "only one source is a const or a shared register"},
		{"normal source", "add.u r48.x, r0.x, 1", "the sources of a shared result are shared"},
		{"beside a const", "mov.u32u32 r48.x, 3\n(ss)add.u r1.x, r48.x, c0.x", "only one source is a const or a shared register"},
		{"second source", "mov.u32u32 r48.x, 3\n(ss)mad.f32 r1.x, r0.x, r48.x, c0.x", "the second source is no shared register"},
		{"first source beside a const", "mov.u32u32 r48.x, 3\n(ss)mad.f32 r1.x, r48.x, r0.x, c0.x", ""},
		{"address", "mov.u32u32 r48.x, 0\n(ss)nop\nldl.u32 r1.x, l[r48.x], 1", "its sources are no shared registers"},
		{"what is stored", "mov.u32u32 r48.x, 3\nmov.u32u32 r1.x, 0\n(rpt5)nop\n(ss)nop\nstl.u32 l[r1.x], r48.x, 1", "its sources are no shared registers"},
		{"mixed cat4", "rcp r1.x, r48.x", "both or neither"},
	} {
		m := newMachine()
		m.check, m.consts, m.gpu = true, make([]uint32, 16), "a660"
		err := m.run(t, c.text+"\n(rpt5)nop\n(sy)(ss)nop\nend")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSharedMoves: what gets lost between registers of fibers and of the wave, and what does not.
func TestSharedMoves(t *testing.T) {
	const half, float, byte, convert = "halves do not get to shared registers", "no floats are converted", "no bytes are extended", "converted by the scalar unit alone"
	for _, c := range []struct{ gpu, text, want string }{
		{"a660", "mov.u16u16 hr48.x, hr4.x", half},
		{"a630", "mov.u16u16 hr48.x, hr4.x", half},
		{"a660", "mov.u16u16 hr48.x, hr<a0.x>", half},
		{"a660", "cov.u32u16 hr48.x, r2.x", ""},
		{"a660", "cov.u16u32 r48.x, hr4.x", ""},
		{"a660", "cov.f32f16 hr48.x, r2.x", float},
		{"a660", "cov.u32f32 r48.x, r2.x", float},
		{"a660", "mov.f32f32 r48.x, r2.x", float},
		{"a660", "cov.u8s32 r48.x, hr4.x", byte},
		{"a660", "mov.u16u16 hr48.x, hr49.x", ""},
		{"a660", "cov.u16u32 r48.x, hr49.x", ""},
		{"a630", "cov.u16u32 r48.x, hr49.x", convert},
		{"a630", "mov.u32u32 r48.x, r49.x", ""},
		{"a630", "mov.u32u32 r48.x, c1.x", ""},
		{"a630", "mov.u16u16 hr48.x, 3", ""},
		{"a630", "add.u r1.x, r48.x, c1.x", "only one source is a const or a shared register"},
	} {
		p := &program{gpu: abi.FindGPU(c.gpu)}
		in, err := isa.ParseText(p.gpu.Gen, c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := p.missesShared(&in); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s on %s: %q, want %q", c.text, c.gpu, got, c.want)
		}
	}
}

// TestEarlyPreamble: what runs before dispatch touches nothing of the fibers,
// and waits for a1.x as a7xx wants it.
func TestEarlyPreamble(t *testing.T) {
	const head, tail = "shps #main\ngetone #main\n", "\n(sy)(ss)shpe\nmain: (jp)nop\nend"
	for _, c := range []struct {
		name, text string
		a6, a7     string // errors by generation
	}{
		{"shared", head + "mov.u32u32 r48.x, 3\n(ss)nop\nstc.u32 c[1], r48.x, 1" + tail, "", ""},
		{"normal register", head + "mov.u32u32 r1.x, 3\n(rpt5)nop\nstc.u32 c[1], r1.x, 1" + tail, "registers of fibers", "registers of fibers"},
		{"predicate", head + "cmps.u.lt p0.x, c0.x, 3" + tail, "predicates", "predicates"},
		{"relative", head + "mova a0.x, 1\n(rpt5)nop\nmov.u32u32 r48.x, c<a0.x>" + tail, "relative addresses", "relative addresses"},
		{"a1.x, slots", head + "mov.u32u32 r48.x, 3\nmova1 a1.x, 0\n(rpt5)nop\n(ss)nop\nstc.u32 c[a1.x+1], r48.x, 1" + tail, "", "a1.x without (r)"},
		{"a1.x, (ss)", head + "mov.u32u32 r48.x, 3\nmova1 a1.x, (r)0\n(ss)nop\nstc.u32 c[a1.x+1], r48.x, 1" + tail, "slots after", ""},
		{"a1.x, no (ss)", head + "mov.u32u32 r48.x, 3\n(ss)nop\nmova1 a1.x, (r)0\n(rpt5)nop\nstc.u32 c[a1.x+1], r48.x, 1" + tail, "", "a1.x while a result is under way, (ss) is missing"},
		{"none", "end", "there is none", "there is none"},
	} {
		for gen, want := range map[isa.Gen]string{isa.A6xx: c.a6, isa.A7xx: c.a7} {
			m := newMachine()
			m.gen, m.check, m.consts, m.gpu = gen, true, make([]uint32, 16), map[isa.Gen]string{isa.A6xx: "a650", isa.A7xx: "a740"}[gen]
			m.edit = func(meta *abi.Meta) { meta.EarlyPreamble = true }
			err := m.run(t, c.text)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s %s: error %v, want %q", gen, c.name, err, want)
			}
		}
	}
}
