// Package emu is the software GPU: memory, resources, fixed-function stages
// and dispatch. It runs the programs of any instruction set, each given by a
// core (backend/<isa>/core, or ir/interp), and knows none of them: no
// instruction is decoded here, and nothing here looks at the compiler's data
// structures. It takes from package ir only the names of stages and slots.
//
// Textures are read through a view and a sampler, which a core finds in a
// [Descriptor]: [ImageView.Sample] filters, [ImageView.Gather] reads a footprint,
// [ImageView.QueryLod] tells the level; a [SampleOp] says in which shape, where
// and at which LOD, and the core brings the derivatives of an implicit one from its
// quad. [ImageView.Fetch] reads a texel without a sampler; QuerySize, QueryLevels
// and QuerySamples ask about the view. Storage images are [ImageView.Load],
// [ImageView.Store] and [ImageView.Atomic], texel buffers [Descriptor.LoadTexel],
// [Descriptor.StoreTexel], [Descriptor.AtomicTexel] and [Descriptor.NumTexels].
// A nil view, sampler or format reads 0. Components are words as [Format.Unpack]
// gives them: bits of 32-bit floats, or integers. Sampling follows the Vulkan 1.3 specification, chapter
// Image Operations, at more precision than it asks for: coordinates and weights
// are computed with 64-bit floats and not rounded to subtexels.
//
// A core implements [Program] and [Wave]. emu creates waves from a [Launch],
// runs them until they end or meet a barrier, and reads what they left in
// Launch.Out and in memory.
package emu

import (
	"errors"
	"iter"
	"math/bits"

	"nirc/backend/layout"
	"nirc/ir"
)

// MaxLanes is the largest number of lanes in a wave of any core.
const MaxLanes = 128

// Mask is a set of lanes of one wave: lane l is bit l%64 of word l/64.
type Mask [MaxLanes / 64]uint64

// Get reports whether lane l is in the set.
func (m *Mask) Get(l int) bool { return m[l>>6]>>(l&63)&1 != 0 }

// Set puts lane l into the set.
func (m *Mask) Set(l int) { m[l>>6] |= 1 << (l & 63) }

// Clear takes lane l out of the set.
func (m *Mask) Clear(l int) { m[l>>6] &^= 1 << (l & 63) }

