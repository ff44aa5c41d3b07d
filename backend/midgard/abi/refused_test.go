package abi

import (
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// TestRefused: each contradiction is named, and what is just allowed is.
func TestRefused(t *testing.T) {
	raster := &Meta{Stage: ir.StageVertex, FirstTag: isa.TagALU4}
	geometry := func(edit func(g *Geometry)) func(m *Meta) {
		return func(m *Meta) {
			m.Geometry = &Geometry{Modes: ir.GeomInfo{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 1024, Invocations: 127}, Raster: raster}
			edit(m.Geometry)
		}
	}
	for want, list := range map[string][]func(m *Meta){
		"": {
			func(m *Meta) { m.SharedSize, m.TLSSize = MaxShared, 1<<20 },
			func(m *Meta) { m.UBOs[0].Kind, m.Uniforms, m.WorkRegs = UBOSysvals, make([]Uniform, MaxUniforms), 8 },
			func(m *Meta) { m.UBOs = make([]UBO, MaxUBOs) },
			geometry(func(g *Geometry) {}), geometry(func(g *Geometry) { g.Modes.InPrimitive, g.Vertices = 6, []ir.Slot{ir.SlotPatch0 - 1} }),
			func(m *Meta) { m.Tess = &Tess{PatchSlots: int(ir.NumVaryingSlots - ir.SlotPatch0)} },
		},
		"uniform registers, at most":                                            {func(m *Meta) { m.Uniforms = make([]Uniform, MaxUniforms+1) }},
		"9 work registers beside 16 uniform registers, at most 8":               {func(m *Meta) { m.UBOs[0].Kind, m.Uniforms, m.WorkRegs = UBOSysvals, make([]Uniform, MaxUniforms), 9 }},
		"-1 work registers beside 0 uniform registers":                          {func(m *Meta) { m.WorkRegs = -1 }},
		"work registers a thread in a workgroup":                                {func(m *Meta) { m.UsesBarrier, m.WorkRegs, m.WorkgroupSize = true, 16, [3]uint32{128, 2, 1} }},
		"uniform register 0 holds bytes of a bound buffer, which nobody copies": {func(m *Meta) { m.UBOs[0].Kind, m.Uniforms, m.WorkRegs = UBOBinding, make([]Uniform, 1), 8 }},
		"buffer 1 has the unknown kind":                                         {func(m *Meta) { m.UBOs = []UBO{{}, {Kind: NumUBOKinds}} }},
		"unknown system value 0":                                                {func(m *Meta) { m.SysvalTail = []Sysval{{}} }, func(m *Meta) { m.Elements = []Sysval{{}} }},
		"a blend program with": {func(m *Meta) {
			m.Stage, m.Blend, m.UBOs[0].Kind = ir.StageFragment, &Blend{}, UBOSysvals
		}},
		"a blend program of stage compute":                 {func(m *Meta) { m.Blend, m.UBOs = &Blend{}, nil }},
		"stage fragment for target 8":                      {func(m *Meta) { m.Stage, m.Blend, m.UBOs = ir.StageFragment, &Blend{Target: 8}, nil }},
		"stage fragment for target -1":                     {func(m *Meta) { m.Stage, m.Blend, m.UBOs = ir.StageFragment, &Blend{Target: -1}, nil }},
		"bytes of workgroup memory, at most":               {func(m *Meta) { m.SharedSize = MaxShared + 1 }},
		"bytes of local storage a thread, at most 1048576": {func(m *Meta) { m.TLSSize = 1<<20 + 1 }},
		"a blend program for render target 1 of 1": {func(m *Meta) {
			m.GPU, m.Alias, m.NoUpperALU, m.BrokenLOD = "t720", true, true, true
			m.Stage, m.Blend, m.UBOs = ir.StageFragment, &Blend{Target: 1}, nil
		}},
		"attribute 0: kind":          {func(m *Meta) { m.Attributes = []Record{{Kind: NumRecordKinds}} }, func(m *Meta) { m.Attributes = []Record{{Slot: ir.NumVaryingSlots}} }},
		"varying 1: kind":            {func(m *Meta) { m.Varyings = []Varying{{}, {Slot: ir.NumVaryingSlots}} }},
		"output 0: slot":             {func(m *Meta) { m.Outputs = []Output{{Slot: ir.NumVaryingSlots}} }},
		"a job of stage vertex for":  {func(m *Meta) { m.Stage, m.Geometry = ir.StageVertex, &Geometry{} }},
		"a job of stage compute for": {func(m *Meta) { m.Next = ir.StageGeometry }},
		"slots of a patch":           {func(m *Meta) { m.Tess = &Tess{PatchSlots: -1} }, func(m *Meta) { m.Tess = &Tess{PatchSlots: int(ir.NumVaryingSlots-ir.SlotPatch0) + 1} }},
		"a geometry shader of": {
			geometry(func(g *Geometry) { g.Modes.InPrimitive = 0 }), geometry(func(g *Geometry) { g.Modes.InPrimitive = 7 }), geometry(func(g *Geometry) { g.Modes.OutPrimitive = 3 }),
			geometry(func(g *Geometry) { g.Modes.MaxVertices = 1025 }), geometry(func(g *Geometry) { g.Modes.Invocations = 0 }), geometry(func(g *Geometry) { g.Modes.Invocations = 128 }),
		},
		"a geometry shader without a raster program": {
			geometry(func(g *Geometry) { g.Raster = nil }), geometry(func(g *Geometry) { g.Raster = &Meta{Stage: ir.StageCompute} }),
			geometry(func(g *Geometry) { g.Raster = &Meta{Stage: ir.StageVertex, Tess: &Tess{}} }), geometry(func(g *Geometry) { g.Raster = &Meta{Stage: ir.StageVertex, Geometry: &Geometry{}} }),
			geometry(func(g *Geometry) { g.Raster = &Meta{Stage: ir.StageVertex, Next: ir.StageGeometry} }),
		},
		"first tag":           {geometry(func(g *Geometry) { g.Raster = &Meta{Stage: ir.StageVertex} })},
		"slot 64 of a vertex": {geometry(func(g *Geometry) { g.Vertices = []ir.Slot{ir.SlotPatch0} }), func(m *Meta) { m.Reads = []ir.Slot{ir.SlotPatch0} }, func(m *Meta) { m.Tess = &Tess{Record: []ir.Slot{ir.SlotPatch0}} }},
	} {
		for i, edit := range list {
			m := &Meta{Stage: ir.StageCompute, FirstTag: isa.TagALU4, WorkRegs: 16, UBOs: make([]UBO, 1)}
			edit(m)
			if err := m.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v, want %q", i, err, want)
			}
		}
	}
}
