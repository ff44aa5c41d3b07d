package layout

import (
	"errors"
	"fmt"
)

// ruleSets is Vulkan's about the number of sets.
const ruleSets = "VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286: a pipeline layout has at most maxBoundDescriptorSets sets"

// Table says how a target numbers descriptors in one of its tables. It is part of the target's
// ABI: a driver fills the table by it, the compiler writes the numbers into the code.
type Table struct {
	// Name says in diagnostics what the entries are: "descriptor slots".
	Name string
	// Entries is how many entries one after the other an element of a type takes, 0 if the table
	// does not hold that type.
	Entries func(Type) uint32
	// Numbers go from Start to below Limit. What stands below Start is the compiler's own.
	Start, Limit uint32
	// PerSet: each set has a table of its own. Else one table holds all sets.
	PerSet bool
	// DynamicApart: dynamic buffers of a layout, whose descriptors change with the offsets, have the
	// table of the last set to themselves, an entry each in the order of the offsets.
	DynamicApart bool
	// Without a layout, element e of binding b in set s is number
	// Start + Unit*(b + Bindings*(s + Sets*e)), the set left out if PerSet: there are Bindings
	// bindings a set, Sets sets, and Elements elements a binding.
	Unit, Bindings, Sets, Elements uint32
	// High is how many times Bindings more bindings a set may have without a layout, of one element each: binding k*Bindings + b stands
	// where element Elements + k - 1 of binding b would.
	High uint32
}

// Place is where a binding stands: element e at number First + e*Stride, in the table of set Base
// where each has its own. Count is how many elements have a place.
type Place struct {
	Base                 uint32
	First, Stride, Count uint32
	// Type is the layout's; Known: there is a layout.
	Type  Type
	Known bool
}

// At returns the number of an element.
func (p *Place) At(element uint32) uint32 { return p.First + element*p.Stride }

// Element returns the element that number n is in, and the entry of it.
func (p *Place) Element(n uint32) (element, part uint32, ok bool) {
	if n < p.First || p.Stride == 0 {
		return 0, 0, false
	}
	element, part = (n-p.First)/p.Stride, (n-p.First)%p.Stride
	return element, part, element < p.Count
}

// NoSet says that a set is beyond the last, and by which rule.
func (t *Table) NoSet(set uint32) string {
	return fmt.Sprintf("descriptor set %d is not supported, there are %d sets (%s)", set, t.Sets, ruleSets)
}

// Place finds the place of a binding of which a shader uses count elements, 0 if that is not
// known. l is nil without a layout, else it Fits. The error says which limit is in the way.
func (t *Table) Place(l *Layout, set, binding, count uint32) (Place, error) {
	if set >= t.Sets {
		return Place{}, errors.New(t.NoSet(set))
	}
	if l.leaves(t, set) {
		return t.derive(set, binding, count)
	}
	if b := l.Find(set, binding); b != nil && t.apart(b.Type) {
		return Place{Base: t.Sets - 1, First: uint32(l.Dynamic(set, binding)), Stride: 1, Count: b.Count, Type: b.Type, Known: true}, nil
	}
	at := t.Start
	for i := range l.Sets {
		s := &l.Sets[i]
		if t.PerSet && s.Set != set {
			continue
		}
		for k := range s.Bindings {
			b := &s.Bindings[k]
			n := t.entries(b.Type)
			if s.Set == set && b.Binding == binding && n > 0 {
				return Place{Base: set, First: at, Stride: n, Count: b.Descriptors(), Type: b.Type, Known: true}, nil
			}
			at += n * b.Descriptors()
		}
	}
	return Place{}, fmt.Errorf("the pipeline layout has no binding %d in set %d that is one of the %s", binding, set, t.Name)
}

// apart reports whether a type's descriptors have a table of their own.
func (t *Table) apart(y Type) bool { return t.DynamicApart && y.IsDynamic() }

// entries is Entries less what has a table of its own.
func (t *Table) entries(y Type) uint32 {
	if t.apart(y) {
		return 0
	}
	return t.Entries(y)
}

