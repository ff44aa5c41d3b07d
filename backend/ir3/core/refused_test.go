package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestRules: what a device does not run well, as it stands in the code (ir3.md §11.1).
func TestRules(t *testing.T) {
	const name = "alias.tex.b32.0 r40.x, (0x3)\n"
	const read = "(sy)isam.v.base0 (u32)(x)r2.x, r40.x, s#0, t#1"
	const relative = "mov.u16u16 hr16.x, 4\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\n"
	target0 := func(m *abi.Meta) {
		m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 1, AliasRT: 1}}
		m.Consts = abi.Consts{ByPreamble: true}
	}
	const drawn, patches = ir.StageFragment, ir.StageTessCtrl
	for _, c := range []struct {
		name, gpu, text, want string
		stage                 ir.Stage
		edit                  func(m *abi.Meta)
	}{
		{name: "repeat of a relative register", gpu: "a660", text: relative + "(rpt1)mov.u32u32 r1.x, (r)r<a0.x>", want: "repeats what is relative to a0.x"},
		{name: "repeat of a relative const", gpu: "a660", text: relative + "(rpt1)mov.u32u32 r1.x, (r)c<a0.x>", want: "repeats what is relative to a0.x"},
		{name: "repeat to a relative register", gpu: "a660", text: relative + "(rpt1)mov.u32u32 r<a0.x>, 1", want: "repeats what is relative to a0.x"},
		{name: "relative, no repeat", gpu: "a660", text: relative + "mov.u32u32 r1.x, c<a0.x>"},
		{name: "size by typed access", gpu: "a660", text: "resinfo.b.typed.1d.u32.1.imm.base0 r1.x, 0\n(ss)nop", want: "asks for a size with the bit of typed accesses"},
		{name: "wait for a size elsewhere", gpu: "a660", text: "resinfo.b.untyped.1d.u32.1.imm.base0 r1.x, 0\nnop\n(ss)nop", want: "(ss)nop does not follow"},
		{name: "name that waits", gpu: "a740", text: "(sy)" + name + read, want: "(sy) belongs to the lookup, not to its names"},
		{name: "names in two lines", gpu: "a740", text: strings.Repeat("nop\n", 15) + name + read, want: "the group lies in two lines of the instruction cache"},
		{name: "two names in two lines", gpu: "a740", text: strings.Repeat("nop\n", 14) + "alias.tex.b32.1 r40.x, (0x3)\nalias.tex.b32.0 r40.y, (0x3)\n" + read, want: "the group lies in two lines of the instruction cache"},
		{name: "names at the end of a line", gpu: "a740", text: strings.Repeat("nop\n", 13) + "alias.tex.b32.1 r40.x, (0x3)\nalias.tex.b32.0 r40.y, (0x3)\n" + read},
		{name: "names at the start of a line", gpu: "a740", text: strings.Repeat("nop\n", 16) + name + read},
		{name: "name beside an offset", gpu: "a740", text: name + "(sy)isam.v.base0 (u32)(x)r2.x, r40.x+1, s#0, t#1", want: "aliases do not always work beside an immediate offset"},
		{name: "name of a lookup after one of a target", gpu: "a750", stage: drawn, text: "shps #m\ngetone #m\nalias.rt.f32.0 rt0.x, (0x3)\n" + name + read + "\n(sy)(ss)shpe\nm: (jp)nop", want: "the GPU hangs where an alias.tex follows", edit: target0},
		{name: "half const for a target", gpu: "a750", stage: drawn, text: "shps #m\ngetone #m\nalias.rt.f16.0 rt0.x, hc1.x\n(sy)(ss)shpe\nm: (jp)nop", want: "render targets do not get consts of half size by name", edit: target0},
		{name: "kill where not", gpu: "a660", stage: drawn, text: "kill !p0.x", want: "kills where a predicate is not set"},
		{name: "kill", gpu: "a660", stage: drawn, text: "kill p0.x"},
		{name: "derivative without helpers", gpu: "a660", stage: drawn, text: "dsx (f32)(x)r1.x, r2.x", want: "the meta does not ask for helpers"},
		{name: "derivative with helpers", gpu: "a660", stage: drawn, text: "dsx (f32)(x)r1.x, r2.x", edit: func(m *abi.Meta) { m.NeedsQuads = true }},
		{name: "fine derivative without whole quads", gpu: "a660", stage: drawn, text: "dsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x", want: "the meta does not ask for whole quads",
			edit: func(m *abi.Meta) { m.NeedsQuads = true }},
		{name: "fine derivative without helpers", gpu: "a660", stage: drawn, text: "dsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x", want: "the meta does not ask for whole quads",
			edit: func(m *abi.Meta) { m.FullQuads = true }},
		{name: "fine derivative", gpu: "a660", stage: drawn, text: "dsxpp.1 (x)r1.x, r2.x\ndsxpp.1.p (x)r1.x, r2.x", edit: func(m *abi.Meta) { m.NeedsQuads, m.FullQuads = true, true }},
		{name: "barrier of patches", gpu: "a660", stage: patches, text: "bar.g", want: "bar.g in tessellation control waits for ever"},
		{name: "no device, no rules", text: "(sy)" + name + read, want: ""},
	} {
		gen := isa.A7xx
		if g := abi.FindGPU(c.gpu); g != nil {
			gen = g.Gen
		}
		code, err := isa.Assemble(gen, c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := &abi.Meta{Gen: gen, Bindless: everyTable, GPU: c.gpu, Stage: ir.StageVertex, MaxRegs: 48, ConstLen: 8, Consts: abi.Consts{Immediates: make([]uint32, 16)}}
		if c.stage != 0 {
			m.Stage = c.stage
		}
		if c.edit != nil {
			c.edit(m)
		}
		p, err := Load(code, m)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := ""
		if err := p.(*program).static; err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRayRules: nothing but the meta makes hardware ready for rays.
func TestRayRules(t *testing.T) {
	p := &program{meta: &abi.Meta{Gen: isa.A7xx, Stage: ir.StageCompute}, code: []inst{{Instr: isa.Instr{Op: isa.OpRayIntersection}}}}
	if got := p.besides(0); got != "the meta does not say that rays are tested" {
		t.Errorf("%q", got)
	}
	if p.meta.UsesRays = true; p.besides(0) != "" {
		t.Errorf("where rays are tested: %q", p.besides(0))
	}
}

// TestLevelRules: fragments alone have lookups that find a level by themselves.
func TestLevelRules(t *testing.T) {
	for _, op := range []isa.Op{isa.OpSam, isa.OpSamb, isa.OpGetlod} {
		p := &program{meta: &abi.Meta{Gen: isa.A7xx, Stage: ir.StageVertex}, code: []inst{{Instr: isa.Instr{Op: op}}}}
		if got := p.besides(0); !strings.HasPrefix(got, "no fact says which level") {
			t.Errorf("%s in a vertex shader: %q", op, got)
		}
		if p.meta.Stage, p.meta.NeedsQuads = ir.StageFragment, true; p.besides(0) != "" {
			t.Errorf("%s in a fragment shader: %q", op, p.besides(0))
		}
	}
}

// TestRefusedAtRun: what an instruction meets only when it runs.
func TestRefusedAtRun(t *testing.T) {
	second := &layout.Layout{Sets: []layout.Set{{Set: 1, Bindings: testLayout.Sets[0].Bindings}}}
	for _, c := range []struct {
		name, text, want string
		setup            func(m *machine)
		env              func(e *emu.Env)
	}{
		{name: "chmask", text: "chmask", want: "chmask where no stage takes the fibers over"},
		{name: "classic table", text: "ldib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0", want: "the classic binding table holds constant data alone"},
		{name: "empty slot of the layout", text: "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 9", want: "slot 9 of descriptor set 0 holds nothing by the pipeline's layout"},
		{name: "slot that the meta does not list", text: "ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 2", want: "slot 2 of descriptor set 0 belongs to no binding of the meta"},
		{name: "another layout", text: "ldib.b.untyped.1d.u32.1.imm.base1 r1.x, r0.x, 0", want: "slot 0 of descriptor set 1 holds binding 0 of set 1 by the pipeline's layout, the shader wants binding 2 of set 0",
			setup: func(m *machine) {
				m.edit = func(meta *abi.Meta) {
					meta.Descriptors = []abi.Descriptor{{Base: 1, Set: 0, Binding: 2, Slot: 0, Count: 1}}
				}
			},
			env: func(e *emu.Env) { e.Layout = second }},
		{name: "smaller than an element", text: "ldib.b.untyped.1d.u16.1.imm.base0 hr2.x, r0.x, 0", want: "an access of 2 bytes through a view of elements of 4"},
		{name: "read relative, beyond", text: "mov.u16u16 hr16.x, 190\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x + 4>", want: "r<a0.x> reaches outside the register file in fiber 0"},
		{name: "relative, the last", text: "mov.u16u16 hr16.x, 190\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x + 1>"},
		{name: "half on beyond the last", text: "(rpt1)mov.u16u16 hr1.x, (r)hr47.w", want: "half register 192 lies beyond hr47.w"},
		{name: "repeat beyond the last", text: "(rpt1)mov.u32u32 r47.w, 1", want: "a register number lies outside the file"},
		{name: "const beyond the last", text: "mov.u32u32 r1.x, 1\n(rpt5)nop\nstc.u32 c[16], r1.x, 1", want: "a write to c[16] is outside the 16 consts of the meta"},
	} {
		m := newMachine()
		m.check = true
		if c.setup != nil {
			c.setup(m)
		}
		waves := m.start(m.load(t, c.text+"\n(rpt5)nop\n(sy)(ss)nop\nend"))
		if c.env != nil {
			c.env(m.last[0].Env)
		}
		_, err := waves[0].Run(1000)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"(sy)(ss)bar.g\n(sy)mov.u32u32 r1.x, 1":     "(ss) and (sy) are missing after a barrier or a fence",
		"fence.g.l.r.w\n(ss)mov.u32u32 r1.x, 1":     "(ss) and (sy) are missing after a barrier or a fence",
		"fence.g.l.r.w\n(sy)(ss)mov.u32u32 r1.x, 1": "",
	} {
		m := newMachine()
		m.check, m.gpu = true, "a660"
		if err := m.run(t, text+"\n(sy)(ss)nop\nend"); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	m := newMachine()
	m.regs = 4
	for _, text := range []string{"(rpt1)mov.u16u16 hr1.x, (r)hr47.w", "(rpt1)mov.u16u16 hr47.w, 1"} {
		if err := m.run(t, text+"\nend"); err == nil || !strings.Contains(err.Error(), "half register hr48.x is outside the register file") {
			t.Errorf("%s without checks: %v", text, err)
		}
	}
}

// TestRefusedInFragments: inputs end with the (ei), and memory of workgroups is not there.
func TestRefusedInFragments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(rpt1)bary.f r1.x, (r)0, r0.x\nflat.b (ei)r4.x, 4, r0.x\nend", ""},
		{"flat.b (ei)r4.x, 4, r0.x\nbary.f r1.x, 0, r0.x\nend", "an input is read after the (ei)"},
		{"ldl.u32 r1.x, l[r0.x], 1\nend", "local memory exists in compute shaders and between the stages of the geometry pipeline only"},
		{"stl.u32 l[r0.x], r1.x, 1\nend", "local memory exists in compute shaders and between the stages of the geometry pipeline only"},
	} {
		err := finish(t, build(t, fragMeta(), c.text), quads(1))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.want)
		}
	}
}

