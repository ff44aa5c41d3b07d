package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/layout"
	"nirc/backend/resource"
	"nirc/ir"
)

// resources are the bindings of a shader. A buffer handle becomes the number
// of an entry of the descriptor table: a constant where the shader names the buffer, whose
// address is then in uniform registers.
type resources struct {
	s       *ir.Shader
	impl    *ir.Impl
	layout  *layout.Layout
	buffers *resource.Table
	table   []abi.TableRange
	heap    []abi.HeapRange
	// samplers and textures in state registers, in order of their numbers.
	samplers    []abi.State
	samplerHeap []abi.HeapRange
	textures    []abi.State
}

// lowerDescriptors places the bindings and rewrites handles.
func lowerDescriptors(s *ir.Shader, impl *ir.Impl, l *layout.Layout) (*resources, error) {
	if err := backend.CheckTextures(TargetName, s, impl); err != nil {
		return nil, err
	}
	r := &resources{s: s, impl: impl, layout: l}
	stride, err := r.placeBuffers()
	if err == nil {
		err = r.placeImages()
	}
	if err == nil {
		err = abi.SamplerHeap.Fits(l)
	}
	if err != nil {
		return nil, backend.Refuse(TargetName, s, nil, "%v", err)
	}
	resource.LowerHandles(impl, func(set, binding uint32) (first, step uint32) { return r.buffers.Find(set, binding).First, stride })
	return r, nil
}

// placeBuffers gives every buffer binding its entries, stride between its elements.
func (r *resources) placeBuffers() (stride uint32, err error) {
	stride = 1
	if r.layout == nil && !faults.has(faultSlots) {
		stride = abi.Buffers.Bindings * abi.Buffers.Sets
	}
	r.buffers = resource.Buffers(r.s, r.impl, abi.Buffers.Elements)
	for i := range r.buffers.Ranges {
		e := &r.buffers.Ranges[i]
		p, err := abi.Buffers.Place(r.layout, e.Set, e.Binding, e.Count)
		if err != nil {
			return 0, err
		}
		if !faults.has(faultSlots) {
			e.First, e.Stride = p.First, p.Stride
		}
		if e.Count == 0 {
			e.Count = p.Count
		}
		r.table = append(r.table, abi.TableRange(*e))
	}
	return stride, abi.Buffers.Fits(r.layout)
}

// entry names the buffer of a table entry.
func (r *resources) entry(n uint32) (set, binding, element uint32, ok bool) {
	e, element, ok := r.buffers.Entry(n)
	if !ok {
		return 0, 0, 0, false
	}
	return e.Set, e.Binding, element, true
}
