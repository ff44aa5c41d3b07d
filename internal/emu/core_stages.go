package emu

import "nirc/ir"

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
	// both while they run, so that others see it after a barrier; what
	// none has written is garbage.
	Out      []Slots
	PerPatch Slots
	// Memory is for cores whose lanes keep the patch in memory, nil where the control stage begins.
	Memory []byte
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

// Emission is what an invocation of the geometry stage emits: strips of stream 0,
// which is drawn, and of others, which only transform feedback captures.
type Emission struct {
	Strips
	others [ir.NumXfbBuffers - 1]Strips
	left   int // vertices that may still be emitted, on all streams together
}

// Strips are the strips of a vertex stream.
type Strips struct {
	Vertices []Slots
	// Ends holds len(Vertices) as it was at each end of a primitive.
	Ends []int
}

// NewEmission returns one that takes up to limit vertices.
func NewEmission(limit int) *Emission { return &Emission{left: limit} }

// Stream returns the strips of a vertex stream; there are [ir.NumXfbBuffers].
func (e *Emission) Stream(n int) *Strips {
	if n == 0 {
		return &e.Strips
	}
	return &e.others[n-1]
}

// Emit adds a vertex to stream 0. Vertices beyond the stage's MaxVertices are dropped.
func (e *Emission) Emit(v *Slots) { e.EmitTo(0, v) }

// EndPrimitive ends stream 0's strip of the vertices so far.
func (e *Emission) EndPrimitive() { e.EndPrimitiveOf(0) }

// EmitTo is Emit for a stream.
func (e *Emission) EmitTo(stream int, v *Slots) {
	if e.left > 0 {
		e.left--
		l := e.Stream(stream)
		l.Vertices = append(l.Vertices, *v)
	}
}

// EndPrimitiveOf is EndPrimitive for a stream.
func (e *Emission) EndPrimitiveOf(stream int) {
	l := e.Stream(stream)
	l.Ends = append(l.Ends, len(l.Vertices))
}

func (e *Emission) reset(limit int) {
	for i := range ir.NumXfbBuffers {
		l := e.Stream(i)
		l.Vertices, l.Ends = l.Vertices[:0], l.Ends[:0]
	}
	e.left = limit
}

// each calls f with the primitives of size vertices; odd says that a
// triangle's last two are to be swapped to keep the orientation.
func (l *Strips) each(size int, f func(v [3]*Slots, odd bool) error) error {
	first := 0
	for i := range len(l.Ends) + 1 {
		end := len(l.Vertices)
		if i < len(l.Ends) {
			end = l.Ends[i]
		}
		strip := l.Vertices[first:end]
		first = end
		for k := 0; k+size <= len(strip); k++ {
			v := [3]*Slots{}
			for c := range size {
				v[c] = &strip[k+c]
			}
			if err := f(v, size == 3 && k&1 != 0); err != nil {
				return err
			}
		}
	}
	return nil
}
