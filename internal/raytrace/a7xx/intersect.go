package a7xx

import (
	"math"
	"slices"

	"nirc/internal/raytrace"
)

// Intersect is what the instruction ray_intersection gives for a node of NodeSize bytes. flags is its fourth source; old is
// what stood in the fourth word of the result before.
func Intersect(node []byte, ray *raytrace.Ray, flags, old uint32) (r [5]uint32) {
	kind := order.Uint32(node[nodeType:])
	if kind&nodeTop != 0 {
		r[0] |= ResultTop
	}
	r[3] = old
	if kind&nodeLeaf == 0 {
		r[1] = order.Uint32(node[innerFirst:])
		n, list := children(node, ray)
		r[0] |= n << ResultCountShift
		r[3] |= list
		return r
	}
	r[0] |= ResultLeaf
	if flags&FlagsParts == 0 {
		return r
	}
	r[1] = order.Uint32(node[leafID:])
	if kind&nodeTop != 0 {
		if meetsInstance(node, ray, flags) {
			r[0] |= 1 << ResultCountShift
		}
		return r
	}
	primitive(node, kind, ray, flags, &r)
	return r
}

func vec(b []byte) (v raytrace.Vec3) {
	for k := range v {
		v[k] = math.Float32frombits(order.Uint32(b[4*k:]))
	}
	return v
}

func rayFlags(flags uint32) raytrace.RayFlags {
	return raytrace.RayFlags(flags >> FlagsRayShift & 0xfff)
}

// meetsInstance tests a ray against an instance: by its mask, by what all of its primitives are, by its box.
func meetsInstance(node []byte, ray *raytrace.Ray, flags uint32) bool {
	have := order.Uint32(node[leafFlags:])
	if (have>>8)&(flags>>FlagsMask)&0xff == 0 {
		return false
	}
	f := rayFlags(flags)
	decided := f&(raytrace.RayOpaque|raytrace.RayNoOpaque) != 0
	if !decided && (have&AllOpaque != 0 && !f.Wants(true) || have&AllNonOpaque != 0 && !f.Wants(false)) {
		return false
	}
	box := raytrace.Box{Min: vec(node[LeafVertices:]), Max: vec(node[LeafVertices+12:])}
	_, ok := ray.Near(&box)
	return ok
}

// primitive tests a ray against a triangle or a box.
func primitive(node []byte, kind uint32, ray *raytrace.Ray, flags uint32, r *[5]uint32) {
	f, in := rayFlags(flags), raytrace.InstanceFlags(flags>>FlagsInstance)
	opaque := f.Opacity(in, kind&nodeNonOpaque == 0)
	if !opaque {
		r[0] |= ResultNonOpaque
	}
	if kind&nodeBox != 0 {
		r[0] |= ResultBox
		box := raytrace.Box{Min: vec(node[LeafVertices:]), Max: vec(node[LeafVertices+12:])}
		if f.Wants(opaque) && f&raytrace.RaySkipAABBs == 0 && ray.Box(&box) {
			r[0] |= 1 << ResultCountShift
		}
		return
	}
	t := raytrace.Triangle{vec(node[LeafVertices:]), vec(node[LeafVertices+12:]), vec(node[LeafVertices+24:])}
	c, ok := ray.Triangle(&t)
	front := c.Front != (in&raytrace.FlipFacing != 0)
	if !ok || !f.Wants(opaque) || f&raytrace.RaySkipTriangles != 0 || f.Culls(in, front) {
		return
	}
	if !front {
		r[0] |= ResultBack
	}
	r[0] |= 1 << ResultCountShift
	r[2], r[3], r[4] = math.Float32bits(c.T), math.Float32bits(c.U), math.Float32bits(c.V)
}

// children is how many children of an inner node a ray meets, and the list of them.
func children(node []byte, ray *raytrace.Ray) (n, list uint32) {
	type child struct {
		near   float64
		offset uint32
	}
	var base, unit [3]float64
	for k := range base {
		base[k] = float64(math.Float32frombits(uint32(order.Uint16(node[innerBase+2*k:])) << 16))
		unit[k] = unitOf(node[innerExponents+k])
	}
	var met []child
	for i := range uint32(min(node[innerCount], maxChildren)) {
		var b raytrace.Box
		for k := range base {
			at := node[innerCorners+6*i:]
			b.Min[k] = roundDown(base[k] + float64(at[k])*unit[k])
			b.Max[k] = roundUp(base[k] + float64(at[3+k])*unit[k])
		}
		if near, ok := ray.Near(&b); ok {
			met = append(met, child{near, i})
		}
	}
	slices.SortStableFunc(met, func(x, y child) int {
		switch {
		case x.near < y.near:
			return -1
		case x.near > y.near:
			return 1
		}
		return 0
	})
	for i, c := range met {
		list |= c.offset << (ChildLast + ChildBits*(len(met)-1-i))
	}
	if len(met) > 0 {
		list |= uint32(ChildLast + ChildBits*(len(met)-1))
	}
	return uint32(len(met)), list
}