// Fits reports what of a layout the table cannot hold, whichever part of it shaders use.
func (t *Table) Fits(l *Layout) error {
	if l == nil {
		return nil
	}
	dynamic := l.HasDynamic() && t.DynamicApart
	at := uint64(t.Start)
	for i := range l.Sets {
		s := &l.Sets[i]
		if t.PerSet {
			at = uint64(t.Start)
		}
		for k := range s.Bindings {
			b := &s.Bindings[k]
			at += uint64(t.entries(b.Type)) * uint64(b.Descriptors())
			if at > uint64(t.Limit) {
				return fmt.Errorf("the pipeline layout needs more than %d %s at set %d binding %d, which is not supported", t.Limit-t.Start, t.Name, s.Set, b.Binding)
			}
		}
		switch {
		case len(s.Bindings) == 0:
		case s.Set >= t.Sets:
			return fmt.Errorf("the pipeline layout has descriptor set %d, which is not supported: there are %d sets (%s)", s.Set, t.Sets, ruleSets)
		case s.Set == t.Sets-1 && dynamic:
			return fmt.Errorf("the pipeline layout has descriptor set %d beside dynamic buffers, which is not supported: of %d sets they take the last", s.Set, t.Sets)
		}
	}
	return nil
}

// derive places a binding by its numbers alone.
func (t *Table) derive(set, binding, count uint32) (Place, error) {
	high, elements := binding/t.Bindings, t.Elements
	if high > 0 {
		elements = 1
	}
	switch {
	case high > t.High:
		return Place{}, fmt.Errorf("binding %d of set %d is not supported without a pipeline layout, by which %s have bindings 0 to %d of a set: give one (--layout)", binding, set, t.Name, t.Bindings*(t.High+1)-1)
	case count > elements || count == 0 && high > 0:
		return Place{}, fmt.Errorf("%s at binding %d of set %d are not supported without a pipeline layout, by which %s have room for %d: give one (--layout)", descriptors(count), binding, set, t.Name, elements)
	}
	sets := t.Sets
	first := binding%t.Bindings + t.Bindings*set
	if t.PerSet {
		first, sets = binding%t.Bindings, 1
	}
	p := Place{Base: set, First: t.Start + t.Unit*first, Stride: t.Unit * t.Bindings * sets, Count: elements}
	if high > 0 {
		p.First += (t.Elements + high - 1) * p.Stride
	}
	return p, nil
}

// descriptors says how many there are, 0 if that is not known.
func descriptors(count uint32) string {
	if count == 0 {
		return "descriptors without a number"
	}
	return fmt.Sprintf("%d descriptors", count)
}

// Entry is what a number of a table stands for: part is the entry of the element, where it takes
// several.
type Entry struct{ Set, Binding, Element, Part uint32 }

// Lookup returns what number n of a table holds (of the table of set base, where each has its own):
// the driver's side of Place.
func (t *Table) Lookup(l *Layout, base, n uint32) (e Entry, ok bool) {
	if n < t.Start || n >= t.Limit || t.PerSet && base >= t.Sets {
		return e, false
	}
	n -= t.Start
	if l.leaves(t, base) {
		e.Part, n = n%t.Unit, n/t.Unit
		e.Binding, n = n%t.Bindings, n/t.Bindings
		if e.Set = base; !t.PerSet {
			e.Set, n = n%t.Sets, n/t.Sets
		}
		if n >= t.Elements {
			e.Binding += t.Bindings * (n - t.Elements + 1)
			return e, n < t.Elements+t.High
		}
		e.Element = n
		return e, true
	}
	if t.DynamicApart && base == t.Sets-1 {
		return l.dynamic(n)
	}
	for i := range l.Sets {
		s := &l.Sets[i]
		if t.PerSet && s.Set != base {
			continue
		}
		for k := range s.Bindings {
			b := &s.Bindings[k]
			per := t.entries(b.Type)
			if size := uint64(per) * uint64(b.Descriptors()); uint64(n) >= size {
				n -= uint32(size)
				continue
			}
			return Entry{Set: s.Set, Binding: b.Binding, Element: n / per, Part: n % per}, true
		}
	}
	return e, false
}
