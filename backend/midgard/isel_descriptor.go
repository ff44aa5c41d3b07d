package midgard

import (
	"slices"

	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// variable finds the variable of a deref of textures, and the index into it.
func (s *isel) variable(d *ir.Def) (v *ir.Variable, index source) {
	return resource.Element(d, constant(0), func(x *ir.Def, stride uint32, sum source) source { return s.scaled(s.comp(x, 0), stride, sum) })
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

// place finds the entries of a variable in a table that the stages of a pipeline share, and the
// entry of an element: a number, to which a value is added if that is not regNone.
func (s *isel) place(t *layout.Table, v *ir.Variable, index source) (r abi.Range, first int, at source) {
	count := resource.ArrayCount(v.Type)
	p, err := t.Place(s.tab.layout, v.Set, v.Binding, count)
	if err != nil {
		name := v.Name
		if name != "" {
			name += ": "
		}
		s.fail(nil, "%s%v", name, err)
		return r, 0, source{reg: regNone}
	}
	if count == 0 {
		count = p.Count
	}
	r = abi.Range{Set: v.Set, Binding: v.Binding, First: p.First, Stride: p.Stride, Count: count}
	if index.reg == regConst {
		return r, int(p.At(index.con[0])), source{reg: regNone}
	}
	return r, int(p.First), s.scaled(index, p.Stride, constant(0))
}

// listed adds an entry to a list once.
func listed[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// sysvalsOf finds or makes the system values of the elements of a variable in a row. It returns the
// first, to which the index is added.
func (s *isel) sysvalsOf(x abi.Sysval, v *ir.Variable) (first int) {
	list := &s.meta.Sysvals
	count := int(resource.ArrayCount(v.Type))
	if len(*list)+count > 1<<12 { // 64 KiB of system values
		s.fail(nil, "%d descriptors of %s are not supported: there are up to %d system values", count, v.Name, 1<<12)
		return 0
	}
	element := func(k int) abi.Sysval {
		x.Element = uint32(k)
		return x
	}
	for i := 0; i+count <= len(*list); i++ {
		same := true
		for k := 0; same && k < count; k++ {
			same = (*list)[i+k] == element(k)
		}
		if same {
			return i
		}
	}
	for k := range count {
		*list = append(*list, element(k))
	}
	return len(*list) - count
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
		first := s.sysvalsOf(x, v)
		s.loadUBO(uboLoad{ubo: s.ubo(abi.UBOSysvals), dst: d, n: 4, off: uint32(16 * first), index: index, shift: 4})
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
