// Package layout is the pipeline layout as an input of the compiler: which descriptors and push
// constants the pipelines have that a shader is for, and where a target's tables hold them. Slots
// follow from a layout, or without one from binding numbers alone, never from what one shader
// uses: the stages of a pipeline share their tables. Code generators and the software GPU place
// by the same rules, which docs/abi.md writes down; nothing here knows an instruction set.
package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nirc/ir"
)

// Type is a descriptor's type, in the order of VkDescriptorType.
type Type uint8

// The types that targets know.
const (
	Sampler Type = iota
	CombinedImageSampler
	SampledImage
	StorageImage
	UniformTexelBuffer
	StorageTexelBuffer
	UniformBuffer
	StorageBuffer
	UniformBufferDynamic
	StorageBufferDynamic
	InputAttachment
	// AccelerationStructure is one of ray queries.
	AccelerationStructure
	// Mutable descriptors are of any type but dynamic buffers, input attachments and samplers
	// (VK_EXT_mutable_descriptor_type): a place in each table for what they may be.
	Mutable
	// InlineUniformBlock is a uniform buffer whose bytes the descriptor set holds: a descriptor of them, whose count is bytes.
	InlineUniformBlock
	// SampleWeightImage holds the weights of a filter, BlockMatchImage is one to look for blocks in (VK_QCOM_image_processing).
	SampleWeightImage
	BlockMatchImage
	// Other are the types that no target knows; they take up no places.
	Other
	NumTypes
)

var typeNames = [NumTypes]string{"sampler", "combined_image_sampler", "sampled_image", "storage_image", "uniform_texel_buffer",
	"storage_texel_buffer", "uniform_buffer", "storage_buffer", "uniform_buffer_dynamic", "storage_buffer_dynamic", "input_attachment",
	"acceleration_structure", "mutable", "inline_uniform_block", "sample_weight_image", "block_match_image", "other"}

