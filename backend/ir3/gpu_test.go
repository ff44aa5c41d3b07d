package ir3

import (
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// Wave size and waves by footprint, branch stack and workgroup memory, worked out by hand from
// ir3.md §1.6, on devices with each size of register file.
func TestWaves(t *testing.T) {
	for _, c := range []struct {
		gpu     string
		stage   ir.Stage
		size    [3]uint32
		regs    int
		stack   int
		shared  uint32
		barrier bool
		double  bool
		waves   int
	}{
		{gpu: "a630", stage: ir.StageFragment, regs: 0, double: true, waves: 16},
		{gpu: "a630", stage: ir.StageFragment, regs: 7, double: true, waves: 12},
		{gpu: "a630", stage: ir.StageFragment, regs: 48, double: true, waves: 2},
		{gpu: "a630", stage: ir.StageFragment, regs: 49, double: false, waves: 2},
		{gpu: "a630", stage: ir.StageVertex, regs: 13, double: false, waves: 14},
		{gpu: "a630", stage: ir.StageGeometry, regs: 13, double: false, waves: 14},
		{gpu: "a650", stage: ir.StageFragment, regs: 33, double: false, waves: 2},
		{gpu: "a690", stage: ir.StageFragment, regs: 32, double: true, waves: 2},
		{gpu: "a610", stage: ir.StageFragment, regs: 7, double: false, waves: 6},
		{gpu: "a702", stage: ir.StageFragment, regs: 7, double: true, waves: 4},
		{gpu: "a702", stage: ir.StageFragment, regs: 7, stack: 65, double: true, waves: 0},
		{gpu: "a702", stage: ir.StageVertex, regs: 7, double: false, waves: 9},
		{gpu: "a702", stage: ir.StageCompute, size: [3]uint32{16, 1, 1}, regs: 10, double: false, waves: 6},
		{gpu: "a702", stage: ir.StageCompute, size: [3]uint32{17, 1, 1}, regs: 10, double: true, waves: 3},
		{gpu: "a740", stage: ir.StageFragment, regs: 7, stack: 12, double: true, waves: 10},
		{gpu: "a740", stage: ir.StageFragment, regs: 7, stack: 65, double: false, waves: 0},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{64, 1, 1}, regs: 10, double: false, waves: 16},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{65, 1, 1}, regs: 10, double: true, waves: 8},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{256, 1, 1}, regs: 1, shared: 16384, double: true, waves: 4},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{320, 1, 1}, regs: 30, double: true, waves: 2},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{320, 1, 1}, regs: 30, barrier: true, double: false, waves: 6},
		{gpu: "a630", stage: ir.StageCompute, size: [3]uint32{320, 1, 1}, regs: 24, barrier: true, double: true, waves: 4},
	} {
		g, err := FindGPU(c.gpu)
		if err != nil {
			t.Fatal(err)
		}
		s := ir.NewShader(c.stage, nil)
		s.Info.WorkgroupSize = c.size
		k := &compiler{s: s, gpu: g, meta: abi.Meta{Stage: c.stage, MaxRegs: c.regs, BranchStack: c.stack, SharedSize: c.shared, UsesBarrier: c.barrier}}
		k.meta.DoubleWave = k.doubleWave()
		if k.meta.DoubleWave != c.double || k.waves() != c.waves {
			t.Errorf("%+v: double %v, %d waves", c, k.meta.DoubleWave, k.waves())
		}
	}
}

// TestFullWaves: a small workgroup's waves are single ones, of which there are as many with twice the registers.
func TestFullWaves(t *testing.T) {
	g, _ := FindGPU("a630")
	for _, c := range []struct {
		threads    uint32
		regs, want int
	}{{64, 6, 16}, {64, 12, 16}, {64, 13, 14}, {65, 6, 32}, {65, 12, 16}} {
		s := ir.NewShader(ir.StageCompute, nil)
		s.Info.WorkgroupSize = [3]uint32{c.threads, 1, 1}
		if got := (&compiler{s: s, gpu: g}).wavesFor(c.regs); got != c.want {
			t.Errorf("%d invocations with %d registers: %d waves, want %d", c.threads, c.regs, got, c.want)
		}
	}
}

// Each device of the reference's table exists under its name and compiles a shader of each stage.
func TestDevices(t *testing.T) {
	programs.Hold(t)
	want := []string{"a605", "a610", "a608", "a612", "a613", "a702", "a615", "a616", "a618", "a619", "a620", "a630", "a640", "a680", "a621", "a623", "a650",
		"a635", "a643", "a644", "a660", "a662", "a663", "a690", "a725", "a730", "a735", "a740", "a32", "x1-45", "x1-85", "a750"}
	if got := GPUs(); len(got) != len(want) {
		t.Errorf("%d devices, want %d", len(got), len(want))
	}
	for _, gpu := range want {
		s, b := newStage(ir.StageFragment)
		in := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0, 0, 4)
		d := &b.Intrinsic(ir.IntrDdx, 1, 32, b.Channel(in, 0)).Def
		outputTo(b, b.Vec(b.Channel(in, 0), b.Fsin(b.Channel(in, 1)), d, b.Fmul(b.Channel(in, 2), b.Channel(in, 3))), ir.SlotData0)
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// Conditions of branches are written by the last operation of their booleans.
func TestBranchConditions(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		for _, op := range []ir.Op{ir.OpIand, ir.OpIor, ir.OpIxor} {
			s, b := newStage(ir.StageFragment)
			pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
			x, y := b.Channel(pos, 0), b.Channel(pos, 1)
			two := b.ImmFloat(2, 32)
			b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.ALU(op, b.Flt(x, two), b.Flt(y, two)))
			outputTo(b, b.Vec(x, y), ir.SlotData0)
			if err := stageDiffer(s, gpu); err != nil {
				t.Errorf("%s, %v: %v", gpu, op, err)
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if code := disasm(bin); strings.Count(code, " p0.") != 2 { // the operation and the kill
				t.Errorf("%s, %v:\n%s", gpu, op, code)
			}
		}
	}
}
