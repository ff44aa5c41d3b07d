// Package abi holds what an AGX binary says about itself: which registers
// values arrive in and leave in, what the driver puts into the uniform
// registers, which coefficient register, output word or state register stands
// for what. The code generator writes a [Meta] beside the code, package core
// reads it (and plays the driver); both see the shader through this and nothing
// else. All types are plain data that encoding/json carries unchanged. The
// conventions follow agx.md §11; where it leaves a
// choice to the driver, this package makes it.
//
// # Registers
//
// Register positions are half indices: 2n is the low half of rn (or un), 2n+1
// the high half. 32-bit values stand at even ones.
//
// At the start of a vertex shader r5 holds the vertex index (base vertex
// included), r6 the instance index (base instance included); the attributes
// of Meta.Attribs stand where they say, customarily from r8 on, four registers
// each. A fragment shader with PerSample finds in r1l the mask of the sample
// that it shades (1 << sample id); the driver runs it once a sample. Nothing
// else is defined at the start: r0l must be zeroed before the first
// control-flow instruction. Compute shaders read special registers.
//
// # Vertex shaders that run as compute
//
// With Meta.Next the shader runs as compute, on a grid of (vertices, instances, 1) invocations
// that the driver may cut into workgroups as it likes, for what follows reads
// the vertices from memory. r4 holds the vertex counted from 0 in its instance; r5, r6 and the
// attributes are as above: a prolog makes them of the place in the grid, the index buffer
// (UniformAssembly), base vertex and base instance. The vertex leaves its outputs in record
// instance*UniformGridVertices + vertex of those at UniformRecords: 16 bytes for each slot
// of Meta.Record; components that the shader does not write stay as they were.
//
// # Tessellation
//
// A tessellation control shader runs as compute, on a grid of (patches, instances, 1)
// workgroups of WorkgroupSize lanes, one for each output vertex. It reads the vertices of patch
// p from the records at UniformRecords, from instance*UniformGridVertices +
// p*UniformPatchVertices on, in which the slots of UniformRecordSlots stand (a bit a slot,
// ascending, 16 bytes each), and leaves patch instance*UniformPatchCount + p of those at
// UniformPatches, PatchWords(PatchSlots, len(Record), WorkgroupSize[0]) words each.
//
// A tessellation evaluation shader is a vertex shader without attributes of the hardware: r5
// is its vertex index (PatchShift), with UniformPatches, UniformPatchRecord,
// UniformPatchSlots and UniformPatchVertices it finds the vertices of the patch, whose point
// is UniformPatchPoints[patch] + point of those at UniformTessPoints. With Meta.Next it runs as
// compute and leaves record r4 of those at UniformRecords.
//
// # Geometry
//
// A geometry shader is up to three programs, one behind the other in the code. A unit is an
// invocation of a primitive: number (instance*UniformPrimitives + primitive)*Invocations +
// invocation. The count program and the main program run as compute, a lane a unit, on a grid
// of (UniformPrimitives*Invocations, instances, 1) that the driver may cut as it likes.
//
// Both read the vertices of primitive p from the records at UniformRecords, from
// instance*UniformGridVertices on, in which the slots of UniformRecordSlots stand, as
// UniformTopology says of p; a draw with primitive restart must be unrolled before. The count
// program leaves CountWords words of each unit at UniformCounts; the driver puts the sum of
// those of the units before in the place of each. Without a count program all units have
// the words of Geometry.Counts, and nothing is read at UniformCounts. The main program does
// what the shader does to memory; it writes the index buffer at UniformIndices, a word for
// each vertex of stream 0 and a Restart behind each strip, and the transform feedback of the
// primitives for which there is room (UniformXfbLimit0 and further). The words of a unit begin
// where the sum says.
//
// A word is unit << VertexShift | vertex, counted over all streams. That is r5 of the raster
// program, a vertex shader without attributes of the hardware, which runs the shader again
// and keeps that vertex. Where running it again would not give the same, the main program leaves
// the slots of Geometry.Vertices of the vertex with that word as number at UniformVertices.
//
// # Parts
//
// With [PartMain] a shader is the main part of a program of the separate ABI:
// the linker puts a prolog in front, which fetches the attributes to where
// Meta.Attribs says, and an epilog behind, which blends Meta.Results into the
// tile. A program so linked (PartLinked) has Tile instead of Results, and runs its
// own loop over the samples. Its code fetches attributes through UniformAttribAddr.
//
// # Ends
//
// A vertex shader leaves its outputs by st_var, the words of the record being
// described by Meta.Varyings. A fragment shader leaves its results in
// registers (Meta.Results) for the epilog that the driver appends, which makes
// depth, stencil, blending and tile stores; or stores to the tile itself
// (Meta.Tile). It discards with sample_mask. Code ends with stop and traps.
//
// # Resources
//
// Buffers are reached by address: of a fixed binding (UniformBufferAddr,
// UniformBufferSize), or from the descriptor table for indices that are only
// known at run time. Nothing checks bounds but the shader. Where it finds an
// access out of bounds it clears the high word of the address: nothing is ever
// mapped in the low 64 GiB, where loads give 0 and stores vanish. Textures and images
// stand in state registers or in the heap, samplers in state registers or in a heap of
// their own; a storage image has an entry for
// texture_load and one for image_write, and code that wants sizes loads the
// heap's descriptors (agx.md §8.6): sizes are those of level 0 of
// the image, texel buffers have their number of elements in the word at byte
// 16. Image atomics take their address from there too (HeapAtomicOffset).
// The write descriptor of a multisampled image sees a 2D image as many times
// as wide as a pixel has samples, those of a pixel side by side.
// A texel buffer is a 2D texture of width 16384. Samplers carry their LOD
// bias, so shaders do not add it.
package abi

