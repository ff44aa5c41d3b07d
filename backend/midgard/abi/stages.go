package abi

import (
	"fmt"

	"nirc/ir"
)

// The stages between vertex and fragment shaders are none of the hardware. A driver builds them of jobs that there
// are (midgard.md §9.9):
//
//   - A vertex shader with [Meta.Next] leaves what the next stage reads: its varyings are records of 16 bytes a slot, in
//     the order of that stage's Reads, 32-bit words each, at [SysvalStageInput]. Record n is that of vertex n of the job. The position
//     stays in clip coordinates.
//   - Tessellation control is a compute job of a workgroup a patch, a thread for each output vertex. The list at [SysvalPrimitives] says
//     which records a patch has. It leaves the patch at [SysvalPatches]: see [PatchBytes].
//   - The driver's tessellator reads the levels of the patches and leaves points at [SysvalTessPoints], and an index buffer of them.
//   - Tessellation evaluation is a vertex job, or one with Meta.Next, of the indices of points.
//   - Geometry is a compute job of a workgroup of one thread for each primitive (x) and invocation of it (y), which leaves vertices at
//     [SysvalStageVertices] and the words of index buffers, one a vertex stream, at [SysvalStageIndices]. Its raster program is
//     the vertex job of the draw with the first of them, as strips.

// PatchInner and PatchHeader are bytes of a patch: where the inner levels are, after four outer ones, and where the slots
// of the patch from ir.SlotPatch0 on begin, 16 bytes each. The records of its vertices follow.
const (
	PatchInner  = 16
	PatchHeader = 32
)

// PatchBytes is the size of a patch with some slots of its own and vertices of some slots.
func PatchBytes(slots, record, vertices int) uint32 {
	return uint32(PatchHeader + 16*slots + 16*record*vertices)
}

// Restart is the word of a geometry shader's index buffers that ends a strip.
const Restart = 1<<32 - 1

// Tess describes a tessellation shader.
type Tess struct {
	Modes ir.TessInfo `json:"modes"`
	// Record are the slots of each output vertex that a control shader leaves, in the order in which they lie in the patch, PatchSlots the number
	// of the patch's own.
	Record     []ir.Slot `json:"record,omitempty"`
	PatchSlots int       `json:"patch_slots,omitempty"`
}

// PlaceOf is the byte of a patch where a slot is that the patch has once, or that its first vertex has; ok is false if there is none.
func (t *Tess) PlaceOf(slot ir.Slot) (at uint32, ok bool) {
	switch {
	case slot == ir.SlotTessLevelOuter:
		return 0, true
	case slot == ir.SlotTessLevelInner:
		return PatchInner, true
	case slot >= ir.SlotPatch0:
		k := int(slot - ir.SlotPatch0)
		return uint32(PatchHeader + 16*k), k < t.PatchSlots
	}
	for k, s := range t.Record {
		if s == slot {
			return uint32(PatchHeader + 16*(t.PatchSlots+k)), true
		}
	}
	return 0, false
}

// Geometry describes a geometry shader.
type Geometry struct {
	Modes ir.GeomInfo `json:"modes"`
	// Vertices are the slots that each vertex has, 16 bytes each: vertex n of invocation i of primitive p is vertex
	// (p*Invocations + i)*MaxVertices + n.
	Vertices []ir.Slot `json:"vertices,omitempty"`
	// Streams are those that anything is emitted on, a bit each; the index buffer of each has [Geometry.Words] words for each invocation,
	// those that are left over Restart.
	Streams uint8 `json:"streams"`
	// Captures are what transform feedback takes of the vertices, in their order in the index buffers, and Strides the bytes that a vertex
	// takes in each buffer: the driver copies it.
	Captures []ir.Capture             `json:"captures,omitempty"`
	Strides  [ir.NumXfbBuffers]uint32 `json:"strides,omitzero"`
	// Raster describes the raster program, which begins at byte At of the code.
	Raster *Meta  `json:"raster"`
	At     uint32 `json:"at"`
}

// Words is how many words of an index buffer an invocation has.
func (g *Geometry) Words() uint32 {
	if g.Modes.OutPrimitive == ir.OutPoints {
		return g.Modes.MaxVertices
	}
	return 2 * g.Modes.MaxVertices
}

// API is the stage of the shader, which for those between vertex and fragment shaders is not that of its job.
func (m *Meta) API() ir.Stage {
	switch {
	case m.Geometry != nil:
		return ir.StageGeometry
	case m.Tess == nil:
		return m.Stage
	case m.Stage == ir.StageCompute:
		return ir.StageTessCtrl
	}
	return ir.StageTessEval
}

// checkStages checks what is said of the stages between.
func (m *Meta) checkStages() error {
	job := ir.StageCompute
	if m.Next != ir.StageNone || m.Tess != nil && m.Stage != ir.StageCompute {
		job = ir.StageVertex
	}
	switch {
	case (m.Tess != nil || m.Geometry != nil || m.Next != ir.StageNone) && m.Stage != job:
		return fmt.Errorf("midgard meta: a job of stage %s for a shader of stage %s", m.Stage, m.API())
	case m.Tess != nil && (m.Tess.PatchSlots < 0 || m.Tess.PatchSlots > int(ir.NumVaryingSlots-ir.SlotPatch0)):
		return fmt.Errorf("midgard meta: %d slots of a patch", m.Tess.PatchSlots)
	}
	lists := [][]ir.Slot{m.Reads}
	if m.Tess != nil {
		lists = append(lists, m.Tess.Record)
	}
	if g := m.Geometry; g != nil {
		if i := &g.Modes; i.InPrimitive < 1 || i.InPrimitive > 6 || i.OutPrimitive > 2 || i.MaxVertices > 1024 || i.Invocations < 1 || i.Invocations > 127 {
			return fmt.Errorf("midgard meta: a geometry shader of %+v", *i)
		}
		if g.Raster == nil || g.Raster.Stage != ir.StageVertex || g.Raster.Tess != nil || g.Raster.Geometry != nil || g.Raster.Next != ir.StageNone {
			return fmt.Errorf("midgard meta: a geometry shader without a raster program")
		}
		if err := g.Raster.Check(); err != nil {
			return err
		}
		lists = append(lists, g.Vertices)
	}
	for _, list := range lists {
		for _, s := range list {
			if s >= ir.SlotPatch0 {
				return fmt.Errorf("midgard meta: slot %d of a vertex", s)
			}
		}
	}
	return nil
}
