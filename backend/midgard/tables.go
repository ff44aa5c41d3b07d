package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

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
	if len(t.meta.UBOs) == abi.MaxUBOs {
		return 0, ir.Unsupportedf("midgard: more than %d uniform buffers are not supported", abi.MaxUBOs)
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
