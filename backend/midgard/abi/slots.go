package abi

import "nirc/backend/layout"

// MaxImages is how many entries of the attribute table the address of a texel can name.
const MaxImages = 1 << 12

// firstImage is the entry of the attribute table after 32 vertex inputs and the two ids.
const firstImage = 34

// maxSets is how many descriptor sets there are.
const maxSets = 4

// The tables of all sets that the stages of a pipeline agree on. Storage buffers have none: their
// addresses are system values.
var (
	// UBOTable numbers the bound buffers of the UBO table, after those of the binary's own.
	UBOTable = layout.Table{Name: "uniform buffers", Entries: perUniformBuffer, Start: uint32(NumUBOKinds - UBOPush), Limit: MaxUBOs,
		Unit: 1, Bindings: 15, Sets: maxSets, Elements: 4}
	// TextureTable numbers sampled images, texel buffers and input attachments.
	TextureTable = layout.Table{Name: "textures", Entries: perTexture, Limit: 1 << 16, Unit: 1, Bindings: 64, Sets: maxSets, Elements: 253, High: 3}
	// SamplerTable numbers samplers.
	SamplerTable = layout.Table{Name: "samplers", Entries: perSampler, Limit: 1 << 16, Unit: 1, Bindings: 64, Sets: maxSets, Elements: 253, High: 3}
	// ImageTable numbers storage images and storage texel buffers among the attributes.
	ImageTable = layout.Table{Name: "storage images", Entries: perImage, Start: firstImage, Limit: MaxImages, Unit: 1, Bindings: 16, Sets: maxSets, Elements: 48, High: 15}
)

// OwnUBO is the index of a buffer of the binary's own in the UBO table.
func OwnUBO(k UBOKind) int { return int(k - UBOPush) }

func perUniformBuffer(t layout.Type) uint32 {
	return count(t == layout.UniformBuffer || t == layout.UniformBufferDynamic || t == layout.InlineUniformBlock || t == layout.Mutable)
}

func perTexture(t layout.Type) uint32 {
	return count(t.HasImage() && perImage(t) == 0 || t == layout.Mutable)
}

func perSampler(t layout.Type) uint32 { return count(t.HasSampler()) }

func perImage(t layout.Type) uint32 {
	return count(t == layout.StorageImage || t == layout.StorageTexelBuffer || t == layout.Mutable)
}

func count(has bool) uint32 {
	if has {
		return 1
	}
	return 0
}

// Range is where the elements of a binding stand in a table: element e is entry First + e*Stride.
// Count is how many the shader may use.
type Range struct {
	Set     uint32 `json:"set,omitempty"`
	Binding uint32 `json:"binding,omitempty"`
	First   uint32 `json:"first"`
	Stride  uint32 `json:"stride"`
	Count   uint32 `json:"count"`
}

// Has reports whether an entry is one of the range's.
func (r *Range) Has(n uint32) bool {
	return n >= r.First && (n-r.First)%max(1, r.Stride) == 0 && (n-r.First)/max(1, r.Stride) < r.Count
}
