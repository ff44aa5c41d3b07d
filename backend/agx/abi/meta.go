package abi

import "nirc/ir"

// Fixed half indices.
const (
	GridVertexReg = 2 * 4 // r4, 32 bits: the vertex of the grid, with Meta.Next
	VertexIDReg   = 2 * 5 // r5, 32 bits
	InstanceIDReg = 2 * 6 // r6, 32 bits
	// AttribReg is the customary place of attribute 0; attribute i is 8*i halves
	// after it.
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
	// CullSlot0 and the slot after it are varyings that stand for cull distances: component k
	// is 1.0 where distance k is not negative, else 0.0. They are no slots of the IR.
	CullSlot0 ir.Slot = 30
)

// Pass are facts of the code of a fragment program (agx.md §9.3, 11.1), of linked ones those of
// all parts.
type Pass struct {
	// Translucent: what older fragments left shows through: the program reads the tile, stores some
	// components or samples alone, or leaves a bound target as it is.
	Translucent bool `json:"translucent,omitempty"`
	// WritesSampleMask: it kills or tests samples, for discards, sample masks or alpha to coverage:
	// it is punch-through, and fixed functions may not test before it. With WritesDepth and
	// WritesStencil they cannot.
	WritesSampleMask bool `json:"writes_sample_mask,omitempty"`
	WritesDepth      bool `json:"writes_depth,omitempty"`
	WritesStencil    bool `json:"writes_stencil,omitempty"`
	// WritesTile: it leaves colours; a program that leaves neither those nor samples has its tag
	// writes disabled.
	WritesTile bool `json:"writes_tile,omitempty"`
	// SeparateTriangles: fragments of several triangles must not share a SIMD-group: the program
	// looks at other lanes, needs helpers or writes memory.
	SeparateTriangles bool `json:"separate_triangles,omitempty"`
}

// Or joins the facts of two parts.
func (p *Pass) Or(q *Pass) {
	p.Translucent = p.Translucent || q.Translucent
	p.WritesSampleMask = p.WritesSampleMask || q.WritesSampleMask
	p.WritesDepth = p.WritesDepth || q.WritesDepth
	p.WritesStencil = p.WritesStencil || q.WritesStencil
	p.WritesTile = p.WritesTile || q.WritesTile
	p.SeparateTriangles = p.SeparateTriangles || q.SeparateTriangles
}