import (
	"errors"
	"fmt"
	"math/bits"

	"nirc/backend/agx/isa"
	"nirc/ir"
)

// Fixed half indices.
const (
	GridVertexReg = 2 * 4 // r4, 32 bits: the vertex of the grid, with Meta.Next
	VertexIDReg   = 2 * 5 // r5, 32 bits
	InstanceIDReg = 2 * 6 // r6, 32 bits
	// AttribReg is the customary place of attribute 0; attribute i is 8*i halves
	// behind it.
	AttribReg = 2 * 8
	// SampleMaskReg is r1l: the samples being shaded, with PerSample.
	SampleMaskReg = 2 * 1
	// Customary places of fragment results: r2 depth, r3l stencil, r3h sample
	// mask, colour i from r4(i+1) on.
	DepthReg      = 2 * 2
	StencilReg    = 2 * 3
	SampleOutReg  = 2*3 + 1
	ColorReg      = 2 * 4
	ColorRegStep  = 2 * 4
	UserWord      = 4 // first word of user varyings in the output record
	NumUniforms   = 512
	NumRegs       = 256
	MaxTileOffset = 511
	// CullSlot0 and the slot behind it are varyings that stand for cull distances: component k
	// is 1.0 where distance k is not negative, else 0.0. They are no slots of the IR.
	CullSlot0 ir.Slot = 30
)

