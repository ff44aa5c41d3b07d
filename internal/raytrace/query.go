package raytrace

import "math"

// RayFlags are SPIR-V's ray flags.
type RayFlags uint32

// Flags of rays.
const (
	RayOpaque RayFlags = 1 << iota
	RayNoOpaque
	RayTerminateOnFirstHit
	RaySkipClosestHit
	RayCullBackFacing
	RayCullFrontFacing
	RayCullOpaque
	RayCullNoOpaque
	RaySkipTriangles
	RaySkipAABBs
)

// Kind is what a ray has met. Committed types are numbered as SPIR-V numbers them; candidates are one less.
type Kind uint8

// Kinds.
const (
	None Kind = iota
	HitTriangle
	HitBox
)

// Hit is an intersection of a ray with a primitive.
type Hit struct {
	Kind Kind
	Crossing
	// Instance, Geometry and Primitive count from 0 in what holds them.
	Instance, Geometry, Primitive int
	Opaque                        bool
	// Object is the ray in the space of the instance.
	Object Ray
}

// Query is the state of a ray query. The zero Query is one over an empty scene.
type Query struct {
	scene *Scene
	flags RayFlags
	mask  uint32
	world Ray
	// The primitive that is next.
	instance, geometry, primitive int
	done                          bool
	candidate, committed          Hit
	object                        Ray // of the instance
}

// Initialize begins a query; what it was before is gone.
func (q *Query) Initialize(s *Scene, flags RayFlags, mask uint32, ray Ray) {
	*q = Query{scene: s, flags: flags, mask: mask & 0xff, world: ray, done: s == nil || !ray.active()}
	q.committed.T = ray.TMax
}

// active reports whether a ray can meet anything.
func (r *Ray) active() bool {
	for k := range r.Origin {
		if sum := float64(r.Origin[k]) + float64(r.Direction[k]); math.IsNaN(sum) || math.IsInf(sum, 0) {
			return false
		}
	}
	return r.TMin <= r.TMax
}

// Terminate ends the traversal.
func (q *Query) Terminate() { q.done = true }

// Proceed goes on to the next candidate that the shader has to decide about. It reports false when there is none.
func (q *Query) Proceed() bool {
	for !q.done {
		if q.instance >= len(q.scene.Instances) {
			q.done = true
			break
		}
		in := &q.scene.Instances[q.instance]
		if in.Bottom == nil || uint32(in.Mask)&q.mask == 0 || q.geometry >= len(in.Bottom.Geometries) {
			q.instance, q.geometry, q.primitive = q.instance+1, 0, 0
			continue
		}
		g := &in.Bottom.Geometries[q.geometry]
		if q.geometry == 0 && q.primitive == 0 {
			back := in.Transform.Inverse()
			q.object = Ray{back.Point(q.world.Origin), back.Direction(q.world.Direction), q.world.TMin, 0}
		}
		if q.primitive >= max(len(g.Triangles), len(g.Boxes)) {
			q.geometry, q.primitive = q.geometry+1, 0
			continue
		}
		h, ok := q.test(in, g)
		q.primitive++
		if !ok {
			continue
		}
		q.candidate = h
		if h.Kind == HitBox || !h.Opaque {
			return true
		}
		q.commit(h)
	}
	return false
}

// test meets the ray with the primitive that is next.
func (q *Query) test(in *Instance, g *Geometry) (h Hit, ok bool) {
	opaque := q.flags.Opacity(in.Flags, g.Opaque)
	if !q.flags.Wants(opaque) {
		return h, false
	}
	q.object.TMax = q.committed.T
	h = Hit{Instance: q.instance, Geometry: q.geometry, Primitive: q.primitive, Opaque: opaque, Object: q.object}
	if q.primitive < len(g.Boxes) {
		b := &g.Boxes[q.primitive]
		h.Kind, h.T = HitBox, q.committed.T
		return h, q.flags&RaySkipAABBs == 0 && !b.Inactive() && q.object.Box(b)
	}
	t := &g.Triangles[q.primitive]
	if q.flags&RaySkipTriangles != 0 || t.Inactive() {
		return h, false
	}
	h.Kind = HitTriangle
	h.Crossing, ok = q.object.Triangle(t)
	h.Front = h.Front != (in.Flags&FlipFacing != 0)
	return h, ok && !q.flags.Culls(in.Flags, h.Front)
}

// Opacity is that of a geometry's primitives: the ray's flags count most, then the instance's.
func (f RayFlags) Opacity(in InstanceFlags, geometry bool) bool {
	switch {
	case f&RayOpaque != 0:
		return true
	case f&RayNoOpaque != 0:
		return false
	case in&ForceOpaque != 0:
		return true
	case in&ForceNoOpaque != 0:
		return false
	}
	return geometry
}

// Wants reports whether the ray takes primitives of an opacity.
func (f RayFlags) Wants(opaque bool) bool {
	if opaque {
		return f&RayCullOpaque == 0
	}
	return f&RayCullNoOpaque == 0
}

// Culls reports whether the ray passes through a triangle of an instance for how it faces the ray.
func (f RayFlags) Culls(in InstanceFlags, front bool) bool {
	if in&FacingCullDisable != 0 {
		return false
	}
	if front {
		return f&RayCullFrontFacing != 0
	}
	return f&RayCullBackFacing != 0
}

func (q *Query) commit(h Hit) {
	q.committed = h
	if q.flags&RayTerminateOnFirstHit != 0 {
		q.done = true
	}
}

// Confirm commits the candidate, a triangle.
func (q *Query) Confirm() {
	if q.candidate.Kind == HitTriangle {
		q.commit(q.candidate)
	}
}

// Generate commits the candidate, a box, at t, if that is in what is left of the ray.
func (q *Query) Generate(t float32) {
	if q.candidate.Kind == HitBox && t >= q.world.TMin && t <= q.committed.T {
		h := q.candidate
		h.T = t
		q.commit(h)
	}
}

// Candidate is the intersection that Proceed has stopped at, Committed the closest so far, of kind None and at the end of the
// ray if there is none.
func (q *Query) Candidate() *Hit { return &q.candidate }

// Committed is the other.
func (q *Query) Committed() *Hit { return &q.committed }

// Flags are those of the ray.
func (q *Query) Flags() RayFlags { return q.flags }

// World is the ray in the space of the scene.
func (q *Query) World() *Ray { return &q.world }

// Instance is that of a hit, the zero Instance if there is none.
func (q *Query) Instance(h *Hit) *Instance {
	if h.Kind == None || q.scene == nil {
		return &Instance{}
	}
	return &q.scene.Instances[h.Instance]
}

// Vertices are those of the triangle that a hit is of.
func (q *Query) Vertices(h *Hit) (t Triangle) {
	if h.Kind == HitTriangle {
		t = q.Instance(h).Bottom.Geometries[h.Geometry].Triangles[h.Primitive]
	}
	return t
}
