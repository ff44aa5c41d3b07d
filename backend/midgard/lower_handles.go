package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// resources number the buffers of a shader: a buffer handle becomes the number
// of an entry, a constant where the shader names the buffer. The arrays of unknown
// size stand after all others and take turns: of n arrays, element e of the k-th
// is the entry e*n + k from there on.
type resources struct {
	*resource.Table
	open []resource.Range // the arrays of unknown size
}

// lowerHandles numbers the bindings and rewrites handles.
func lowerHandles(s *ir.Shader, impl *ir.Impl) *resources {
	r := &resources{Table: resource.Buffers(s, impl, 0)}
	for i := range r.Ranges {
		if x := &r.Ranges[i]; x.Count == 0 {
			x.First = r.Total + uint32(len(r.open))
			r.open = append(r.open, *x)
		}
	}
	stride := uint32(len(r.open))
	resource.LowerHandles(impl, func(set, binding uint32) (uint32, uint32) {
		x := r.Find(set, binding)
		if x.Count == 0 {
			return x.First, stride
		}
		return x.First, 1
	})
	return r
}

// entry names the buffer of an entry.
func (r *resources) entry(n uint32) (abi.Resource, bool) {
	if stride := uint32(len(r.open)); n >= r.Total && stride != 0 {
		x := &r.open[(n-r.Total)%stride]
		return abi.Resource{Set: x.Set, Binding: x.Binding, Element: (n - r.Total) / stride}, true
	}
	e, element, ok := r.Entry(n)
	if !ok {
		return abi.Resource{}, false
	}
	return abi.Resource{Set: e.Set, Binding: e.Binding, Element: element}, true
}
