package abi

import (
	"testing"

	"nirc/backend/ir3/isa"
)

// TestResidentWaves: registers and branch stacks of 64 entries leave room for so many waves, of the 16 that a core has. Those of
// double size take twice the registers.
func TestResidentWaves(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		m      Meta
		want   int
		groups int // waves of a workgroup of 1000
	}{
		{"a630", Meta{}, 16, 16},
		{"a630", Meta{DoubleWave: true}, 16, 8},
		{"a630", Meta{MaxRegs: 12}, 16, 16},
		{"a630", Meta{MaxRegs: 13}, 14, 16},
		{"a630", Meta{MaxRegs: 6, DoubleWave: true}, 16, 8},
		{"a630", Meta{MaxRegs: 7, DoubleWave: true}, 12, 8},
		{"a630", Meta{MaxRegs: 48}, 4, 16},
		{"a630", Meta{MaxRegs: 48, DoubleWave: true}, 2, 8},
		{"a630", Meta{MaxRegs: 4, BranchStack: 8}, 16, 16},
		{"a630", Meta{MaxRegs: 4, BranchStack: 9}, 14, 16},
		{"a630", Meta{MaxRegs: 32, BranchStack: 20}, 6, 16},
		{"a630", Meta{MaxRegs: 48, BranchStack: 20}, 4, 16},
		{"a660", Meta{MaxRegs: 9}, 14, 16},
		{"a610", Meta{MaxRegs: 4}, 12, 16},
		{"a610", Meta{BranchStack: 1}, 16, 16},
		{"a610", Meta{BranchStack: 5}, 12, 16},
		{"a702", Meta{MaxRegs: 5}, 12, 63},
	} {
		g := FindGPU(c.gpu)
		if n := c.m.ResidentWaves(g); n != c.want {
			t.Errorf("%s %d registers, double %t, branch stack %d: %d waves, want %d", c.gpu, c.m.MaxRegs, c.m.DoubleWave, c.m.BranchStack, n, c.want)
		}
		c.m.WorkgroupSize = [3]uint32{10, 20, 5}
		if n := c.m.WavesPerGroup(g); n != c.groups {
			t.Errorf("%s: a workgroup of 1000 invocations has %d waves, want %d", c.gpu, n, c.groups)
		}
	}
}

// TestLacks: what a device does not have is named, and what it has is not.
func TestLacks(t *testing.T) {
	for _, c := range []struct {
		in   isa.Instr
		has  func(g *GPU) bool
		want string
	}{
		{isa.Instr{Op: isa.OpGetfiberid}, func(g *GPU) bool { return g.HasFiberID }, "getfiberid"},
		{isa.Instr{Op: isa.OpIsam, Flags: isa.TexS}, func(g *GPU) bool { return g.HasIsamV }, "isam.v"},
		{isa.Instr{Op: isa.OpIsam, Flags: isa.TexP}, func(g *GPU) bool { return g.HasIsamV }, "isam.v"},
		{isa.Instr{Op: isa.OpIsam}, nil, ""},
		{isa.Instr{Op: isa.OpLdib, Type: isa.U32, Off: 1}, func(g *GPU) bool { return g.HasIsamV }, "offset in ldib and stib"},
		{isa.Instr{Op: isa.OpStib, Type: isa.U32, Off: 1}, func(g *GPU) bool { return g.HasIsamV }, "offset in ldib and stib"},
		{isa.Instr{Op: isa.OpStib, Type: isa.U32}, nil, ""},
		{isa.Instr{Op: isa.OpRayIntersection}, func(g *GPU) bool { return g.Rays }, "test of rays"},
		{isa.Instr{Op: isa.OpImgHof}, func(g *GPU) bool { return g.Images }, "image processing"},
		{isa.Instr{Op: isa.OpImgSsd}, func(g *GPU) bool { return g.Images }, "image processing"},
		{isa.Instr{Op: isa.OpDp2acc}, func(g *GPU) bool { return g.HasDp2acc }, "dp2acc"},
		{isa.Instr{Op: isa.OpDp4acc}, func(g *GPU) bool { return g.HasDp4acc }, "dp4acc"},
		{isa.Instr{Op: isa.OpSadS16}, func(g *GPU) bool { return g.SadIsAdd3 }, "sum of three"},
		{isa.Instr{Op: isa.OpSadS32}, func(g *GPU) bool { return g.SadIsAdd3 }, "sum of three"},
		{isa.Instr{Op: isa.OpAlias, Scope: 1}, func(g *GPU) bool { return g.AliasRT }, "alias.rt"},
		{isa.Instr{Op: isa.OpAlias}, nil, ""},
		{isa.Instr{Op: isa.OpAtomicBXchg, Type: isa.U64}, func(g *GPU) bool { return g.Atomic64 }, "atomic of 64 bits"},
		{isa.Instr{Op: isa.OpAtomicBAdd, Type: isa.U32}, nil, ""},
		{isa.Instr{Op: isa.OpLdib, Type: isa.U8}, func(g *GPU) bool { return g.Storage8 }, "storage of 8 bits"},
		{isa.Instr{Op: isa.OpStib, Type: isa.U8x32}, func(g *GPU) bool { return g.Storage8 }, "storage of 8 bits"},
		{isa.Instr{Op: isa.OpStib, Type: isa.U8, Flags: isa.Typed}, nil, ""},
		{isa.Instr{Op: isa.OpLdib, Type: isa.F16}, func(g *GPU) bool { return g.Storage16 }, "storage of 16 bits"},
		{isa.Instr{Op: isa.OpStib, Type: isa.U16}, func(g *GPU) bool { return g.Storage16 }, "storage of 16 bits"},
		{isa.Instr{Op: isa.OpStib, Type: isa.S16}, func(g *GPU) bool { return g.Storage16 }, "storage of 16 bits"},
		{isa.Instr{Op: isa.OpLdib, Type: isa.U16, Flags: isa.Typed}, nil, ""},
	} {
		for _, names := range GPUNames() {
			g, want := FindGPU(names[0]), c.want
			if c.has == nil || c.has(g) {
				want = ""
			}
			if got := g.Lacks(&c.in); got != want {
				t.Errorf("%s, %s: %q, want %q", names[0], c.in.Op, got, want)
			}
		}
	}
	for _, names := range GPUNames() {
		g := FindGPU(names[0])
		if g.Lacks(&isa.Instr{Op: isa.OpSam, Set: int8(g.Sets)}) != "" || g.Lacks(&isa.Instr{Op: isa.OpSam, Set: int8(g.Sets) + 1}) == "" {
			t.Errorf("%s: the last of %d sets is refused, or one after it is not", names[0], g.Sets)
		}
		for text, unit := range map[string]bool{"mov.u32u32 r48.x, r0.x": false, "add.f r48.x, r0.x, r0.y": true, "mad.f32 r48.x, r0.x, r0.y, r0.z": true, "rcp r48.x, r0.x": true, "add.f r0.x, r48.x, r0.y": false} {
			in, err := isa.ParseText(isa.A7xx, text)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Lacks(&in); got != "" && got != "scalar unit" || (got != "") != (unit && !g.ScalarALU) {
				t.Errorf("%s, %s: %q", g.Name, text, got)
			}
		}
	}
}
