package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// resources number the buffers of a shader: a buffer handle becomes the number
// of an entry, a constant where the shader names the buffer. The arrays of unknown
// size stand behind all others and take turns: of n arrays, element e of the k-th
// is the entry e*n + k from there on.
type resources struct {
	*resource.Table
	open []resource.Range // the arrays of unknown size
}

// lowerHandles numbers the bindings and rewrites handles. A handle that goes on in an
// array that cannot be told is returned.
func lowerHandles(s *ir.Shader, impl *ir.Impl) (r *resources, untold *ir.Instr) {
	r = &resources{Table: resource.Buffers(s, impl, 0)}
	for i := range r.Ranges {
		if x := &r.Ranges[i]; x.Count == 0 {
			x.First = r.Total + uint32(len(r.open))
			r.open = append(r.open, *x)
		}
	}
	stride := uint32(len(r.open))
	untold = resource.LowerStrided(impl, func(set, binding uint32) (uint32, uint32) {
		x := r.Find(set, binding)
		if x.Count == 0 {
			return x.First, stride
		}
		return x.First, 1
	})
	if stride <= 1 {
		untold = nil
	}
	return r, untold
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

// tables are the buffer, system value and uniform register tables of a binary.
type tables struct {
	meta *abi.Meta
	// limit bounds the uniform registers.
	limit int
	// dyn is 1 + the first system value of the block with one for every entry.
	dyn int
}

// ubo returns the index of a buffer of the table.
func (t *tables) ubo(kind abi.UBOKind, r abi.Resource) (int, error) {
	for i := range t.meta.UBOs {
		u := &t.meta.UBOs[i]
		if u.Kind == kind && u.Set == r.Set && u.Binding == r.Binding && u.Element == r.Element {
			return i, nil
		}
	}
	if len(t.meta.UBOs) == 256 {
		return 0, fmt.Errorf("midgard: more than 256 uniform buffers are not supported")
	}
	t.meta.UBOs = append(t.meta.UBOs, abi.UBO{Kind: kind, Set: r.Set, Binding: r.Binding, Element: r.Element})
	return len(t.meta.UBOs) - 1, nil
}

// sysval returns the index of a system value.
func (t *tables) sysval(v abi.Sysval) int {
	for i := range t.meta.Sysvals {
		if t.meta.Sysvals[i] == v {
			return i
		}
	}
	t.meta.Sysvals = append(t.meta.Sysvals, v)
	return len(t.meta.Sysvals) - 1
}

// uniform returns the register that holds 16 bytes of a buffer, if there is room.
func (t *tables) uniform(ubo int, offset uint32) (reg, bool) {
	u := abi.Uniform{UBO: ubo, Offset: offset}
	for i := range t.meta.Uniforms {
		if t.meta.Uniforms[i] == u {
			return reg(abi.UniformTop - i), true
		}
	}
	if len(t.meta.Uniforms) >= t.limit {
		return 0, false
	}
	t.meta.Uniforms = append(t.meta.Uniforms, u)
	return reg(abi.UniformTop - len(t.meta.Uniforms) + 1), true
}