// TestShortLaunch: a wave of each stage wants its lanes.
func TestShortLaunch(t *testing.T) {
	patch := &emu.Patch{}
	for stage, enough := range map[ir.Stage]func(l *emu.Launch){
		ir.StageVertex:   func(l *emu.Launch) { l.Vertex = make([]emu.VertexLane, 2) },
		ir.StageFragment: func(l *emu.Launch) { l.Fragment = make([]emu.FragmentLane, 2) },
		ir.StageTessCtrl: func(l *emu.Launch) { l.TessCtrl = []emu.TessCtrlLane{{Patch: patch}, {Patch: patch}} },
		ir.StageTessEval: func(l *emu.Launch) { l.TessEval = []emu.TessEvalLane{{Patch: patch}, {Patch: patch}} },
		ir.StageCompute:  func(l *emu.Launch) { l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, 2)} },
	} {
		p := build(t, &abi.Meta{Gen: isa.A6xx, Stage: stage, MaxRegs: 1, WorkgroupSize: [3]uint32{2, 1, 1}}, "end")
		for lanes := 2; lanes <= 3; lanes++ {
			want := ""
			if lanes > 2 {
				want = "the launch lacks the lanes of stage " + stage.String()
			}
			l := &emu.Launch{NumLanes: lanes, Env: &emu.Env{}, Out: make([]emu.Slots, lanes)}
			enough(l)
			_, err := p.NewWave(l).Run(10)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d lanes of stage %s: %v, want %q", lanes, stage, err, want)
			}
		}
	}
}
