package agx

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/cost"
	"nirc/backend/gputest"
	"nirc/backend/object"
	"nirc/ir"
)

// TestCostTable holds what the cost model makes of the forms of each operation.
func TestCostTable(t *testing.T) {
	data, err := os.ReadFile("isa/testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := gputest.CostRows{Pipes: costPipes}
	for line := range strings.Lines(string(data)) {
		code, err := hex.DecodeString(strings.Split(line, "\t")[0])
		if strings.HasPrefix(line, "#") || err != nil || len(code) == 0 {
			continue
		}
		if l := isa.Disassemble(code)[0]; l.Err == nil {
			x := costInstr(&l)
			if x.Size != len(code) || x.Offset != 0 {
				t.Errorf("%s: %d bytes at %d", line, x.Size, x.Offset)
			}
			rows.Add(l.Instr.Op.String(), &x)
		}
	}
	table := rows.Table()
	if len(table) < 90 {
		t.Errorf("only %d operations", len(table))
	}
	gputest.HoldTable(t, "cost.tsv", table)
}

// TestCostFlow follows a lane through code: each state with its line, whether the lane waits there, and the states that follow. Code
// with calls has none.
func TestCostFlow(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"straight on", "\tmov_imm r0l, 0\n\tmov r1, r2\n\tstop", "0:0>[1] 1:1>[2] 2:2>[]"},
		{"if", "\tmov_imm r0l, 0\n\tif_icmp r0l, ult, r2, r3, 1\n\tjmp_exec_none out\n\tmov r1, r2\nout:\tpop_exec r0l, 1\n\tstop", "0:0>[1] 1:1>[2 3] 2:2>[6] 3:2idle>[4] 4:4idle>[5] 5:5>[] 6:3>[7] 7:4>[5]"},
		{"if that is taken", "\tmov_imm r0l, 0\n\tif_icmp r0l, ueq, 0, 0, 1\n\tmov r1, r2\n\tpop_exec r0l, 1\n\tstop", "0:0>[1] 1:1>[2] 2:2>[3] 3:3>[4] 4:4>[]"},
		{"if that is not", "\tmov_imm r0l, 0\n\tif_icmp r0l, nueq, 0, 0, 1\n\tmov r1, r2\n\tpop_exec r0l, 1\n\tstop", "0:0>[1] 1:1>[2] 2:2idle>[3] 3:3idle>[4] 4:4>[]"},
		{"else", "\tmov_imm r0l, 0\n\tif_icmp r0l, ult, r2, r3, 1\n\tmov r1, r2\n\telse_icmp r0l, ueq, 0, 0, 1\n\tmov r1, r3\n\tpop_exec r0l, 1\n\tstop", "0:0>[1] 1:1>[2 3] 2:2>[8] 3:2idle>[4] 4:3idle>[5] 5:4>[6] 6:5>[7] 7:6>[] 8:3>[9] 9:4idle>[10] 10:5idle>[7]"},
		{"loop", "\tmov_imm r0l, 0\n\tpush_exec r0l, 2\nloop:\tif_icmp r0l, ult, r2, r3, 1\n\tmov_imm r0l, 2\n\tpop_exec r0l, 1\n\tjmp_exec_any loop\n\tpop_exec r0l, 2\n\tstop", "0:0>[1] 1:1>[2] 2:2>[3 4] 3:3>[7] 4:3idle>[5] 5:4idle>[6] 6:5>[2] 7:4>[8] 8:5idle>[9] 9:6idle>[10] 10:7>[]"},
		{"call", "\tmov_imm r0l, 0\n\tcall r1\n\tstop", ""},
	} {
		code, err := isa.Assemble(c.text + "\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		lines := isa.Disassemble(code)
		w := walker{lines: lines, at: map[int]int32{}, nodes: map[lane]int32{}}
		w.walk(0)
		var list []string
		for i, n := range w.list {
			idle := ""
			if n.Idle {
				idle = "idle"
			}
			list = append(list, fmt.Sprintf("%d:%d%s>%v", i, n.Instr, idle, n.Succ))
		}
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestNextOccupancy: the next step of threads is what so many registers less give, and one more does not.
func TestNextOccupancy(t *testing.T) {
	if o := agxOccupancy(&abi.Meta{Halves: occupancy[0].halves}); o.Next != nil || o.Value != o.Max || o.Max != occupancy[0].threads {
		t.Errorf("with few registers: %+v", o)
	}
	for halves := occupancy[0].halves + 1; halves <= 256; halves++ {
		o := agxOccupancy(&abi.Meta{Halves: halves})
		if o.Next == nil || o.Value != threadsFor(halves) || len(o.Limits) != 1 || o.Limits[0].Value != o.Value {
			t.Fatalf("%d halves: %+v", halves, o)
		}
		if at := halves - o.Next.Less; threadsFor(at) != o.Next.Value || threadsFor(at+1) != o.Value || o.Next.Value <= o.Value {
			t.Errorf("%d halves, %d less: %d threads, one more: %d; want %d", halves, o.Next.Less, threadsFor(at), threadsFor(at+1), o.Next.Value)
		}
	}
}

// TestCostProperties: the figures of a program are those of its metadata.
func TestCostProperties(t *testing.T) {
	m := &abi.Meta{Stage: ir.StageFragment, Halves: 20, UniformHalves: 12, ScratchSize: 64, SharedSize: 32, WritesMemory: true, EarlyFragmentTests: true, HasPreamble: true,
		Results: []abi.Result{{Slot: ir.SlotData0}, {Slot: ir.SlotDepth}}}
	var p cost.Properties
	costProps(&p, m)
	if p.WorkRegisters != 20 || p.UniformRegisters != 12 || p.SpillBytes != 64 || p.SharedBytes != 32 || !p.SideEffects || p.Discards || !p.EarlyTests || p.NeedsHelpers || !p.WritesDepth || !p.Preamble {
		t.Errorf("%+v", p)
	}
	*m = abi.Meta{UsesDiscard: true, NeedsQuads: true, Results: m.Results[:1]}
	p = cost.Properties{}
	if costProps(&p, m); p.WritesDepth || !p.Discards || !p.NeedsHelpers || p.Preamble {
		t.Errorf("%+v", p)
	}
}

// TestCostOfParts: a part of a program ends where the next part follows, though a preamble stands there in the object, right after it or after traps.
func TestCostOfParts(t *testing.T) {
	for _, padding := range []string{"", "\ttrap\n"} {
		part, err := isa.Assemble("\tmov_imm r0l, 0\n\tmov r1, r2\n")
		if err != nil {
			t.Fatal(err)
		}
		code, err := isa.Assemble("\tmov_imm r0l, 0\n\tmov r1, r2\n" + padding + "\tmov r3, r4\n\tstop\n")
		if err != nil {
			t.Fatal(err)
		}
		m, err := json.Marshal(&abi.Meta{Stage: ir.StageVertex, Part: abi.PartMain, CodeSize: uint32(len(part)), HasPreamble: true, Preamble: uint32(len(part))})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Target{}.Cost(&object.Object{Target: TargetName, GPU: gpus[0].Name, Code: code, ABI: m})
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Instrs {
			if main := p.Instrs[i].Offset < len(part); p.Instrs[i].Once == main {
				t.Errorf("padding %q: instruction %d runs once: %t", padding, i, p.Instrs[i].Once)
			}
		}
	}
}
