package core

import (
	"reflect"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestInterface: what metadata and code say of a program is what the software GPU is told of it, each by itself.
func TestInterface(t *testing.T) {
	for _, c := range []struct {
		name  string
		stage ir.Stage
		edit  func(m *abi.Meta, u *codeUses)
		want  emu.StageIO
	}{
		{"nothing", ir.StageFragment, func(*abi.Meta, *codeUses) {}, emu.StageIO{}},
		{"discard", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.UsesDiscard = true }, emu.StageIO{UsesDiscard: true}},
		{"memory", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.WritesMemory = true }, emu.StageIO{WritesMemory: true}},
		{"quads", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.NeedsQuads = true }, emu.StageIO{NeedsQuads: true}},
		{"samples", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.PerSample = true }, emu.StageIO{PerSample: true}},
		{"early tests", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.EarlyFragmentTests = true }, emu.StageIO{EarlyFragmentTests: true}},
		{"early tests that the code makes", ir.StageFragment, func(m *abi.Meta, u *codeUses) { m.EarlyFragmentTests, u.samples, u.testsFirst = true, true, true },
			emu.StageIO{EarlyFragmentTests: true, WritesSampleMask: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotSampleMask, Mask: 1}}}},
		{"early tests that the code does not make", ir.StageFragment, func(m *abi.Meta, u *codeUses) { m.EarlyFragmentTests, u.samples = true, true },
			emu.StageIO{WritesSampleMask: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotSampleMask, Mask: 1}}}},
		{"clip", ir.StageVertex, func(m *abi.Meta, _ *codeUses) { m.ClipDistances = 3 }, emu.StageIO{ClipDistances: 3}},
		{"cull", ir.StageVertex, func(m *abi.Meta, _ *codeUses) { m.CullDistances = 2 }, emu.StageIO{TestsCull: 2}},
		{"waits", ir.StageFragment, func(_ *abi.Meta, u *codeUses) { u.waits = true }, emu.StageIO{Waits: true}},
		{"depth", ir.StageFragment, func(_ *abi.Meta, u *codeUses) { u.depth = true }, emu.StageIO{WritesDepth: true}},
		{"stencil", ir.StageFragment, func(_ *abi.Meta, u *codeUses) { u.stencil = true }, emu.StageIO{WritesStencil: true}},
		{"linked", ir.StageFragment, func(m *abi.Meta, _ *codeUses) { m.Part = abi.PartLinked }, emu.StageIO{TileStores: true}},
		{"linked, reads the tile", ir.StageFragment, func(m *abi.Meta, u *codeUses) { m.Part, u.tileLoads = abi.PartLinked, true }, emu.StageIO{TileStores: true, TileLoads: true}},
		{"reads the tile", ir.StageFragment, func(_ *abi.Meta, u *codeUses) { u.tileLoads = true }, emu.StageIO{}},
		{"attributes", ir.StageVertex, func(m *abi.Meta, _ *codeUses) { m.Attribs = []abi.Attrib{{Slot: ir.SlotAttrib0 + 2, Mask: 5}} },
			emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotAttrib0 + 2, Mask: 5}}}},
		{"attributes of a prolog", ir.StageVertex, func(m *abi.Meta, _ *codeUses) {
			m.Part, m.Attribs = abi.PartLinked, []abi.Attrib{{Slot: ir.SlotAttrib0 + 2, Mask: 5}}
		}, emu.StageIO{}},
		{"coefficients", ir.StageFragment, func(m *abi.Meta, _ *codeUses) {
			m.Coefs = []abi.Coef{{Source: abi.CoefW, Count: 1}, {Slot: ir.SlotVar0, First: 1, Count: 2, Interp: ir.InterpFlat}}
		}, emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotVar0, Mask: 6, Interp: ir.InterpFlat}}}},
		{"a vertex's record", ir.StageVertex, func(m *abi.Meta, _ *codeUses) { m.Record, m.PatchSlots = []ir.Slot{ir.SlotPos, ir.SlotVar0}, 2 },
			emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotPos, Mask: 15}, {Slot: ir.SlotVar0, Mask: 15}, {Slot: ir.SlotPatch0, Mask: 15, Patch: true}, {Slot: ir.SlotPatch0 + 1, Mask: 15, Patch: true}}}},
		{"what is read of vertices", ir.StageTessCtrl, func(m *abi.Meta, _ *codeUses) { m.Reads = []ir.Slot{ir.SlotVar0 + 3} }, emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotVar0 + 3, Mask: 15}}}},
		{"varyings", ir.StageVertex, func(m *abi.Meta, _ *codeUses) {
			m.Varyings = []abi.Varying{{Slot: ir.SlotVar0, First: 1, Count: 2}, {Slot: ir.SlotVar0, First: 0, Count: 1}, {Slot: ir.SlotVar0 + 1, First: 3, Count: 1}}
		}, emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotVar0, Mask: 7}, {Slot: ir.SlotVar0 + 1, Mask: 8}}}},
		{"layer and viewport", ir.StageVertex, func(m *abi.Meta, _ *codeUses) { m.LayerViewportWord = 9 },
			emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotLayer, Mask: 1}, {Slot: ir.SlotViewport, Mask: 1}}}},
		{"results", ir.StageFragment, func(m *abi.Meta, _ *codeUses) {
			m.Results = []abi.Result{{Slot: ir.SlotData0, Mask: 7, Bits: 16}, {Slot: ir.SlotData0, Mask: 1, Index: 1, Bits: 32}, {Slot: ir.SlotDepth, Mask: 1, Bits: 16}}
		}, emu.StageIO{WritesDepth: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotData0, Mask: 7, Bits: 16}, {Slot: ir.SlotData0, Mask: 1, Index: 1}, {Slot: ir.SlotDepth, Mask: 1}}}},
	} {
		c.want.SampleDepths = true
		m := abi.Meta{Stage: c.stage}
		p := &program{meta: &m}
		c.edit(&m, &p.uses)
		if p.buildIO(); !reflect.DeepEqual(p.io, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, p.io, c.want)
		}
	}
}
