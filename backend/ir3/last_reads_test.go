package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
	"nirc/passes"
)

// A source is marked where nobody reads its register again: not in what other fibers
// may jump over, not where it is overwritten or advances, not if something still reads it late.
func TestMarkLast(t *testing.T) {
	const br = "br p0.x, #2"
	for _, c := range []struct {
		name   string
		blocks []string
		succs  [][]int32
		want   string // the blocks as they are then
	}{
		{"chain", []string{"add.f r2.x, r0.x, r0.y; add.f r1.x, r2.x, r0.x; end"}, nil, "add.f r2.x, r0.x, (last)r0.y; add.f r1.x, (last)r2.x, (last)r0.x; end"},
		{"twice", []string{"add.f r1.x, (neg)r2.x, r2.x; end"}, nil, "add.f r1.x, (neg)r2.x, (last)r2.x; end"},
		{"overwritten", []string{"add.f r2.x, r2.x, c0.x; mov.f32f32 r1.x, r2.x; end"}, nil, "add.f r2.x, r2.x, c0.x; mov.f32f32 r1.x, (last)r2.x; end"},
		{"src2", []string{"mad.f32 r1.x, r2.x, r2.y, (neg)r2.z; end"}, nil, "mad.f32 r1.x, (last)r2.x, r2.y, (last)(neg)r2.z; end"},
		{"half beside", []string{"cov.f16f32 r1.x, hr4.x; cov.f16f32 r1.y, hr4.y; end"}, nil, "cov.f16f32 r1.x, hr4.x; cov.f16f32 r1.y, (last)hr4.y; end"},
		{"repeated", []string{"(rpt1)add.f r1.x, (r)r2.x, (r)r3.x; end"}, nil, "(rpt1)add.f r1.x, (r)r2.x, (r)r3.x; end"},
		{"output", []string{"mov.f32f32 r3.x, r1.x; end"}, nil, "mov.f32f32 r3.x, r1.x; end"},
		{"read late", []string{"rcp r1.x, r2.x; add.f r1.y, r2.x, r0.x; end"}, nil, "rcp r1.x, r2.x; add.f r1.y, r2.x, (last)r0.x; end"},
		{"an if", []string{"add.f r2.x, r0.x, r0.y; " + br, "mov.f32f32 r3.x, r2.x", "add.f r1.x, r3.x, r0.x; end"}, [][]int32{{1, 2}, {2}},
			"add.f r2.x, r0.x, (last)r0.y; " + br + " | mov.f32f32 r3.x, r2.x | add.f r1.x, (last)r3.x, (last)r0.x; end"},
		{"a loop", []string{"mov.f32f32 r3.x, r0.x", "add.f r3.x, r3.x, r2.x; mov.f32f32 r1.x, r3.y; " + br, "add.f r1.y, r3.x, r2.x; end"}, [][]int32{{1}, {1, 2}},
			"mov.f32f32 r3.x, (last)r0.x | add.f r3.x, r3.x, r2.x; mov.f32f32 r1.x, r3.y; " + br + " | add.f r1.y, (last)r3.x, (last)r2.x; end"},
		{"handed over", []string{"mov.f32f32 r1.x, r2.x; chmask"}, nil, "mov.f32f32 r1.x, r2.x; chmask"},
	} {
		p := textBlocks(t, "a740", c.blocks, c.succs)
		out, _ := operandSpan(isa.R(4), 2) // r1.xy
		p.markLast([]span{out})
		var blocks []string
		for b := range p.blocks {
			var lines []string
			for i := range p.blocks[b].ins {
				lines = append(lines, p.blocks[b].ins[i].Text(p.gpu.Gen))
			}
			blocks = append(blocks, strings.Join(lines, "; "))
		}
		if got := strings.Join(blocks, " | "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Generated code has the hints on devices that know them, and can do without.
func TestLastHints(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		gpu  string
		run  passes.RunOptions
		want bool
	}{{"a740", passes.RunOptions{}, true}, {"a740", leaveOut("last_reads"), false}, {"a660", passes.RunOptions{}, false}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		x := b.Ixor(b.Iadd(b.Ishl(id, b.Imm32(3)), id), b.Imm32(77))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Umax(x, b.Iand(x, b.Imm32(255))))
		bin, err := compile(s, CompileOptions{GPU: c.gpu, Run: c.run})
		if err != nil {
			t.Fatal(err)
		}
		if code := disasm(bin); strings.Contains(code, "(last)") != c.want {
			t.Errorf("%s, left out %v:\n%s", c.gpu, c.run.Disable, code)
		}
	}
}
