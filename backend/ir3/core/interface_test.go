package core

import (
	"reflect"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestInterface: what metadata say of a program is what the software GPU is told of it, each by itself.
func TestInterface(t *testing.T) {
	outputs := func(list ...emu.OutputSlot) emu.StageIO { return emu.StageIO{Outputs: list} }
	captures := []ir.Capture{{Buffer: 1}}
	for _, c := range []struct {
		name  string
		stage ir.Stage
		edit  func(m *abi.Meta)
		want  emu.StageIO
	}{
		{"nothing", ir.StageFragment, func(*abi.Meta) {}, emu.StageIO{}},
		{"discard", ir.StageFragment, func(m *abi.Meta) { m.UsesDiscard = true }, emu.StageIO{UsesDiscard: true}},
		{"memory", ir.StageFragment, func(m *abi.Meta) { m.WritesMemory = true }, emu.StageIO{WritesMemory: true}},
		{"quads", ir.StageFragment, func(m *abi.Meta) { m.NeedsQuads = true }, emu.StageIO{NeedsQuads: true}},
		{"early tests", ir.StageFragment, func(m *abi.Meta) { m.EarlyFragmentTests = true }, emu.StageIO{EarlyFragmentTests: true}},
		{"coverage after depth", ir.StageFragment, func(m *abi.Meta) { m.PostDepthCoverage = true }, emu.StageIO{PostDepthCoverage: true}},
		{"colours of the framebuffer", ir.StageFragment, func(m *abi.Meta) { m.Attachments = abi.ColorAttachments }, emu.StageIO{TileLoads: true}},
		{"depth of the framebuffer", ir.StageFragment, func(m *abi.Meta) { m.Attachments = abi.DepthAttachment }, emu.StageIO{TileLoads: true, ReadsDepth: true}},
		{"stencil of the framebuffer, in order", ir.StageFragment, func(m *abi.Meta) { m.Attachments, m.OrderedAttachments = abi.StencilAttachment, true }, emu.StageIO{TileLoads: true, ReadsDepth: true, InOrder: true}},
		{"samples", ir.StageFragment, func(m *abi.Meta) { m.PerSample = true }, emu.StageIO{PerSample: true}},
		{"distances", ir.StageVertex, func(m *abi.Meta) { m.ClipDistances, m.CullDistances, m.ClipMask, m.CullMask = 3, 2, 5, 8 },
			emu.StageIO{ClipDistances: 3, CullDistances: 2, NoDistances: 0x12}},
		{"all distances", ir.StageVertex, func(m *abi.Meta) { m.ClipDistances, m.ClipMask = 8, 0xff }, emu.StageIO{ClipDistances: 8}},
		{"feedback", ir.StageVertex, func(m *abi.Meta) {
			m.Feedback = &abi.Feedback{Captures: captures, Strides: [ir.NumXfbBuffers]uint32{2: 48}}
		}, emu.StageIO{Captures: captures, XfbStrides: [ir.NumXfbBuffers]uint32{2: 48}}},
		{"colour", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 7}} }, outputs(emu.OutputSlot{Slot: ir.SlotData0, Mask: 7})},
		{"second colour", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 7, Index: 1}} },
			outputs(emu.OutputSlot{Slot: ir.SlotData0, Mask: 7, Index: 1})},
		{"half", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 1, Half: true}} },
			outputs(emu.OutputSlot{Slot: ir.SlotData0, Mask: 1, Bits: 16})},
		{"half that is made a float", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 1, Half: true, As: isa.F32}} },
			outputs(emu.OutputSlot{Slot: ir.SlotData0, Mask: 1})},
		{"flags of vertices", ir.StageGeometry, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotPos, Mask: 1, VertexFlags: true}} }, emu.StageIO{}},
		{"tessellation", ir.StageTessCtrl, func(m *abi.Meta) {
			m.Chain.Tess = ir.TessInfo{OutputVertices: 7, Domain: ir.DomainQuads, Spacing: 2, CCW: true, PointMode: true}
			m.Chain.Locations = []abi.Location{{Slot: ir.SlotPos, Mask: 7}, {Slot: ir.SlotPatch0 + 1, Mask: 2, Patch: true}}
		}, emu.StageIO{Tess: emu.TessIO{OutputVertices: 7, Domain: ir.DomainQuads, Spacing: 2, CCW: true, PointMode: true},
			Outputs: []emu.OutputSlot{{Slot: ir.SlotPos, Mask: 7}, {Slot: ir.SlotPatch0 + 1, Mask: 2, Patch: true}}}},
		{"geometry", ir.StageGeometry, func(m *abi.Meta) {
			m.Chain.Geom = ir.GeomInfo{Invocations: 3, MaxVertices: 9, InPrimitive: 2, OutPrimitive: 1}
		}, emu.StageIO{Geom: emu.GeomIO{Invocations: 3, MaxVertices: 9, InPrimitive: 2, OutPrimitive: 1}}},
		{"depth", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotDepth, Mask: 1}} },
			emu.StageIO{WritesDepth: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotDepth, Mask: 1}}}},
		{"stencil", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotStencil, Mask: 1}} },
			emu.StageIO{WritesStencil: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotStencil, Mask: 1}}}},
		{"sample mask", ir.StageFragment, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotSampleMask, Mask: 1}} },
			emu.StageIO{WritesSampleMask: true, Outputs: []emu.OutputSlot{{Slot: ir.SlotSampleMask, Mask: 1}}}},
		{"a vertex's slot of that number", ir.StageVertex, func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotDepth, Mask: 1}} }, outputs(emu.OutputSlot{Slot: ir.SlotDepth, Mask: 1})},
		{"inputs", ir.StageVertex, func(m *abi.Meta) { m.Inputs = []abi.Input{{Slot: ir.SlotAttrib0 + 1, Mask: 5, Interp: ir.InterpFlat}} },
			emu.StageIO{Inputs: []emu.InputSlot{{Slot: ir.SlotAttrib0 + 1, Mask: 5, Interp: ir.InterpFlat}}}},
	} {
		m := abi.Meta{Stage: c.stage}
		c.edit(&m)
		p := &program{meta: &m}
		if p.buildIO(); !reflect.DeepEqual(p.io, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, p.io, c.want)
		}
		if c.stage == ir.StageVertex && p.inputs != nil {
			t.Errorf("%s: a vertex shader has varyings %v", c.name, p.inputs)
		}
	}
}

// TestVaryingWords: each component of a fragment's input has its word from the input's first on, and words between are nobody's.
func TestVaryingWords(t *testing.T) {
	m := abi.Meta{Stage: ir.StageFragment, Inputs: []abi.Input{{Slot: ir.SlotVar0 + 2, Mask: 0b1011, InLoc: 1}, {Slot: ir.SlotVar0, Mask: 0b0001, InLoc: 6}}}
	p := &program{meta: &m}
	p.buildIO()
	none := varying{slot: -1}
	second := int(ir.SlotVar0 + 2)
	if want := []varying{none, {second, 0}, {second, 1}, none, {second, 3}, none, {int(ir.SlotVar0), 0}}; !reflect.DeepEqual(p.inputs, want) {
		t.Errorf("the words are %v, want %v", p.inputs, want)
	}
}
