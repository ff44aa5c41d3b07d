package abi

import "nirc/ir"

// Chain describes a stage of the geometry pipeline: how it runs, and what it
// leaves for the next stage (ir3.md §6.5).
type Chain struct {
	Tess ir.TessInfo `json:"tess"`
	Geom ir.GeomInfo `json:"geom"`
	// Next is the stage whose threads go on where this one ends in chmask and
	// chsh: the outputs are in local memory. None: this is the last
	// stage before the rasteriser, or the outputs are in registers.
	Next ir.Stage `json:"next,omitempty"`
	// Locations say where the outputs of a stage with Next, or of tessellation
	// control, are left.
	Locations []Location `json:"locations,omitempty"`
	// VertexStride is the size of a vertex in local memory in bytes.
	VertexStride int `json:"vertex_stride,omitempty"`
	// PatchStride is the size of a patch in the parameter buffer in dwords.
	PatchStride int `json:"patch_stride,omitempty"`
	// TessLocal: the stages before tessellation control hand over by ldl and stl.
	TessLocal bool `json:"tess_local,omitempty"`
}

// Feedback is transform feedback: what the stage before the rasteriser
// captures of its outputs, and the bytes that a vertex takes in each buffer.
type Feedback struct {
	Captures []ir.Capture             `json:"captures"`
	Strides  [ir.NumXfbBuffers]uint32 `json:"strides"`
}

// Location is the place of an output slot: in a vertex in local memory in
// bytes; in a patch of the parameter buffer in dwords, and there vertex v of a
// slot that is not per patch is 4*v dwords on.
type Location struct {
	Slot   ir.Slot `json:"slot"`
	Mask   uint8   `json:"mask"`
	Offset int     `json:"offset"`
	Patch  bool    `json:"patch,omitempty"`
}

// Scalar indices inside Consts.Primitive. The factor layout is there for
// stages that do not know the domain; see FactorLayout.
const (
	PrimStride       = 0 // bytes of a primitive in local memory
	PrimVertexStride = 1 // bytes of a vertex in local memory
	PrimPatchStride  = 2 // dwords of a patch in the parameter buffer
	PrimVerticesIn   = 3 // vertices of the patch that comes in
	PrimParamBase    = 4 // address of the parameter buffer, 2 scalars
	PrimFactorBase   = 6 // address of the factor buffer, 2 scalars
	PrimFactorStride = 8 // bytes of a patch in the factor buffer
	PrimOuterLevels  = 9 // number of outer levels in it
	PrimInnerLevels  = 10
)

// MapIndex numbers the slots that vertices have in local memory and patches
// per vertex; -1 of the others.
func MapIndex(s ir.Slot) int {
	switch {
	case s >= ir.SlotVar0 && s < ir.SlotVar0+32:
		return mapVar0 + int(s-ir.SlotVar0)
	case s == ir.SlotPos:
		return 0
	case s == ir.SlotPointSize:
		return 1
	case s == ir.SlotClipDist0, s == ir.SlotClipDist1:
		return 7 + int(s-ir.SlotClipDist0)
	case s == ir.SlotLayer:
		return 10
	case s == ir.SlotViewport:
		return 11
	case s == ir.SlotShadingRate:
		return 12
	case s == ir.SlotCullDist0, s == ir.SlotCullDist1:
		return 2 + int(s-ir.SlotCullDist0) // where colours were
	}
	return -1
}

const mapVar0 = 13

// MapSlots bounds MapIndex.
const MapSlots = mapVar0 + 32

// Fields of the headers of tessellation control and geometry threads: shift
// and mask.
const (
	HeaderVertexShift     = 6
	HeaderVertexMask      = 31
	HeaderInvocationShift = 11
	HeaderInvocationMask  = 31
	HeaderLocalPrimMask   = 63
	HeaderTessLocalShift  = 16 // of the local primitive where tessellation control reads the header, with TessLocal
	HeaderThreadShift     = 16 // of a geometry thread
	HeaderThreadMask      = 1023
)

// Vertex flags of a geometry shader's output.
const (
	FlagStream = 3 // mask
	FlagCut    = 4 // the vertex starts a strip
)

// FactorLayout is the record of a patch in the factor buffer: dword 0 is the
// primitive id, the outer levels follow, then the inner ones. Of an unknown
// domain it has room for all.
func FactorLayout(domain uint8) (stride, outer, inner int) {
	switch domain {
	case ir.DomainTriangles:
		return 20, 3, 1
	case ir.DomainIsolines:
		return 12, 2, 0
	}
	return 28, 4, 2
}
