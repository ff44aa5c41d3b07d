package emu

import (
	"fmt"
	"slices"
	"sort"

	"nirc/ir"
)

// Missing tells of an access to an element of an array of descriptors that nothing is bound to, while others of the array have
// something: what hardware finds there is anything. nil where something is bound, or the shader was compiled for robust
// access of the kind, which gives zeros. Arrays of which no element is bound have no kind; of them it knows nothing.
func (b *Bindings) Missing(set, binding, element uint32, r *ir.Robust) error {
	i := b.search(set, binding)
	if i == len(b.keys) || b.keys[i].set != set || b.keys[i].binding != binding {
		return nil
	}
	return b.missing(&b.keys[i], int(element), r)
}

// MissingHandle is Missing of a handle.
func (b *Bindings) MissingHandle(handle int, r *ir.Robust) error {
	i := sort.Search(len(b.keys), func(i int) bool { return b.keys[i].first+b.keys[i].count > handle })
	if handle < 0 || i == len(b.keys) {
		return nil
	}
	return b.missing(&b.keys[i], handle-b.keys[i].first, r)
}

func (b *Bindings) missing(k *bindingKey, element int, r *ir.Robust) error {
	descs := b.descs[k.first : k.first+k.count]
	if element < k.count && descs[element].Type != DescNone {
		return nil
	}
	i := slices.IndexFunc(descs, func(d Descriptor) bool { return d.Type != DescNone })
	if i < 0 || descs[i].Type.Robust(r) != ir.RobustOff {
		return nil
	}
	return fmt.Errorf("nothing is bound to element %d of %d.%d, which is accessed", element, k.set, k.binding)
}

// Absent has the memory that elements of arrays have in checking mode where nothing is bound to them: 4 GiB each, in which no
// buffer lies. The zero value has none.
type Absent struct{ places []absentPlace }

type absentPlace struct {
	set, binding, element uint32
	err                   error
}

// absentAddr is the address of the first.
const absentAddr = 1 << 46

// Place is the address of an element if it is missing, 0 if it is not.
func (a *Absent) Place(b *Bindings, set, binding, element uint32, r *ir.Robust) uint64 {
	i := slices.IndexFunc(a.places, func(p absentPlace) bool { return p.set == set && p.binding == binding && p.element == element })
	if i < 0 {
		err := b.Missing(set, binding, element, r)
		if err == nil {
			return 0
		}
		i, a.places = len(a.places), append(a.places, absentPlace{set, binding, element, err})
	}
	return absentAddr + uint64(i)<<32
}

// At tells of an address that is one of those.
func (a *Absent) At(addr uint64) error {
	if k := (addr - absentAddr) >> 32; addr >= absentAddr && k < uint64(len(a.places)) {
		return a.places[k].err
	}
	return nil
}