// Meta describes one shader binary.
type Meta struct {
	Stage ir.Stage `json:"stage"`
	// Robust is what the program may do beyond the bounds of buffers. Where uniform buffers are robust, the driver
	// fills uniform registers with zeros for what lies beyond the end of a buffer (UniformBufferData).
	Robust ir.Robust `json:"robust,omitzero"`
	// Part says which part of a program the code is; "" is a whole one that was
	// compiled as such, PartLinked one that was linked from parts.
	Part Part `json:"part,omitempty"`
	// CodeSize is the length of a part's main program, after which the next
	// part may follow.
	CodeSize uint32 `json:"code_size,omitempty"`
	// Entry is the byte offset of the main program in the code. A preamble, if
	// HasPreamble, starts at Preamble: the driver runs it before the main
	// program with the same uniforms; what it stores to uniforms stays.
	Entry       uint32 `json:"entry,omitempty"`
	HasPreamble bool   `json:"has_preamble,omitempty"`
	Preamble    uint32 `json:"preamble,omitempty"`
	// SoftFaults: the preamble of a draw reads by pointers of the application, or from buffers that an index chooses, which may lead nowhere where nothing is shaded: the
	// driver has soft faults on (agx.md §7.1).
	SoftFaults bool `json:"soft_faults,omitempty"`
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
	// CoherentShared: some loads and stores of workgroup memory are atomic, so that other invocations may access the same
	// words unordered.
	CoherentShared bool `json:"coherent_shared,omitempty"`
	// WorkgroupSize of a compute shader.
	WorkgroupSize [3]uint32 `json:"workgroup_size"`

	UsesBarrier        bool `json:"uses_barrier,omitempty"`
	UsesDiscard        bool `json:"uses_discard,omitempty"`
	WritesMemory       bool `json:"writes_memory,omitempty"`
	NeedsQuads         bool `json:"needs_quads,omitempty"`
	EarlyFragmentTests bool `json:"early_fragment_tests,omitempty"`
	// Fetches: the program has texture_load, which takes a sampler too: the driver gives it sampler state 0 with a border of
	// zeros and no limits of levels (agx.md §8.1), and counts it among the program's samplers.
	Fetches bool `json:"fetches,omitempty"`
	// KeepDepth: the program writes memory and no depth, and asks for no early tests. What comes
	// after it has to write the depth that each sample has anyway, or hardware skips fragments that
	// the tests would drop.
	KeepDepth bool `json:"keep_depth,omitempty"`
	PerSample bool `json:"per_sample,omitempty"`
	// SampleLoop: a linked program goes through the samples of the pixel by itself.
	SampleLoop bool `json:"sample_loop,omitempty"`
	// ClipDistances counts components of a vertex stage, CullDistances those of CullSlot0 and
	// the slot after it: what drops the fragments is the fragment program.
	ClipDistances uint8 `json:"clip_distances,omitempty"`
	CullDistances uint8 `json:"cull_distances,omitempty"`

	Uniforms []Uniform `json:"uniforms,omitempty"`
	// Attribs are the inputs of a vertex shader.
	Attribs []Attrib `json:"attribs,omitempty"`
	// Varyings are the outputs of a vertex shader.
	Varyings []Varying `json:"varyings,omitempty"`
	// Next is the stage after a vertex or tessellation evaluation shader that runs as
	// compute, because what follows does: tessellation control or geometry. Record are then
	// its outputs.
	Next ir.Stage `json:"next,omitempty"`
	// Record lists the slots of the record that a vertex is stored to, ascending, four
	// words each: of a vertex shader with Next, of a tessellation control shader.
	Record []ir.Slot `json:"record,omitempty"`
	// RecordStarts has for each slot of Record the components at which an output begins, a bit each, where some slot holds several:
	// what a geometry shader that hands them on makes varyings of.
	RecordStarts []uint8 `json:"record_starts,omitempty"`
	// PatchSlots is the number of slots from SlotPatch0 on that a patch has after its
	// tessellation levels (tessellation control).
	PatchSlots int `json:"patch_slots,omitempty"`
	// Tess are the execution modes of tessellation shaders, those that this stage declares.
	Tess *Tess `json:"tess,omitempty"`
	// Reads lists the slots that a tessellation or geometry shader reads of vertices.
	Reads []ir.Slot `json:"reads,omitempty"`
	// Feedback is what transform feedback takes of a vertex or tessellation evaluation shader. A
	// geometry shader after it writes that.
	Feedback *Feedback `json:"feedback,omitempty"`
	// Geometry says what a geometry shader consists of; the rest of the Meta then is that
	// of its main program.
	Geometry *Geometry `json:"geometry,omitempty"`
	// LayerViewportWord is the output word that holds layer | viewport << 16; 0
	// or NoWord if neither is written.
	LayerViewportWord int `json:"layer_viewport_word,omitempty"`
	// Coefs are the coefficient registers of a fragment shader.
	Coefs []Coef `json:"coefs,omitempty"`
	// Lists: the fragment shader tells a primitive's vertices apart (Coef.Vertex, CoefBary), and which vertex of a strip's
	// or a fan's triangle has which number is not known of hardware: the driver draws those as lists.
	Lists bool `json:"lists,omitempty"`
	// AlphaOne says that alpha of colour 0 is always One and in no register,
	// whatever Results says (main parts).
	AlphaOne bool `json:"alpha_one,omitempty"`
	// Results and Tile are the outputs of a fragment shader.
	Results []Result     `json:"results,omitempty"`
	Tile    []TileTarget `json:"tile,omitempty"`
	// TileReads are the colour attachments that a main part reads, as it takes them to be in the tile: a program of other
	// targets is not made of it.
	TileReads []TileTarget `json:"tile_reads,omitempty"`
	// OneSample: it takes them to have one sample.
	OneSample bool `json:"one_sample,omitempty"`
	// TileLayout is that of all targets of the pipeline, those that the shader leaves alone too
	// (epilogs and linked programs).
	TileLayout *TileLayout `json:"tile_layout,omitempty"`

	// Pass says what a driver has to know of a fragment program to choose how its fragments pass.
	Pass Pass `json:"pass"`

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

// TestsInEpilog reports whether what comes after a whole fragment program has to test the samples,
// with a depth or a stencil (zs_emit), and so the program must not.
func (m *Meta) TestsInEpilog() bool {
	late := m.KeepDepth
	for _, r := range m.Results {
		late = late || r.Slot == ir.SlotDepth || r.Slot == ir.SlotStencil
	}
	return late && m.Part == PartWhole
}

// WaveSize is the number of lanes of a SIMD-group, MaxWorkgroup that of a workgroup at most, MaxShared the
// bytes of its memory (agx.md §1.3).
const (
	WaveSize     = 32
	MaxWorkgroup = 1024
	MaxShared    = 32 << 10
)

// Invocations is how many a workgroup of a size has, as far as that matters.
func Invocations(z [3]uint32) uint64 {
	n := uint64(1)
	for _, k := range z {
		n *= uint64(min(k, 1<<16))
	}
	return n
}
