// Package abi holds what an ir3 binary says about itself: which registers
// inputs arrive in and outputs leave in, how the const file is laid out, which
// descriptor stands where. The code generator writes a [Meta] beside the code,
// package core reads it; both see the shader through this and nothing else.
// All types are plain data that encoding/json carries unchanged. The contents
// follow ir3.md §6.1 to 6.13.
package abi

import (
	"errors"
	"fmt"
	"math/bits"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// NoReg is the register number of something that is absent (r63.x).
const NoReg = isa.NoReg

// Meta describes one shader binary. Register numbers are 4*N+c, half ones in
// half numbers; const offsets and sizes are in 32-bit scalars unless said
// otherwise.
type Meta struct {
	Gen isa.Gen `json:"gen"`
	// GPU names the device that the program is for, whose limits and rules it keeps to.
	GPU   string   `json:"gpu,omitempty"`
	Stage ir.Stage `json:"stage"`
	// DoubleWave: waves have twice as many fibers, 128 and not 64 on most devices.
	DoubleWave bool `json:"double_wave,omitempty"`
	// Robust is what the program may do beyond the bounds that descriptors give, which the device always
	// keeps: where a kind is off, such an access is a fault of the application, which the emulator's core reports.
	Robust ir.Robust `json:"robust,omitzero"`
	// MaxRegs is the footprint: vec4 registers, halves folded in.
	MaxRegs int `json:"max_regs"`
	// ConstLen is the size of the const file in vec4.
	ConstLen int `json:"const_len"`
	// BranchStack is the largest number of places where fibers wait at a time.
	BranchStack int    `json:"branch_stack,omitempty"`
	SharedSize  uint32 `json:"shared_size,omitempty"`  // bytes a workgroup
	PrivateSize uint32 `json:"private_size,omitempty"` // bytes a fiber
	// PrivatePerFiber asks for the layout of private memory in which a fiber's words follow each
	// other, which accesses of several components want; else those of a wave do (ir3.md §6.11).
	PrivatePerFiber bool `json:"private_per_fiber,omitempty"`
	// LinearDispatch: fibers must be numbered along x, then y, then z, for the shader computes its
	// subgroup's number from the local id (ir3.md §6.7).
	LinearDispatch bool `json:"linear_dispatch,omitempty"`
	// WorkgroupSize of a compute shader.
	WorkgroupSize [3]uint32 `json:"workgroup_size"`

	UsesBarrier bool `json:"uses_barrier,omitempty"`
	UsesDiscard bool `json:"uses_discard,omitempty"`
	// FragSize: the program asks for the size of fragments, and takes coordinates to be those of a map of densities (ParamFSFragOffset).
	FragSize bool `json:"frag_size,omitempty"`
	// UsesRays: the program tests rays, which drivers of the a750 must tell the hardware before they start it (Mesa's
	// has_rt_workaround).
	UsesRays bool `json:"uses_rays,omitempty"`
	// Coherent: some accesses to buffers are coherent or volatile, so that other invocations may
	// access the same bytes unordered.
	Coherent bool `json:"coherent,omitempty"`
	// CoherentShared: some loads and stores of workgroup memory are atomic.
	CoherentShared bool `json:"coherent_shared,omitempty"`
	WritesMemory   bool `json:"writes_memory,omitempty"`
	NeedsQuads     bool `json:"needs_quads,omitempty"`
	// FullQuads: all four fibers of a quad are wanted, also where three would do for derivatives of
	// lookups.
	FullQuads bool `json:"full_quads,omitempty"`
	// PostDepthCoverage: the mask of covered samples is the one after the depth and stencil tests,
	// which are early.
	PostDepthCoverage bool `json:"post_depth_coverage,omitempty"`
	// PrefetchQuads: only prefetches need quads, whose helpers end after them.
	PrefetchQuads      bool `json:"prefetch_quads,omitempty"`
	EarlyFragmentTests bool `json:"early_fragment_tests,omitempty"`
	PerSample          bool `json:"per_sample,omitempty"`
	EarlyPreamble      bool `json:"early_preamble,omitempty"`
	// ClipDistances and CullDistances count components of a vertex stage, as declared: those that
	// cull follow those that clip in the slots of clip distances. ClipMask and CullMask name, by
	// that number, the ones that are written: the others must not be looked at.
	ClipDistances uint8 `json:"clip_distances,omitempty"`
	CullDistances uint8 `json:"cull_distances,omitempty"`
	ClipMask      uint8 `json:"clip_mask,omitempty"`
	CullMask      uint8 `json:"cull_mask,omitempty"`

	Inputs  []Input  `json:"inputs,omitempty"`
	Sysvals []Sysval `json:"sysvals,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`
	// TotalIn is the number of varying components: highest inloc + 1.
	TotalIn int `json:"total_in,omitempty"`

	// Prefetches are done before a fragment shader starts.
	Prefetches []Prefetch `json:"prefetches,omitempty"`

	// Chain is the stage's part in the geometry pipeline.
	Chain Chain `json:"chain"`
	// Feedback is nil of shaders without transform feedback.
	Feedback *Feedback `json:"feedback,omitempty"`

	// Bindless are the tables that the program reaches through the sets: a driver enables each by its stage's state.
	Bindless Bindless `json:"bindless,omitzero"`

	// Attachments are what the program reads of the framebuffer where its fragment is, a bit each (ColorAttachments, DepthAttachment,
	// StencilAttachment): as texture of that number of the stage's own state. With depth or stencil among them, these are tested and
	// written after the shader, unless EarlyFragmentTests asks otherwise. OrderedAttachments: fragments of a sample take turns, for
	// one reads what those before left.
	Attachments        uint16 `json:"attachments,omitempty"`
	OrderedAttachments bool   `json:"ordered_attachments,omitempty"`

	Consts      Consts       `json:"consts"`
	Descriptors []Descriptor `json:"descriptors,omitempty"`
	// ConstData is read through the descriptor whose ConstData is set.
	ConstData []byte `json:"const_data,omitempty"`
}

// WaveSize returns the number of fibers of a wave.
func (m *Meta) WaveSize() int {
	n := 64
	if g := m.Device(); g != nil {
		n = g.Fibers
	}
	if m.DoubleWave {
		return 2 * n
	}
	return n
}

// Input is one vec4 input: a vertex attribute that arrives in registers
// (component k in register Reg+k), or a varying that bary.f and flat.b fetch
// (component k is location InLoc+k).
type Input struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	// Reg is the first register of an attribute; NoReg for varyings.
	Reg    int       `json:"reg"`
	InLoc  int       `json:"in_loc,omitempty"`
	Interp ir.Interp `json:"interp,omitempty"`
	Half   bool      `json:"half,omitempty"`
}

