package midgard

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"nirc/backend/cost"
	"nirc/backend/gputest"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// TestCostTable holds what the cost model makes of each instruction of the vectors, a bundle with it alone.
func TestCostTable(t *testing.T) {
	data, err := os.ReadFile("isa/testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := gputest.CostRows{Pipes: costPipes}
	g, err := FindGPU("t860")
	if err != nil {
		t.Fatal(err)
	}
	add := func(op string, b *isa.Bundle) {
		x := costBundle(b, g)
		rows.Add(op, &x)
	}
	for line := range strings.Lines(string(data)) {
		code, err := hex.DecodeString(strings.Split(line, "\t")[0])
		if strings.HasPrefix(line, "#") || err != nil {
			continue
		}
		for size := 0; len(code) > 0; code = code[max(size, 1):] {
			var b isa.Bundle
			if b, size, err = isa.Decode(code); err != nil || size == 0 {
				break
			}
			switch {
			case b.Tag.ALU():
				for u := isa.Unit(0); u < isa.NumALUUnits; u++ {
					if b.Has(u) {
						one := b
						one.Units = u.In()
						add(fmt.Sprintf("%s.%s", u, b.ALU[u].Op), &one)
						if x := costBundle(&one, &GPU{ArithmeticPipes: 3}); x.Pipes[pipeArithmetic] != 1.0/3 {
							t.Errorf("%s takes %v of three pipes", b.ALU[u].Op, x.Pipes[pipeArithmetic])
						}
					}
				}
			case b.Tag == isa.TagLdSt:
				for i := range b.LdSt {
					one := b
					one.LdSt = [2]isa.LoadStore{b.LdSt[i], isa.EmptySlot}
					add(b.LdSt[i].Op.String(), &one)
				}
			default:
				add(b.Tex.Op.String(), &b)
			}
		}
	}
	spill := isa.LoadStore{Op: isa.Ld128, Arg: spillBase, Index: isa.AddrReg{Reg: isa.AddrZero}}
	for name, op := range map[string]isa.LdOp{"a fill": isa.Ld128, "a spill": isa.St128} {
		spill.Op = op
		add(name, &isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{spill, isa.EmptySlot}})
		add("two of "+name, &isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{spill, spill}})
		indexed := spill
		indexed.Index.Reg = isa.AddrLdSt0
		add("an array instead of "+name, &isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{indexed, isa.EmptySlot}})
	}
	table := rows.Table()
	if len(table) < 200 {
		t.Errorf("only %d instructions", len(table))
	}
	gputest.HoldTable(t, "cost.tsv", table)
}

// TestCostFlow: what follows a bundle is what its next tag and its branch say.
func TestCostFlow(t *testing.T) {
	at := map[int]int32{0: 0, 16: 1, 32: 2, 48: 3}
	branch := func(br isa.Branch, next isa.Tag) *isa.Bundle {
		var b isa.Bundle
		b.SetBranch(br)
		b.SetTag(false)
		b.Next = next
		return &b
	}
	alu := isa.TagALU4
	for _, c := range []struct {
		name string
		b    *isa.Bundle
		succ string
		ends bool
	}{
		{"no branch", &isa.Bundle{Tag: alu, Next: alu}, "[2]", false},
		{"the last", &isa.Bundle{Tag: alu, Next: isa.TagBreak}, "[]", true},
		{"always", branch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways, Target: alu, Offset: 1}, alu), "[3]", false},
		{"where true", branch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: alu, Offset: -2}, alu), "[2 0]", false},
		{"to the next", branch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: alu}, alu), "[2]", false},
		{"to the end", branch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: isa.TagBreak}, alu), "[2]", true},
		{"a jump", branch(isa.Branch{Op: isa.BranchUncond, Target: alu, Offset: 1}, isa.TagBreak), "[3]", false},
		{"discard", branch(isa.Branch{Op: isa.BranchDiscard, Cond: isa.CondTrue, Target: alu, Offset: 1}, alu), "[2]", true},
	} {
		n := nextBundles(c.b, 1, &cost.Instr{Offset: 16, Size: 16}, at)
		if got := fmt.Sprint(n.Succ); n.Instr != 1 || got != c.succ || n.Ends != c.ends {
			t.Errorf("%s: %s follow, ends %v; want %s, %v", c.name, got, n.Ends, c.succ, c.ends)
		}
	}
}

// TestOccupancy: threads go by halves with the registers, and the next step is what so many less give.
func TestOccupancy(t *testing.T) {
	for regs := range 17 {
		want := 64
		if regs <= 8 {
			want = 128
		}
		if regs <= 4 {
			want = 256
		}
		o := midgardOccupancy(&abi.Meta{WorkRegs: regs})
		if o.Value != want || o.Max != 256 || len(o.Limits) != 1 || o.Limits[0].Value != want || (o.Next == nil) != (want == 256) {
			t.Errorf("%d registers: %+v", regs, o)
		}
		if o.Next != nil && (o.Next.Value != 2*want || midgardOccupancy(&abi.Meta{WorkRegs: regs - o.Next.Less}).Value != 2*want ||
			midgardOccupancy(&abi.Meta{WorkRegs: regs - o.Next.Less + 1}).Value != want) {
			t.Errorf("%d registers, the next step: %+v", regs, *o.Next)
		}
	}
}

// TestCostProperties: the figures of a program are those of its metadata.
func TestCostProperties(t *testing.T) {
	m := &abi.Meta{WorkRegs: 5, Uniforms: make([]abi.Uniform, 3), TLSSize: 64, SharedSize: 32, WritesMemory: true, EarlyFragmentTests: true, WritesDepth: true}
	var p cost.Properties
	costProps(&p, m)
	if p.WorkRegisters != 5 || p.UniformRegisters != 3 || p.SpillBytes != 64 || p.SharedBytes != 32 || !p.SideEffects || p.Discards || !p.EarlyTests || p.NeedsHelpers || !p.WritesDepth || p.ReadsColor {
		t.Errorf("%+v", p)
	}
	p = cost.Properties{}
	if costProps(&p, &abi.Meta{UsesDiscard: true, NeedsQuads: true, ReadsTile: true}); !p.Discards || !p.NeedsHelpers || !p.ReadsColor || p.SideEffects || p.EarlyTests || p.WritesDepth {
		t.Errorf("%+v", p)
	}
}