// Lanes goes through the lanes of the set as it is at the start, from the first to the last.
func (m *Mask) Lanes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range *m {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 | bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Any reports whether the set has a lane.
func (m *Mask) Any() bool { return m[0]|m[1] != 0 }

// Program is one shader stage, decoded and ready to run. It is immutable and
// may be used by several goroutines at once.
type Program interface {
	Stage() ir.Stage
	// WaveSize is the number of lanes of a wave: 1 on Midgard, 32 on AGX, 64
	// or 128 on Adreno.
	WaveSize() int
	// WorkgroupSize is the compute workgroup's size in invocations.
	WorkgroupSize() [3]uint32
	// SharedSize is the workgroup memory in bytes.
	SharedSize() uint32
	// IO says which slots the stage reads and writes and how.
	IO() *StageIO
	// NewWave makes a wave about to start. The wave keeps l until it ends.
	NewWave(l *Launch) Wave
}

// Wave is one wave in flight.
type Wave interface {
	// Run executes until the wave ends (StatusDone), all its live lanes stand at
	// a workgroup barrier (StatusBarrier; the next Run goes on after it), or
	// about fuel instructions have run (StatusYield). An error is final: it
	// says what the program did wrong and where.
	Run(fuel int) (Status, error)
}

// Status is how a Run of a wave ended.
type Status uint8

// The ways a Run ends.
const (
	StatusDone Status = iota
	StatusBarrier
	StatusYield
)

// ErrTimeout is returned by dispatches and draws whose invocations did not
// end within the instruction budget.
var ErrTimeout = errors.New("emu: shader did not end within its instruction budget")

// InputSlot describes one input slot of a stage.
type InputSlot struct {
	Slot   ir.Slot // vertex stage: attribute slot; later stages: varying slot
	Mask   uint8   // components read
	Interp ir.Interp
	// Bits is the size of a component: 16 takes halves and short integers in
	// the low half of each word; 0 and 32 take words. 64-bit attributes follow
	// from their format.
	Bits uint8
}

// OutputSlot describes one output slot of a stage.
type OutputSlot struct {
	Slot ir.Slot
	Mask uint8 // components written
	// Index is 1 for the second source of dual-source blending.
	Index uint8
	Patch bool
	// PerPrimitive: a mesh shader has it for each primitive, Once for each workgroup; else for each vertex.
	PerPrimitive, Once bool
	// Bits is 16 when the components are halves or short integers in the low
	// half of their words; 0 and 32 are words.
	Bits uint8
}

// StageIO is the interface of a stage towards the fixed-function stages.
type StageIO struct {
	Inputs  []InputSlot
	Outputs []OutputSlot
	// LinearTimesW: inputs without perspective are those outputs of the stage before times w, for the hardware interpolates
	// with perspective alone and the program takes w back (fragment stage).
	LinearTimesW bool
	// Fragment stage.
	UsesDiscard, WritesMemory, EarlyFragmentTests, PerSample, NeedsQuads bool
	WritesDepth, WritesStencil, WritesSampleMask                         bool
	// PostDepthCoverage: the mask of covered samples is what early tests have left.
	PostDepthCoverage bool
	// SampleDepths: slot SlotDepth has a depth for each sample, up to four; else one for all.
	SampleDepths bool
	// TileStores: the program blends and masks its colours itself, each sample that it shades by
	// its own loop if need be, and leaves them in Launch.Tile. TileLoads: it reads the attachments while it runs, so
	// no wave may hold two fragments of a pixel. Waits: it waits for the older fragments of its pixels for
	// another reason, with the same effect.
	TileStores, TileLoads, Waits bool
	// ReadsDepth: it reads depth or stencil while it runs, so that those are tested and written after it unless it asks for early tests.
	ReadsDepth bool
	// InOrder: the driver has the hardware start no fragment before the older ones of its pixel have retired.
	InOrder bool
	// WindowPosition: SlotPos is the position in the window, after the viewport
	// transform, with 1/w in place of w (last pre-rasterisation stage).
	WindowPosition bool
	// ClipDistances and CullDistances count the components in use, clip first,
	// cull appended (last pre-rasterisation stage).
	ClipDistances, CullDistances uint8
	// TestsClip and TestsCull count the distances that the stage stores and the fragment program
	// has to test, for the fixed functions do not know of them.
	TestsClip, TestsCull uint8
	// NoDistances names those, by number, that are declared but clip and cull nothing, for nobody
	// writes them.
	NoDistances uint8
	// Tessellation and geometry stages; their meaning is Vulkan's.
	Tess TessIO
	Geom GeomIO
	Mesh ir.MeshInfo
	// Captures is what transform feedback takes of the stage, if it is the last
	// before the rasteriser, and XfbStrides the bytes of a vertex in each
	// buffer.
	Captures   []ir.Capture
	XfbStrides [ir.NumXfbBuffers]uint32
	// OwnFeedback: the stage, of geometry, writes what Captures says to
	// Launch.Feedback itself.
	OwnFeedback bool
}

// TessIO holds the execution modes of the tessellation stages.
type TessIO = ir.TessInfo

// GeomIO holds the execution modes of the geometry stage.
type GeomIO = ir.GeomInfo

// Vec4 is one slot's value as raw 32-bit words. 16-bit values stand in the
// low half of their word; a 64-bit value takes two words.
type Vec4 [4]uint32

// Slots holds one lane's (or one vertex's) outputs by slot number.
type Slots [ir.NumVaryingSlots]Vec4

// Launch is everything a new wave gets. Slices indexed by lane have at least
// NumLanes entries. Only the fields of the wave's stage are set.
type Launch struct {
	Env *Env
	// NumLanes is how many lanes of the wave exist (at most WaveSize); lanes of
	// a fragment wave come in quads: lanes 4q..4q+3 are one 2x2 quad, in the
	// order (0,0) (1,0) (0,1) (1,1).
	NumLanes int
	// Check asks the core for its checking mode: hazards and missing
	// synchronisation that hardware would punish are errors.
	Check bool
	// Approx is the seed of what approximate operations make of their results ([Approx.At]), the
	// same in all waves of a draw or dispatch; 0: exact, rounded results.
	Approx uint64
	// Seed is the seed of what the wave finds where nothing was written (Garbage), another
	// for each wave; 0: zeros.
	Seed uint64
	// swap puts other garbage in place of some; nil: none.
	swap *swap
	// Pixels is what a fragment wave waits for that runs beside others; nil if it runs alone.
	Pixels *PixelOrder
	// Races takes the accesses of compute and fragment waves in checking mode, and those to outputs that invocations of
	// tessellation control or mesh shaders share; nil if nobody looks.
	Races *WaveRaces

	// Draw is the pipeline of a draw's waves, tessellation control's left out: for cores whose
	// programs fetch vertices or blend, or place varyings as the fragment program reads them.
	Draw *Pipeline

	// Capture is for the waves of Pipeline.Capture.
	Capture *CaptureLaunch

	// Viewport is the viewport transform of vertex waves of a draw, for programs with
	// StageIO.WindowPosition.
	Viewport *ViewportTransform

	Compute  *ComputeLaunch
	Vertex   []VertexLane
	Fragment []FragmentLane
	TessCtrl []TessCtrlLane
	TessEval []TessEvalLane
	Geometry []GeometryLane
	Rays     []RayLane
	// Feedback is the transform feedback of geometry waves with StageIO.OwnFeedback,
	// nil if there is none.
	Feedback *Feedback

	// Inputs[lane][slot]: the stage's input slots of vertex lanes (fetched and
	// converted attributes by location, four 32-bit words each). Fragment lanes
	// have theirs in FragmentLane.Prim.
	Inputs [][]Vec4
	// Out is written by the core when lanes end: Out[lane] holds the output
	// slots (varying slots, or fragment result slots). In dual-source blending
	// the second source is result slot SlotData0+7. Tessellation control and
	// geometry lanes write to their Patch and Emitted instead.
	Out []Slots
	// Tile are the colours of fragment lanes with StageIO.TileStores, appended by
	// the core in the order of the lanes.
	Tile []TileStore
	// Ran is set by the core when a Run ends the wave or stands at a barrier: how many instructions
	// that Run ran, 0 if the core does not say.
	Ran int
	// Live is set by the core at the end of fragment lanes: those that were neither discarded nor demoted. Of other
	// stages it says nothing.
	Live Mask
}

// ViewportTransform is what x/w, y/w and z/w of a position are multiplied by, and what is
// added then: by the first viewport.
type ViewportTransform struct{ Scale, Offset [3]float32 }

// ComputeLaunch is the part of a launch that compute waves share.
type ComputeLaunch struct {
	// WorkgroupID counts from 0 in each dispatch, as hardware does. The
	// application's id is BaseWorkgroupID more.
	WorkgroupID, NumWorkgroups, BaseWorkgroupID [3]uint32
	// LocalID of each lane; lane order is LocalInvocationIndex order.
	LocalID [][3]uint32
	// Shared is the workgroup's memory, shared by all its waves.
	Shared                    []byte
	SubgroupID, NumSubgroups  uint32
	FirstLocalInvocationIndex uint32
	// Mesh is what task and mesh shaders have besides, nil of others.
	Mesh *MeshGroup
}

// VertexLane is one vertex shader invocation.
type VertexLane struct {
	VertexIndex   uint32 // Vulkan's: includes the base vertex or vertex offset
	InstanceIndex uint32 // Vulkan's: includes the first instance
	BaseVertex    uint32
	BaseInstance  uint32
	DrawIndex     uint32
	ViewIndex     uint32
	IsIndexed     bool
}

// FragmentLane is one fragment shader invocation.
type FragmentLane struct {
	Prim *Primitive
	X, Y int32 // pixel
	// SampleID is the sample that this invocation shades, or -1 when it shades
	// the pixel.
	SampleID int32
	// Coord is FragCoord: x, y (centre or sample position), z, 1/w.
	Coord [4]float32
	// Coverage is SampleMaskIn.
	Coverage uint32
	// ShadingRate is gl_ShadingRateEXT. Draws shade each pixel, so that it is 0 there.
	ShadingRate uint32
	Helper      bool
	// Barycentrics (i, j) with value = v0 + i*(v1-v0) + j*(v2-v0), v0..v2 being
	// Prim's vertices in order. Index by BaryPixel, BaryCentroid, BarySample.
	Persp, Linear [3][2]float32
}

// Indices into FragmentLane.Persp and Linear.
const (
	BaryPixel = iota
	BaryCentroid
	BarySample
)

// Primitive is what the fragments of one primitive share.
type Primitive struct {
	// V are the outputs of the last pre-rasterisation stage at the vertices: 3 of
	// a triangle; a line repeats its last, a point its only vertex.
	V [3]*Slots
	// Provoking is the index into V of the vertex that flat inputs come from.
	Provoking int
	// FrontFacing as gl_FrontFacing; points and lines are front facing.
	FrontFacing bool
	PrimitiveID uint32
	Layer       uint32
	Viewport    uint32
	ViewIndex   uint32
	// OfView: Layer is that of a view (Pipeline.ViewMask), which no stage names.
	OfView bool
	// Depth evaluates the depth at a window position.
	Depth func(x, y float32) float32
	// Bary evaluates the barycentrics at a window position.
	Bary func(x, y float32, persp bool) (i, j float32)
	// PointCoord evaluates gl_PointCoord at a window position; nil unless a point.
	PointCoord func(x, y float32) (s, t float32)
	// SamplePos gives the position of sample n inside the pixel, [0,1).
	SamplePos func(n int) (x, y float32)
	// SubgroupHint is not used by fixed function; cores may ignore it.
	Samples int
}

// Env is the device as a wave sees it.
type Env struct {
	Mem *Memory
	// Bindings resolves descriptors.
	Bindings *Bindings
	// Layout is the pipeline layout, by which the tables of descriptors are filled: one for all
	// stages. nil stands for the layout that follows from binding numbers alone.
	Layout *layout.Layout
	// Push is the push constant block, zero-padded by reads beyond its end.
	Push []byte
	// ClipPlanes are user clip planes, for shaders that compute the distances of
	// their position to them; Vulkan has none.
	ClipPlanes [8][4]float32
}
