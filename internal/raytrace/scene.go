// Package raytrace holds acceleration structures as an application describes them, and follows rays through them as
// Vulkan's chapter on ray traversal says: it is what ray queries give. The interpreter asks it for everything, the cores
// for the tests of a ray against a triangle and a box; the forms that structures have in a GPU's memory belong to the cores.
//
// Rays meet primitives in the order in which they are described, so equal queries give equal results. What never happens
// here: an error. A structure without instances, an infinite ray or a NaN is hit by nothing.
package raytrace

import "math"

// Vec3 is a point or a direction.
type Vec3 [3]float32

// Triangle is a triangle by its vertices.
type Triangle [3]Vec3

// Box is an axis-aligned bounding box.
type Box struct{ Min, Max Vec3 }

// Geometry is a list of triangles, or else of boxes.
type Geometry struct {
	Triangles []Triangle
	Boxes     []Box
	Opaque    bool
}

// Bottom is a bottom-level acceleration structure.
type Bottom struct{ Geometries []Geometry }

// Matrix is a row-major affine transform: three rows of a linear part and a translation.
type Matrix [3][4]float32

// Identity is the transform that changes nothing.
var Identity = Matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}

// InstanceFlags are Vulkan's VkGeometryInstanceFlagBitsKHR.
type InstanceFlags uint8

// Flags of instances.
const (
	FacingCullDisable InstanceFlags = 1 << iota
	FlipFacing
	ForceOpaque
	ForceNoOpaque
)

// Instance places a bottom-level structure in the world.
type Instance struct {
	Bottom    *Bottom // nil: none
	Transform Matrix  // object to world
	// CustomIndex and SBTOffset have 24 bits.
	CustomIndex, SBTOffset uint32
	Mask                   uint8
	Flags                  InstanceFlags
}

// Scene is a top-level acceleration structure.
type Scene struct{ Instances []Instance }

// Inverse is the transform back, rounded to floats at the end; of one that cannot be inverted it has no numbers.
func (m *Matrix) Inverse() (r Matrix) {
	a := func(i, j int) float64 { return float64(m[i%3][j%3]) }
	cofactor := func(i, j int) float64 { return a(i+1, j+1)*a(i+2, j+2) - a(i+1, j+2)*a(i+2, j+1) }
	det := a(0, 0)*cofactor(0, 0) + a(0, 1)*cofactor(0, 1) + a(0, 2)*cofactor(0, 2)
	for i := range r {
		back := 0.0
		for j := range 3 {
			x := cofactor(j, i) / det
			r[i][j] = float32(x)
			back -= x * float64(m[j][3])
		}
		r[i][3] = float32(back)
	}
	return r
}

// Point transforms a point, Direction a direction: each product and each sum is rounded, in the order of the columns.
func (m *Matrix) Point(v Vec3) (r Vec3) {
	for i := range r {
		r[i] = m[i][3]
		for j := range v {
			p := v[j] * m[i][j]
			r[i] += p
		}
	}
	return r
}

// Direction is Point without the translation.
func (m *Matrix) Direction(v Vec3) (r Vec3) {
	for i := range r {
		r[i] = v[0] * m[i][0]
		for _, j := range [2]int{1, 2} {
			p := v[j] * m[i][j]
			r[i] += p
		}
	}
	return r
}

// Bounds is the least box around the triangle.
func (t *Triangle) Bounds() Box {
	b := Box{t[0], t[0]}
	for _, v := range t[1:] {
		b = b.Union(Box{v, v})
	}
	return b
}

// Inactive reports whether the triangle is one that an application has left out: its first coordinate is no number.
func (t *Triangle) Inactive() bool { return isNaN(t[0][0]) }

// Inactive is the same of a box.
func (b *Box) Inactive() bool { return isNaN(b.Min[0]) }

func isNaN(x float32) bool { return math.IsNaN(float64(x)) }

// Union is the least box around both.
func (b Box) Union(c Box) Box {
	for k := range b.Min {
		b.Min[k], b.Max[k] = min(b.Min[k], c.Min[k]), max(b.Max[k], c.Max[k])
	}
	return b
}
