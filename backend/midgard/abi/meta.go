// Package abi holds what a Midgard binary says about itself: what stands in
// its uniform registers, buffer, attribute, varying and texture tables. The code
// generator writes a [Meta] beside the code, package core reads it; both see the
// shader through this and nothing else. All types are plain data that
// encoding/json carries unchanged. The contents follow
// midgard.md §9.
//
// # Where things are
//
//   - Uniform register i (r(23-i)) holds the 16 bytes that Uniforms[i] names:
//     the driver copies them from a buffer of the UBO table that it makes itself: push
//     constants, system values, constant data. Bound buffers are read by LD_UBO.
//   - LD_UBO's immediate buffer index is an index into UBOs. The first entries are the
//     binary's own: push constants, system values (one vec4 each, in
//     the order of Sysvals), constant data, what elements say of themselves. Bound
//     uniform buffers follow by UBOTable.
//   - Storage buffers are reached through a system value of two words address
//     and one word size in bytes, and through 64-bit addresses.
//   - LD_ATTR's index is an index into Attributes: vertex inputs, vertex and instance
//     id (by custom at AttrVertexID, AttrInstanceID). Images stand after them in the same
//     table, by ImageTable.
//   - LD_VARY's and ST_VARY's index is an index into Varyings.
//   - A vertex program stores the position after the viewport transform,
//     (xyz/w * scale + offset, 1/w), as the hardware takes it (midgard.md §9.3), with
//     SysvalViewportScale and SysvalViewportOffset.
//   - Texture and sampler indices are numbers of TextureTable and SamplerTable; Textures
//     and Samplers list those in use.
//   - Arrays of storage buffers of unknown size that are indexed at run time stand after the
//     system values, in their tail: with n of them there, element e of the k-th is entry
//     len(Sysvals) + e*n + k, as many as are bound.
//   - Work-group storage is reached through address register 3, component z;
//     scratch through register 2, component z (stack pointer); the register
//     allocator's spill slots through register 3, component x. The last two name the
//     same TLSSize bytes of a thread.
//   - A fragment leaves by writeout: colour r0, target number times 256 in r1.z (0
//     when the bundle does not write it; 0xff: none), depth r1.x and stencil r1.y
//     where WritesDepth and WritesStencil say so, a second colour in r2 with
//     DualSource.
//   - A blend program is called by a writeout: see [Blend].
package abi

