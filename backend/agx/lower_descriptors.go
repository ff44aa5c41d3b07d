package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// unsizedCount is the number of entries that an array of unknown size gets
// when others follow it.
const unsizedCount = 4096

// resources are the bindings of a shader. A buffer handle becomes the number
// of an entry of the descriptor table: a constant where the shader names the buffer, whose
// address is then in uniform registers.
type resources struct {
	s       *ir.Shader
	impl    *ir.Impl
	buffers *resource.Table
	table   []abi.TableRange
	heap    []abi.HeapRange
	// samplers and textures in state registers, in order of their numbers.
	samplers    []abi.State
	samplerHeap []abi.HeapRange // by the first entry
	textures    []abi.State
}

// lowerDescriptors places the bindings and rewrites handles.
func lowerDescriptors(s *ir.Shader, impl *ir.Impl) *resources {
	r := &resources{s: s, impl: impl}
	r.placeBuffers()
	resource.LowerHandles(impl, func(set, binding uint32) uint32 { return r.buffers.Find(set, binding).First })
	r.placeImages()
	return r
}

// placeBuffers gives every buffer binding its entries.
func (r *resources) placeBuffers() {
	r.buffers = resource.Buffers(r.s, r.impl, unsizedCount)
	for i, e := range r.buffers.Ranges {
		if e.Count == 0 && i+1 < len(r.buffers.Ranges) {
			e.Count = unsizedCount
		}
		r.table = append(r.table, abi.TableRange(e))
	}
}

// entry names the buffer of a table entry.
func (r *resources) entry(n uint32) (set, binding, element uint32, ok bool) {
	e, element, ok := r.buffers.Entry(n)
	if !ok {
		return 0, 0, 0, false
	}
	return e.Set, e.Binding, element, true
}
