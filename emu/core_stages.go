package emu

// MaxPatchVertices bounds the control points of a patch.
const MaxPatchVertices = 32

// Patch is a patch on its way through the tessellation stages.
type Patch struct {
	// In are the outputs of the vertex stage at the input control points.
	In          []*Slots
	PrimitiveID uint32
	ViewIndex   uint32
	// Out are the outputs of the control stage by output control point, and
	// PerPatch those that the patch has once: slots SlotTessLevelOuter,
	// SlotTessLevelInner and from SlotPatch0 on. Lanes of the control stage write
	// both while they run, so that others see it behind a barrier; emu clears
	// them before.
	Out      []Slots
	PerPatch Slots
}

// TessCtrlLane is one invocation of the tessellation control stage. The lanes
// of a patch may stand in several waves; emu runs these side by side and takes
// their barriers for the patch's.
type TessCtrlLane struct {
	Patch        *Patch
	InvocationID uint32
}

// TessEvalLane is one invocation of the tessellation evaluation stage.
type TessEvalLane struct {
	Patch *Patch
	// Coord is TessCoord.
	Coord [3]float32
}

// GeometryLane is one invocation of the geometry stage.
type GeometryLane struct {
	// V are the input primitive's vertices, those of adjacency included.
	V                         []*Slots
	PrimitiveID, InvocationID uint32
	ViewIndex                 uint32
	// Emitted takes what the lane emits.
	Emitted *Emission
}

// Emission is what an invocation of the geometry stage emits on stream 0.
type Emission struct {
	Vertices []Slots
	// Ends holds len(Vertices) as it was at each end of a primitive.
	Ends  []int
	limit int
}

// NewEmission returns one that takes up to limit vertices.
func NewEmission(limit int) *Emission { return &Emission{limit: limit} }

// Emit adds a vertex. Vertices beyond the stage's MaxVertices are dropped.
func (e *Emission) Emit(v *Slots) {
	if len(e.Vertices) < e.limit {
		e.Vertices = append(e.Vertices, *v)
	}
}

// EndPrimitive ends the strip of the vertices so far.
func (e *Emission) EndPrimitive() { e.Ends = append(e.Ends, len(e.Vertices)) }

func (e *Emission) reset(limit int) {
	e.Vertices, e.Ends, e.limit = e.Vertices[:0], e.Ends[:0], limit
}
