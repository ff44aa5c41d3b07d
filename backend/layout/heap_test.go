package layout_test

import (
	"testing"

	ir3abi "nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/ir"
)

// TestHeaps: the slots of a heap are its descriptors in their order, and those of other sets are what they are without heaps.
func TestHeaps(t *testing.T) {
	for _, gen := range []isa.Gen{isa.A6xx, isa.A7xx} {
		table, l := ir3abi.Slots(gen), layout.Heaps()
		if p := l.Check(); p != nil {
			t.Fatal(p)
		}
		if err := table.Fits(l); err != nil {
			t.Fatal(err)
		}
		for set := range table.Sets {
			heap := set == ir.ResourceHeapSet || set == ir.SamplerHeapSet
			for _, binding := range []uint32{0, 1, 63, 200} {
				p, err := table.Place(l, set, binding, 1)
				switch want, _ := table.Place(nil, set, binding, 1); {
				case heap && binding == 0 && (err != nil || p.Base != set || p.At(70) != 70 || p.Count != layout.HeapDescriptors):
					t.Errorf("the heap of set %d: %+v, %v", set, p, err)
				case heap && binding > 0 && err == nil:
					t.Errorf("binding %d beside the heap of set %d", binding, set)
				case !heap && (err != nil || p != want):
					t.Errorf("set %d binding %d: %+v, %v, want %+v", set, binding, p, err, want)
				}
			}
			for _, n := range []uint32{0, 1, 129, 65535} {
				e, ok := table.Lookup(l, set, n)
				want, has := table.Lookup(nil, set, n)
				if heap {
					want, has = layout.Entry{Set: set, Element: n}, true
				}
				if e != want || ok != has {
					t.Errorf("slot %d of set %d: %+v, %v, want %+v, %v", n, set, e, ok, want, has)
				}
			}
		}
	}
}