// Output is one vec4 output: component k is in register Reg+k. A component
// without its bit in Mask is not read.
type Output struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	Reg  int     `json:"reg"`
	Half bool    `json:"half,omitempty"`
	// As is what a half output becomes: F32, U32, S32 (by conversion, as the
	// output unit does it), or zero: the 16 bits stay as they are.
	As isa.Type `json:"as,omitempty"`
	// Index is 1 for the second source of dual-source blending.
	Index uint8 `json:"index,omitempty"`
	// AliasRT: the preamble's alias.rt gives the components of this mask.
	AliasRT uint8 `json:"alias_rt,omitempty"`
	// VertexFlags: this is no slot but the flags of a geometry shader's vertex.
	VertexFlags bool `json:"vertex_flags,omitempty"`
}

// Registers is the mask of the components that the program leaves in registers.
func (o *Output) Registers() uint8 { return o.Mask &^ o.AliasRT }

// Prefetch is a texture lookup that the hardware does before the shader
// starts: coordinates are the varying components InLoc and InLoc+1 at the pixel, with perspective;
// component k of the texel goes to register Reg+k if Mask has it. Its result
// needs (sy) as that of a sam does.
type Prefetch struct {
	InLoc   int    `json:"in_loc"`
	Set     uint8  `json:"set"`
	Texture uint16 `json:"texture"`
	Sampler uint16 `json:"sampler"`
	Reg     int    `json:"reg"`
	Mask    uint8  `json:"mask"`
	// SamplerSet is the sampler's set: prefetches have bases of their own for both.
	SamplerSet uint8 `json:"sampler_set"`
}

