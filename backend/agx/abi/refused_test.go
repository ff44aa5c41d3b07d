package abi

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestRefused: each contradiction is named, and what is just allowed is.
func TestRefused(t *testing.T) {
	geometry := func(edit func(m *Meta, g *Geometry)) func(m *Meta) {
		return func(m *Meta) {
			*m = Meta{Stage: ir.StageGeometry, Geometry: &Geometry{Invocations: 127, MaxVertices: 1024, InPrimitive: 6, OutPrimitive: 2, Raster: &Meta{Stage: ir.StageVertex}}}
			edit(m, m.Geometry)
		}
	}
	capture := func(c ir.Capture) func(m *Meta) {
		return geometry(func(m *Meta, g *Geometry) { g.Strides[0], g.Captures = 8, []ir.Capture{c} })
	}
	for want, list := range map[string][]func(m *Meta){
		"": {
			func(m *Meta) { m.Halves, m.PreambleHalves, m.UniformHalves = NumRegs, NumRegs, NumUniforms },
			func(m *Meta) { m.ScratchSize, m.PreambleScratch = 1<<20, 1<<20 },
			func(m *Meta) {
				m.Stage, m.WorkgroupSize, m.SharedSize = ir.StageCompute, [3]uint32{MaxWorkgroup, 1, 1}, MaxShared
			},
			func(m *Meta) { m.Samplers = []HeapRange{{First: MaxSamplers - 1, Count: 1}} },
			geometry(func(*Meta, *Geometry) {}),
			geometry(func(m *Meta, g *Geometry) {
				g.Count, g.Vertices = &Meta{Stage: ir.StageCompute}, []ir.Slot{1, ir.SlotPatch0 - 1}
			}),
			capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, First: 2, Count: 2}),
		},
		"agx meta: stage kernel is not supported": {func(m *Meta) { m.Stage = ir.StageKernel }},
		`a part "some" does not exist`:            {func(m *Meta) { m.Part = "some" }},
		"257 and 0 register halves, at most 256":  {func(m *Meta) { m.Halves = 257 }},
		"0 and 257 register halves":               {func(m *Meta) { m.PreambleHalves = 257 }},
		"-1 and 0 register halves":                {func(m *Meta) { m.Halves = -1 }},
		"0 and -1 register halves":                {func(m *Meta) { m.PreambleHalves = -1 }},
		"513 uniform halves, at most 512":         {func(m *Meta) { m.UniformHalves = 513 }},
		"-1 uniform halves":                       {func(m *Meta) { m.UniformHalves = -1 }},
		"1048577 bytes of scratch a lane":         {func(m *Meta) { m.ScratchSize = 1<<20 + 1 }, func(m *Meta) { m.PreambleScratch = 1<<20 + 1 }},
		"a workgroup of 1025 lanes and 0 bytes":   {func(m *Meta) { m.Stage, m.WorkgroupSize = ir.StageCompute, [3]uint32{1025, 1, 1} }},
		"and 32769 bytes, at most 1024 and 32768": {func(m *Meta) { m.SharedSize = MaxShared + 1 }},
		"uniform 0: unknown contents 0 or size 0": {func(m *Meta) { m.Uniforms = []Uniform{{}} }},
		"or size 6":                           {func(m *Meta) { m.UniformHalves, m.Uniforms = 8, []Uniform{{Kind: UniformPush, Size: 6}} }},
		"modes of geometry in stage geometry": {func(m *Meta) { m.Stage = ir.StageGeometry }},
		"modes of geometry in stage vertex":   {geometry(func(m *Meta, g *Geometry) { m.Stage = ir.StageVertex })},
		"a geometry shader without its programs": {
			geometry(func(m *Meta, g *Geometry) { g.Raster = nil }), geometry(func(m *Meta, g *Geometry) { g.Raster.Stage = ir.StageCompute }),
			geometry(func(m *Meta, g *Geometry) { g.Count = &Meta{Stage: ir.StageVertex} }), geometry(func(m *Meta, g *Geometry) { m.Part = PartMain }),
		},
		"a geometry shader of 128 invocations":                  {geometry(func(m *Meta, g *Geometry) { g.Invocations = 128 })},
		"a geometry shader of 0 invocations":                    {geometry(func(m *Meta, g *Geometry) { g.Invocations = 0 })},
		"1025 vertices":                                         {geometry(func(m *Meta, g *Geometry) { g.MaxVertices = 1025 })},
		"primitives 0 and 2":                                    {geometry(func(m *Meta, g *Geometry) { g.InPrimitive = 0 })},
		"primitives 7 and 2":                                    {geometry(func(m *Meta, g *Geometry) { g.InPrimitive = 7 })},
		"primitives 6 and 3":                                    {geometry(func(m *Meta, g *Geometry) { g.OutPrimitive = 3 })},
		"word 1 of a unit that emits 1024 vertices counts 2049": {geometry(func(m *Meta, g *Geometry) { g.Counts[0], g.Counts[1] = 2048, 2049 })},
		"transform feedback of slot": {
			capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, First: 3, Count: 2}), capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, Count: 2, Offset: 4}), capture(ir.Capture{Bits: 32, Slot: ir.NumVaryingSlots, Count: 1}),
			capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, Count: 1, Buffer: 1}), capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, Count: 1, Buffer: ir.NumXfbBuffers}), capture(ir.Capture{Bits: 32, Slot: ir.SlotVar0, Count: 1, Stream: ir.NumXfbBuffers}),
		},
		"slot 64 at place 0 of a vertex":  {geometry(func(m *Meta, g *Geometry) { g.Vertices = []ir.Slot{ir.SlotPatch0} })},
		"slot 3 at place 1 of a vertex":   {geometry(func(m *Meta, g *Geometry) { g.Vertices = []ir.Slot{3, 3} })},
		"-2 uniform halves":               {geometry(func(m *Meta, g *Geometry) { g.Raster.UniformHalves = -2 }), geometry(func(m *Meta, g *Geometry) { g.Count = &Meta{Stage: ir.StageCompute, UniformHalves: -2} })},
		"sampler heap range 0, 0 entries": {func(m *Meta) { m.Samplers = []HeapRange{{}} }},
	} {
		for i, edit := range list {
			m := &Meta{Stage: ir.StageFragment}
			edit(m)
			if err := m.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v, want %q", i, err, want)
			}
		}
	}
}
