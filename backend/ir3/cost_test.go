package ir3

import (
	"fmt"
	"testing"

	"nirc/backend/cost"
	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestCostTable holds what the cost model makes of the forms of each operation.
func TestCostTable(t *testing.T) {
	rows := map[ir.Stage]*gputest.CostRows{ir.StageVertex: {Pipes: costPipes}, ir.StageFragment: {Pipes: costPipes}}
	vectorInstrs(t, func(_ isa.Gen, in *isa.Instr) {
		in.Flags &^= isa.SS | isa.SY | isa.JP
		for stage, r := range rows {
			c := newCoster(stage, []isa.Line{{Instr: *in, Target: -1}})
			x := c.instr(0)
			r.Add(in.Op.String(), &x)
		}
	})
	table := rows[ir.StageFragment].Table()
	for op, text := range rows[ir.StageVertex].Table() {
		if text != table[op] { // waves of 64
			table[op+" in a vertex shader"] = text
		}
	}
	if len(table) < 200 {
		t.Errorf("only %d operations", len(table))
	}
	gputest.HoldTable(t, "cost.tsv", table)
}

// TestCostFlow follows branches, leaves out the preamble and what stands after the end, and begins blocks where branches lead.
func TestCostFlow(t *testing.T) {
	code, err := isa.Assemble(isa.A7xx, `
	shps #main
	getone #main
	(sy)(ss)shpe
main:	(ss)nop
loop:	add.u r0.x, r0.x, 1
	(sy)cmps.u.lt p0.x, r0.x, 8
	br p0.x, #loop
	jump #out
	nop
out:	(jp)end
	nop
	nop`)
	if err != nil {
		t.Fatal(err)
	}
	lines := isa.Disassemble(isa.A7xx, code)
	c := newCoster(ir.StageCompute, lines)
	if n := costPreamble(lines); n != 3 {
		t.Errorf("a preamble of %d words", n)
	}
	if n := costPreamble(lines[1:]); n != 0 {
		t.Errorf("without its start a preamble of %d words", n)
	}
	if n := costPreamble(lines[:2]); n != 0 {
		t.Errorf("without its end a preamble of %d words", n)
	}
	if n := c.used(); n != 10 {
		t.Errorf("%d words are used", n)
	}
	want := []string{"[1]", "[2 3]", "[3]", "[4]", "[5]", "[6]", "[7 4]", "[9]", "[9]", "[]"}
	leaders := ".LL.L..LLL"
	for pc := range want {
		if got := fmt.Sprint(c.next(pc)); got != want[pc] {
			t.Errorf("%d: %s follow, want %s", pc, got, want[pc])
		}
		x := c.instr(pc)
		if x.Leader != (leaders[pc] == 'L') {
			t.Errorf("%d: leader %v", pc, x.Leader)
		}
		waits := map[int]uint8{2: 3, 3: 1, 5: 2}[pc]
		if x.Waits != waits || x.Offset != 8*pc || x.Size != 8 {
			t.Errorf("%d: waits %d, want %d; %d bytes at %d", pc, x.Waits, waits, x.Size, x.Offset)
		}
	}
	c.lines = c.lines[3:9]
	if n := c.used(); n != 6 {
		t.Errorf("without an end %d words are used", n)
	}
}

// TestOccupancy: waves are bound by registers, branches and workgroup memory, and what is less of the bound that counts leaves
// room for more of them.
func TestOccupancy(t *testing.T) {
	rows := map[string]string{}
	for _, name := range []string{"a630", "a660", "a740"} {
		g, err := FindGPU(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []abi.Meta{
			{}, {MaxRegs: 1}, {MaxRegs: 8}, {MaxRegs: 9}, {MaxRegs: 16}, {MaxRegs: 24}, {MaxRegs: 48}, {MaxRegs: 8, DoubleWave: true}, {MaxRegs: 24, DoubleWave: true},
			{BranchStack: 1}, {BranchStack: 8}, {BranchStack: 20}, {MaxRegs: 48, BranchStack: 20},
			{Stage: ir.StageCompute, SharedSize: 1, WorkgroupSize: [3]uint32{64, 1, 1}},
			{Stage: ir.StageCompute, SharedSize: 8192, WorkgroupSize: [3]uint32{64, 1, 1}},
			{Stage: ir.StageCompute, SharedSize: 8193, WorkgroupSize: [3]uint32{64, 1, 1}},
			{Stage: ir.StageCompute, SharedSize: 16384, WorkgroupSize: [3]uint32{16, 16, 2}},
			{Stage: ir.StageCompute, SharedSize: 16384, WorkgroupSize: [3]uint32{129, 1, 1}, DoubleWave: true},
			{Stage: ir.StageVertex, SharedSize: 32768, WorkgroupSize: [3]uint32{64, 1, 1}},
		} {
			o := g.occupancy(&m)
			next := "nothing"
			if o.Next != nil {
				next = fmt.Sprintf("%d %s less: %d", o.Next.Less, o.Next.What, o.Next.Value)
				if o.Next.What == "vec4 registers" {
					less := m
					less.MaxRegs -= o.Next.Less
					if n := g.occupancy(&less).Value; n != o.Next.Value {
						t.Errorf("%s: with %d registers %d waves, not %d", name, less.MaxRegs, n, o.Next.Value)
					}
					if less.MaxRegs++; g.occupancy(&less).Value != o.Value {
						t.Errorf("%s: with %d registers there are more than %d waves", name, less.MaxRegs, o.Value)
					}
				}
			}
			key := fmt.Sprintf("%s regs %d double %v branches %d shared %d of %v stage %s", name, m.MaxRegs, m.DoubleWave, m.BranchStack, m.SharedSize, m.WorkgroupSize, m.Stage)
			rows[key] = fmt.Sprintf("%d of %d %s, limits %v, next %s", o.Value, o.Max, o.Unit, o.Limits, next)
		}
	}
	gputest.HoldTable(t, "occupancy.tsv", rows)
}

// TestCostProperties: the figures of a program are those of its metadata.
func TestCostProperties(t *testing.T) {
	m := &abi.Meta{Stage: ir.StageFragment, MaxRegs: 5, ConstLen: 12, PrivateSize: 64, SharedSize: 32, WritesMemory: true, EarlyFragmentTests: true,
		Outputs: []abi.Output{{Slot: ir.SlotData0}, {Slot: ir.SlotDepth}}}
	var p cost.Properties
	costProps(&p, m)
	if p.WorkRegisters != 5 || p.UniformRegisters != 12 || p.SpillBytes != 64 || p.SharedBytes != 32 || !p.SideEffects || p.Discards || !p.EarlyTests || p.NeedsHelpers || !p.WritesDepth {
		t.Errorf("%+v", p)
	}
	m.Stage, m.UsesDiscard, m.NeedsQuads = ir.StageVertex, true, true
	p = cost.Properties{}
	if costProps(&p, m); p.WritesDepth || !p.Discards || !p.NeedsHelpers {
		t.Errorf("%+v", p)
	}
}
