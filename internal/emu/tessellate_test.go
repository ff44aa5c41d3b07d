package emu

import (
	"fmt"
	"math"
	"testing"

	"nirc/ir"
)

// signedArea of a triangle where u goes right and v up.
func signedArea(p, q, r [3]float32) float64 {
	x := func(a, b float32) float64 { return float64(a) - float64(b) }
	return (x(q[0], p[0])*x(r[1], p[1]) - x(r[0], p[0])*x(q[1], p[1])) / 2
}

// TestTessellateCovers checks for many levels that triangles cover the domain
// once: their areas, all of one sign, add up to it, and every edge inside is
// shared by two that run it in opposite directions.
func TestTessellateCovers(t *testing.T) {
	levels := []float32{0.5, 1, 1.3, 2, 2.5, 3, 4, 5.9, 7, 64, 100}
	for _, domain := range []uint8{ir.DomainTriangles, ir.DomainQuads} {
		for spacing := range uint8(3) {
			for i, a := range levels {
				for j, b := range levels {
					c, d := levels[(i+j)%len(levels)], levels[(i*3+j)%len(levels)]
					g := tessellator{mode: TessIO{Domain: domain, Spacing: spacing, CCW: i&1 == 0}}
					g.patch([4]float32{a, c, d, b}, [2]float32{b, c})
					name := fmt.Sprintf("domain %d spacing %d levels %v %v %v", domain, spacing, [4]float32{a, c, d, b}, b, c)
					checkCover(t, &g, name)
					if t.Failed() {
						return
					}
				}
			}
		}
	}
}

func checkCover(t *testing.T, g *tessellator, name string) {
	t.Helper()
	seen := map[[3]float32]bool{}
	for _, p := range g.points {
		if p != p || p[0] < 0 || p[0] > 1 || p[1] < 0 || p[1] > 1 || p[2] < -1e-6 || seen[p] && g.mode.Spacing == ir.SpacingEqual {
			t.Errorf("%s: bad or double point %v", name, p)
		}
		if s := float64(p[0]) + float64(p[1]) + float64(p[2]); g.mode.Domain == ir.DomainTriangles && !(math.Abs(s-1) <= 1e-6) {
			t.Errorf("%s: point %v adds up to %g", name, p, s)
		}
		seen[p] = true
	}
	edges := map[[2]uint32]int{}
	area, used := 0.0, map[uint32]bool{}
	for k := 0; k+2 < len(g.index); k += 3 {
		v := g.index[k : k+3]
		a := signedArea(g.points[v[0]], g.points[v[1]], g.points[v[2]])
		if g.mode.CCW {
			a = -a
		}
		if a < -1e-9 {
			t.Errorf("%s: triangle %v is turned round", name, v)
		}
		area += a
		for e := range v {
			edges[[2]uint32{v[e], v[(e+1)%3]}]++
			used[v[e]] = true
		}
	}
	want := 1.0
	if g.mode.Domain == ir.DomainTriangles {
		want = 0.5
	}
	if !(math.Abs(area-want) <= 1e-4) || len(used) != len(g.points) {
		t.Errorf("%s: area %g, want %g; %d of %d points are used", name, area, want, len(used), len(g.points))
	}
	border := func(p, q [3]float32) bool {
		if g.mode.Domain == ir.DomainQuads {
			return p[0] == q[0] && (p[0] == 0 || p[0] == 1) || p[1] == q[1] && (p[1] == 0 || p[1] == 1)
		}
		return p[0] == 0 && q[0] == 0 || p[1] == 0 && q[1] == 0 || p[2] == 0 && q[2] == 0
	}
	for e, n := range edges {
		if n != 1 || edges[[2]uint32{e[1], e[0]}] != 1 && !border(g.points[e[0]], g.points[e[1]]) {
			t.Errorf("%s: edge %v-%v is there %d times, %d times back", name, g.points[e[0]], g.points[e[1]], n, edges[[2]uint32{e[1], e[0]}])
			return
		}
	}
}

// TestTessellateCounts checks numbers that the specification fixes.
func TestTessellateCounts(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		mode          TessIO
		outer         [4]float32
		inner         [2]float32
		points, index int
	}{
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{1, 1, 1}, [2]float32{1}, 3, 3},
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{1, 1, 1}, [2]float32{2}, 4, 9},
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{3, 3, 3}, [2]float32{3}, 12, 3 * 13},
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{1, 0, 1}, [2]float32{2}, 0, 0},
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{1, nan, 1}, [2]float32{2}, 0, 0},
		{TessIO{Domain: ir.DomainTriangles}, [4]float32{1, 1, 1}, [2]float32{nan}, 3, 3},
		{TessIO{Domain: ir.DomainTriangles, PointMode: true}, [4]float32{3, 3, 3}, [2]float32{3}, 12, 12},
		{TessIO{Domain: ir.DomainQuads}, [4]float32{1, 1, 1, 1}, [2]float32{1, 1}, 4, 6},
		{TessIO{Domain: ir.DomainQuads}, [4]float32{2, 2, 2, 2}, [2]float32{2, 2}, 9, 24},
		{TessIO{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalEven}, [4]float32{1, 1, 1, 1}, [2]float32{1, 1}, 9, 24},
		{TessIO{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd}, [4]float32{1, 1, 1, 2}, [2]float32{1, 1}, 6 + 4, 3 * (6 + 4 + 2)},
		{TessIO{Domain: ir.DomainQuads}, [4]float32{64, 64, 64, 64}, [2]float32{64, 64}, 65 * 65, 64 * 64 * 6},
		{TessIO{Domain: ir.DomainIsolines}, [4]float32{3, 4}, [2]float32{}, 15, 24},
		{TessIO{Domain: ir.DomainIsolines, Spacing: ir.SpacingFractionalOdd}, [4]float32{2.5, 4}, [2]float32{}, 18, 30},
		{TessIO{Domain: ir.DomainIsolines, PointMode: true}, [4]float32{1, 1}, [2]float32{}, 2, 2},
	} {
		g := tessellator{mode: c.mode}
		g.patch(c.outer, c.inner)
		if len(g.points) != c.points || len(g.index) != c.index {
			t.Errorf("%+v levels %v %v: %d points and %d indices, want %d and %d", c.mode, c.outer, c.inner, len(g.points), len(g.index), c.points, c.index)
		}
	}
}

