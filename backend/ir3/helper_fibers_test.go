package ir3

import (
	"slices"
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// textBlocks makes a physical program from assembly, a string for each block; succs
// lists where each leads.
func textBlocks(t *testing.T, gpu string, blocks []string, succs [][]int32) *phys {
	t.Helper()
	g, err := FindGPU(gpu)
	if err != nil {
		t.Fatal(err)
	}
	p := &phys{gpu: g, start: []int32{0}}
	for _, text := range blocks {
		p.newBlock()
		for line := range strings.SplitSeq(text, "; ") {
			in, err := isa.ParseText(g.Gen, line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			p.emit(in, 0)
		}
	}
	for b, list := range succs {
		for _, s := range list {
			p.edge(int32(b), s)
		}
	}
	return p
}

// Helpers end after the last that reads them, on an idle slot if there is one.
func TestEndHelpers(t *testing.T) {
	const (
		dsx  = "dsx (f32)(x)r1.x, r0.x"
		sam  = "sam.base0 (f32)(x)r1.x, r0.x, s#0, t#0"
		ldib = "ldib.b.untyped.1d.u32.1.imm.base0 r5.x, r5.x, 0"
		add  = "add.f r2.x, r0.x, r0.y"
		br   = "br p0.x, #2"
	)
	for _, c := range []struct {
		name   string
		blocks []string
		succs  [][]int32
		want   []string // the blocks as they are then
		needs  bool
	}{
		{"nobody needs them", []string{add + "; " + ldib + "; end"}, nil, nil, false},
		{"an idle slot", []string{dsx + "; " + add + "; (rpt2)nop; " + ldib + "; end"}, nil, []string{dsx + "; " + add + "; (eq)(rpt2)nop; " + ldib + "; end"}, true},
		{"slots of an instruction", []string{sam + "; (nop2) " + add + "; " + ldib + "; end"}, nil, []string{sam + "; " + add + "; (eq)(rpt1)nop; " + ldib + "; end"}, true},
		{"no slot", []string{sam + "; " + ldib + "; nop; end"}, nil, []string{sam + "; (eq)nop; " + ldib + "; nop; end"}, true},
		{"nothing to save", []string{sam + "; (nop2) " + add + "; end"}, nil, nil, true},
		{"a loop", []string{add, sam + "; nop; " + br, "nop; end"}, [][]int32{{1}, {1, 2}}, []string{add, sam + "; nop; " + br, "(eq)nop; end"}, true},
		{"a loop around", []string{add, sam, ldib + "; nop; " + br, ldib, "end"}, [][]int32{{1}, {2}, {1, 3}, {4}}, []string{add, sam, ldib + "; nop; " + br, "(eq)nop; " + ldib, "end"}, true},
		{"an if", []string{add + "; " + br, sam + "; nop", ldib, "end"}, [][]int32{{1, 2}, {2}, {3}}, []string{add + "; " + br, sam + "; nop", "(eq)nop; " + ldib, "end"}, true},
		{"the other side needs them", []string{add + "; " + br, dsx + "; nop", sam + "; nop", ldib, "end"}, [][]int32{{1, 2}, {3}, {3}, {4}}, []string{add + "; " + br, dsx + "; nop", sam + "; nop", "(eq)nop; " + ldib, "end"}, true},
		{"some leave for the end", []string{add + "; " + br, sam + "; nop", ldib, "end"}, [][]int32{{1, 3}, {2}, {3}}, []string{add + "; " + br, sam + "; (eq)nop", ldib, "end"}, true},
	} {
		p := textBlocks(t, "a630", c.blocks, c.succs)
		want := c.want
		if want == nil {
			want = c.blocks
		}
		if needs := p.endHelpers(); needs != c.needs {
			t.Errorf("%s: helpers are needed: %v", c.name, needs)
		}
		var got []string
		for b := range p.blocks {
			var lines []string
			for i := range p.blocks[b].ins {
				lines = append(lines, p.blocks[b].ins[i].Text(p.gpu.Gen))
			}
			got = append(got, strings.Join(lines, "; "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A derivative in a loop, after it a load that helpers stay out of, and a fiber that is
// discarded then.
func TestHelpersRun(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		x := b.Channel(pos, 0)
		zero := b.ImmFloat(0, 32)
		i := b.PushIf(b.Flt(x, b.ImmFloat(100, 32)))
		d := &b.Intrinsic(ir.IntrDdx, 1, 32, b.Fmul(x, x)).Def
		b.PopIf(i)
		phi := b.IfPhi(i, d, zero)
		at := b.Iand(b.Ishl(b.F2u32(phi), b.Imm32(2)), b.Imm32(0xfc))
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, x, at).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
		s.ScratchSize = 256
		back := &b.Intrinsic(ir.IntrLoadScratch, 1, 32, at).Set(ir.IdxAlignMul, 4).Def
		b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Feq(back, b.ImmFloat(2.5, 32)))
		outputTo(b, b.Vec(x, phi, back), ir.SlotData0)
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		bin := stageBinary(t, s, gpu)
		if code := disasm(bin); !strings.Contains(code, "(eq)") || bin.Stats.LastHelper >= bin.Stats.Instrs-1 {
			t.Errorf("%s: helpers last until %d of %d\n%s", gpu, bin.Stats.LastHelper, bin.Stats.Instrs, code)
		}
	}
}