// Meta describes one shader binary.
type Meta struct {
	Stage ir.Stage `json:"stage"`
	// Part says which part of a program the code is; "" is a whole one that was
	// compiled as such, PartLinked one that was linked from parts.
	Part Part `json:"part,omitempty"`
	// CodeSize is the length of a part's main program, behind which the next
	// part may follow.
	CodeSize uint32 `json:"code_size,omitempty"`
	// Entry is the byte offset of the main program in the code. A preamble, if
	// HasPreamble, starts at Preamble: the driver runs it before the main
	// program with the same uniforms; what it stores to uniforms stays.
	Entry       uint32 `json:"entry,omitempty"`
	HasPreamble bool   `json:"has_preamble,omitempty"`
	Preamble    uint32 `json:"preamble,omitempty"`
	// Samples is the number of samples of a pixel that an epilog or a linked
	// fragment program serves.
	Samples int `json:"samples,omitempty"`
	// Halves and PreambleHalves are the register halves that the programs use:
	// the highest one plus 1.
	Halves         int `json:"halves"`
	PreambleHalves int `json:"preamble_halves,omitempty"`
	// UniformHalves is the highest uniform half in use, plus 1, preamble results
	// included.
	UniformHalves int `json:"uniform_halves,omitempty"`
	// ScratchSize and PreambleScratch are the bytes of stack a lane that the
	// programs address.
	ScratchSize     uint32 `json:"scratch_size,omitempty"`
	PreambleScratch uint32 `json:"preamble_scratch,omitempty"`
	SharedSize      uint32 `json:"shared_size,omitempty"` // bytes a workgroup
	// WorkgroupSize of a compute shader.
	WorkgroupSize [3]uint32 `json:"workgroup_size"`

	UsesBarrier        bool `json:"uses_barrier,omitempty"`
	UsesDiscard        bool `json:"uses_discard,omitempty"`
	WritesMemory       bool `json:"writes_memory,omitempty"`
	NeedsQuads         bool `json:"needs_quads,omitempty"`
	EarlyFragmentTests bool `json:"early_fragment_tests,omitempty"`
	PerSample          bool `json:"per_sample,omitempty"`
	// ClipDistances counts components of a vertex stage, CullDistances those of CullSlot0 and
	// the slot behind it: what drops the fragments is the fragment program.
	ClipDistances uint8 `json:"clip_distances,omitempty"`
	CullDistances uint8 `json:"cull_distances,omitempty"`

	Uniforms []Uniform `json:"uniforms,omitempty"`
	// Attribs are the inputs of a vertex shader.
	Attribs []Attrib `json:"attribs,omitempty"`
	// Varyings are the outputs of a vertex shader.
	Varyings []Varying `json:"varyings,omitempty"`
	// Next is the stage behind a vertex or tessellation evaluation shader that runs as
	// compute, because what follows does: tessellation control or geometry. Record are then
	// its outputs.
	Next ir.Stage `json:"next,omitempty"`
	// Record lists the slots of the record that a vertex is stored to, ascending, four
	// words each: of a vertex shader with Next, of a tessellation control shader.
	Record []ir.Slot `json:"record,omitempty"`
	// PatchSlots is the number of slots from SlotPatch0 on that a patch has behind its
	// tessellation levels (tessellation control).
	PatchSlots int `json:"patch_slots,omitempty"`
	// Tess are the execution modes of tessellation shaders, those that this stage declares.
	Tess *Tess `json:"tess,omitempty"`
	// Reads lists the slots that a tessellation or geometry shader reads of vertices.
	Reads []ir.Slot `json:"reads,omitempty"`
	// Feedback is what transform feedback takes of a vertex or tessellation evaluation shader. A
	// geometry shader behind it writes that.
	Feedback *Feedback `json:"feedback,omitempty"`
	// Geometry says what a geometry shader consists of; the rest of the Meta then is that
	// of its main program.
	Geometry *Geometry `json:"geometry,omitempty"`
	// LayerViewportWord is the output word that holds layer | viewport << 16; 0
	// or NoWord if neither is written.
	LayerViewportWord int `json:"layer_viewport_word,omitempty"`
	// Coefs are the coefficient registers of a fragment shader.
	Coefs []Coef `json:"coefs,omitempty"`
	// AlphaOne tells that alpha of colour 0 is always One and in no register,
	// whatever Results says (main parts).
	AlphaOne bool `json:"alpha_one,omitempty"`
	// Results and Tile are the outputs of a fragment shader.
	Results []Result     `json:"results,omitempty"`
	Tile    []TileTarget `json:"tile,omitempty"`

	// Table lists the buffers of the descriptor table (UniformTable).
	Table []TableRange `json:"table,omitempty"`
	// States are texture and sampler state registers; Heap lists what the
	// descriptor heap (UniformHeap) holds.
	States []State     `json:"states,omitempty"`
	Heap   []HeapRange `json:"heap,omitempty"`
	// Samplers lists what the sampler heap holds, which instructions with a
	// sampler index in a register read: element e of a binding is entry First + e.
	Samplers []HeapRange `json:"samplers,omitempty"`
	// ConstData is read through the address that UniformConstData gives.
	ConstData []byte `json:"const_data,omitempty"`
}

