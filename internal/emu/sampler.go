package emu

import "math"

// Filter is how a level of an image is filtered.
type Filter uint8

// Filters, in Vulkan's order.
const (
	FilterNearest Filter = iota
	FilterLinear
)

// MipMode is how the levels of an image are filtered.
type MipMode uint8

// Mip modes, in Vulkan's order.
const (
	MipNearest MipMode = iota
	MipLinear
)

// AddressMode is what a sampler reads outside the image.
type AddressMode uint8

// Address modes, in Vulkan's order.
const (
	AddressRepeat AddressMode = iota
	AddressMirroredRepeat
	AddressClampToEdge
	AddressClampToBorder
	AddressMirrorClampToEdge
)

// BorderColor is what a sampler reads beyond the border.
type BorderColor uint8

// Border colours, in Vulkan's order; BorderCustom is Sampler.Custom.
const (
	BorderFloatTransparentBlack BorderColor = iota
	BorderIntTransparentBlack
	BorderFloatOpaqueBlack
	BorderIntOpaqueBlack
	BorderFloatOpaqueWhite
	BorderIntOpaqueWhite
	BorderCustom
)

// Reduction is how the texels of a filter's footprint become one.
type Reduction uint8

// Reductions, in Vulkan's order. Min and max go over the texels of nonzero
// weight, component by component.
const (
	ReductionAverage Reduction = iota
	ReductionMin
	ReductionMax
)

// LodNone is the MaxLod of a sampler that clamps to no level.
const LodNone = 1000

// Sampler is the state of a texture sampler, with the meaning of the fields of
// VkSamplerCreateInfo. The zero value reads the nearest texel of the base level
// and repeats the image.
type Sampler struct {
	Mag, Min Filter
	Mip      MipMode
	Address  [3]AddressMode // u, v, w
	// LodBias is added to the LOD, explicit or not, before the clamp to
	// MinLod..MaxLod.
	LodBias, MinLod, MaxLod float32
	// Anisotropy is the largest ratio of anisotropy; up to 1 there is none.
	Anisotropy float32
	// CompareOp compares in sampling with a reference whatever Compare says;
	// Compare is for those who want to check the shader's use.
	Compare   bool
	CompareOp CompareOp
	Border    BorderColor
	// Custom is the colour of BorderCustom: float bits, or integers.
	Custom [4]uint32
	// Unnormalized coordinates are in texels; images have one level then.
	Unnormalized bool
	// NonSeamlessCube filters the faces of a cube by the address modes and
	// not across their edges.
	NonSeamlessCube bool
	Reduction       Reduction
}

// border returns the border's texel: integers or float bits by the format read.
func (s *Sampler) border(integer bool) [4]uint32 {
	one := math.Float32bits(1)
	if integer {
		one = 1
	}
	switch s.Border {
	case BorderFloatOpaqueBlack, BorderIntOpaqueBlack:
		return [4]uint32{0, 0, 0, one}
	case BorderFloatOpaqueWhite, BorderIntOpaqueWhite:
		return [4]uint32{one, one, one, one}
	case BorderCustom:
		return s.Custom
	}
	return [4]uint32{}
}

// wrap applies an address mode to a texel coordinate (Vulkan 1.3, Wrapping
// Operation); -1 is the border.
func (m AddressMode) wrap(i, size int) int {
	switch m {
	case AddressRepeat:
		if i %= size; i < 0 {
			i += size
		}
	case AddressMirroredRepeat:
		if i %= 2 * size; i < 0 {
			i += 2 * size
		}
		i = size - 1 - mirror(i-size)
	case AddressClampToEdge:
		return min(max(i, 0), size-1)
	case AddressMirrorClampToEdge:
		return min(mirror(i), size-1)
	default:
		if i >= size || i < 0 {
			return -1
		}
	}
	return i
}

func mirror(n int) int {
	if n >= 0 {
		return n
	}
	return -(1 + n)
}