// String is the type's name as layouts spell it.
func (t Type) String() string {
	if t < NumTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// TypeNames lists the names of all types.
func TypeNames() []string { return slices.Clone(typeNames[:]) }

// ParseType returns the type of a name.
func ParseType(name string) (Type, bool) {
	i := slices.Index(typeNames[:], name)
	return Type(max(i, 0)), i >= 0
}

// vulkanTypes are those beyond the row of numbers of the others: VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, _MUTABLE_EXT,
// _INLINE_UNIFORM_BLOCK, _SAMPLE_WEIGHT_IMAGE_QCOM and _BLOCK_MATCH_IMAGE_QCOM.
var vulkanTypes = [...]uint32{AccelerationStructure: 1000150000, Mutable: 1000351000, InlineUniformBlock: 1000138000,
	SampleWeightImage: 1000440000, BlockMatchImage: 1000440001}

// OfVulkan is the type of a VkDescriptorType: Other if no target knows it.
func OfVulkan(n uint32) Type {
	if n < uint32(AccelerationStructure) {
		return Type(n)
	}
	if i := slices.Index(vulkanTypes[AccelerationStructure:], n); i >= 0 {
		return AccelerationStructure + Type(i)
	}
	return Other
}

// Vulkan is the VkDescriptorType, of Other a number that stands for none.
func (t Type) Vulkan() uint32 {
	switch {
	case t < AccelerationStructure:
		return uint32(t)
	case t < Other:
		return vulkanTypes[t]
	}
	return 1 << 30
}

// IsDynamic reports whether an offset is added when the set is bound.
func (t Type) IsDynamic() bool { return t == UniformBufferDynamic || t == StorageBufferDynamic }

// IsBuffer reports whether descriptors may be uniform or storage buffers.
func (t Type) IsBuffer() bool {
	return t >= UniformBuffer && t <= StorageBufferDynamic || t == Mutable || t == InlineUniformBlock
}

// HasSampler reports whether descriptors hold a sampler, HasImage whether they may hold an image or a
// texel buffer.
func (t Type) HasSampler() bool { return t == Sampler || t == CombinedImageSampler }

// HasImage reports whether descriptors hold an image or a texel buffer.
func (t Type) HasImage() bool {
	return t < AccelerationStructure && t != Sampler && !t.IsBuffer() || t == Mutable || t == SampleWeightImage || t == BlockMatchImage
}

// Stages are bits of VkShaderStageFlagBits.
type Stages uint32

// The masks that Vulkan has names for.
const (
	AllGraphics Stages = 0x1f
	AllStages   Stages = 0x7fffffff
)

// StageBit is the bit of a stage. Kernels count as compute.
func StageBit(s ir.Stage) Stages {
	if s == ir.StageKernel {
		s = ir.StageCompute
	}
	for i := range ir.StageTable {
		if ir.StageTable[i].Stage == s {
			return 1 << i
		}
	}
	return 0
}

// SamplerState is an immutable sampler: the fields of VkSamplerCreateInfo with its numbers.
type SamplerState struct {
	MagFilter, MinFilter, MipmapMode uint8
	Address                          [3]uint8 // u, v, w
	MipLodBias, MinLod, MaxLod       float32
	// MaxAnisotropy is 0 without anisotropy.
	MaxAnisotropy float32
	Compare       bool
	CompareOp     uint8
	BorderColor   uint8
	Unnormalized  bool
	// Conversion is the sampler's conversion from YCbCr, nil none.
	Conversion *Conversion
}

// Binding is a binding of a set.
type Binding struct {
	Binding uint32
	Type    Type
	// Count is the number of elements, of an InlineUniformBlock of bytes; 0 is a binding that exists and holds nothing.
	Count  uint32
	Stages Stages
	// Immutable are the samplers of the elements, which do not come from descriptors; nil or Count of them.
	Immutable []SamplerState
	// PartiallyBound: a descriptor need be good only where an invocation comes by what reads it
	// (VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT); without it, where the shader names it.
	PartiallyBound bool
}

// Set is a descriptor set's layout.
type Set struct {
	Set      uint32
	Bindings []Binding // by number
}

// PushRange is a range of push constants, in bytes.
type PushRange struct {
	Stages       Stages
	Offset, Size uint32
}

// Layout is a pipeline layout. Methods that read take nil for "no layout".
type Layout struct {
	Sets []Set // by number; those without bindings may be left out
	Push []PushRange
	// Open: sets that are not listed, of tables that each set has for itself, and push constants are as without a layout.
	Open bool
}

// leaves reports whether the layout leaves a set to the numbers of its bindings.
func (l *Layout) leaves(t *Table, set uint32) bool {
	if l == nil {
		return true
	}
	return l.Open && t.PerSet && !slices.ContainsFunc(l.Sets, func(s Set) bool { return s.Set == set })
}

// What a layout may hold at most: no device of the targets has more sets than 8, Vulkan asks for
// no more than 2^20 descriptors a set, and 256 bytes of push constants and of inline uniform blocks are common.
const (
	MaxSets        = 32
	MaxBindings    = 1 << 16
	MaxDescriptors = 1 << 20
	MaxPush        = 1 << 16
	MaxInline      = 1 << 16 // bytes of an inline uniform block
	// MaxBorderColor is the last of Vulkan's border colours.
	MaxBorderColor = 5
)

// PartiallyBound reports whether descriptors of a binding may be missing where no invocation comes by. Where nothing is known of the binding they are
// there, as Vulkan has it of each that a shader names (VUID-vkCmdDispatch-None-08114).
func (l *Layout) PartiallyBound(set, binding uint32) bool {
	b := l.Find(set, binding)
	return b != nil && b.PartiallyBound
}

// Find returns a binding, nil if the layout does not have it.
func (l *Layout) Find(set, binding uint32) *Binding {
	if l == nil {
		return nil
	}
	for i := range l.Sets {
		if s := &l.Sets[i]; s.Set == set {
			k, ok := slices.BinarySearchFunc(s.Bindings, binding, func(b Binding, n uint32) int { return cmp.Compare(b.Binding, n) })
			if ok {
				return &s.Bindings[k]
			}
		}
	}
	return nil
}

// Dynamic is the place of a dynamic buffer's first element among the dynamic offsets of
// vkCmdBindDescriptorSets, which go by set, binding and element; -1 if the binding has none.
func (l *Layout) Dynamic(set, binding uint32) int {
	if l == nil {
		return -1
	}
	n := 0
	for i := range l.Sets {
		for k := range l.Sets[i].Bindings {
			b := &l.Sets[i].Bindings[k]
			if !b.Type.IsDynamic() {
				continue
			}
			if l.Sets[i].Set == set && b.Binding == binding {
				return n
			}
			n += int(b.Count)
		}
	}
	return -1
}

// HasDynamic reports whether any buffer is dynamic.
func (l *Layout) HasDynamic() bool {
	for i := range l.Sets {
		for k := range l.Sets[i].Bindings {
			if b := &l.Sets[i].Bindings[k]; b.Type.IsDynamic() && b.Count > 0 {
				return true
			}
		}
	}
	return false
}

// dynamic returns the buffer of a dynamic offset.
func (l *Layout) dynamic(n uint32) (e Entry, ok bool) {
	for i := range l.Sets {
		s := &l.Sets[i]
		for k := range s.Bindings {
			b := &s.Bindings[k]
			if !b.Type.IsDynamic() {
				continue
			}
			if n < b.Count {
				return Entry{Set: s.Set, Binding: b.Binding, Element: n}, true
			}
			n -= b.Count
		}
	}
	return e, false
}

// Problem is what is wrong with a layout: Set and Range are indices into its lists, -1 for
// neither; Binding is an index into the set's, -1 for the set itself.
type Problem struct {
	Set, Binding, Range int
	Msg                 string
}

// Error returns the message.
func (p *Problem) Error() string { return p.Msg }

// Check finds what no pipeline layout can be: duplicates, disorder, and more than fits. It
// returns the first *Problem, or nil.
func (l *Layout) Check() *Problem {
	for i := range l.Sets {
		s := &l.Sets[i]
		problem := func(k int, format string, args ...any) *Problem {
			return &Problem{Set: i, Binding: k, Range: -1, Msg: fmt.Sprintf(format, args...)}
		}
		switch {
		case s.Set >= MaxSets:
			return problem(-1, "set %d: the most is %d", s.Set, MaxSets-1)
		case i > 0 && s.Set == l.Sets[i-1].Set:
			return problem(-1, "set %d is given twice", s.Set)
		case i > 0 && s.Set < l.Sets[i-1].Set:
			return problem(-1, "set %d comes after set %d", s.Set, l.Sets[i-1].Set)
		}
		if k, msg := s.check(); msg != "" {
			return problem(k, "%s", msg)
		}
	}
	return l.checkPush()
}

// check finds what is wrong with a set: the place of the binding, and why.
func (s *Set) check() (binding int, msg string) {
	total := uint64(0)
	for k := range s.Bindings {
		b := &s.Bindings[k]
		total += b.total()
		at := fmt.Sprintf("set %d binding %d", s.Set, b.Binding)
		switch {
		case b.Binding >= MaxBindings:
			return k, fmt.Sprintf("%s: the largest number is %d", at, MaxBindings-1)
		case b.Type >= NumTypes:
			return k, fmt.Sprintf("%s: there is no %s", at, b.Type)
		case k > 0 && b.Binding == s.Bindings[k-1].Binding:
			return k, at + " is given twice"
		case k > 0 && b.Binding < s.Bindings[k-1].Binding:
			return k, fmt.Sprintf("%s comes after binding %d", at, s.Bindings[k-1].Binding)
		case total > MaxDescriptors:
			return k, fmt.Sprintf("%s: a set has at most %d descriptors", at, MaxDescriptors)
		case b.Type == InlineUniformBlock && (b.Count%4 != 0 || b.Count > MaxInline):
			return k, fmt.Sprintf("%s: the count of an inline_uniform_block is its bytes, a multiple of 4 up to %d", at, MaxInline)
		case b.Immutable != nil && !b.Type.HasSampler():
			return k, fmt.Sprintf("%s: a %s has no immutable samplers", at, b.Type)
		case b.Immutable != nil && len(b.Immutable) != int(b.Count):
			return k, fmt.Sprintf("%s: %d immutable samplers for %d elements", at, len(b.Immutable), b.Count)
		}
		for i := range b.Immutable {
			if b.Immutable[i].Conversion != nil && b.Type != CombinedImageSampler {
				return k, fmt.Sprintf("%s: a %s has no conversion from YCbCr", at, b.Type)
			}
			if why := b.Immutable[i].check(); why != "" {
				return k, fmt.Sprintf("%s: immutable sampler %d: %s", at, i, why)
			}
		}
	}
	return 0, ""
}

// check says what no sampler has, "" nothing.
func (s *SamplerState) check() string {
	for _, x := range []float32{s.MipLodBias, s.MinLod, s.MaxLod, s.MaxAnisotropy} {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return "a level of detail or an anisotropy is no number"
		}
	}
	switch {
	case s.MagFilter > 1 || s.MinFilter > 1 || s.MipmapMode > 1 || s.CompareOp > 7 || s.BorderColor > MaxBorderColor || slices.Max(s.Address[:]) > 4:
		return "a filter, mode, comparison or border colour does not exist"
	case s.MinLod > s.MaxLod:
		return fmt.Sprintf("min_lod %g is above max_lod %g", s.MinLod, s.MaxLod)
	case s.Conversion != nil:
		return s.Conversion.check()
	}
	return ""
}

func (l *Layout) checkPush() *Problem {
	seen := Stages(0)
	for i, r := range l.Push {
		problem := func(format string, args ...any) *Problem {
			return &Problem{Set: -1, Binding: -1, Range: i, Msg: fmt.Sprintf("push constant range %d: ", i) + fmt.Sprintf(format, args...)}
		}
		switch {
		case r.Size == 0 || r.Offset%4 != 0 || r.Size%4 != 0:
			return problem("offset %d and size %d must be multiples of 4, the size not 0", r.Offset, r.Size)
		case uint64(r.Offset)+uint64(r.Size) > MaxPush:
			return problem("it ends beyond byte %d", MaxPush)
		case r.Stages == 0:
			return problem("it is for no stage")
		case r.Stages&seen != 0:
			return problem("a stage has two ranges")
		}
		seen |= r.Stages
	}
	return nil
}

// PushRange returns the bytes of push constants that a stage may read; size 0 is none.
func (l *Layout) PushRange(s ir.Stage) (offset, size uint32) {
	for _, r := range l.Push {
		if r.Stages&StageBit(s) != 0 {
			return r.Offset, r.Size
		}
	}
	return 0, 0
}