// SysvalKind is a value that the hardware writes into registers.
type SysvalKind uint8

// System values and the form they arrive in.
const (
	SysvalNone        SysvalKind = iota
	VertexID                     // includes the base vertex
	InstanceID                   // from 0, without the base instance
	ViewIndex                    // 32 bits
	FragCoord                    // 4 registers: x, y fixed point with 4 fraction bits, z, w floats
	IJPerspPixel                 // 2 registers each
	IJPerspCentroid              //
	IJPerspSample                //
	IJPerspCenterRHW             // 1 register: 1/w at the pixel centre
	IJLinearPixel                //
	IJLinearCentroid             //
	IJLinearSample               //
	FrontFace                    // half: 0 front, -1 back
	SampleID                     // half
	SampleMaskIn                 // 32 bits
	LocalInvocationID            // 3 registers
	WorkgroupID                  // 3 shared registers; without the base workgroup
	PrimitiveID                  // 32 bits
	TessCoord                    // 2 registers: x, y
	RelPatchID                   // number of the patch in the tessellation buffers
	TCSHeader                    // see the Header constants
	GSHeader                     //
	ShadingRate                  // 32 bits: log2 of the width in bits 1:0, of the height in 3:2; with bit 4 the other way round, as Vulkan has it
	NumSysvals
)

var sysvalNames = [...]string{"none", "vertex_id", "instance_id", "view_index", "frag_coord", "ij_persp_pixel",
	"ij_persp_centroid", "ij_persp_sample", "ij_persp_center_rhw", "ij_linear_pixel", "ij_linear_centroid",
	"ij_linear_sample", "front_face", "sample_id", "sample_mask_in", "local_invocation_id", "workgroup_id", "primitive_id", "tess_coord",
	"rel_patch_id", "tcs_header", "gs_header", "shading_rate"}

// String returns the system value's name.
func (k SysvalKind) String() string {
	if int(k) < len(sysvalNames) {
		return sysvalNames[k]
	}
	return "sysval?"
}

// Count returns the number of consecutive registers of the value.
func (k SysvalKind) Count() int {
	switch k {
	case FragCoord:
		return 4
	case LocalInvocationID, WorkgroupID:
		return 3
	case IJPerspPixel, IJPerspCentroid, IJPerspSample, IJLinearPixel, IJLinearCentroid, IJLinearSample, TessCoord:
		return 2
	}
	return 1
}

// Half reports whether the value arrives in half registers.
func (k SysvalKind) Half() bool { return k == FrontFace || k == SampleID }

// Sysval says where a system value arrives. Components without their bit in
// Mask are not written (their registers may hold something else); Mask 0 means
// all.
type Sysval struct {
	Kind SysvalKind `json:"kind"`
	Reg  int        `json:"reg"`
	Mask uint8      `json:"mask,omitempty"`
}

// Count returns the number of consecutive registers of the value: two of a position of which
// depth and w are not asked for, which the hardware has a register number of their own for (ir3.md §6.1).
func (s Sysval) Count() int {
	if s.Kind == FragCoord && s.Mask != 0 && s.Mask&^3 == 0 {
		return 2
	}
	return s.Kind.Count()
}

// Area is a range of the const file in scalars.
type Area struct {
	Offset int `json:"offset"`
	Size   int `json:"size"`
}