import (
	"fmt"
	"slices"

	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// Registers of the convention.
const (
	// UniformTop is the register of uniform 0; uniform i is UniformTop - i.
	UniformTop = 23
	// MaxUniforms is how many uniform registers there can be.
	MaxUniforms = 16
	// MaxUBOs is how many buffers the table has: their count has 8 bits.
	MaxUBOs = 255
	// MaxWork is how many work registers there can be.
	MaxWork = 16
)

// InsideSlot0 and the slot after it are varyings that stand for cull distances: component k
// is 1 where the distance is not negative, else 0. Fragment programs of the ABI clip:N+M
// read them, and the clip distances.
const InsideSlot0 ir.Slot = 30

// SamplePositions is how many entries the table of sample positions has; those of samples that there are not may hold anything.
const SamplePositions = 32

// MaxThreads is how many threads a core holds at a time, of programs with few work
// registers. No workgroup has more.
const MaxThreads = 256

// MaxShared is how many bytes of memory a workgroup has at most: what the reference's driver offers.
const MaxShared = 32 << 10

// MaxTLS is how many bytes of local storage a thread has at most.
const MaxTLS = 1 << 20

// Resident reports whether the threads of a workgroup must be there at once: they wait for each other or share memory
// (midgard.md §1.2).
func (m *Meta) Resident() bool { return m.UsesBarrier || m.SharedSize > 0 }

// WorkLimit is how many work registers the threads of a workgroup of that size may have where all must be there at once
// (midgard.md §1.2), 0 if it is too large.
func WorkLimit(size [3]uint32) int {
	n := uint64(1)
	for _, k := range size {
		n *= uint64(min(k, 4*MaxThreads))
	}
	switch {
	case n <= MaxThreads/4:
		return MaxWork
	case n <= MaxThreads/2:
		return MaxWork / 2
	case n <= MaxThreads:
		return MaxWork / 4
	}
	return 0
}

// Places of ids in the attribute table that the reference uses.
const (
	AttrVertexID   = 16
	AttrInstanceID = 17
)

// Selectors of LD_SPECIAL.
const (
	SpecialTileTyped = 1  // v4: typed tilebuffer read
	SpecialTileRaw   = 16 // v4: raw tilebuffer read
	SpecialCoverage  = 96 // sample mask in; 0 in helper threads
	SpecialSampleID  = 97
)

// Writeout target numbers.
const (
	// TargetNone in r1.z writes depth and stencil only.
	TargetNone = 0xff
	// TargetShift is the place of the target number in r1.z.
	TargetShift = 8
)

// Meta describes one shader binary.
type Meta struct {
	// GPU names the chip that the program is for, whose limits it keeps to.
	GPU   string   `json:"gpu,omitempty"`
	Stage ir.Stage `json:"stage"`
	// FirstTag is the tag of the bundle at the start of the code.
	FirstTag isa.Tag `json:"first_tag"`
	// Alias: the GPU's texture pipe shares registers with the others (T720, T820,
	// T830): inputs r26 and r27, results r0 and r1.
	Alias bool `json:"alias,omitempty"`
	// NoUpperALU: the GPU faults on the tags of writeout bundles (T600 to T760).
	NoUpperALU bool `json:"no_upper_alu,omitempty"`
	// ReadsTile: the program reads render targets and waits for them first.
	ReadsTile bool `json:"reads_tile,omitempty"`
	// ReadsDepth: the program reads the depth that its pixel has, so that depth and stencil are tested and written after it, unless
	// EarlyFragmentTests asks otherwise.
	ReadsDepth bool `json:"reads_depth,omitempty"`
	// BrokenLOD: the GPU ignores the sampler's clamps and bias where the level of
	// detail is explicit (T600, T620, T720).
	BrokenLOD bool `json:"broken_lod,omitempty"`
	// Robust is what the program may do beyond the bounds of buffers: where a kind is off, such an access is
	// a fault of the application. Storage buffers are then not tested by the program (SysvalSink).
	Robust ir.Robust `json:"robust,omitzero"`
	// WorkRegs is the number of work registers declared, Uniforms what the
	// uniform registers hold.
	WorkRegs   int       `json:"work_regs"`
	Uniforms   []Uniform `json:"uniforms,omitempty"`
	UBOs       []UBO     `json:"ubos,omitempty"`
	Sysvals    []Sysval  `json:"sysvals,omitempty"`
	Attributes []Record  `json:"attributes,omitempty"`
	Varyings   []Varying `json:"varyings,omitempty"`
	Textures   []Texture `json:"textures,omitempty"`
	Images     []Texture `json:"images,omitempty"` // of the attribute table
	Samplers   []Range   `json:"samplers,omitempty"`
	// FetchSampler: texels are fetched, for which entry 0 of the sampler table must be a
	// valid sampler, whichever; a driver puts one there if Samplers is empty.
	FetchSampler bool `json:"fetch_sampler,omitempty"`
	// SysvalTail are the arrays in the tail of Sysvals, with element 0.
	SysvalTail []Sysval `json:"sysval_tail,omitempty"`
	// Elements are system values of arrays of unknown size: of n, that of element e of
	// the k-th is the vec4 e*n + k of the buffer UBOElements.
	Elements []Sysval `json:"elements,omitempty"`

	TLSSize       uint32    `json:"tls_size,omitempty"`    // bytes a thread
	SharedSize    uint32    `json:"shared_size,omitempty"` // bytes a workgroup
	WorkgroupSize [3]uint32 `json:"workgroup_size"`

	// Inputs says what a vertex or fragment stage reads, Outputs what it writes,
	// for the fixed-function stages.
	Inputs  []Input  `json:"inputs,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`

	// UsesBarrier: the program has barriers, or memory barriers, which are no instructions: a flag of the renderer state.
	UsesBarrier bool `json:"uses_barrier,omitempty"`
	// Coherent: threads look on at each other's stores to buffers without a control barrier, by
	// coherent accesses or memory barriers: for those who look for races.
	Coherent bool `json:"coherent,omitempty"`
	// CoherentShared: some loads and stores of workgroup memory are atomic.
	CoherentShared     bool `json:"coherent_shared,omitempty"`
	UsesDiscard        bool `json:"uses_discard,omitempty"`
	WritesMemory       bool `json:"writes_memory,omitempty"`
	NeedsQuads         bool `json:"needs_quads,omitempty"`
	EarlyFragmentTests bool `json:"early_fragment_tests,omitempty"`
	PerSample          bool `json:"per_sample,omitempty"`
	WritesDepth        bool `json:"writes_depth,omitempty"`
	WritesStencil      bool `json:"writes_stencil,omitempty"`
	DualSource         bool `json:"dual_source,omitempty"`
	// Blend is not nil in a blend program.
	Blend *Blend `json:"blend,omitempty"`
	// ClipDistances and CullDistances count components of a vertex stage, which mean nothing
	// to the fixed functions: the fragment program is one of the ABI clip:N+M.
	ClipDistances uint8 `json:"clip_distances,omitempty"`
	CullDistances uint8 `json:"cull_distances,omitempty"`
	// Linear are the outputs of a vertex stage, by UserSlot, that leave multiplied by w: those
	// which the fragment stage interpolates without perspective. The hardware does not, so the
	// fragment program multiplies what comes by 1/w.
	Linear uint32 `json:"linear,omitempty"`
	// LinearComponents are, by component, the locations of Linear of which it leaves so, where components of a location differ.
	LinearComponents [4]uint32 `json:"linear_components,omitzero"`
	// Next is the stage after a vertex job whose varyings are read by shaders: see stages.go. Reads are the slots of
	// vertices that a tessellation control or geometry shader reads, Tess and Geometry describe shaders of these stages, nil of others.
	Next     ir.Stage  `json:"next,omitempty"`
	Reads    []ir.Slot `json:"reads,omitempty"`
	Tess     *Tess     `json:"tess,omitempty"`
	Geometry *Geometry `json:"geometry,omitempty"`
	// Captures are what a vertex program of the ABI xfb writes of each vertex to the transform feedback
	// buffers, XfbStrides the bytes that a vertex takes in each. Such a program has no outputs. With Next they are what
	// a geometry shader that hands the vertices on is to capture.
	Captures   []ir.Capture             `json:"captures,omitempty"`
	XfbStrides [ir.NumXfbBuffers]uint32 `json:"xfb_strides,omitzero"`
}

// LinearMask is the components of a slot that leave multiplied by w.
func (m *Meta) LinearMask(s ir.Slot) (mask uint8) {
	bit := UserSlot(s)
	switch {
	case bit&m.Linear == 0:
		return 0
	case m.LinearComponents == [4]uint32{}:
		return 15
	}
	for i, locations := range m.LinearComponents {
		if locations&bit != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// UserSlot is the bit of a slot in Meta.Linear, 0 of built-ins.
func UserSlot(s ir.Slot) uint32 {
	if s < ir.SlotVar0 || s >= ir.SlotVar0+32 {
		return 0
	}
	return 1 << (s - ir.SlotVar0)
}

// Blend describes a blend program, which a writeout calls
// (midgard.md §9.5): it begins with the fragment's colour in r0, the second colour in r2 and
// the return address in r1.w, and ends in a writeout of the raw pixel in r0 to the
// target that r1.z names. A driver makes one for each render target.
type Blend struct {
	// Format is the Vulkan name of the target's format, without VK_FORMAT_.
	Format string `json:"format"`
	// Tile is the form in which the tile has to hold its pixels: what the descriptor of the render target
	// names its internal format ([TileForm]).
	Tile string `json:"tile"`
	// Target is the number of the render target.
	Target int `json:"target"`
	// Second: the program reads the second colour.
	Second bool `json:"second,omitempty"`
}

// Uniform is the source of one uniform register: 16 bytes of a buffer.
type Uniform struct {
	UBO    int    `json:"ubo"`
	Offset uint32 `json:"offset"` // a multiple of 16
}

// OwnBuffer names what the program has in uniform registers or buffers that the driver makes for it alone, "" if that is nothing.
func (m *Meta) OwnBuffer() string {
	for i := range m.UBOs {
		switch m.UBOs[i].Kind {
		case UBOPush:
			return "push constants"
		case UBOSysvals, UBOElements:
			return "system values"
		case UBOData:
			return "constant data"
		}
	}
	if len(m.Uniforms) > 0 {
		return "uniform registers"
	}
	return ""
}

// UBOKind says where an entry of the UBO table comes from.
type UBOKind uint8

// The kinds.
const (
	UBONone     UBOKind = iota // reads zero
	UBOBinding                 // a uniform buffer of the descriptor sets
	UBOPush                    // the push constants
	UBOSysvals                 // the system values
	UBOData                    // constant data of the binary
	UBOElements                // what elements of arrays of unknown size say: see Elements
	NumUBOKinds                //
)

// Copied reports whether uniform registers may hold bytes of the buffer: the driver makes
// it itself when it makes the draw or dispatch, or can read it then, as Copy says. What a
// descriptor names may change until the GPU reads it.
func (u *UBO) Copied() bool {
	switch u.Kind {
	case UBOPush, UBOSysvals, UBOElements, UBOData:
		return true
	}
	return u.Copy
}

// UBO is an entry of the UBO table.
type UBO struct {
	Kind    UBOKind `json:"kind"`
	Set     uint32  `json:"set,omitempty"`
	Binding uint32  `json:"binding,omitempty"`
	Element uint32  `json:"element,omitempty"`
	Data    []byte  `json:"data,omitempty"`
	// Copy: the driver has the contents of a bound buffer before the GPU runs, as an
	// OpenGL driver has those of the default uniforms; this compiler asks that of none.
	Copy bool `json:"copy,omitempty"`
}

// SysvalKind is a system value: a vec4 that the driver fills in.
type SysvalKind uint8

// The system values (midgard.md §9.2) and their components.
const (
	SysvalNone            SysvalKind = iota
	SysvalViewportScale              // xyz
	SysvalViewportOffset             // xyz
	SysvalTextureSize                // width, height, depth or layers of a texture (set, binding, element); w mip levels
	SysvalImageSize                  // width, height, depth or layers of an image
	SysvalSSBO                       // xy 64-bit address, z size in bytes
	SysvalNumWorkgroups              // xyz
	SysvalWorkgroupSize              // xyz
	SysvalWorkDim                    // x
	SysvalSampler                    // minimum, maximum LOD, bias of a sampler; w 1 if it filters between levels, else 0
	SysvalSamplePositions            // xy 64-bit address of a table of SamplePositions 16-bit pairs, 1/256 pixel
	SysvalMultisampled               // x: ~0 if pixels have several samples, else 0
	SysvalVertexOffsets              // raw vertex offset, base vertex, base instance
	SysvalDrawID                     // x
	SysvalBaseWorkgroup              // xyz
	SysvalViewIndex                  // x
	SysvalTextureSamples             // x: samples a texel of a texture or image
	SysvalUBOSize                    // x: bytes of a uniform buffer
	SysvalSink                       // xy address of 16 bytes of zeros, zw of 16 bytes that nobody reads: accesses out of bounds
	SysvalLayer                      // x: layer of the framebuffer that the draw goes to
	SysvalFeedback                   // xy address where a transform feedback buffer, the element, goes on
	SysvalNumVertices                // x: vertices that transform feedback captures of an instance
	SysvalStageInput                 // xy address of the vertex records that tessellation control and geometry shaders read
	SysvalPrimitives                 // xy address of words, z of them a patch or primitive of the draw: PrimitiveId and, except for evaluation, the numbers of its records
	SysvalPatches                    // xy address of patches, z bytes of each, w bytes of the record of a vertex
	SysvalPatchVertices              // x: vertices of a patch that comes in
	SysvalPatchSlot                  // x: byte of a patch where the slot, the element, is (Tess.PlaceOf)
	SysvalTessPoints                 // xy address of the points of the draw's patches: TessCoord and the number of the patch, 16 bytes each
	SysvalStageVertices              // xy address of the vertices that geometry shaders leave
	SysvalStageIndices               // xy address of the index buffer of a vertex stream, the element
	NumSysvals
)

var sysvalNames = [NumSysvals]string{"none", "viewport_scale", "viewport_offset", "texture_size", "image_size", "ssbo",
	"num_workgroups", "workgroup_size", "work_dim", "sampler", "sample_positions", "multisampled", "vertex_offsets",
	"draw_id", "base_workgroup", "view_index", "texture_samples", "ubo_size", "sink", "layer", "feedback", "num_vertices",
	"stage_input", "primitives", "patches", "patch_vertices", "patch_slot", "tess_points", "stage_vertices", "stage_indices"}

// String returns the system value's name.
func (k SysvalKind) String() string {
	if k < NumSysvals {
		return sysvalNames[k]
	}
	return "sysval?"
}

// Sysval is one vec4 of the system value buffer.
type Sysval struct {
	Kind SysvalKind `json:"kind"`
	// The resource of those that describe one.
	Set     uint32 `json:"set,omitempty"`
	Binding uint32 `json:"binding,omitempty"`
	Element uint32 `json:"element,omitempty"`
	// Dim, Array and Lod choose what SysvalTextureSize and SysvalImageSize say.
	Dim   ir.Dim `json:"dim,omitempty"`
	Array bool   `json:"array,omitempty"`
	Lod   uint32 `json:"lod,omitempty"`
}

// RecordKind says what an entry of the attribute table is.
type RecordKind uint8

// The kinds.
const (
	RecordNone       RecordKind = iota // reads zero
	RecordAttribute                    // a vertex input, 32-bit words as fetched
	RecordVertexID                     // raw: without SysvalVertexOffsets.x
	RecordInstanceID                   // raw: without SysvalVertexOffsets.z
	NumRecordKinds
)

// Record is an entry of the attribute table.
type Record struct {
	Kind RecordKind `json:"kind"`
	Slot ir.Slot    `json:"slot,omitempty"` // RecordAttribute
}

// Resource names a descriptor.
type Resource struct {
	Set     uint32 `json:"set,omitempty"`
	Binding uint32 `json:"binding,omitempty"`
	Element uint32 `json:"element,omitempty"`
}

// Texture is a binding of sampled or storage images or texel buffers, and the shape in which the
// shader sees them.
type Texture struct {
	Range
	Dim   ir.Dim `json:"dim,omitempty"`
	Array bool   `json:"array,omitempty"`
}

// VaryingKind says where a varying comes from.
type VaryingKind uint8

// The kinds. The first three of fragment programs are fed by special buffers.
const (
	VaryingNone       VaryingKind = iota // written: dropped; read: zero
	VaryingSlot                          // an output slot of the stage before
	VaryingFragCoord                     // upper-left origin, w is 1/w
	VaryingFrontFace                     // all ones in front, else 0
	VaryingPointCoord                    // xy
	NumVaryingKinds
)

// Varying is an entry of the varying table.
type Varying struct {
	Kind VaryingKind `json:"kind"`
	Slot ir.Slot     `json:"slot,omitempty"`
	// Half: the slot holds halves (in the low half of its words, as
	// emu.OutputSlot.Bits says).
	Half bool `json:"half,omitempty"`
}

// Input is an input slot of the stage.
type Input struct {
	Slot   ir.Slot   `json:"slot"`
	Mask   uint8     `json:"mask"`
	Interp ir.Interp `json:"interp,omitempty"`
	Bits   uint8     `json:"bits,omitempty"`
}

// Output is an output slot of the stage.
type Output struct {
	Slot  ir.Slot `json:"slot"`
	Mask  uint8   `json:"mask"`
	Index uint8   `json:"index,omitempty"`
	Bits  uint8   `json:"bits,omitempty"`
}

// Entry is entry i of a table with a tail: what stands in either, and the element, to be
// added to the one that this names; nil if there is nothing.
func Entry[T any](list, tail []T, i int) (entry *T, element uint32) {
	switch {
	case i < 0:
		return nil, 0
	case i < len(list):
		return &list[i], 0
	case len(tail) == 0:
		return nil, 0
	}
	i -= len(list)
	return &tail[i%len(tail)], uint32(i / len(tail))
}

// Check finds contradictions that would make the core read nonsense.
func (m *Meta) Check() error {
	switch m.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute:
	default:
		return fmt.Errorf("midgard meta: stage %s is not supported", m.Stage)
	}
	u := len(m.Uniforms)
	if u > MaxUniforms {
		return fmt.Errorf("midgard meta: %d uniform registers, at most %d exist", u, MaxUniforms)
	}
	if limit := min(MaxWork, UniformTop+1-u); m.WorkRegs < 0 || m.WorkRegs > limit {
		return fmt.Errorf("midgard meta: %d work registers beside %d uniform registers, at most %d", m.WorkRegs, u, limit)
	}
	if limit := WorkLimit(m.WorkgroupSize); m.Stage == ir.StageCompute && m.Resident() && m.WorkRegs > limit {
		return fmt.Errorf("midgard meta: %d work registers a thread in a workgroup of %v, at most %d", m.WorkRegs, m.WorkgroupSize, limit)
	}
	if !m.FirstTag.Known() {
		return fmt.Errorf("midgard meta: first tag %s", m.FirstTag)
	}
	for i, x := range m.Uniforms {
		if x.UBO < 0 || x.UBO >= len(m.UBOs) || x.Offset%16 != 0 {
			return fmt.Errorf("midgard meta: uniform register %d holds byte %d of buffer %d of %d", i, x.Offset, x.UBO, len(m.UBOs))
		}
		if !m.UBOs[x.UBO].Copied() {
			return fmt.Errorf("midgard meta: uniform register %d holds bytes of a bound buffer, which nobody copies", i)
		}
	}
	if len(m.UBOs) > MaxUBOs {
		return fmt.Errorf("midgard meta: %d buffers, at most %d", len(m.UBOs), MaxUBOs)
	}
	for i := range m.UBOs {
		if m.UBOs[i].Kind >= NumUBOKinds {
			return fmt.Errorf("midgard meta: buffer %d has the unknown kind %d", i, m.UBOs[i].Kind)
		}
	}
	for _, s := range slices.Concat(m.Sysvals, m.SysvalTail, m.Elements) {
		if s.Kind == SysvalNone || s.Kind >= NumSysvals {
			return fmt.Errorf("midgard meta: unknown system value %d", s.Kind)
		}
	}
	if own := m.OwnBuffer(); m.Blend != nil && own != "" {
		return fmt.Errorf("midgard meta: a blend program with %s of its own: its uniform registers and buffers are those of the program that calls it", own)
	}
	if b := m.Blend; b != nil && (m.Stage != ir.StageFragment || b.Target < 0 || b.Target > 7) {
		return fmt.Errorf("midgard meta: a blend program of stage %s for target %d", m.Stage, b.Target)
	}
	if m.SharedSize > MaxShared {
		return fmt.Errorf("midgard meta: %d bytes of workgroup memory, at most %d", m.SharedSize, MaxShared)
	}
	if m.TLSSize > MaxTLS {
		return fmt.Errorf("midgard meta: %d bytes of local storage a thread, at most %d", m.TLSSize, MaxTLS)
	}
	if err := m.checkGPU(); err != nil {
		return err
	}
	if err := m.checkStages(); err != nil {
		return err
	}
	return m.checkTables()
}

func (m *Meta) checkTables() error {
	for i, a := range m.Attributes {
		if a.Kind >= NumRecordKinds || int(a.Slot) >= ir.NumVaryingSlots {
			return fmt.Errorf("midgard meta: attribute %d: kind %d, slot %d", i, a.Kind, a.Slot)
		}
	}
	for i, v := range m.Varyings {
		if v.Kind >= NumVaryingKinds || int(v.Slot) >= ir.NumVaryingSlots {
			return fmt.Errorf("midgard meta: varying %d: kind %d, slot %d", i, v.Kind, v.Slot)
		}
	}
	for i, o := range m.Outputs {
		if int(o.Slot) >= ir.NumVaryingSlots {
			return fmt.Errorf("midgard meta: output %d: slot %d", i, o.Slot)
		}
	}
	return nil
}