// Tess holds the execution modes of a tessellation shader.
type Tess struct {
	OutputVertices uint32 `json:"output_vertices,omitempty"`
	Domain         uint8  `json:"domain,omitempty"`  // 0 none, 1 triangles, 2 quads, 3 isolines
	Spacing        uint8  `json:"spacing,omitempty"` // 0 equal, 1 fractional even, 2 fractional odd
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

// Part is a part of a program of the separate ABI
// (agx.md §11.4). The linker puts prolog, main part and epilog behind each other; they
// hand values on in registers, and have places of their own among the first uniforms.
type Part string

// Parts.
const (
	PartWhole  Part = ""
	PartProlog Part = "prolog"
	PartMain   Part = "main"
	PartEpilog Part = "epilog"
	PartLinked Part = "linked"
)

// Uniforms of the separate ABI. A vertex shader of n attributes has the
// address of attribute i at half 4i, its clamp at 4n + 2i, base vertex, base
// instance and draw index at 6n, 6n + 2 and 6n + 4, and what is its own from 6n + 5
// on. A fragment shader has the address of the heap of render targets at half 0, the
// blend constant at 4, the root descriptor at 12, and its own from 16 on.
const (
	BlendConstHalf = 4
	FragmentHalves = 16
)

// One is 1 as a 32-bit float.
const One = 0x3f800000

// VertexHalves is the number of uniform halves that belong to the parts of a
// vertex shader with n attributes, GridHalves that of one that runs as compute: behind
// three halves of padding it has the address of the input assembly block.
func VertexHalves(n int) int { return 6*n + 5 }

// GridHalves: see VertexHalves.
func GridHalves(n int) int { return AssemblyHalf(n) + 4 }

// AssemblyHalf is where UniformAssembly stands with n attributes.
func AssemblyHalf(n int) int { return 6*n + 8 }

// The input assembly block is what the prolog of a vertex shader that runs as compute
// knows of an indexed draw: the address of the draw's first index, and the number of
// indices from there on that are in the index buffer. Those beyond are 0.
const (
	AssemblyIndices = 0 // 64 bits
	AssemblyRange   = 8 // 32 bits
	AssemblySize    = 16
)

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
// point, both counted from 0. A point is two words, u and v with PointShift bits behind
// the point.
const (
	PatchShift = 13
	PointShift = 16
)

// WaveSize is the number of lanes of a SIMD-group, maxWorkgroup that of a workgroup at most.
const (
	WaveSize     = 32
	maxWorkgroup = 1024
)

// UniformKind is what the driver puts into a uniform register.
type UniformKind uint8

// Uniform contents. 64-bit addresses take four halves, words two.
const (
	UniformNone            UniformKind = iota
	UniformWords                       // Words, promoted constants
	UniformPush                        // Size bytes of push constants from byte Offset on
	UniformBufferData                  // Size bytes of buffer (Set, Binding, Element) from byte Offset on
	UniformBufferAddr                  // address of the buffer (Set, Binding, Element)
	UniformBufferSize                  // its size in bytes, one word, at most 2^32-1
	UniformTable                       // address of the descriptor table
	UniformHeap                        // address of the texture descriptor heap
	UniformConstData                   // address of ConstData
	UniformPushAddr                    // address of the push constant block
	UniformNumWorkgroups               // 3 words
	UniformBaseWorkgroup               // 3 words
	UniformNumSubgroups                // word: subgroups of a workgroup
	UniformBaseVertex                  // word
	UniformBaseInstance                // word
	UniformDrawID                      // word
	UniformViewIndex                   // word
	UniformIsIndexed                   // word: 0 or ~0
	UniformSamplePositions             // Size bytes: x and y in [0, 1) of each sample, floats
	UniformAttribAddr                  // address of attribute slot Element at element 0
	UniformAttribClamp                 // word: its last element; the address is 0 if it has none
	UniformBlendConst                  // 4 words, floats
	UniformAssembly                    // address of the input assembly block, see AssemblyIndices
	UniformRecords                     // address of the records that vertices are stored to
	UniformGridVertices                // word: vertices of an instance of the draw
	UniformRecordSlots                 // 2 words: bit s tells that the records at UniformRecords have slot s
	UniformPatchVertices               // word: vertices of the patch that the stage reads
	UniformPatchCount                  // word: patches of an instance of the draw
	UniformPatches                     // address of the patches that tessellation control leaves, see PatchWords
	UniformPatchRecord                 // 2 words: bit s tells that the vertices of those patches have slot s
	UniformPatchSlots                  // word: the PatchSlots of those patches
	UniformPatchPoints                 // address of a word for each patch: its first point
	UniformTessPoints                  // address of the points, see PointShift
	UniformTopology                    // word: input topology of the draw, by Vulkan's number
	UniformPrimitives                  // word: input primitives of an instance of the draw
	UniformPrimitiveIDs                // address of a word for each input primitive: its gl_PrimitiveIDIn; 0: their numbers are
	UniformCounts                      // address of CountWords words for each unit; the main program finds sums there
	UniformIndices                     // address of the index buffer that the main program makes
	UniformVertices                    // address of the vertices that the main program leaves
	UniformXfbBuffer0                  // address in transform feedback buffer 0 from which on the draw writes
	UniformXfbBuffer1
	UniformXfbBuffer2
	UniformXfbBuffer3
	UniformXfbLimit0 // word: primitives of the draw on vertex stream 0 for which there is room
	UniformXfbLimit1
	UniformXfbLimit2
	UniformXfbLimit3
	NumUniformKinds
)

var uniformNames = [...]string{"none", "words", "push", "buffer_data", "buffer_addr", "buffer_size", "table", "heap",
	"const_data", "push_addr", "num_workgroups", "base_workgroup", "num_subgroups", "base_vertex", "base_instance", "draw_id",
	"view_index", "is_indexed", "sample_positions",
	"attrib_addr", "attrib_clamp", "blend_const", "assembly", "records", "grid_vertices",
	"record_slots", "patch_vertices", "patch_count", "patches", "patch_record", "patch_slots", "patch_points", "tess_points",
	"topology", "primitives", "primitive_ids", "counts", "indices", "vertices", "xfb_buffer0", "xfb_buffer1", "xfb_buffer2", "xfb_buffer3",
	"xfb_limit0", "xfb_limit1", "xfb_limit2", "xfb_limit3"}

// String returns the name of the contents.
func (k UniformKind) String() string {
	if int(k) < len(uniformNames) {
		return uniformNames[k]
	}
	return "uniform?"
}

// Uniform is a range of uniform registers that the driver fills before the
// shader (and its preamble) starts.
type Uniform struct {
	Kind UniformKind `json:"kind"`
	// Half is the first half index, even.
	Half    int      `json:"half"`
	Set     uint32   `json:"set,omitempty"`
	Binding uint32   `json:"binding,omitempty"`
	Element uint32   `json:"element,omitempty"`
	Offset  uint32   `json:"offset,omitempty"` // bytes
	Size    uint32   `json:"size,omitempty"`   // bytes, a multiple of 4
	Words   []uint32 `json:"words,omitempty"`
}

// Halves returns the number of uniform halves it fills.
func (u *Uniform) Halves() int {
	switch u.Kind {
	case UniformWords:
		return 2 * len(u.Words)
	case UniformPush, UniformBufferData, UniformSamplePositions:
		return int(u.Size / 2)
	case UniformBufferAddr, UniformTable, UniformHeap, UniformConstData, UniformPushAddr, UniformAttribAddr, UniformAssembly, UniformRecords,
		UniformRecordSlots, UniformPatches, UniformPatchRecord, UniformPatchPoints, UniformTessPoints, UniformPrimitiveIDs, UniformCounts,
		UniformIndices, UniformVertices, UniformXfbBuffer0, UniformXfbBuffer1, UniformXfbBuffer2, UniformXfbBuffer3:
		return 4
	case UniformBlendConst:
		return 8
	case UniformNumWorkgroups, UniformBaseWorkgroup:
		return 6
	case UniformNone:
		return 0
	}
	return 2
}

// The addresses of what is no buffer: the driver's own memory, read-only.
const (
	TableAddr     uint64 = 1 << 48 // descriptor table
	HeapAddr      uint64 = 2 << 48 // texture descriptor heap
	ConstDataAddr uint64 = 3 << 48
	PushAddr      uint64 = 4 << 48 // push constants; zero beyond their end
	// ImageAddr is where images can be reached by atomics: bits 32 to 47 and
	// below say the entry of the heap and the place of the texel, see Heap.
	ImageAddr uint64 = 5 << 48
	// AttribAddr is where vertex buffers are: that of attribute slot s begins
	// at AttribAddr + s<<40.
	AttribAddr uint64 = 6 << 48
	// StageAddr is what stages leave for others that a driver builds: vertex records,
	// patches, the tessellator's points. It can be written.
	StageAddr uint64 = 7 << 48
)

// TableEntrySize is the size of an entry of the descriptor table: 64-bit
// address, 32-bit size in bytes, 32 bits of zero.
const TableEntrySize = 16

// TableRange places the elements of a buffer binding in the descriptor table:
// element e is entry First + e. Count is the array size, 0 means unbounded (the
// range then ends where the next one starts).
type TableRange struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	First   uint32 `json:"first"`
	Count   uint32 `json:"count"`
}

