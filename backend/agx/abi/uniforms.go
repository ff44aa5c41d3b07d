package abi

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
	_                                  // nothing: objects name the others by number
	UniformSamplePositions             // Size bytes: x and y in [0, 1) of each sample, floats
	UniformAttribAddr                  // address of attribute slot Element at element 0
	UniformAttribClamp                 // word: its last element; the address is 0 if it has none
	UniformBlendConst                  // 4 words, floats
	UniformAssembly                    // address of the input assembly block, see AssemblyIndices
	UniformRecords                     // address of the records that vertices are stored to
	UniformGridVertices                // word: vertices of an instance of the draw
	UniformRecordSlots                 // 2 words: bit s says that the records at UniformRecords have slot s
	UniformPatchVertices               // word: vertices of the patch that the stage reads
	UniformPatchCount                  // word: patches of an instance of the draw
	UniformPatches                     // address of the patches that tessellation control leaves, see PatchWords
	UniformPatchRecord                 // 2 words: bit s says that the vertices of those patches have slot s
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
	UniformVaryingWord   // word: where the varying of slot Element that begins at its byte Offset (four times Varying.First) begins in the record of a vertex, see Place
	UniformFirstFan      // word: 1 in triangle fans whose first vertex provokes, else 0
	UniformSlotWritten   // word: ~0 if the stage before leaves the varyings of slot Element, else 0
	UniformSamplerBias   // see SamplerBias: of the sampler (Set, Binding, Element)
	UniformSamplerBiases // address of a table of those, by entry of the sampler heap
	UniformMiddleWord    // word: 1 where registers of a primitive's vertex 2 (Coef.Vertex) have the value in word b, else 0
	NumUniformKinds
)

var uniformNames = [...]string{"none", "words", "push", "buffer_data", "buffer_addr", "buffer_size", "table", "heap",
	"const_data", "push_addr", "num_workgroups", "base_workgroup", "num_subgroups", "base_vertex", "base_instance", "draw_id",
	"view_index", "", "sample_positions",
	"attrib_addr", "attrib_clamp", "blend_const", "assembly", "records", "grid_vertices",
	"record_slots", "patch_vertices", "patch_count", "patches", "patch_record", "patch_slots", "patch_points", "tess_points",
	"topology", "primitives", "primitive_ids", "counts", "indices", "vertices", "xfb_buffer0", "xfb_buffer1", "xfb_buffer2", "xfb_buffer3",
	"xfb_limit0", "xfb_limit1", "xfb_limit2", "xfb_limit3", "varying_word", "first_fan", "slot_written", "sampler_bias", "sampler_biases", "middle_word"}

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
		UniformSamplerBias, UniformSamplerBiases, UniformIndices, UniformVertices, UniformXfbBuffer0, UniformXfbBuffer1, UniformXfbBuffer2, UniformXfbBuffer3:
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