// Consts is the layout of the const file: what the driver puts where before
// the shader starts. The preamble fills the rest.
type Consts struct {
	// Push receives the push constant block from byte PushStart on.
	Push      Area   `json:"push"`
	PushStart uint32 `json:"push_start,omitempty"`
	// Driver receives the driver parameters of the stage, see the Param indices.
	Driver Area `json:"driver"`
	// Preamble is written by the preamble.
	Preamble Area `json:"preamble"`
	// Primitive receives the primitive parameters, see the Prim indices.
	Primitive Area `json:"primitive"`
	// Map receives the primitive map: scalar MapIndex(slot) is where the stage
	// before leaves that slot (Chain.Locations of its binary).
	Map Area `json:"map"`
	// ByPreamble: the command stream loads none of the areas, but the parameters of a vertex shader.
	// The preamble copies push constants from the registers that the driver puts the whole block into,
	// and the areas Driver, Primitive and Map from uniform buffers of the classic table, whose numbers are
	// the constants Buffer….
	ByPreamble bool `json:"by_preamble,omitempty"`
	// Immediates stand from ImmediateOffset on.
	ImmediateOffset int      `json:"immediate_offset,omitempty"`
	Immediates      []uint32 `json:"immediates,omitempty"`
}

// Numbers of the driver's uniform buffers in the classic table, where preambles load consts; 0 is
// ConstDataUBO.
const (
	BufferDriver    = 1
	BufferPrimitive = 2
	BufferMap       = 3
)

// Scalar indices inside Consts.Driver by stage (ir3.md §6.6).
const (
	ParamVSDrawID       = 0
	ParamVSVertexBase   = 1
	ParamVSInstanceBase = 2
	ParamVSMaxVertices  = 3
	ParamVSIsIndexed    = 4

	ParamFSSubgroupSize = 0
	ParamFSInvocations  = 4
	ParamFSFragSize     = 8  // integers x, y
	ParamFSFragOffset   = 10 // floats x, y: what is taken from gl_FragCoord before it is multiplied by the size

	ParamCSNumWorkgroups   = 0
	ParamCSWorkDim         = 3
	ParamCSBaseWorkgroup   = 4
	ParamCSSubgroupSize    = 7
	ParamCSLocalSize       = 8
	ParamCSSubgroupIDShift = 11
)

// DescriptorKind says what a binding's slots hold.
type DescriptorKind uint8

// Descriptor kinds. A combined image and sampler has two slots per element:
// the image, then the sampler.
const (
	Buffer   DescriptorKind = iota // uniform or storage buffer
	Texture                        // image, texel buffer, input attachment
	Sampler                        //
	Combined                       //
)

// Descriptor places a binding in its bindless descriptor set: the slot (unit
// of 16 dwords, the index that instructions use) of element 0.
type Descriptor struct {
	Set     uint32         `json:"set"`
	Binding uint32         `json:"binding"`
	Kind    DescriptorKind `json:"kind"`
	// Base is the set number that instructions use.
	Base uint8 `json:"base"`
	// Slot is the index of element 0, Stride how far the next one is: see Slots.
	Slot   uint32 `json:"slot"`
	Stride uint32 `json:"stride"`
	// Count is how many elements the shader may use.
	Count uint32 `json:"count"`
	// Views has, for a storage buffer, the element size in bytes of each of its
	// slots: {4}, {2, 4} with 16-bit storage, {..., 1} with 8-bit storage. nil
	// means one slot of 4-byte elements.
	Views []uint8 `json:"views,omitempty"`
	// View is the shape in which the shader sees a texture or an image.
	View View `json:"view"`
}

// View is the shape of a texture: what the driver writes into its descriptor.
type View struct {
	Dim   ir.Dim `json:"dim,omitempty"`
	Array bool   `json:"array,omitempty"`
	MS    bool   `json:"ms,omitempty"`
}

// SlotsPerElement returns how many slots an array element takes.
func (d *Descriptor) SlotsPerElement() uint32 {
	switch {
	case d.Kind == Combined:
		return 2
	case len(d.Views) > 1:
		return uint32(len(d.Views))
	}
	return 1
}

// Limits of texture prefetches: how many there are, the last register number, and the last slot in
// a set (ir3.md §6.4).
const (
	MaxPrefetches   = 4
	MaxPrefetchReg  = 0x3f
	MaxPrefetchSlot = 0xffff
)

