package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// variable finds the variable of a deref of textures, and the index into it.
func (s *isel) variable(in *ir.Instr, d *ir.Def) (v *ir.Variable, index source) {
	v, index, err := resource.Element(d, constant(0), func(x *ir.Def, stride uint32, sum source) source { return s.scaled(s.comp(x, 0), stride, sum) })
	if err != nil {
		s.fail(in, "%v", err)
	}
	return v, index
}

// scaled computes x * stride + add; constants stay constants.
func (s *isel) scaled(x source, stride uint32, add source) source {
	switch {
	case x.reg == regConst:
		x = constant(x.con[0] * stride)
	case stride != 1:
		x = s.temp(isa.OpImul, 1, x, constant(stride))
	}
	switch {
	case x.reg == regConst && add.reg == regConst:
		return constant(x.con[0] + add.con[0])
	case add.reg == regConst && add.con[0] == 0:
		return x
	}
	return s.temp(isa.OpIadd, 1, x, add)
}

// maxTable is how many entries an instruction can name.
const maxTable = 1 << 16

// table is one of a binary's tables of descriptors, its tail (nil: it has none), and
// what its entry for a resource is.
type table[T comparable] struct {
	list, tail *[]T
	entry      func(r abi.Resource) T
}

// tableIndex finds or makes the entries of a variable in a table: one where the
// index is constant, all of them in a row where it is not, or the table's tail where
// nobody knows how many they are. It returns the entry, to which the index is added, if it
// is not regNone.
func tableIndex[T comparable](s *isel, t table[T], v *ir.Variable, index source) (first int, at source) {
	list, entry := t.list, t.entry
	r := abi.Resource{Set: v.Set, Binding: v.Binding}
	count := resource.ArrayCount(v.Type)
	at = index
	if index.reg == regConst {
		r.Element, count = index.con[0], 1
		at = source{reg: regNone}
	} else if count == 0 {
		return 0, tailIndex(s, list, t.tail, entry(r), index)
	}
	if len(*list)+int(count) > maxTable {
		s.fail(nil, "%d descriptors of %s are not supported: a table has up to %d", count, v.Name, maxTable)
		return 0, at
	}
	element := r.Element
	for i := 0; i+int(count) <= len(*list); i++ {
		same := true
		for k := uint32(0); same && k < count; k++ {
			r.Element = element + k
			same = (*list)[i+int(k)] == entry(r)
		}
		if same {
			return i, at
		}
	}
	for k := range count {
		r.Element = element + k
		*list = append(*list, entry(r))
	}
	return len(*list) - int(count), at
}

// imageValue is a system value that describes a texture or image.
func (s *isel) imageValue(x abi.Sysval, v *ir.Variable, index source) source {
	x.Set, x.Binding = v.Set, v.Binding
	if index.reg == regConst {
		x.Element = index.con[0]
		return s.sysval(x)
	}
	d := s.f.newNode(4)
	if resource.ArrayCount(v.Type) == 0 {
		at, k := s.tailElement(x, index)
		s.loadUBO(uboLoad{ubo: s.ubo(abi.UBOElements), dst: d, n: 4, off: uint32(16 * k), index: at, shift: 4})
	} else {
		first, at := tableIndex(s, table[abi.Sysval]{&s.meta.Sysvals, nil, func(r abi.Resource) abi.Sysval {
			x.Element = r.Element
			return x
		}}, v, index)
		s.loadUBO(uboLoad{ubo: s.ubo(abi.UBOSysvals), dst: d, n: 4, off: uint32(16 * first), index: at, shift: 4})
	}
	return source{reg: d, swz: identity}
}

// ubo is the table's entry of a buffer that there is one of.
func (s *isel) ubo(k abi.UBOKind) int {
	n, err := s.tab.ubo(k, abi.Resource{})
	if err != nil {
		s.err = err
	}
	return n
}
