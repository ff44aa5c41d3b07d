package abi

// The addresses of what is no buffer: the driver's own memory, read-only.
const (
	TableAddr     uint64 = 1 << 48 // descriptor table
	HeapAddr      uint64 = 2 << 48 // texture descriptor heap
	ConstDataAddr uint64 = 3 << 48
	PushAddr      uint64 = 4 << 48 // push constants; zero beyond their end
	// ImageAddr is where the software GPU has the images that a wave asks for the place of, each with
	// 4 GiB: descriptors have room for 40 bits.
	ImageAddr uint64 = 1 << 39
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

// What a write descriptor says of the memory of its level, for code that computes where a texel
// is: image atomics, and stores to multisampled images. Bits 64 to 99 are the address / 16, as
// hardware has it. The two words from bit 128 on, which hardware leaves to drivers
// (agx.md §8.6), are PlaceWord and StrideWord.
//
// PlaceWord of an image with one sample a pixel is what the level begins at after the address, a multiple of 128
// bytes, of one with several the width in pixels, a multiple of the tile's, shifted left by 7. In both cases bits 0 to 2 are log2 of
// the width of a tile of memory, 3 to 5 log2 of its height, which is the width or half of it. StrideWord is the
// number of pixels from a layer or slice to the next. Pixels of a tile follow each other in the order of
// their interleaved coordinates, x first, tiles in rows as wide as the level, a multiple of the tile's; samples of a
// pixel follow each other. One-dimensional images lie in rows. PlaceWord of a texel buffer is
// what its address has beyond a multiple of 16.
//
// The write descriptor of a multisampled image sees that memory as a linear image of
// SamplesWidth samples a row.
const (
	PlaceWord    = 4
	StrideWord   = 5
	PlaceShift   = 7
	SamplesWidth = 16384
)

// HeapRange places the elements of an image binding in the heap, by Images: element e has
// its texture descriptor in entry First + e*Stride and its write (PBE) descriptor in
// the entry after that. In the sampler heap, by SamplerHeap, an element has one entry. Count is as in TableRange.
type HeapRange struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	First   uint32 `json:"first"`
	Stride  uint32 `json:"stride"`
	Count   uint32 `json:"count"`
	// Cubes says that the depth of its texture descriptors counts cubes, not faces: those of sampled
	// cube arrays do, those of storage images, which are arrays of faces, do not.
	Cubes bool `json:"cubes,omitempty"`
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
