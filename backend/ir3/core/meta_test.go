package core

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestLoadRefusesMeta: descriptions that would lead out of registers, constants or slots.
func TestLoadRefusesMeta(t *testing.T) {
	for want, change := range map[string]func(m *abi.Meta){
		fmt.Sprintf("no const area c[%d] of 16", math.MaxInt): func(m *abi.Meta) { m.Consts.Push = abi.Area{Offset: math.MaxInt, Size: 16} },
		"no const area c[-1] of 4":                            func(m *abi.Meta) { m.Consts.Map = abi.Area{Offset: -1, Size: 4} },
		"no const area c[0] of -4":                            func(m *abi.Meta) { m.Consts.Driver.Size = -4 },
		"lies outside constlen 8":                             func(m *abi.Meta) { m.Consts.Push = abi.Area{Offset: 30, Size: 16} },
		"no input of components 0xf in slot 252": func(m *abi.Meta) {
			m.Inputs, m.TotalIn = []abi.Input{{Slot: 252, Mask: 15, Reg: abi.NoReg}}, 4
		},
		"location 509": func(m *abi.Meta) {
			m.Inputs, m.TotalIn = []abi.Input{{Slot: ir.SlotVar0, Mask: 15, Reg: abi.NoReg, InLoc: 509}}, 513
		},
		"no output of components 0xff in slot 4": func(m *abi.Meta) {
			m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 255}}
		},
		"ij_persp_sample are asked for by a shader that runs once a pixel": func(m *abi.Meta) {
			m.Sysvals = []abi.Sysval{{Kind: abi.IJPerspSample, Mask: 3}}
		},
		"ij_linear_sample are asked for": func(m *abi.Meta) {
			m.Sysvals = []abi.Sysval{{Kind: abi.IJLinearSample, Mask: 3}}
		},
		"vertices of -1 bytes":           func(m *abi.Meta) { m.Chain.VertexStride = -1 },
		"4096 vertices of an invocation": func(m *abi.Meta) { m.Chain.Geom.MaxVertices = 4096 },
		"no place 4 for components 0x1 of slot 96": func(m *abi.Meta) {
			m.Chain.Locations = []abi.Location{{Slot: 96, Mask: 1, Offset: 4}}
		},
	} {
		m := &abi.Meta{Gen: isa.A6xx, Stage: ir.StageFragment, MaxRegs: 4, ConstLen: 8}
		if _, err := Load(nil, m); err != nil {
			t.Fatal(err)
		}
		change(m)
		if _, err := Load(nil, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestConstsBesideMemory: workgroup memory leaves so much of the local buffer to consts (ir3.md §1.7).
func TestConstsBesideMemory(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		shared uint32
		most   int
	}{{"a630", 0, 256}, {"a630", 32 << 10, 256}, {"a610", 16 << 10, 256}, {"a740", 0, 512}, {"a740", 24 << 10, 512}, {"a740", 24<<10 + 1, 256}, {"a740", 32 << 10, 256}, {"x1-85", 0, 256}} {
		m := &abi.Meta{Gen: abi.FindGPU(c.gpu).Gen, GPU: c.gpu, Stage: ir.StageCompute, SharedSize: c.shared, ConstLen: c.most, WorkgroupSize: [3]uint32{1, 1, 1}}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", c.gpu, err)
		}
		if m.ConstLen += 4; m.Check() == nil {
			t.Errorf("%s, %d bytes of workgroup memory: %d vec4 are accepted", c.gpu, c.shared, m.ConstLen)
		}
	}
}

// TestPipelineConsts: the stages that take most are trimmed until all fit.
func TestPipelineConsts(t *testing.T) {
	vs, tcs, tes, gs, fs := ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment
	for _, c := range []struct {
		take map[ir.Stage]int
		over []ir.Stage
	}{
		{map[ir.Stage]int{vs: 320, fs: 320}, nil},
		{map[ir.Stage]int{vs: 324, fs: 320}, []ir.Stage{vs}},
		{map[ir.Stage]int{vs: 128, fs: 512}, nil},
		{map[ir.Stage]int{vs: 132, fs: 512}, []ir.Stage{fs}},
		{map[ir.Stage]int{vs: 100, gs: 100, fs: 312}, nil},
		{map[ir.Stage]int{vs: 100, gs: 100, fs: 316}, []ir.Stage{fs}},
		{map[ir.Stage]int{vs: 200, tcs: 200, tes: 200, gs: 200, fs: 100}, []ir.Stage{gs, tes, tcs, vs}},
		{map[ir.Stage]int{vs: 512, tcs: 512, tes: 512, gs: 512, fs: 512}, []ir.Stage{gs, tes, tcs, vs, fs}},
	} {
		var list []*abi.Meta
		for s, n := range c.take {
			list = append(list, &abi.Meta{Stage: s, ConstLen: n})
		}
		over := abi.OverBudget(list)
		if !slices.Equal(over, c.over) {
			t.Errorf("%v: %v are trimmed, want %v", c.take, over, c.over)
		}
	}
}
