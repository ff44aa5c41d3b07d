package abi

// The addresses of what is no buffer: the driver's own memory, read-only.
const (
	TableAddr     uint64 = 1 << 48 // descriptor table
	HeapAddr      uint64 = 2 << 48 // texture descriptor heap
	ConstDataAddr uint64 = 3 << 48
	PushAddr      uint64 = 4 << 48 // push constants; zero beyond their end
	// ImageAddr is where images can be reached by atomics: bits 32 to 59 and those
	// below say the entry of the heap and the place of the texel, see HeapAtomicOffset.
	ImageAddr uint64 = 1 << 60
	// AttribAddr is where vertex buffers are: that of attribute slot s begins
	// at AttribAddr + s<<40.
	AttribAddr uint64 = 6 << 48
	// StageAddr is what stages leave for others that a driver builds: vertex records,
	// patches, the tessellator's points. It can be written.
	StageAddr uint64 = 7 << 48
	// BiasAddr is where UniformSamplerBiases points to.
	BiasAddr uint64 = 8 << 48
)

// TableEntrySize is the size of an entry of the descriptor table: 64-bit
// address, 32-bit size in bytes, 32 bits of zero.
const TableEntrySize = 16

// TableRange places the elements of a buffer binding in the descriptor table, by Buffers:
// element e is entry First + e*Stride. Count is how many the shader may use.
type TableRange struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	First   uint32 `json:"first"`
	Stride  uint32 `json:"stride"`
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

// HeapRange places the elements of an image binding in the heap, by Images: element e has
// its texture descriptor in entry First + e*Stride and its write (PBE) descriptor in
// the entry after that. In the sampler heap, by SamplerHeap, an element has one entry. Count is as in TableRange.
type HeapRange struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	First   uint32 `json:"first"`
	Stride  uint32 `json:"stride"`
	Count   uint32 `json:"count"`
}

// MaxSamplers is the number of entries of the sampler heap, whose indices have 16 bits.
const MaxSamplers = 1 << 16

// The LOD bias of a sampler, which hardware samplers do not have (agx.md §8.6): a 16-bit float at
// half 0, and at half 2 the 32-bit float 2^bias, by which explicit derivatives are multiplied.
// Tables of them have SamplerBiasSize bytes for each sampler.
const (
	SamplerBiasScaleHalf = 2
	SamplerBiasSize      = 8
)

// State is a texture or sampler state register that the driver fills. Sampler
// state 0 is the driver's own, for texture_load.
type State struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	Element uint32 `json:"element,omitempty"`
	// Sampler says that Index is a sampler state, not a texture state.
	Sampler bool `json:"sampler,omitempty"`
	// Write says that a texture state holds the write descriptor.
	Write bool `json:"write,omitempty"`
	Index int  `json:"index"`
}
