package emu

import "math"

// maxClipVerts bounds a clipped polygon: each of 7 view planes and 8 clip
// distances adds at most one vertex to a triangle.
const maxClipVerts = 3 + 7 + 8

// clipVertex is a vertex in clip space.
type clipVertex struct {
	x, y, z, w float64
	dist       [8]float64 // clip distances
}

// minW is the smallest w that is projected; it keeps the division finite.
const minW = 1e-12

// clipper holds the planes of one viewport and state.
type clipper struct {
	gx, gy     float64 // x and y are limited to g*w
	near, far  bool
	minusOne   bool // near plane is z = -w
	numDist    int
	poly, next [maxClipVerts + 1]clipVertex
}

// numPlanes counts w, near, far, four sides and the clip distances.
func (c *clipper) numPlanes() int { return 7 + c.numDist }

// dist returns the signed distance of v to plane i, inside >= 0.
func (c *clipper) dist(v *clipVertex, i int) float64 {
	switch i {
	case 0:
		return v.w - minW
	case 1:
		if !c.near {
			return 0
		}
		if c.minusOne {
			return v.z + v.w
		}
		return v.z
	case 2:
		if !c.far {
			return 0
		}
		return v.w - v.z
	case 3:
		return c.gx*v.w + v.x
	case 4:
		return c.gx*v.w - v.x
	case 5:
		return c.gy*v.w + v.y
	case 6:
		return c.gy*v.w - v.y
	}
	return v.dist[i-7]
}

// outside returns a bit for every plane that v is outside of. Not a number is
// outside.
func (c *clipper) outside(v *clipVertex) (code uint32) {
	for i := range c.numPlanes() {
		if !(c.dist(v, i) >= 0) {
			code |= 1 << i
		}
	}
	return code
}

// polygon clips the polygon in c.poly[:n] and returns the new n, 0 when
// nothing is left. codes are the planes to clip against.
func (c *clipper) polygon(n int, codes uint32) int {
	for i := 0; codes>>i != 0; i++ {
		if codes>>i&1 == 0 {
			continue
		}
		m := 0
		for k := range n {
			a, b := &c.poly[k], &c.poly[(k+1)%n]
			da, db := c.dist(a, i), c.dist(b, i)
			if da >= 0 {
				c.next[m] = *a
				m++
			}
			if (da >= 0) != (db >= 0) {
				// From the inside vertex outwards, so that two triangles get
				// the same point on a shared edge.
				if da >= 0 {
					c.next[m] = mix(a, b, da/(da-db), c.numDist)
				} else {
					c.next[m] = mix(b, a, db/(db-da), c.numDist)
				}
				m++
			}
			if m >= maxClipVerts {
				break
			}
		}
		n = m
		if n < 3 {
			return 0
		}
		copy(c.poly[:n], c.next[:n])
	}
	return n
}

// line clips the segment a-b and returns its visible part as fractions.
func (c *clipper) line(a, b *clipVertex) (t0, t1 float64, ok bool) {
	t0, t1 = 0, 1
	for i := range c.numPlanes() {
		da, db := c.dist(a, i), c.dist(b, i)
		ina, inb := da >= 0, db >= 0
		switch {
		case !ina && !inb:
			return 0, 0, false
		case !ina:
			t0 = max(t0, da/(da-db))
		case !inb:
			t1 = min(t1, da/(da-db))
		}
	}
	return t0, t1, t0 <= t1
}

// mix returns the point at fraction t from a to b.
func mix(a, b *clipVertex, t float64, numDist int) (v clipVertex) {
	v.x = a.x + t*(b.x-a.x)
	v.y = a.y + t*(b.y-a.y)
	v.z = a.z + t*(b.z-a.z)
	v.w = a.w + t*(b.w-a.w)
	for i := range numDist {
		v.dist[i] = a.dist[i] + t*(b.dist[i]-a.dist[i])
	}
	return v
}

// finite reports whether the position can be computed with.
func (v *clipVertex) finite() bool {
	s := v.x + v.y + v.z + v.w
	return !math.IsNaN(s) && !math.IsInf(s, 0)
}