// HeapEntrySize is the size of a descriptor in the heap.
const HeapEntrySize = 24

// HeapAtomicOffset is the byte in a write descriptor of the heap where the
// driver keeps the 64-bit address of level 0 of the image for atomics. Texel
// (x, y, z) of 32 bits, z being the slice or the layer and s the sample, is at
// address + 4*(((z*height + y)*width + x)*samples + s); of a texel buffer
// element i at address + 4*i. Only atomics can use addresses of images.
const HeapAtomicOffset = 16

// HeapRange places the elements of an image binding in the heap: element e has
// its texture descriptor in entry First + 2e and its write (PBE) descriptor in
// entry First + 2e + 1. Count is as in TableRange.
type HeapRange struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	First   uint32 `json:"first"`
	Count   uint32 `json:"count"`
}

// MaxSamplers is the number of entries of the sampler heap, whose indices have 16 bits.
const MaxSamplers = 1 << 16

// State is a texture or sampler state register that the driver fills. Sampler
// state 0 is the driver's own, for texture_load.
type State struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	Element uint32 `json:"element,omitempty"`
	// Sampler tells that Index is a sampler state, not a texture state.
	Sampler bool `json:"sampler,omitempty"`
	// Write tells that a texture state holds the write descriptor.
	Write bool `json:"write,omitempty"`
	Index int  `json:"index"`
}

