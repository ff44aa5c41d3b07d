package emu

import (
	"math"
	"slices"

	"nirc/ir"
)

const (
	maxTessLevel  = 64
	aboveOne      = 1 + 1.0/65536 // a level of just more than 1
	triangleEdges = 3
)

// tessellator divides patches as the Vulkan specification, chapter
// Tessellation, describes: edges by the outer levels, the inside by the inner
// ones. What the specification leaves open is the same for all patches.
type tessellator struct {
	mode TessIO
	// points are the coordinates of the patch's vertices, each once; index are
	// the vertices of its points, lines or triangles.
	points [][3]float32
	index  []uint32

	outer [4]segments
	inner [2]segments
	ring  [4][]uint32 // the outermost ring under way: an edge each
	next  [4][]uint32
}

// segments are the ends of an edge's segments, from 0 to 1.
type segments []float32

// divide sets s to the points of an edge with that level.
func (s *segments) divide(level float64, spacing uint8) {
	if math.IsNaN(level) {
		level = 0
	}
	f, n := clampLevel(level, spacing)
	*s = slices.Grow((*s)[:0], n+1)[:n+1]
	p := *s
	// n-2 segments of the length 1/f, and two shorter ones at the ends.
	end := 0.5 * (f - float64(n-2)) / f
	for k := 1; 2*k <= n; k++ {
		x := float32(end + float64(k-1)/f)
		if f == float64(n) {
			x = float32(float64(k) / f)
		}
		p[n-k] = 1 - x
		p[k] = 1 - p[n-k] // so that both ends count alike
	}
	p[0], p[n] = 0, 1
}

// clampLevel limits a level and rounds it up to a number of segments.
func clampLevel(level float64, spacing uint8) (f float64, n int) {
	switch spacing {
	case ir.SpacingFractionalEven:
		f = min(max(level, 2), maxTessLevel)
		n = 2 * int(math.Ceil(f/2))
	case ir.SpacingFractionalOdd:
		f = min(max(level, 1), maxTessLevel-1)
		n = 2*int(math.Ceil((f-1)/2)) + 1
	default:
		f = math.Ceil(min(max(level, 1), maxTessLevel))
		n = int(f)
	}
	return f, n
}

// patch divides a patch with these levels. A patch with an outer level that
// is not above 0 gives nothing.
func (t *tessellator) patch(outer [4]float32, inner [2]float32) {
	t.points, t.index = t.points[:0], t.index[:0]
	edges := 4
	switch t.mode.Domain {
	case ir.DomainTriangles:
		edges = 3
	case ir.DomainIsolines:
		edges = 2
	}
	for _, x := range outer[:edges] {
		if !(x > 0) {
			return
		}
	}
	switch t.mode.Domain {
	case ir.DomainTriangles:
		t.triangles(outer, inner)
	case ir.DomainQuads:
		t.quads(outer, inner)
	default:
		t.isolines(outer)
	}
	if t.mode.PointMode {
		t.index = t.index[:0]
		for i := range t.points {
			t.index = append(t.index, uint32(i))
		}
	}
}

func (t *tessellator) add(u, v, w float32) uint32 {
	t.points = append(t.points, [3]float32{u, v, w})
	return uint32(len(t.points) - 1)
}

// triangle adds a triangle that runs counter-clockwise where u goes right and v
// up. The domain's origin is the upper left, so that is what VertexOrderCw means.
func (t *tessellator) triangle(a, b, c uint32) {
	if t.mode.CCW {
		b, c = c, b
	}
	t.index = append(t.index, a, b, c)
}

func (t *tessellator) isolines(outer [4]float32) {
	t.outer[0].divide(float64(outer[0]), ir.SpacingEqual)
	t.outer[1].divide(float64(outer[1]), t.mode.Spacing)
	for _, v := range t.outer[0][:len(t.outer[0])-1] {
		for k, u := range t.outer[1] {
			p := t.add(u, v, 0)
			if k > 0 {
				t.index = append(t.index, p-1, p)
			}
		}
	}
}

// divideAll sets outer and inner. An inner level of one segment counts as just
// more than 1 unless all levels have one segment, which it tells.
func (t *tessellator) divideAll(outer []float32, inner []float32) (single bool) {
	single = true
	for i, x := range outer {
		t.outer[i].divide(float64(x), t.mode.Spacing)
		single = single && len(t.outer[i]) == 2
	}
	for i, x := range inner {
		t.inner[i].divide(float64(x), t.mode.Spacing)
		single = single && len(t.inner[i]) == 2
	}
	for i := range inner {
		if !single && len(t.inner[i]) == 2 {
			t.inner[i].divide(aboveOne, t.mode.Spacing)
		}
	}
	return single
}

