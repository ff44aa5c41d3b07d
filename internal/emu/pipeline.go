package emu

import "nirc/ir"

// Topology is how vertices form primitives, with Vulkan's names and order.
type Topology uint8

// Topologies. The adjacency forms drop their adjacent vertices when there is
// no geometry stage.
const (
	PointList Topology = iota
	LineList
	LineStrip
	TriangleList
	TriangleStrip
	TriangleFan
	LineListAdjacency
	LineStripAdjacency
	TriangleListAdjacency
	TriangleStripAdjacency
	PatchList
)

// VertexBinding is a vertex buffer and how the draw steps through it.
type VertexBinding struct {
	// Binding is the number that attributes refer to.
	Binding uint32
	// Data is the buffer from the binding's offset to its end.
	Data []byte
	// Stride is the distance of elements in bytes; 0 repeats the first.
	Stride uint32
	// Instance steps once an instance instead of once a vertex.
	Instance bool
	// Divisor is how many instances share an element; 0 reads the first
	// instance's element for all when DivisorSet, else it counts as 1.
	Divisor    uint32
	DivisorSet bool
}

// VertexAttribute is an input of the vertex stage.
type VertexAttribute struct {
	// Location is the input's location; 64-bit formats of more than two
	// components fill the next one too.
	Location uint32
	// Binding names the buffer.
	Binding uint32
	Format  *Format
	// Offset is the attribute's byte offset inside an element.
	Offset uint32
}

// IndexBuffer is the index source of a draw.
type IndexBuffer struct {
	// Data is the buffer from the bound offset to its end. Indices read beyond
	// it are 0.
	Data []byte
	// Bytes is the size of an index: 1, 2 or 4.
	Bytes int
}

// Viewport is Vulkan's: a negative Height flips y.
type Viewport struct {
	X, Y, Width, Height, MinDepth, MaxDepth float32
}

// Rect is a rectangle of pixels.
type Rect struct {
	X, Y, Width, Height int
}

// PolygonMode is how polygons are rasterised.
type PolygonMode uint8

// Polygon modes.
const (
	PolygonFill PolygonMode = iota
	PolygonLine
	PolygonPoint
)

// CullMode is a set of faces that are not drawn.
type CullMode uint8

// Cull modes.
const (
	CullNone  CullMode = 0
	CullFront CullMode = 1
	CullBack  CullMode = 2
	CullBoth  CullMode = 3
)

// RasterState is Vulkan's rasterization state.
type RasterState struct {
	Polygon PolygonMode
	Cull    CullMode
	// FrontClockwise makes clockwise triangles front facing.
	FrontClockwise bool
	// Discard drops everything before rasterisation.
	Discard bool
	// DepthClamp clamps depth to the viewport's range instead of clipping.
	DepthClamp bool
	// DepthUnrestricted lets floating point depths be outside 0..1, as
	// VK_EXT_depth_range_unrestricted does.
	DepthUnrestricted bool
	// DepthBias adds Constant units of the depth format's resolution and Slope
	// times the largest slope, limited by Clamp unless that is 0.
	DepthBias                          bool
	BiasConstant, BiasClamp, BiasSlope float32
	// LineWidth in pixels; 0 counts as 1.
	LineWidth float32
	// LineBresenham draws lines of width 1 by the diamond-exit rule, one pixel
	// a step along the major axis, instead of as rectangles.
	LineBresenham bool
	// ProvokingLast takes flat inputs from the last vertex instead of the first.
	ProvokingLast bool
	// DepthMinusOneToOne clips z to -w..w (VK_EXT_depth_clip_control).
	DepthMinusOneToOne bool
}

// MultisampleState is Vulkan's multisample state.
type MultisampleState struct {
	// Samples a pixel: 1, 2, 4, 8 or 16; 0 takes the attachments' count.
	Samples int
	// SampleShading runs the fragment stage once a sample.
	SampleShading bool
	// Mask limits the samples that are written; nil is all.
	Mask                        *uint32
	AlphaToCoverage, AlphaToOne bool
}

// CompareOp is Vulkan's comparison of a new value with a stored one.
type CompareOp uint8

// Comparisons.
const (
	CompareNever CompareOp = iota
	CompareLess
	CompareEqual
	CompareLessOrEqual
	CompareGreater
	CompareNotEqual
	CompareGreaterOrEqual
	CompareAlways
)

// StencilOp is what happens to a stencil value.
type StencilOp uint8

// Stencil operations.
const (
	StencilKeep StencilOp = iota
	StencilZero
	StencilReplace
	StencilIncrementClamp
	StencilDecrementClamp
	StencilInvert
	StencilIncrementWrap
	StencilDecrementWrap
)

// StencilFace is the stencil state of front or back faces.
type StencilFace struct {
	Fail, Pass, DepthFail             StencilOp
	Compare                           CompareOp
	CompareMask, WriteMask, Reference uint32
}