// Attrib is a vertex attribute: component k arrives as a 32-bit register at
// half Reg + 2k. 64-bit attributes take two registers a component.
type Attrib struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	Reg  int     `json:"reg"`
}

// NoWord is the word number of something absent.
const NoWord = -1

// Varying is a run of output words: component First + i of the slot is word
// Word + i.
type Varying struct {
	Slot  ir.Slot `json:"slot"`
	First uint8   `json:"first,omitempty"`
	Count uint8   `json:"count"`
	Word  int     `json:"word"`
}

// CoefSource is where a coefficient register comes from.
type CoefSource uint8

// Coefficient sources.
const (
	CoefVarying     CoefSource = iota // components of Slot
	CoefW                             // position w: interpolates to 1/w
	CoefZ                             // window depth
	CoefPointCoord                    // x and y of the point coordinate
	CoefPrimitiveID                   // an integer, the same in all three words
	CoefBary                          // the weights of the primitive's vertices 1 and 2
)

// Coef is a run of coefficient registers: register CF + i holds component
// First + i. Flat ones have the value of the provoking vertex in word c (and
// a = b = 0).
type Coef struct {
	Source CoefSource `json:"source,omitempty"`
	CF     int        `json:"cf"`
	Slot   ir.Slot    `json:"slot,omitempty"`
	First  uint8      `json:"first,omitempty"`
	Count  uint8      `json:"count"`
	// Interp is flat, smooth (a coefficient of v/w, read by iterproj with W) or
	// noperspective.
	Interp ir.Interp `json:"interp,omitempty"`
	// Vertex is 1, 2 or 3 of flat ones that have the value of that vertex of the primitive,
	// from 1 on, instead of the provoking one's.
	Vertex uint8 `json:"vertex,omitempty"`
}

// Result is a fragment result that stands in registers at the end: component
// k of colours at half Reg + 2k (Bits 32) or Reg + k (Bits 16); depth is one
// 32-bit, stencil and sample mask are one 16-bit register.
type Result struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	Reg  int     `json:"reg"`
	Bits uint8   `json:"bits"`
	// Index is 1 for the second source of dual-source blending.
	Index uint8 `json:"index,omitempty"`
}

// TileTarget is a colour in tile memory, which st_tile writes: component k of
// the slot is element k of Format at byte Offset.
type TileTarget struct {
	Slot   ir.Slot    `json:"slot"`
	Mask   uint8      `json:"mask"`
	Offset uint32     `json:"offset"`
	Format isa.Format `json:"format"`
	// Signed tells that i8 and i16 elements are signed.
	Signed bool `json:"signed,omitempty"`
}

