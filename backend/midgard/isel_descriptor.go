package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// variable finds the variable of a deref of textures, and the index into it.
func (s *isel) variable(in *ir.Instr, d *ir.Def) (v *ir.Variable, index source) {
	index = constant(0)
	v, indices, err := resource.Texture(d)
	if err != nil {
		s.fail(in, "%v", err)
	}
	for _, x := range indices {
		index = s.scaled(s.comp(x.Def, 0), x.Stride, index)
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

// tableIndex finds or makes the entries of a variable in a table: one where the
// index is constant, all of them in a row where it is not, or the table's tail where
// nobody knows how many they are. It returns the entry, to which the index is added, if it
// is not regNone.
func tableIndex[T comparable](s *isel, list, tail *[]T, v *ir.Variable, index source, entry func(r abi.Resource) T) (first int, at source) {
	r := abi.Resource{Set: v.Set, Binding: v.Binding}
	count := resource.ArrayCount(v.Type)
	at = index
	if index.reg == regConst {
		r.Element, count = index.con[0], 1
		at = source{reg: regNone}
	} else if count == 0 {
		return 0, tailIndex(s, list, tail, entry(r), index)
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
		s.loadUBO(s.ubo(abi.UBOElements), d, 0, 4, uint32(16*k), at, 4)
	} else {
		first, at := tableIndex(s, &s.meta.Sysvals, nil, v, index, func(r abi.Resource) abi.Sysval {
			x.Element = r.Element
			return x
		})
		s.loadUBO(s.ubo(abi.UBOSysvals), d, 0, 4, uint32(16*first), at, 4)
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
