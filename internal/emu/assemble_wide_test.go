package emu

import (
	"fmt"
	"slices"
	"testing"
)

// wideStrip is the primitives of a run of n vertices of a topology, as the Vulkan specification lists them (Drawing, Primitive Topologies).
func wideStrip(p *Pipeline, n int) (list [][]int) {
	size := p.primSize()
	switch p.Topology {
	case PatchList, LineListAdjacency, TriangleListAdjacency, PointList, LineList, TriangleList:
		for i := 0; i+size <= n; i += size {
			var v []int
			for k := range size {
				v = append(v, i+k)
			}
			list = append(list, v)
		}
	case LineStripAdjacency, LineStrip:
		for i := 0; i+size <= n; i++ {
			var v []int
			for k := range size {
				v = append(v, i+k)
			}
			list = append(list, v)
		}
	case TriangleStrip:
		for i := 0; i+3 <= n; i++ {
			list = append(list, []int{i, i + 1 + i%2, i + 2 - i%2})
		}
	case TriangleFan:
		for i := 0; i+3 <= n; i++ {
			list = append(list, []int{i + 1, i + 2, 0})
		}
	case TriangleStripAdjacency:
		last := n/2 - 3
		for i := 0; i <= last; i++ {
			far, before := 2*i+6, 2*i-2
			if i == last {
				far = 2*i + 5
			}
			if i == 0 {
				before = 1
			}
			v := []int{2 * i, before, 2*i + 2, far, 2*i + 4, 2*i + 3}
			if i%2 == 1 {
				v = []int{2 * i, 2*i + 3, 2*i + 4, far, 2*i + 2, before}
			}
			list = append(list, v)
		}
	}
	return list
}

// TestWideAssembler: the primitives of two runs of vertices with a restart between them, in all topologies and lengths, with their numbers.
func TestWideAssembler(t *testing.T) {
	for topo := PointList; topo <= PatchList; topo++ {
		points := []int{1}
		if topo == PatchList {
			points = []int{1, 3, 4, 5, MaxPatchVertices}
		}
		for _, size := range points {
			p := &Pipeline{Topology: topo, PatchControlPoints: size}
			for n := range 20 {
				m := (n*7 + 3) % 17
				var want, got []string
				for _, v := range wideStrip(p, n) {
					want = append(want, fmt.Sprint(len(want), v))
				}
				for _, v := range wideStrip(p, m) {
					for k := range v {
						v[k] += 100
					}
					want = append(want, fmt.Sprint(len(want), v))
				}
				a := newWideAssembler(p)
				add := func(done bool) {
					if done {
						got = append(got, fmt.Sprint(a.id, a.v[:a.size]))
					}
				}
				for i := range n {
					add(a.push(uint32(i)))
				}
				add(a.restart())
				for i := range m {
					add(a.push(uint32(100 + i)))
				}
				add(a.end())
				if !slices.Equal(got, want) {
					t.Errorf("topology %d, %d and %d vertices: %v, want %v", topo, n, m, got, want)
				}
			}
		}
	}
}