// Check finds contradictions that would make the core read nonsense.
func (m *Meta) Check() error {
	switch m.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
	default:
		return fmt.Errorf("agx meta: stage %s is not supported", m.Stage)
	}
	switch m.Part {
	case PartWhole, PartProlog, PartMain, PartEpilog, PartLinked:
	default:
		return fmt.Errorf("agx meta: a part %q does not exist", m.Part)
	}
	if m.Halves < 0 || m.Halves > NumRegs || m.PreambleHalves < 0 || m.PreambleHalves > NumRegs {
		return fmt.Errorf("agx meta: %d and %d register halves, at most %d exist", m.Halves, m.PreambleHalves, NumRegs)
	}
	if m.UniformHalves < 0 || m.UniformHalves > NumUniforms {
		return fmt.Errorf("agx meta: %d uniform halves, at most %d exist", m.UniformHalves, NumUniforms)
	}
	if m.ScratchSize > 1<<20 || m.PreambleScratch > 1<<20 {
		return fmt.Errorf("agx meta: %d bytes of scratch a lane, at most %d", max(m.ScratchSize, m.PreambleScratch), 1<<20)
	}
	for i := range m.Uniforms {
		u := &m.Uniforms[i]
		if u.Kind == UniformNone || u.Kind >= NumUniformKinds || u.Size&3 != 0 {
			return fmt.Errorf("agx meta: uniform %d: unknown contents %d or size %d", i, u.Kind, u.Size)
		}
		if u.Size > 2*NumUniforms || u.Half < 0 || u.Half&1 != 0 || u.Half+u.Halves() > m.UniformHalves {
			return fmt.Errorf("agx meta: %s at uniform half %d, %d halves, lies outside the %d in use", u.Kind, u.Half, u.Halves(), m.UniformHalves)
		}
	}
	if err := m.checkInterface(); err != nil {
		return err
	}
	if err := m.checkGrid(); err != nil {
		return err
	}
	if err := m.checkGeometry(); err != nil {
		return err
	}
	return m.checkResources()
}

// checkInterface checks inputs and outputs.
func (m *Meta) checkInterface() error {
	for _, a := range m.Attribs {
		if a.Slot >= ir.NumAttribSlots || a.Reg < 0 || a.Reg&1 != 0 || a.Reg+8 > NumRegs {
			return fmt.Errorf("agx meta: attribute %d at register half %d", a.Slot, a.Reg)
		}
	}
	for _, v := range m.Varyings {
		if v.Slot >= ir.NumVaryingSlots || int(v.First)+int(v.Count) > 4 || v.Word < 0 || v.Word > 255 {
			return fmt.Errorf("agx meta: output slot %d, components %d+%d at word %d", v.Slot, v.First, v.Count, v.Word)
		}
	}
	if w := m.LayerViewportWord; w < NoWord || w > 255 {
		return fmt.Errorf("agx meta: layer and viewport at word %d", w)
	}
	for _, c := range m.Coefs {
		if c.Slot >= ir.NumVaryingSlots || c.Source > CoefBary || c.Vertex > 3 || int(c.First)+int(c.Count) > 4 ||
			c.CF < 0 || c.CF+int(c.Count) > 256 {
			return fmt.Errorf("agx meta: coefficients of source %d, slot %d, components %d+%d at cf%d", c.Source, c.Slot, c.First, c.Count, c.CF)
		}
	}
	for _, r := range m.Results {
		if r.Slot >= ir.NumResultSlots || r.Reg < 0 || r.Reg >= NumRegs || r.Bits != 16 && r.Bits != 32 || r.Mask > 15 {
			return fmt.Errorf("agx meta: fragment result %d of %d bits at register half %d", r.Slot, r.Bits, r.Reg)
		}
	}
	for _, t := range m.Tile {
		if t.Slot >= ir.NumResultSlots || t.Offset > MaxTileOffset || t.Format.String() == "" {
			return fmt.Errorf("agx meta: tile target %d of format %d at offset %d", t.Slot, t.Format, t.Offset)
		}
	}
	return nil
}

