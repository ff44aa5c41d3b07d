package abi

import "nirc/backend/layout"

// maxSets is how many descriptor sets there are, tableElements how many elements a binding
// has in the table and the heap without a layout, and a set has up to 256 bindings there.
const (
	maxSets       = 8
	tableBindings = 64
	tableElements = 1 << 14
	highBindings  = 3
	highSamplers  = 7
)

// The tables that all stages of a pipeline share, one for all sets. Buffers that the shader names
// and images and samplers at constant indices may stand in uniform and state registers besides,
// which each program has for itself: the metadata lists them.
var (
	// Buffers numbers the entries of the descriptor table, UniformTable.
	Buffers = layout.Table{Name: "entries of the descriptor table", Entries: perBuffer, Limit: maxSets * tableBindings * (tableElements + highBindings),
		Unit: 1, Bindings: tableBindings, Sets: maxSets, Elements: tableElements, High: highBindings}
	// Images numbers those of the descriptor heap, UniformHeap: two an element.
	Images = layout.Table{Name: "entries of the descriptor heap", Entries: perImage, Limit: 2 * maxSets * tableBindings * (tableElements + highBindings),
		Unit: 2, Bindings: tableBindings, Sets: maxSets, Elements: tableElements, High: highBindings}
	// SamplerHeap numbers those of the sampler heap, whose indices have 16 bits.
	SamplerHeap = layout.Table{Name: "entries of the sampler heap", Entries: perSampler, Limit: MaxSamplers,
		Unit: 1, Bindings: 32, Sets: maxSets, Elements: MaxSamplers/(32*maxSets) - highSamplers, High: highSamplers}
)

func perBuffer(t layout.Type) uint32 {
	if t.IsBuffer() {
		return 1
	}
	return 0
}

func perImage(t layout.Type) uint32 {
	if t.HasImage() {
		return 2
	}
	return 0
}

func perSampler(t layout.Type) uint32 {
	if t.HasSampler() {
		return 1
	}
	return 0
}