// DepthState is Vulkan's depth and stencil state.
type DepthState struct {
	Test, Write          bool
	Compare              CompareOp
	BoundsTest           bool
	MinBounds, MaxBounds float32
	StencilTest          bool
	Front, Back          StencilFace
}

// WriteAll writes all four components of a colour attachment.
const WriteAll = 15

// AttachmentBlend is the blend state of one colour attachment.
type AttachmentBlend struct {
	Enable             bool
	SrcColor, DstColor ir.BlendFactor
	ColorOp            ir.BlendOp
	SrcAlpha, DstAlpha ir.BlendFactor
	AlphaOp            ir.BlendOp
	// WriteMask has bit c set when component c is written.
	WriteMask uint8
}

// BlendState is Vulkan's colour blend state.
type BlendState struct {
	LogicEnable bool
	Logic       ir.LogicOp
	Constants   [4]float32
	// Attachments by colour attachment; those missing write all components
	// without blending.
	Attachments []AttachmentBlend
}

// Attachment is a render target.
type Attachment struct {
	// View is what is drawn to; nil leaves the slot unused.
	View *ImageView
	// Resolve, unless nil, receives the resolved samples after the draw.
	Resolve *ImageView
}

// Pipeline is everything a draw needs besides its counts. A draw does not
// change it, so several draws may share one.
type Pipeline struct {
	Vertex, TessCtrl, TessEval, Geometry, Fragment Program
	// Capture is the program of the vertex shader that writes transform feedback, on hardware where that
	// is another than the one that draws; nil: the last stage's outputs are captured.
	Capture Program
	// Env is what all stages see.
	Env *Env

	Topology           Topology
	PrimitiveRestart   bool
	PatchControlPoints int
	Bindings           []VertexBinding
	Attributes         []VertexAttribute

	// Viewports and Scissors by viewport index. No viewport means one covering
	// the whole area with depth 0..1; no scissor, no limit.
	Viewports []Viewport
	Scissors  []Rect
	// Area limits drawing; zero is the size of the attachments, and must be
	// set when there is none.
	Area Rect
	// Layer is the layer that primitives go to which name none: hardware that has a layer at a
	// time draws so.
	Layer uint32
	// ViewMask draws once for each of its bits, to that layer (multiview).
	ViewMask uint32

	Raster      RasterState
	Multisample MultisampleState
	Depth       DepthState
	Blend       BlendState

	Color        []Attachment
	DepthStencil Attachment
}

// DrawStats counts what a draw did; a hook for queries and tests.
type DrawStats struct {
	// VertexInvocations and FragmentInvocations leave helper lanes out.
	VertexInvocations, FragmentInvocations uint64
	// Primitives assembled, and those left after clipping and culling.
	Primitives, PrimitivesDrawn uint64
	// SamplesPassed is Vulkan's occlusion count.
	SamplesPassed uint64
	Waves         uint64
}

// Limits bounds the work of a dispatch or draw.
type Limits struct {
	// Budget is the number of instructions, counted once for each lane of a
	// wave, that all waves together may run; 0 is DefaultBudget.
	Budget uint64
	// Check asks for the checking mode: the cores report what hardware would punish; memory,
	// registers and outputs that nothing wrote hold garbage instead of zeros; waves and
	// workgroups run in changing orders.
	Check bool
	// Seed chooses the garbage, the orders and the errors of approximate operations; 0 is some seed.
	Seed uint64
	// Exact rounds the results of approximate operations in checking mode too, for those who
	// compare them with another core's.
	Exact bool
}

// DefaultBudget is the instruction budget of a dispatch or draw.
const DefaultBudget = 1 << 33

// DrawParams are the parameters of one draw.
type DrawParams struct {
	Limits
	// VertexCount vertices (or indices) from FirstVertex (or first index).
	VertexCount, FirstVertex uint32
	// InstanceCount instances from FirstInstance; 0 draws nothing.
	InstanceCount, FirstInstance uint32
	// Index, unless nil, makes the draw indexed; VertexOffset is added to each
	// index.
	Index        *IndexBuffer
	VertexOffset int32
	DrawIndex    uint32
	// Feedback, unless nil, takes what transform feedback captures.
	Feedback *Feedback
	// Stats, unless nil, is added to.
	Stats *DrawStats
}

// DispatchParams are the parameters of one dispatch.
type DispatchParams struct {
	Limits
	// Groups is the number of workgroups, Base the first's id (vkCmdDispatchBase).
	Groups, Base [3]uint32
	// Parallel is how many goroutines share the workgroups; 0 and 1 run them
	// in order, so that results are the same every time.
	Parallel int
	// Stats, unless nil, is added to.
	Stats *DispatchStats
}

// DispatchStats counts what a dispatch did.
type DispatchStats struct {
	Workgroups, Waves, Invocations uint64
}
