package agx

import (
	"sort"

	"nirc/backend/agx/abi"
	"nirc/backend/resource"
	"nirc/ir"
)

// State registers that drivers bind (the project's agx reference, section
// 1.1). Sampler state 0 is the driver's own.
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

// samplerState returns the state register of an element of a variable, or of
// its first one if the index is not known: all count elements then stand in a row.
func (r *resources) samplerState(v *ir.Variable, index opnd, count uint32) (int, bool) {
	first := uint32(0)
	if index.kind == opImm {
		first = index.bits
	}
	at := 1
	run := uint32(0)
	for i := range r.samplers {
		t := &r.samplers[i]
		if t.Set == v.Set && t.Binding == v.Binding && t.Element == first+run {
			if run++; run == count {
				return t.Index - int(count) + 1, true
			}
		} else {
			run = 0
		}
		at = t.Index + 1
	}
	if !v.HasBinding || count == 0 || at+int(count) > maxSamplers {
		return 0, false
	}
	for k := range count {
		r.samplers = append(r.samplers, abi.State{Set: v.Set, Binding: v.Binding, Element: first + k, Sampler: true, Index: at + int(k)})
	}
	return at, true
}
