package abi

import (
	"math"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

func TestJSON(t *testing.T) {
	m := Meta{Gen: isa.A7xx, Stage: ir.StageFragment, DoubleWave: true, MaxRegs: 7, ConstLen: 8, BranchStack: 2,
		TotalIn:     7,
		Inputs:      []Input{{Slot: ir.SlotVar0, Mask: 7, Reg: NoReg, InLoc: 4, Interp: ir.InterpSmooth}},
		Sysvals:     []Sysval{{Kind: IJPerspPixel, Reg: 0}},
		Outputs:     []Output{{Slot: ir.SlotData0, Mask: 15, Reg: 8, Half: true}},
		Consts:      Consts{Push: Area{0, 16}, Immediates: []uint32{1, 2}, ImmediateOffset: 30},
		Descriptors: []Descriptor{{Set: 1, Binding: 2, Base: 1, Count: 3, Views: []uint8{2, 4}}},
		ConstData:   []byte{1, 2, 3}}
	gputest.MetaAsJSON(t, &m)
}

func TestCheck(t *testing.T) {
	ok := Meta{Gen: isa.A6xx, Stage: ir.StageCompute, ConstLen: 4}
	gputest.WrongMetas(t, ok, map[string]func(m *Meta){
		"gen":   func(m *Meta) { m.Gen = 5 },
		"regs":  func(m *Meta) { m.MaxRegs = 49 },
		"const": func(m *Meta) { m.Consts.Push = Area{8, 16} },
		"end":   func(m *Meta) { m.Consts.Push = Area{math.MaxInt, 16} },
		"size":  func(m *Meta) { m.Consts.Map = Area{8, math.MaxInt} },
		"prefetch": func(m *Meta) {
			m.Stage, m.Prefetches = ir.StageFragment, []Prefetch{{Reg: math.MaxInt, Mask: 15}}
		},
		"wave": func(m *Meta) { m.Stage = ir.StageVertex; m.DoubleWave = true },
		"base": func(m *Meta) { m.Descriptors = []Descriptor{{Base: 8}} },
	})
}

// TestConstUnits: parameters come in whole units, those of vertex shaders not at the start, and so do the areas that preambles copy.
func TestConstUnits(t *testing.T) {
	ok := Meta{Gen: isa.A7xx, GPU: "a750", Stage: ir.StageVertex, ConstLen: 32, Consts: Consts{ByPreamble: true, Driver: Area{16, 16}, Primitive: Area{32, 4}, Map: Area{48, 16}}}
	gputest.WrongMetas(t, ok, map[string]func(m *Meta){
		"start":     func(m *Meta) { m.Consts.Driver.Offset = 0 },
		"offset":    func(m *Meta) { m.Consts.Driver.Offset = 20 },
		"size":      func(m *Meta) { m.Consts.Driver.Size = 8 },
		"primitive": func(m *Meta) { m.Consts.Primitive.Offset = 36 },
		"map":       func(m *Meta) { m.Consts.Map.Offset = 52 },
	})
}

// TestVaryingComponents: the number of varying components is that of the inputs, and a mask after tests is of early ones.
func TestVaryingComponents(t *testing.T) {
	ok := Meta{Gen: isa.A6xx, Stage: ir.StageFragment, ConstLen: 4, TotalIn: 7,
		Inputs: []Input{{Slot: ir.SlotVar0 + 1, Mask: 0b101, Reg: NoReg, InLoc: 4}, {Slot: ir.SlotVar0, Mask: 15, Reg: NoReg}}}
	gputest.WrongMetas(t, ok, map[string]func(m *Meta){
		"more": func(m *Meta) { m.TotalIn++ },
		"less": func(m *Meta) { m.TotalIn-- },
		"none": func(m *Meta) { m.TotalIn = 0 },
		"late": func(m *Meta) { m.PostDepthCoverage = true },
	})
}

// Distances that clip and cull have registers, and are those that are counted: first the ones that clip.
func TestDistances(t *testing.T) {
	ok := Meta{Gen: isa.A6xx, Stage: ir.StageVertex, ConstLen: 4, MaxRegs: 4, ClipDistances: 2, CullDistances: 3, ClipMask: 0b00011, CullMask: 0b11100,
		Outputs: []Output{{Slot: ir.SlotClipDist0, Mask: 15, Reg: 0}, {Slot: ir.SlotClipDist1, Mask: 1, Reg: 4}}}
	gputest.WrongMetas(t, ok, map[string]func(m *Meta){
		"clip beyond the count": func(m *Meta) { m.ClipMask = 0b100 },
		"cull among clip":       func(m *Meta) { m.CullMask = 0b10 },
		"cull beyond the count": func(m *Meta) {
			m.Outputs, m.CullMask = []Output{m.Outputs[0], {Slot: ir.SlotClipDist1, Mask: 3, Reg: 4}}, 0b100100
		},
		"nothing written": func(m *Meta) { m.Outputs = m.Outputs[:1] },
		"nine":            func(m *Meta) { m.ClipDistances, m.CullDistances = 5, 4 },
	})
}
