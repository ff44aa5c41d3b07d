package ir3

import (
	"testing"

	"nirc/backend/cost"
	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestCostOfSpills: what is stored and loaded beside a register that was set to the number of a spill area is spilled, a register at a
// time; what any other register is the base of is an array.
func TestCostOfSpills(t *testing.T) {
	code, err := isa.Assemble(isa.A6xx, `
	stp.u32 p[r0.x], r1.x, 1
	mov.u32u32 r0.x, 4096
	stp.u32 p[r0.x-4096], r1.x, 1
	stp.u32 p[r0.x-4092], r1.x, 3
	mov.u32u32 r2.y, r0.x
	add.u r0.x, r0.x, 4
	stp.u32 p[r0.x], r1.x, 2
	ldp.u32 r1.x, p[r2.y], 4
	ldp.u16 hr1.x, p[r2.y], 1
	mov.u16u16 hr4.w, 1 ; half of r2.y
	ldp.u32 r1.x, p[r2.y], 2
	mov.u32u32 r0.x, 16
	ldp.u32 r1.x, p[r0.x], 2
	(rpt1)mov.u32u32 r0.x, 4096
	ldp.u32 r1.x, p[r0.x], 1
	ldg.u32 r1.x, g[r0.x], 2
	end`)
	if err != nil {
		t.Fatal(err)
	}
	c := newCoster(ir.StageCompute, isa.Disassemble(isa.A6xx, code))
	for pc, want := range map[int]cost.Instr{
		0: {Array: true, Count: 1}, 1: {Count: 1}, 2: {Spill: 1, Count: 1}, 3: {Spill: 1, Count: 3}, 6: {Array: true, Count: 2}, 7: {Spill: 2, Count: 4}, 8: {Spill: 2, Count: 1},
		10: {Array: true, Count: 2}, 12: {Array: true, Count: 2}, 14: {Array: true, Count: 1}, 15: {Address64: true, Count: 1},
	} {
		if x := c.instr(pc); x.Spill != want.Spill || x.Count != want.Count || x.Array != want.Array || x.Address64 != want.Address64 {
			t.Errorf("word %d: spill %d, count %d, array %v, address %v", pc, x.Spill, x.Count, x.Array, x.Address64)
		}
	}
}

// TestCostCountsSpills: the model counts the accesses of the compiler's own statistics as spills, where a shader has no arrays.
func TestCostCountsSpills(t *testing.T) {
	programs.Hold(t)
	spilled := 0
	for seed := range int64(20) {
		bin, err := held(Compile(randomShader(1000+seed, 40+int(seed)), CompileOptions{GPU: gpus[seed%int64(len(gpus))], Registers: 6, Lists: gputest.Lists}))
		if err != nil {
			t.Fatal(err)
		}
		c := newCoster(ir.StageCompute, isa.Disassemble(bin.Meta.Gen, bin.Code))
		stores, loads := 0, 0
		for pc := range c.lines {
			switch x := c.instr(pc); {
			case x.Array:
				t.Errorf("seed %d: word %d is an access to an array", seed, pc)
			case x.Spill == 1:
				stores++
			case x.Spill == 2:
				loads++
			}
		}
		if stores != bin.Stats.Stp || loads != bin.Stats.Ldp {
			t.Errorf("seed %d: %d stores and %d loads, the statistics have %d and %d", seed, stores, loads, bin.Stats.Stp, bin.Stats.Ldp)
		}
		spilled += stores
	}
	if spilled == 0 {
		t.Error("nothing was spilled")
	}
}
