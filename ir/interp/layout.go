package interp

import "nirc/ir"

// Layout of objects in memory. A type's own offsets and strides count where it
// has them; without, objects are packed. Inputs and outputs are laid out by
// slots, 16 bytes each, components in words, so that an address is a slot.

type layout bool

const (
	packed layout = false
	slots  layout = true
)

// component is the distance of a vector's components.
func (l layout) component(t *ir.Type) uint32 {
	if l == slots && t.MemBits() < 32 {
		return 4
	}
	return uint32(t.MemBits() / 8)
}

func (l layout) size(t *ir.Type) uint32 {
	switch {
	case t.IsArray():
		return t.Len * l.stride(t)
	case t.IsStruct():
		end := uint32(0)
		for i := range t.Fields {
			end = max(end, l.field(t, i)+l.size(t.Fields[i].Type))
		}
		return end
	case t.IsMatrix():
		if l == packed && t.RowMajor && t.Stride != 0 {
			return uint32(t.Rows) * t.Stride
		}
		return uint32(t.Cols) * l.stride(t)
	case t.IsNumeric():
		if l == slots {
			return t.SlotCount() * 16
		}
		return uint32(t.Rows) * l.component(t)
	case t.Base == ir.BaseRayQuery:
		return querySize
	}
	return 0
}

// stride is the distance of the children of an array or matrix (its columns)
// or of a vector's components.
func (l layout) stride(t *ir.Type) uint32 {
	switch {
	case t.IsArray():
		if l == packed && t.Stride != 0 {
			return t.Stride
		}
		return l.size(t.Elem)
	case t.IsMatrix():
		if l == packed && t.Stride != 0 {
			if t.RowMajor {
				return uint32(t.Bits / 8)
			}
			return t.Stride
		}
		return l.size(t.Column())
	}
	return l.component(t)
}

// columnComponent is the distance of the components of a matrix's column.
func (l layout) columnComponent(t *ir.Type) uint32 {
	if l == packed && t.RowMajor && t.Stride != 0 {
		return t.Stride
	}
	return l.component(t)
}

// field is the offset of a struct's member.
func (l layout) field(t *ir.Type, i int) uint32 {
	if l == packed && t.Fields[i].Offset >= 0 {
		return uint32(t.Fields[i].Offset)
	}
	off := uint32(0)
	for k := range i {
		off += l.size(t.Fields[k].Type)
	}
	return off
}

// leaf is a vector or scalar inside an object.
type leaf struct {
	off, comp uint32 // bytes: place, distance of components
	t         *ir.Type
}

// leaves appends the leaves of an object of type t at off; comp is the
// distance of components if t is a vector.
func (l layout) leaves(t *ir.Type, off, comp uint32, to []leaf) []leaf {
	switch {
	case t.IsArray() || t.IsMatrix():
		child, at := t.Child(), l.stride(t)
		comp = l.component(child)
		if t.IsMatrix() {
			comp = l.columnComponent(t)
		}
		for i := range t.ChildCount() {
			to = l.leaves(child, off+uint32(i)*at, comp, to)
		}
	case t.IsStruct():
		for i := range t.Fields {
			f := t.Fields[i].Type
			to = l.leaves(f, off+l.field(t, i), l.component(f), to)
		}
	case t.IsNumeric():
		to = append(to, leaf{off, comp, t})
	}
	return to
}

// put writes a constant into a buffer that holds an object of type t at off: zeros too, as the buffer may have anything in it.
func (l layout) put(b []byte, t *ir.Type, k *ir.Constant, off, comp uint32) {
	part := func(i int) *ir.Constant {
		if k.Zero {
			return k
		}
		return k.Elems[i]
	}
	switch {
	case t.IsArray() || t.IsMatrix():
		child, at := t.Child(), l.stride(t)
		comp = l.component(child)
		if t.IsMatrix() {
			comp = l.columnComponent(t)
		}
		for i := range t.ChildCount() {
			l.put(b, child, part(i), off+uint32(i)*at, comp)
		}
	case t.IsStruct():
		for i := range t.Fields {
			f := t.Fields[i].Type
			l.put(b, f, part(i), off+l.field(t, i), l.component(f))
		}
	case t.IsNumeric():
		n := int(t.MemBits() / 8)
		for c := range int(t.Rows) {
			for k2 := range n {
				if at := int(off) + c*int(comp) + k2; at < len(b) {
					b[at] = byte(k.Value(c) >> (8 * k2))
				}
			}
		}
	}
}
