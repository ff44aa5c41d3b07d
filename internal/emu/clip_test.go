package emu

import (
	"math"
	"math/rand"
	"testing"
)

// clipArea is the area of a polygon by x and y.
func clipArea(p []clipVertex) (a float64) {
	for i := range p {
		q := &p[(i+1)%len(p)]
		a += (p[i].x*q.y - q.x*p[i].y) / 2
	}
	return math.Abs(a)
}

// clipRandom are triangles beside the view, and functions of x and y that are distances.
func clipRandom(r *rand.Rand, planes int) (tri [3]clipVertex, lines [8][3]float64) {
	for k := range planes {
		lines[k] = [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64() / 2}
	}
	for i := range tri {
		v := &tri[i]
		*v = clipVertex{x: r.NormFloat64() * 2, y: r.NormFloat64() * 2, z: r.NormFloat64(), w: 1}
		for k := range planes {
			v.dist[k] = lines[k][0]*v.x + lines[k][1]*v.y + lines[k][2]
		}
	}
	return tri, lines
}

// clipped is what is left of a polygon, clipped by all planes that one of its vertices is outside of.
func clipped(c *clipper, tri []clipVertex) []clipVertex {
	codes := uint32(0)
	for i := range tri {
		codes |= c.outside(&tri[i])
	}
	copy(c.poly[:], tri)
	return append([]clipVertex(nil), c.poly[:c.polygon(len(tri), codes)]...)
}

// TestClipPolygon: what is left of a triangle lies inside of all planes, and is what lies inside of one together with what
// lies inside of its reverse, in any order of the planes.
func TestClipPolygon(t *testing.T) {
	left := 0
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		planes := int(seed) % 9
		tri, _ := clipRandom(r, planes)
		c := &clipper{gx: 1, gy: 1.5, near: seed&1 != 0, far: seed&2 != 0, minusOne: seed&4 != 0, numDist: planes}
		p := clipped(c, tri[:])
		for i := range p {
			for k := range c.numPlanes() {
				if d := c.dist(&p[i], k); !(d >= -1e-9) {
					t.Fatalf("seed %d: vertex %d of %d is %g beyond plane %d", seed, i, len(p), -d, k)
				}
			}
		}
		if len(p) > 0 {
			left++
		}
		if planes == 0 {
			continue
		}
		// The other side of the last distance, and all without it.
		other, whole, back := *c, *c, *c
		turned, reversed := tri, tri
		for i := range tri {
			turned[i].dist[planes-1] = -tri[i].dist[planes-1]
			for k := range planes {
				reversed[i].dist[k] = tri[i].dist[planes-1-k]
			}
		}
		whole.numDist--
		a, b, all, same := clipArea(p), clipArea(clipped(&other, turned[:])), clipArea(clipped(&whole, tri[:])), clipArea(clipped(&back, reversed[:]))
		if math.Abs(a+b-all) > 1e-9 || math.Abs(a-same) > 1e-9 {
			t.Fatalf("seed %d: areas %g and %g of %g; %g in another order", seed, a, b, all, same)
		}
	}
	if left < 300 {
		t.Errorf("of %d triangles something is left", left)
	}
}

// TestClipLine: the visible part of a line ends where the line does, or in a plane, and is inside of all.
func TestClipLine(t *testing.T) {
	cut := 0
	for seed := range int64(2000) {
		planes := int(seed) % 9
		tri, _ := clipRandom(rand.New(rand.NewSource(seed)), planes)
		c := &clipper{gx: 1, gy: 1.5, near: seed&1 != 0, far: seed&2 != 0, minusOne: seed&4 != 0, numDist: planes}
		least := func(x float64) float64 {
			v := mix(&tri[0], &tri[1], x, planes)
			d := math.Inf(1)
			for k := range c.numPlanes() {
				d = min(d, c.dist(&v, k))
			}
			return d
		}
		t0, t1, ok := c.line(&tri[0], &tri[1])
		if !ok {
			for k := range 64 {
				if d := least(float64(k) / 63); d > 1e-9 {
					t.Fatalf("seed %d: at %d of 63 the line is %g inside, and nothing is left", seed, k, d)
				}
			}
			continue
		}
		for k, x := range []float64{t0, t1} {
			d := least(x)
			if d < -1e-9 || d > 1e-9 && x != float64(k) {
				t.Fatalf("seed %d: end %d at %g of the line is %g inside", seed, k, x, d)
			}
			if x != float64(k) {
				cut++
			}
		}
	}
	if cut < 300 {
		t.Errorf("%d ends are cut off", cut)
	}
}