// checkGrid checks what says that a shader runs as compute.
func (m *Meta) checkGrid() error {
	tess := m.Stage == ir.StageTessCtrl || m.Stage == ir.StageTessEval
	reads := tess || m.Geometry != nil
	switch {
	case m.PatchSlots < 0 || m.PatchSlots > int(ir.NumVaryingSlots-ir.SlotPatch0) || !tess && m.PatchSlots > 0 || !reads && len(m.Reads) > 0:
		return fmt.Errorf("agx meta: %d patch slots and %d slots read of vertices in stage %s", m.PatchSlots, len(m.Reads), m.Stage)
	case m.Stage == ir.StageTessCtrl && (m.WorkgroupSize[0] == 0 || m.WorkgroupSize[0] > maxWorkgroup || m.WorkgroupSize[1] != 1 || m.WorkgroupSize[2] != 1):
		return fmt.Errorf("agx meta: a patch of workgroup size %v", m.WorkgroupSize)
	case m.Next == ir.StageNone && m.Stage == ir.StageTessCtrl && len(m.Varyings) == 0:
	case m.Next == ir.StageNone && len(m.Record) == 0:
	case m.Next != ir.StageGeometry && (m.Next != ir.StageTessCtrl || m.Stage != ir.StageVertex) || m.Stage != ir.StageVertex && m.Stage != ir.StageTessEval:
		return fmt.Errorf("agx meta: a %s stage before the %s stage does not run as compute", m.Stage, m.Next)
	case len(m.Varyings) > 0:
		return errors.New("agx meta: a shader that runs as compute has output words")
	}
	for _, list := range [][]ir.Slot{m.Record, m.Reads} {
		for i, slot := range list {
			if slot >= ir.NumVaryingSlots || reads && slot >= ir.SlotPatch0 || i > 0 && slot <= list[i-1] {
				return fmt.Errorf("agx meta: slot %d at place %d of the record", slot, i)
			}
		}
	}
	return nil
}

// checkGeometry checks what says that a shader is one of geometry.
func (m *Meta) checkGeometry() error {
	g := m.Geometry
	switch {
	case (g != nil) != (m.Stage == ir.StageGeometry):
		return fmt.Errorf("agx meta: modes of geometry in stage %s", m.Stage)
	case g == nil:
		return nil
	case m.Part != PartWhole || g.Raster == nil || g.Raster.Stage != ir.StageVertex || g.Count != nil && g.Count.Stage != ir.StageCompute:
		return errors.New("agx meta: a geometry shader without its programs")
	case g.Invocations < 1 || g.Invocations > 127 || g.MaxVertices > 1024 || g.OutPrimitive > 2 || g.InPrimitive < 1 || g.InPrimitive > 6:
		return fmt.Errorf("agx meta: a geometry shader of %d invocations, %d vertices, primitives %d and %d", g.Invocations, g.MaxVertices, g.InPrimitive, g.OutPrimitive)
	}
	for k, n := range g.Counts {
		if n > 2*g.MaxVertices {
			return fmt.Errorf("agx meta: word %d of a unit that emits %d vertices counts %d", k, g.MaxVertices, n)
		}
	}
	for _, c := range g.Captures {
		if c.Buffer >= ir.NumXfbBuffers || c.Stream >= ir.NumXfbBuffers || c.Slot >= ir.NumVaryingSlots || c.First+c.Count > 4 || c.Offset+c.Size() > g.Strides[c.Buffer] {
			return fmt.Errorf("agx meta: transform feedback of slot %d to byte %d of buffer %d", c.Slot, c.Offset, c.Buffer)
		}
	}
	for i, slot := range g.Vertices {
		if slot >= ir.SlotPatch0 || i > 0 && slot <= g.Vertices[i-1] {
			return fmt.Errorf("agx meta: slot %d at place %d of a vertex", slot, i)
		}
	}
	if g.Count != nil {
		if err := g.Count.Check(); err != nil {
			return err
		}
	}
	return g.Raster.Check()
}

func (m *Meta) checkResources() error {
	for i := 1; i < len(m.Table); i++ {
		if p := m.Table[i-1]; uint64(p.First)+uint64(p.Count) > uint64(m.Table[i].First) {
			return fmt.Errorf("agx meta: descriptor table range %d overlaps the one before it or is out of order", i)
		}
	}
	for i := 1; i < len(m.Heap); i++ {
		if p := m.Heap[i-1]; uint64(p.First)+2*uint64(p.Count) > uint64(m.Heap[i].First) {
			return fmt.Errorf("agx meta: descriptor heap range %d overlaps the one before it or is out of order", i)
		}
	}
	for i, s := range m.Samplers {
		end := uint64(s.First) + uint64(s.Count)
		if end > MaxSamplers || i+1 < len(m.Samplers) && end > uint64(m.Samplers[i+1].First) {
			return fmt.Errorf("agx meta: sampler heap range %d, entries %d+%d, overlaps the next one or lies beyond %d", i, s.First, s.Count, MaxSamplers)
		}
	}
	for _, s := range m.States {
		if s.Index < 0 || s.Index > 255 {
			return fmt.Errorf("agx meta: state register %d does not exist", s.Index)
		}
	}
	return nil
}