func (t *tessellator) quads(outer [4]float32, inner [2]float32) {
	single := t.divideAll(outer[:], inner[:])
	at := [4]func(x float32) uint32{
		func(x float32) uint32 { return t.add(x, 0, 0) },
		func(x float32) uint32 { return t.add(1, x, 0) },
		func(x float32) uint32 { return t.add(1-x, 1, 0) },
		func(x float32) uint32 { return t.add(0, 1-x, 0) },
	}
	// Counter-clockwise: the edges v = 0, u = 1, v = 1, u = 0.
	edges := [4]segments{t.outer[1], t.outer[2], t.outer[3], t.outer[0]}
	t.close(4, edges, at)
	if single {
		t.triangle(t.ring[0][0], t.ring[1][0], t.ring[2][0])
		t.triangle(t.ring[0][0], t.ring[2][0], t.ring[3][0])
		return
	}
	us, vs := t.inner[0], t.inner[1]
	m, n := len(us)-1, len(vs)-1
	first := uint32(len(t.points))
	for j := 1; j < n; j++ {
		for i := 1; i < m; i++ {
			t.add(us[i], vs[j], 0)
		}
	}
	in := func(i, j int) uint32 { return first + uint32((j-1)*(m-1)+i-1) }
	for k := range t.next {
		t.next[k] = t.next[k][:0]
	}
	for i := 1; i < m; i++ {
		t.next[0] = append(t.next[0], in(i, 1))
		t.next[2] = append(t.next[2], in(m-i, n-1))
	}
	for j := 1; j < n; j++ {
		t.next[1] = append(t.next[1], in(m-1, j))
		t.next[3] = append(t.next[3], in(1, n-j))
	}
	for k, s := range [4]segments{us, vs, us, vs} {
		t.stitch(t.ring[k], t.next[k], edges[k], s[1:len(s)-1])
	}
	for j := 1; j < n-1; j++ {
		for i := 1; i < m-1; i++ {
			t.triangle(in(i, j), in(i+1, j), in(i+1, j+1))
			t.triangle(in(i, j), in(i+1, j+1), in(i, j+1))
		}
	}
}

// close makes t.ring from n edges: each begins where the one before ends.
func (t *tessellator) close(n int, edges [4]segments, at [4]func(x float32) uint32) {
	for k := range n {
		t.ring[k] = t.ring[k][:0]
		for _, x := range edges[k][:len(edges[k])-1] {
			t.ring[k] = append(t.ring[k], at[k](x))
		}
	}
	for k := range n {
		t.ring[k] = append(t.ring[k], t.ring[(k+1)%n][0])
	}
}

// stitch fills the strip between an edge and the inner edge beside it, whose
// vertices stand at these places along it.
func (t *tessellator) stitch(out, in []uint32, outAt, inAt segments) {
	i, j := 0, 0
	for i+1 < len(out) || j+1 < len(in) {
		if j+1 == len(in) || i+1 < len(out) && outAt[i+1] <= inAt[j+1] {
			t.triangle(out[i], out[i+1], in[j])
			i++
		} else {
			t.triangle(out[i], in[j+1], in[j])
			j++
		}
	}
}

func (t *tessellator) triangles(outer [4]float32, inner [2]float32) {
	single := t.divideAll(outer[:3], inner[:1])
	// Counter-clockwise: the edges v = 0, w = 0, u = 0.
	edges := [4]segments{t.outer[1], t.outer[2], t.outer[0]}
	t.close(3, edges, [4]func(x float32) uint32{
		func(x float32) uint32 { return t.add(x, 0, 1-x) },
		func(x float32) uint32 { return t.add(1-x, x, 0) },
		func(x float32) uint32 { return t.add(0, 1-x, x) },
	})
	if single {
		t.triangle(t.ring[0][0], t.ring[1][0], t.ring[2][0])
		return
	}
	p := t.inner[0]
	n := len(p) - 1
	for k := 1; 2*k <= n; k++ {
		t.innerRing(p, k)
		for e := range triangleEdges {
			t.stitch(t.ring[e], t.next[e], edges[e], p[k:n-k+1])
			edges[e] = p[k : n-k+1]
		}
		t.ring, t.next = t.next, t.ring
		if 2*k+1 == n {
			t.triangle(t.ring[0][0], t.ring[1][0], t.ring[2][0])
		}
	}
}

// innerRing makes t.next the k-th ring inside a triangle. Its vertices stand on
// the lines perpendicular to the edges through their points p, two thirds of
// p[k] away from them.
func (t *tessellator) innerRing(p segments, k int) {
	n := len(p) - 1
	h := 2 * p[k] / 3
	for e := range triangleEdges {
		t.next[e] = t.next[e][:0]
	}
	if 2*k == n {
		c := t.add(1.0/3, 1.0/3, 1.0/3)
		for e := range triangleEdges {
			t.next[e] = append(t.next[e], c)
		}
		return
	}
	for e := range triangleEdges {
		for j := k; j < n-k; j++ {
			var c [3]float32
			x := p[j] - h/2
			c[e], c[(e+2)%3], c[(e+1)%3] = x, 1-x-h, h
			t.next[e] = append(t.next[e], t.add(c[0], c[1], c[2]))
		}
	}
	for e := range triangleEdges {
		t.next[e] = append(t.next[e], t.next[(e+1)%3][0])
	}
}
