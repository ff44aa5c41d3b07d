package midgard

import (
	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// tables are the buffer, system value and uniform register tables of a binary.
type tables struct {
	meta   *abi.Meta
	layout *layout.Layout
	// limit bounds the uniform registers.
	limit int
	// dyn is 1 + the first system value of the block with one for every entry.
	dyn int
}

// ubo returns the index of a buffer of the table: those of the binary's own come first, bound ones
// stand where the layout has them.
func (t *tables) ubo(kind abi.UBOKind, r abi.Resource) (int, error) {
	at := abi.OwnUBO(kind)
	if kind == abi.UBOBinding {
		p, err := abi.UBOTable.Place(t.layout, r.Set, r.Binding, r.Element+1)
		if err == nil && r.Element >= p.Count {
			err = ir.Unsupportedf("element %d of binding %d in set %d is not supported, the pipeline layout has %d", r.Element, r.Binding, r.Set, p.Count)
		}
		if err != nil {
			return 0, ir.Unsupportedf("midgard: %v", err)
		}
		at = int(p.At(r.Element))
		if faults.has(faultSlots) { // what this shader uses, in a row
			at = t.inRow(r)
		}
	}
	for len(t.meta.UBOs) <= at {
		t.meta.UBOs = append(t.meta.UBOs, abi.UBO{})
	}
	if u := &t.meta.UBOs[at]; u.Kind == abi.UBONone {
		*u = abi.UBO{Kind: kind, Set: r.Set, Binding: r.Binding, Element: r.Element}
	}
	return at, nil
}

// inRow is the next free index after the binary's own buffers, or that of the buffer.
func (t *tables) inRow(r abi.Resource) int {
	for at := int(abi.UBOTable.Start); ; at++ {
		if at >= len(t.meta.UBOs) || t.meta.UBOs[at].Kind == abi.UBONone {
			return at
		}
		if u := &t.meta.UBOs[at]; u.Set == r.Set && u.Binding == r.Binding && u.Element == r.Element {
			return at
		}
	}
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