// TestDivide checks the places of an edge's points.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		level   float64
		spacing uint8
		want    segments
	}{
		{3.2, ir.SpacingEqual, segments{0, 0.25, 0.5, 0.75, 1}},
		{0, ir.SpacingFractionalEven, segments{0, 0.5, 1}},
		{3, ir.SpacingFractionalEven, segments{0, 1.0 / 6, 0.5, 5.0 / 6, 1}},
		{2, ir.SpacingFractionalOdd, segments{0, 0.25, 0.75, 1}},
		{3, ir.SpacingFractionalOdd, segments{0, 1.0 / 3, 2.0 / 3, 1}},
	} {
		var s segments
		s.divide(c.level, c.spacing)
		if len(s) != len(c.want) {
			t.Errorf("level %g spacing %d: %v", c.level, c.spacing, s)
			continue
		}
		for i := range s {
			if !(math.Abs(float64(s[i]-c.want[i])) <= 1e-6) || s[i] != 1-s[len(s)-1-i] {
				t.Errorf("level %g spacing %d: %v, want %v", c.level, c.spacing, s, c.want)
			}
		}
	}
}

// TestTessellateEdges: each edge has the segments of its own outer level, at their places, and the inside those of the inner ones.
func TestTessellateEdges(t *testing.T) {
	const near = 1e-6
	// on counts the points where a coordinate is at, which must stand along another by a number of segments.
	on := func(points [][3]float32, c int, at float64, along, segments int) bool {
		seen := make([]bool, segments+1)
		for _, p := range points {
			if math.Abs(float64(p[c])-at) > near {
				continue
			}
			k := math.Round(float64(p[along]) * float64(segments))
			if math.Abs(float64(p[along])-k/float64(segments)) > near || seen[int(k)] {
				return false
			}
			seen[int(k)] = true
		}
		for _, s := range seen {
			if !s {
				return false
			}
		}
		return true
	}
	quads := tessellator{mode: TessIO{Domain: ir.DomainQuads}}
	quads.patch([4]float32{3, 4, 5, 6}, [2]float32{7, 8})
	for i, e := range []struct {
		c        int
		at       float64
		along, n int
	}{{0, 0, 1, 3}, {1, 0, 0, 4}, {0, 1, 1, 5}, {1, 1, 0, 6}} {
		if !on(quads.points, e.c, e.at, e.along, e.n) {
			t.Errorf("edge %d of a quad: no %d segments in %v", i, e.n, quads.points)
		}
	}
	inside := map[[2]int]int{}
	for _, p := range quads.points {
		if p[0] > near && p[0] < 1-near && p[1] > near && p[1] < 1-near {
			i, j := math.Round(float64(p[0])*7), math.Round(float64(p[1])*8)
			if math.Abs(float64(p[0])-i/7) > near || math.Abs(float64(p[1])-j/8) > near {
				t.Errorf("%v is no point of 7 by 8", p)
			}
			inside[[2]int{int(i), int(j)}]++
		}
	}
	if len(inside) != 6*7 || len(quads.points) != 6*7+3+4+5+6 {
		t.Errorf("%d points inside of %d", len(inside), len(quads.points))
	}
	triangles := tessellator{mode: TessIO{Domain: ir.DomainTriangles}}
	triangles.patch([4]float32{3, 4, 5}, [2]float32{6})
	for c, n := range []int{3, 4, 5} {
		if !on(triangles.points, c, 0, (c+1)%3, n) {
			t.Errorf("edge %d of a triangle: no %d segments in %v", c, n, triangles.points)
		}
	}
	// Rings inside have two segments fewer each, and lie two thirds of a segment's height further in.
	for k, n := range []int{4, 2} {
		for c := range 3 {
			at, count := 2*float64(k+1)/6/3, 0
			for _, p := range triangles.points {
				if math.Abs(float64(p[c])-at) < near && min(p[0], p[1], p[2]) > float32(at-near) {
					count++
				}
			}
			if count != n+1 {
				t.Errorf("ring %d, side %d: %d points, want %d", k+1, c, count, n+1)
			}
		}
	}
}