// Check finds contradictions that would make the core read nonsense.
func (m *Meta) Check() error {
	if m.Gen != isa.A6xx && m.Gen != isa.A7xx {
		return fmt.Errorf("ir3 meta: %s is not supported", m.Gen)
	}
	if m.MaxRegs < 0 || m.MaxRegs > 48 {
		return fmt.Errorf("ir3 meta: %d vec4 registers, at most 48 exist", m.MaxRegs)
	}
	if m.ConstLen < 0 || m.ConstLen > 512 {
		return fmt.Errorf("ir3 meta: constlen %d, at most 512", m.ConstLen)
	}
	if m.PrivateSize > 1<<20 {
		return fmt.Errorf("ir3 meta: %d bytes of private memory a fiber, at most %d", m.PrivateSize, 1<<20)
	}
	if m.DoubleWave && m.Stage != ir.StageFragment && m.Stage != ir.StageCompute {
		return fmt.Errorf("ir3 meta: double waves do not exist in stage %s", m.Stage)
	}
	for _, check := range []func() error{m.checkAreas, m.checkDevice, m.checkInputs, m.checkDistances, m.checkSysvals, m.checkOutputs, m.checkPrefetches, m.checkDescriptors} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkAreas refuses areas outside the const file.
func (m *Meta) checkAreas() error {
	areas := []Area{m.Consts.Push, m.Consts.Driver, m.Consts.Preamble, m.Consts.Primitive, m.Consts.Map, {m.Consts.ImmediateOffset, len(m.Consts.Immediates)}}
	for _, a := range areas {
		if a.Size != 0 && (a.Offset < 0 || a.Size < 0 || a.Offset > 4*m.ConstLen || a.Size > 4*m.ConstLen-a.Offset) {
			return fmt.Errorf("ir3 meta: const area c[%d], %d scalars, lies outside constlen %d", a.Offset, a.Size, m.ConstLen)
		}
	}
	return m.checkUnits()
}

// checkUnits refuses areas that are not copied as they are described: parameters of vertex and compute shaders come in units of 4 vec4,
// where 0 means to vertex shaders that there are none, and so does all that preambles copy.
func (m *Meta) checkUnits() error {
	const unit = 16 // scalars
	d := m.Consts.Driver
	switch {
	case m.GPU == "": // of no device
	case d.Size > 0 && (m.Stage == ir.StageVertex || m.Stage == ir.StageCompute) && (d.Offset%unit != 0 || d.Size%unit != 0):
		return fmt.Errorf("ir3 meta: %d parameters at c[%d], which is no whole unit of %d", d.Size, d.Offset, unit)
	case d.Size > 0 && m.Stage == ir.StageVertex && d.Offset == 0:
		return errors.New("ir3 meta: parameters of a vertex shader at c[0], which means that there are none")
	case m.Consts.ByPreamble && (m.Consts.Primitive.Offset%unit != 0 || m.Consts.Map.Offset%unit != 0):
		return fmt.Errorf("ir3 meta: the preamble copies to c[%d] and c[%d], which are no whole units of %d", m.Consts.Primitive.Offset, m.Consts.Map.Offset, unit)
	}
	return nil
}

// checkInputs refuses a number of varying components that is not that of the inputs, for which the hardware makes room, and a mask of
// samples after tests that come later.
func (m *Meta) checkInputs() error {
	if m.Stage != ir.StageFragment {
		return nil
	}
	n := 0
	for _, in := range m.Inputs {
		n = max(n, in.InLoc+bits.Len8(in.Mask))
	}
	if m.PostDepthCoverage && !m.EarlyFragmentTests {
		return errors.New("ir3 meta: the mask after depth tests is wanted of tests that are late")
	}
	if n != m.TotalIn {
		return fmt.Errorf("ir3 meta: %d varying components, the inputs have %d", m.TotalIn, n)
	}
	return nil
}

func (m *Meta) checkSysvals() error {
	for _, s := range m.Sysvals {
		if s.Kind == ViewIndex && m.Stage == ir.StageFragment {
			return errors.New("ir3 meta: the view index of a fragment shader is a varying")
		}
		if s.Kind == SysvalNone || s.Kind >= NumSysvals {
			return fmt.Errorf("ir3 meta: unknown system value %d", s.Kind)
		}
	}
	return nil
}

// checkOutputs refuses alias.rt where it does not exist.
func (m *Meta) checkOutputs() error {
	for i := range m.Outputs {
		o := &m.Outputs[i]
		if o.AliasRT != 0 && (m.Gen != isa.A7xx || m.Stage != ir.StageFragment || o.Half || o.Index != 0 || o.Slot < ir.SlotData0 || o.Slot > ir.SlotData0+7 || o.AliasRT&^o.Mask != 0) {
			return fmt.Errorf("ir3 meta: components %#x of the output in slot %d cannot be given by alias.rt", o.AliasRT, o.Slot)
		}
	}
	return nil
}

func (m *Meta) checkPrefetches() error {
	if len(m.Prefetches) > 0 && !m.NeedsQuads {
		return errors.New("ir3 meta: there are texture prefetches, which take derivatives, and no helpers are asked for")
	}
	if n := len(m.Prefetches); n > MaxPrefetches {
		return fmt.Errorf("ir3 meta: %d texture prefetches, at most %d", n, MaxPrefetches)
	}
	for _, s := range m.Sysvals {
		if s.Kind == IJPerspPixel && s.Reg != 0 && s.Reg != NoReg && len(m.Prefetches) > 0 {
			return fmt.Errorf("ir3 meta: texture prefetches take the barycentrics of the pixel from r0.x, not from register %d", s.Reg)
		}
	}
	for _, f := range m.Prefetches {
		if m.Stage != ir.StageFragment || f.Reg < 0 || f.Reg > MaxPrefetchReg+1-bits.Len8(f.Mask) {
			return fmt.Errorf("ir3 meta: the texture prefetch into register %d cannot be had", f.Reg)
		}
	}
	return nil
}

func (m *Meta) checkDescriptors() error {
	for _, d := range m.Descriptors {
		if d.Base > 7 {
			return fmt.Errorf("ir3 meta: descriptor base %d, at most 7", d.Base)
		}
		for _, v := range d.Views {
			if v != 1 && v != 2 && v != 4 {
				return fmt.Errorf("ir3 meta: binding %d.%d has elements of %d bytes, 1, 2 and 4 exist", d.Set, d.Binding, v)
			}
		}
	}
	return nil
}

// checkDistanceInputs wants all distances of a slot listed up to the last that is read: the rasteriser hands on all.
func (m *Meta) checkDistanceInputs() error {
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if (in.Slot == ir.SlotClipDist0 || in.Slot == ir.SlotClipDist1) && in.Mask&(in.Mask+1) != 0 {
			return fmt.Errorf("ir3 meta: of the distances of slot %d the program lists components %#x, and not all before them", in.Slot, in.Mask)
		}
	}
	return nil
}

