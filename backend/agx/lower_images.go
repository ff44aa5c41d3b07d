package agx

import (
	"sort"

	"nirc/backend/agx/abi"
	"nirc/backend/layout"
	"nirc/backend/resource"
	"nirc/ir"
)

// State registers that drivers bind
// (agx.md §1.1). Sampler state 0 is the driver's own.
const (
	maxTextures = 16
	maxSamplers = 17
)

// placeImages gives every image its entries in the descriptor heap.
func (r *resources) placeImages() error {
	if err := abi.Images.Fits(r.layout); err != nil {
		return err
	}
	for _, v := range r.s.Variables {
		if !v.HasBinding || v.Mode != ir.ModeUniform && v.Mode != ir.ModeImage || v.Type.WithoutArray().Base == ir.BaseSampler || r.heapRange(v) != nil {
			continue
		}
		p, err := abi.Images.Place(r.layout, v.Set, v.Binding, resource.ArrayCount(v.Type))
		if err != nil {
			return err
		}
		r.heap = append(r.heap, heapRange(v, p))
	}
	sort.SliceStable(r.heap, func(i, j int) bool { return r.heap[i].First < r.heap[j].First })
	return nil
}

// heapRange are the entries of a variable's elements.
func heapRange(v *ir.Variable, p layout.Place) abi.HeapRange {
	n := resource.ArrayCount(v.Type)
	if n == 0 {
		n = p.Count
	}
	return abi.HeapRange{Set: v.Set, Binding: v.Binding, First: p.First, Stride: p.Stride, Count: n, Cubes: countsCubes(v)}
}

// countsCubes reports whether a variable's descriptors are of cube arrays that are sampled.
func countsCubes(v *ir.Variable) bool {
	t := v.Type.WithoutArray()
	return v.Mode == ir.ModeUniform && t.Dim == ir.DimCube && t.Arrayed
}

// heapRange finds the entries of a variable. A binding whose descriptors count cubes for one variable and layers for another has two
// rows of the same entries.
func (r *resources) heapRange(v *ir.Variable) *abi.HeapRange {
	for i := range r.heap {
		if h := &r.heap[i]; h.Set == v.Set && h.Binding == v.Binding && h.Cubes == countsCubes(v) {
			return h
		}
	}
	return nil
}

// textureState returns the state register of an element of a variable; false
// if there are no more.
func (r *resources) textureState(v *ir.Variable, element uint32, write bool) (int, bool) {
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

// samplerEntry are the entries of a variable in the sampler heap, which has
// what is chosen at run time and what has no state register.
func (r *resources) samplerEntry(v *ir.Variable) (abi.HeapRange, error) {
	for _, h := range r.samplerHeap {
		if h.Set == v.Set && h.Binding == v.Binding {
			return h, nil
		}
	}
	p, err := abi.SamplerHeap.Place(r.layout, v.Set, v.Binding, resource.ArrayCount(v.Type))
	if err != nil {
		return abi.HeapRange{}, err
	}
	r.samplerHeap = append(r.samplerHeap, heapRange(v, p))
	return r.samplerHeap[len(r.samplerHeap)-1], nil
}

// biasWords is how many words the table of biases has for the samplers of the heap that the shader uses.
func (r *resources) biasWords() (n uint32) {
	for _, h := range r.samplerHeap {
		if h.Count > 0 {
			n = max(n, (h.First+(h.Count-1)*h.Stride+1)*abi.SamplerBiasSize/4)
		}
	}
	return n
}
