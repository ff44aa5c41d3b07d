package raytrace

import "math"

// Ray is a ray with the range of its parameter t.
type Ray struct {
	Origin, Direction Vec3
	TMin, TMax        float32
}

// Crossing is where a ray meets a triangle.
type Crossing struct {
	T float32
	// U and V are the barycentric coordinates of the second and the third vertex.
	U, V float32
	// Front: the vertices are in clockwise order as seen from the ray's origin, in a left-handed space, so the cross product
	// of the edges from the first vertex to the second and third points against the ray.
	Front bool
}

// Triangle finds where the ray meets a triangle between, and not at, the ends of its range. Edges belong to the triangle.
func (r *Ray) Triangle(t *Triangle) (c Crossing, ok bool) {
	var e1, e2, from, d [3]float64
	for k := range d {
		e1[k], e2[k] = float64(t[1][k])-float64(t[0][k]), float64(t[2][k])-float64(t[0][k])
		from[k], d[k] = float64(r.Origin[k])-float64(t[0][k]), float64(r.Direction[k])
	}
	n := cross(e1, e2)
	det := -dot(d, n)
	if det == 0 || math.IsNaN(det) {
		return c, false
	}
	across := cross(from, d)
	u, v, at := dot(e2, across)/det, -dot(e1, across)/det, dot(from, n)/det
	if !(u >= 0 && v >= 0 && u+v <= 1) {
		return c, false
	}
	c = Crossing{T: float32(at), U: float32(u), V: float32(v), Front: det > 0}
	return c, c.T > r.TMin && c.T < r.TMax
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Box reports whether the ray is in the box somewhere in its range, ends and faces included.
func (r *Ray) Box(b *Box) bool {
	_, ok := r.enter(b, 0)
	return ok
}

// Near is where the ray enters a box that holds others, and whether it may: it never says no where a primitive inside is met.
func (r *Ray) Near(b *Box) (t float64, ok bool) { return r.enter(b, 0x1p-40) }

// enter is where a ray enters a box whose far side is further off by a part of its distance.
func (r *Ray) enter(b *Box, slack float64) (t float64, ok bool) {
	near, far := float64(r.TMin), float64(r.TMax)
	for k := range r.Origin {
		o, d := float64(r.Origin[k]), float64(r.Direction[k])
		lo, hi := float64(b.Min[k])-o, float64(b.Max[k])-o
		if d == 0 {
			if !(lo <= 0 && hi >= 0) {
				return 0, false
			}
			continue
		}
		lo, hi = lo/d, hi/d
		if d < 0 {
			lo, hi = hi, lo
		}
		near, far = max(near, lo-slack*math.Abs(lo)), min(far, hi+slack*math.Abs(hi))
	}
	return near, near <= far // of NaNs false
}