// checkDistances demands a register for each distance that clips or culls.
func (m *Meta) checkDistances() error {
	var written uint8
	for i := range m.Outputs {
		if s := m.Outputs[i].Slot; s == ir.SlotClipDist0 || s == ir.SlotClipDist1 {
			written |= m.Outputs[i].Mask << (4 * (s - ir.SlotClipDist0))
		}
	}
	clip := uint8(1)<<m.ClipDistances - 1
	cull := uint8(1<<(m.ClipDistances+m.CullDistances)-1) &^ clip
	if m.Stage == ir.StageFragment {
		return m.checkDistanceInputs()
	}
	switch {
	case m.Chain.Next != ir.StageNone:
		return nil
	case m.ClipDistances+m.CullDistances > 8:
		return fmt.Errorf("ir3 meta: %d clip and %d cull distances, at most 8 exist", m.ClipDistances, m.CullDistances)
	case (m.ClipMask|m.CullMask)&^written != 0:
		return fmt.Errorf("ir3 meta: the distances %#x clip or cull, but have no register", (m.ClipMask|m.CullMask)&^written)
	case m.ClipMask&^clip != 0 || m.CullMask&^cull != 0:
		return fmt.Errorf("ir3 meta: the masks %#x and %#x are not those of %d clip and %d cull distances", m.ClipMask, m.CullMask, m.ClipDistances, m.CullDistances)
	}
	return nil
}
