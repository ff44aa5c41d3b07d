package abi

import (
	"math/bits"

	"nirc/ir"
)

// Tess holds the execution modes of a tessellation shader.
type Tess struct {
	OutputVertices uint32 `json:"output_vertices,omitempty"`
	Domain         uint8  `json:"domain,omitempty"`  // ir.DomainNone …
	Spacing        uint8  `json:"spacing,omitempty"` // ir.SpacingEqual …
	CCW            bool   `json:"ccw,omitempty"`
	PointMode      bool   `json:"point_mode,omitempty"`
}

// Geometry holds the execution modes of a geometry shader and the programs that stand
// beside its main program in the code.
type Geometry struct {
	Invocations uint32 `json:"invocations"` // of a primitive, at least 1
	MaxVertices uint32 `json:"max_vertices"`
	// InPrimitive is the number of vertices of an input primitive, those of adjacency included.
	InPrimitive  uint8 `json:"in_primitive"`
	OutPrimitive uint8 `json:"out_primitive"` // 0 points, 1 line strips, 2 triangle strips
	// Counts are the words of each unit at UniformCounts if Count is nil.
	Counts [CountWords]uint32 `json:"counts"`
	// Count is the program that counts, Raster the vertex shader. Offsets are into the code
	// of the whole.
	Count  *Meta `json:"count,omitempty"`
	Raster *Meta `json:"raster"`
	// Vertices lists the slots that the main program leaves of each vertex at UniformVertices,
	// 16 bytes each; of none, Raster runs the shader again.
	Vertices []ir.Slot `json:"vertices,omitempty"`
	// Feedback is what the main program writes.
	Feedback
}

// Feedback is what transform feedback takes of a stage.
type Feedback struct {
	Captures []ir.Capture `json:"captures,omitempty"`
	// Strides are the bytes of a vertex in each buffer.
	Strides [ir.NumXfbBuffers]uint32 `json:"strides"`
}

// CountWords is the number of words that a unit of a geometry shader has at UniformCounts:
// the words of its part of the index buffer, then its primitives on each vertex stream
// that transform feedback captures.
const CountWords = 1 + ir.NumXfbBuffers

// Restart is the word of a geometry shader's index buffer that ends a strip.
const Restart = 1<<32 - 1

// VertexShift is the number of bits of a vertex index that tell the vertex of the unit, for
// geometry shaders that emit at most some vertices.
func (g *Geometry) VertexShift() int { return bits.Len32(max(g.MaxVertices, 1) - 1) }

// The words of a patch that tessellation control leaves: four outer levels, from
// PatchInner on two inner ones, from PatchConstants on four for each patch slot, then
// the records of its vertices.
const (
	PatchInner     = 4
	PatchConstants = 6
)

// PatchWords is the number of words of a patch with some patch slots and vertices, each
// with some slots.
func PatchWords(patchSlots, slots, vertices int) int {
	return PatchConstants + 4*patchSlots + 4*slots*vertices
}

// PatchShift: the vertex index of a tessellation evaluation shader is patch << PatchShift |
// point, both counted from 0. A point is two words, u and v with PointShift bits after
// the point.
const (
	PatchShift = 13
	PointShift = 16
)
