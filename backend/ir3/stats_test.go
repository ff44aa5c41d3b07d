package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// counted counts a program of one line an instruction; a line that begins with a star ends its block.
func counted(t *testing.T, stage ir.Stage, quads bool, text string) Stats {
	t.Helper()
	s, _ := gputest.NewShader(stage, 64)
	g, err := FindGPU("a660")
	if err != nil {
		t.Fatal(err)
	}
	c := &compiler{s: s, gpu: g}
	c.sel, c.meta.NeedsQuads = &isel{impl: s.Entry().Impl}, quads
	var list []pinstr
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		rest, ends := strings.CutPrefix(line, "*")
		in, err := isa.ParseText(isa.A6xx, rest)
		if err != nil {
			t.Fatal(err)
		}
		p := pinstr{Instr: in, to: -1}
		if ends {
			p.to = 1
		}
		list = append(list, p)
	}
	return c.stats(list)
}

// TestStats counts instructions by hand: repetitions and what is waited for inside them, both kinds of delays with what is issued
// meanwhile, and where the last input and the last helper are.
func TestStats(t *testing.T) {
	for _, c := range []struct {
		name  string
		stage ir.Stage
		quads bool
		text  string
		want  Stats
	}{
		{"repetitions", ir.StageVertex, false, `
			(rpt2)add.f r0.x, (r)r1.x, (r)r2.x
			(nop3) mul.f r0.x, r0.x, r0.y
			(rpt5)nop
			mov.f32f32 r0.x, r0.y
			cov.f32f16 hr0.x, r0.y
			swz.f32f32 r0.x, r0.y, r1.x, r1.y
			end`,
			Stats{Instrs: 3 + 4 + 6 + 1 + 1 + 2 + 1, Nops: 3 + 6, Mov: 1, Cov: 1, Cat: [8]int{0: 3 + 6 + 1, 1: 4, 2: 3 + 1}}},
		{"short delays", ir.StageFragment, false, `
			rcp r0.x, r0.y
			add.f r1.x, r1.y, r1.z
			(rpt1)nop
			(ss)add.f r0.x, r0.x, r1.x
			(ss)add.f r0.x, r0.x, r1.x
			end`,
			Stats{Instrs: 7, Nops: 2, SS: 2, SStall: 10 - 3, Cat: [8]int{0: 3, 2: 3, 4: 1}}},
		{"a delay that is over", ir.StageFragment, false, `
			rcp r0.x, r0.y
			(rpt5)nop
			(rpt5)nop
			(ss)add.f r0.x, r0.x, r1.x
			end`,
			Stats{Instrs: 15, Nops: 12, SS: 1, Cat: [8]int{0: 13, 2: 1, 4: 1}}},
		{"long delays of double waves", ir.StageFragment, false, `
			sam (f32)(x)r0.x, r0.x, s#0, t#0
			add.f r1.x, r1.y, r1.z
			(rpt3)nop
			(sy)add.f r0.x, r0.x, r1.x
			(sy)add.f r0.x, r0.x, r1.x
			end`,
			Stats{Instrs: 9, Nops: 4, SY: 2, SyStall: 29 - 5, Cat: [8]int{0: 5, 2: 3, 5: 1}}},
		{"long delays of single waves", ir.StageVertex, false, `
			sam (f32)(xyzw)r0.x, r0.x, s#0, t#0
			(rpt5)nop
			(sy)add.f r0.x, r0.x, r1.x
			end`,
			Stats{Instrs: 9, Nops: 6, SY: 1, SyStall: 64 - 6, Cat: [8]int{0: 7, 2: 1, 5: 1}}},
		{"a later delay in place of one", ir.StageFragment, false, `
			rcp r0.x, r0.y
			(rpt5)nop
			rcp r0.z, r0.y
			(ss)(sy)add.f r0.x, r0.x, r1.x
			end`,
			Stats{Instrs: 10, Nops: 6, SS: 1, SStall: 10, SY: 1, Cat: [8]int{0: 7, 2: 1, 4: 2}}},
		{"no delays over blocks", ir.StageFragment, false, `
			rcp r0.x, r0.y
			*sam (f32)(x)r0.w, r0.x, s#0, t#0
			(ss)(sy)add.f r0.x, r0.x, r1.x
			rcp r0.x, r0.y
			(jp)(ss)add.f r0.x, r0.x, r1.x
			rcp r0.x, r0.y
			(ss)end`,
			Stats{Instrs: 7, SS: 3, SY: 1, Cat: [8]int{0: 1, 2: 2, 4: 3, 5: 1}}},
		{"the last input, and helpers to the end", ir.StageFragment, true, `
			bary.f r0.x, 0, r0.x
			bary.f (ei)r0.y, 1, r0.x
			add.f r0.x, r0.x, r0.y
			end`,
			Stats{Instrs: 4, LastBaryf: 1, LastHelper: 3, Cat: [8]int{0: 1, 2: 3}}},
		{"helpers that end before", ir.StageFragment, true, `
			add.f r0.x, r0.x, r0.y
			add.f r0.x, r0.x, r0.y
			(eq)nop
			add.f r0.x, r0.x, r0.y
			end`,
			Stats{Instrs: 5, Nops: 1, LastHelper: 2, Cat: [8]int{0: 2, 2: 3}, helpersEnd: true}},
		{"spills", ir.StageVertex, false, `
			stp.f32 p[r1.x], r0.x, 3
			(sy)ldp.f32 r0.x, p[r1.x], 2
			end`,
			Stats{Instrs: 3, Stp: 3, Ldp: 2, SY: 1, Cat: [8]int{0: 1, 6: 2}}},
	} {
		got, n := counted(t, c.stage, c.quads, c.text), strings.Count(c.text, "\n")
		c.want.NonNops = c.want.Instrs - c.want.Nops
		c.want.Dwords, c.want.CodeBytes, c.want.Waves = max(32, 2*n+8), 8*n, got.Waves
		if got != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", c.name, got, c.want)
		}
	}
}
