package abi

import (
	"strings"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/ir"
)

func valid() *Meta {
	return &Meta{Stage: ir.StageFragment, Halves: 64, UniformHalves: 20,
		Uniforms: []Uniform{{Kind: UniformBufferAddr, Half: 0, Binding: 3}, {Kind: UniformWords, Half: 4, Words: []uint32{1, 2}}},
		Coefs:    []Coef{{Source: CoefW, Count: 1}, {CF: 1, Slot: ir.SlotVar0, Count: 3, Interp: ir.InterpSmooth}},
		Results:  []Result{{Slot: ir.SlotData0, Mask: 15, Reg: ColorReg, Bits: 32}},
		Tile:     []TileTarget{{Slot: ir.SlotData0 + 1, Mask: 3, Offset: 16, Format: isa.FormatF16}},
		Table:    []TableRange{{Count: 4, Stride: 1}, {Binding: 1, First: 4, Stride: 1}},
	}
}

func TestCheck(t *testing.T) {
	if err := valid().Check(); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(m *Meta){
		"stage":          func(m *Meta) { m.Stage = ir.StageGeometry },
		"halves":         func(m *Meta) { m.Halves = 257 },
		"uniform halves": func(m *Meta) { m.UniformHalves = 513 },
		"outside":        func(m *Meta) { m.Uniforms[1].Half = 18 },
		"contents":       func(m *Meta) { m.Uniforms[0].Kind = NumUniformKinds },
		"attribute":      func(m *Meta) { m.Attribs = []Attrib{{Reg: 17}} },
		"output slot":    func(m *Meta) { m.Varyings = []Varying{{First: 255, Count: 2}} },
		"layer":          func(m *Meta) { m.LayerViewportWord = 256 },
		"coefficients":   func(m *Meta) { m.Coefs[1].CF = 255 },
		"result":         func(m *Meta) { m.Results[0].Bits = 8 },
		"tile":           func(m *Meta) { m.Tile[0].Format = 9 },
		"state":          func(m *Meta) { m.States = []State{{Index: 256}} },
		"sampler":        func(m *Meta) { m.Samplers = []HeapRange{{Count: 2, Stride: MaxSamplers}} },
		"sampler beyond": func(m *Meta) { m.Samplers = []HeapRange{{First: MaxSamplers, Count: 1}} },
		"stage before":   func(m *Meta) { m.Next = ir.StageGeometry },
		"before":         func(m *Meta) { m.Stage, m.Record = ir.StageVertex, []ir.Slot{0} },
		"place":          func(m *Meta) { m.Stage, m.Next, m.Record = ir.StageVertex, ir.StageGeometry, []ir.Slot{3, 2} },
		"words":          func(m *Meta) { m.Stage, m.Next, m.Varyings = ir.StageVertex, ir.StageGeometry, []Varying{{Count: 1}} },
		"patch":          func(m *Meta) { m.Stage, m.WorkgroupSize = ir.StageTessCtrl, [3]uint32{1 << 31, 1, 1} },
		"patch slots":    func(m *Meta) { m.PatchSlots = 1 },
		"slot 64": func(m *Meta) {
			m.Stage, m.WorkgroupSize, m.Record = ir.StageTessCtrl, [3]uint32{3, 1, 1}, []ir.Slot{ir.SlotPatch0}
		},
		"tess_ctrl": func(m *Meta) {
			m.Stage, m.WorkgroupSize, m.Next = ir.StageTessCtrl, [3]uint32{3, 1, 1}, ir.StageGeometry
		},
		"tess_eval": func(m *Meta) { m.Stage, m.Record = ir.StageTessEval, []ir.Slot{0} },
		"scratch":   func(m *Meta) { m.ScratchSize = 1 << 21 },
	} {
		m := valid()
		f(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), strings.Fields(name)[0]) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestJSON(t *testing.T) {
	gputest.MetaAsJSON(t, valid())
}

func TestUniformNames(t *testing.T) {
	if len(uniformNames) != int(NumUniformKinds) {
		t.Errorf("%d names, %d kinds", len(uniformNames), NumUniformKinds)
	}
}
