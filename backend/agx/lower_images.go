package agx

import (
	"sort"

	"nirc/backend/agx/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// State registers that drivers bind
// (agx.md §1.1). Sampler state 0 is the driver's own.
const (
	maxTextures = 16
	maxSamplers = 17
)

// placeImages gives every image its entries in the descriptor heap, arrays of
// unknown size last.
func (r *resources) placeImages() {
	for _, v := range r.s.Variables {
		if !v.HasBinding || v.Mode != ir.ModeUniform && v.Mode != ir.ModeImage || r.heapRange(v) != nil {
			continue
		}
		r.heap = append(r.heap, abi.HeapRange{Set: v.Set, Binding: v.Binding, Count: resource.ArrayCount(v.Type)})
	}
	sort.SliceStable(r.heap, func(i, j int) bool {
		a, b := &r.heap[i], &r.heap[j]
		if (a.Count == 0) != (b.Count == 0) {
			return a.Count != 0
		}
		if a.Set != b.Set {
			return a.Set < b.Set
		}
		return a.Binding < b.Binding
	})
	at := uint32(0)
	for i := range r.heap {
		h := &r.heap[i]
		h.First = at
		if h.Count == 0 && i+1 < len(r.heap) {
			h.Count = unsizedCount
		}
		at += 2 * h.Count
	}
}

func (r *resources) heapRange(v *ir.Variable) *abi.HeapRange {
	for i := range r.heap {
		if r.heap[i].Set == v.Set && r.heap[i].Binding == v.Binding {
			return &r.heap[i]
		}
	}
	return nil
}

// heapEntry is the first entry of a variable in the heap.
func (r *resources) heapEntry(v *ir.Variable) (uint32, bool) {
	h := r.heapRange(v)
	if h == nil {
		return 0, false
	}
	return h.First, true
}

// textureState returns the state register of an element of a variable; false
// if there are no more.
func (r *resources) textureState(v *ir.Variable, element uint32, write bool) (int, bool) {
	if !v.HasBinding {
		return 0, false
	}
	for i := range r.textures {
		if t := &r.textures[i]; t.Set == v.Set && t.Binding == v.Binding && t.Element == element && t.Write == write {
			return t.Index, true
		}
	}
	n := len(r.textures)
	if n >= maxTextures {
		return 0, false
	}
	r.textures = append(r.textures, abi.State{Set: v.Set, Binding: v.Binding, Element: element, Write: write, Index: n})
	return n, true
}

// samplerState returns the state register of an element of a variable; false
// if there are no more.
func (r *resources) samplerState(v *ir.Variable, element uint32) (int, bool) {
	for i := range r.samplers {
		if t := &r.samplers[i]; t.Set == v.Set && t.Binding == v.Binding && t.Element == element {
			return t.Index, true
		}
	}
	n := len(r.samplers) + 1
	if n >= maxSamplers {
		return 0, false
	}
	r.samplers = append(r.samplers, abi.State{Set: v.Set, Binding: v.Binding, Element: element, Sampler: true, Index: n})
	return n, true
}

// samplerEntry is the first entry of a variable in the sampler heap, which has
// what is chosen at run time and what has no state register; false if it is full.
func (r *resources) samplerEntry(v *ir.Variable) (uint32, bool) {
	at := uint32(0)
	for _, h := range r.samplerHeap {
		if h.Set == v.Set && h.Binding == v.Binding {
			return h.First, true
		}
		at = h.First + h.Count
	}
	n := resource.ArrayCount(v.Type)
	if n == 0 {
		n = unsizedCount
	}
	if uint64(at)+uint64(n) > abi.MaxSamplers {
		return 0, false
	}
	r.samplerHeap = append(r.samplerHeap, abi.HeapRange{Set: v.Set, Binding: v.Binding, First: at, Count: n})
	return at, true
}
