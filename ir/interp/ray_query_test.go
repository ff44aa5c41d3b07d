package interp

import (
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/internal/raytrace"
	"nirc/ir"
)

// queryScene has, in its second instance, a box and an opaque box and a triangle that the rays of TestRayQueryValues meet,
// each after one that they miss.
func queryScene() *raytrace.Scene {
	v := func(x, y, z float32) raytrace.Vec3 { return raytrace.Vec3{x, y, z} }
	far := raytrace.Box{Min: v(900, 900, 900), Max: v(901, 901, 901)}
	bottom := &raytrace.Bottom{Geometries: []raytrace.Geometry{
		{Boxes: []raytrace.Box{far, {Min: v(-50, -50, 2), Max: v(50, 50, 3)}}},
		{Boxes: []raytrace.Box{far, far, {Min: v(-50, -50, 2), Max: v(50, 50, 4)}}, Opaque: true},
		{Triangles: []raytrace.Triangle{{v(900, 0, 0), v(901, 0, 0), v(900, 1, 0)}, {v(-90, -95, 1), v(99, -80, 1), v(3, 97, 1)}}},
	}}
	return &raytrace.Scene{Instances: []raytrace.Instance{
		{},
		{Bottom: bottom, Transform: raytrace.Matrix{{2, 1, 0, 1}, {0, 2, 0, 0.5}, {0, 0, 4, 3}}, CustomIndex: 77, SBTOffset: 9, Mask: 4},
	}}
}

// queryFacts are the words of all values of a query and a hit of it, in the order of ir.RayQueryValue, matrices by columns.
func queryFacts(q *raytrace.Query, h *raytrace.Hit, kind uint32) (w []uint32) {
	float := func(list ...float32) {
		for _, x := range list {
			w = append(w, math.Float32bits(x))
		}
	}
	truth := func(x bool) {
		if x {
			w = append(w, 1)
			return
		}
		w = append(w, 0)
	}
	columns := func(m raytrace.Matrix) {
		for c := range 4 {
			float(m[0][c], m[1][c], m[2][c])
		}
	}
	in := raytrace.Instance{}
	if h.Kind != raytrace.None {
		in = *q.Instance(h)
	}
	w = append(w, uint32(q.Flags()))
	float(h.U, h.V)
	truth(q.Candidate().Kind == raytrace.HitBox && q.Candidate().Opaque)
	truth(h.Front)
	w = append(w, uint32(h.Geometry), in.CustomIndex, uint32(h.Instance), in.SBTOffset)
	float(h.Object.Direction[:]...)
	float(h.Object.Origin[:]...)
	columns(in.Transform)
	w = append(w, uint32(h.Primitive))
	float(h.T)
	w = append(w, kind)
	columns(in.Transform.Inverse())
	float(q.World().TMin)
	float(q.World().Direction[:]...)
	float(q.World().Origin[:]...)
	for _, corner := range q.Vertices(h) {
		float(corner[:]...)
	}
	return w
}

// rayBench is a shader of rays, and the same queries for each lane beside it.
type rayBench struct {
	*bench
	q     *ir.Def
	lanes []raytrace.Query
	want  [8][]uint32
}

// proceed goes on, which is the same in all lanes.
func (r *rayBench) proceed(want bool) {
	r.out(r.b.B2i32(&r.b.Intrinsic(ir.IntrRqProceed, 1, 1, r.q).Def))
	for l := range r.lanes {
		if r.lanes[l].Proceed() != want {
			r.t.Fatalf("lane %d: the scene is another", l)
		}
		r.want[l] = append(r.want[l], uint32(truth(want)))
	}
}

// load stores all values of the candidate or the committed intersection, which is of a kind.
func (r *rayBench) load(committed bool, kind uint32) {
	for v := ir.RayQueryFlags; v <= ir.RayQueryTriangleVertexPositions; v++ {
		columns := 1
		switch v {
		case ir.RayQueryObjectToWorld, ir.RayQueryWorldToObject:
			columns = 4
		case ir.RayQueryTriangleVertexPositions:
			columns = 3
		}
		comps, bits := v.Shape()
		for c := range columns {
			x := r.b.Intrinsic(ir.IntrRqLoad, comps, bits, r.q).Set(ir.IdxRayQueryValue, uint64(v)).Set(ir.IdxCommitted, truth(committed)).Set(ir.IdxColumn, uint64(c))
			if d := &x.Def; bits == 1 {
				r.out(r.b.B2i32(d))
			} else {
				r.out(d)
			}
		}
	}
	for l := range r.lanes {
		q := &r.lanes[l]
		h := q.Candidate()
		if committed {
			h = q.Committed()
		}
		r.want[l] = append(r.want[l], queryFacts(q, h, kind)...)
	}
}

// TestRayQueryValues: each value of a ray query, of a box and a triangle as candidates and committed, is what the query has; a candidate
// triangle is of type 0 and a box of 1, of what is committed 0 is none, 1 a triangle and 2 a box; and queries do not disturb each other.
func TestRayQueryValues(t *testing.T) {
	r := rayBench{bench: newBench(t, 400), lanes: make([]raytrace.Query, 8)}
	scene, b := queryScene(), r.b
	scenes := r.s.NewVariable(ir.ModeUniform, ir.ArrayType(&ir.Type{Base: ir.BaseAccelStruct}, 2, 0), "scenes")
	scenes.Binding = 5
	r.bind = func(bind *emu.Bindings, mem *emu.Memory) {
		bind.Set(0, 5, []emu.Descriptor{mem.Accel(nil, &raytrace.Scene{}), mem.Accel(nil, scene)})
	}
	query := func() *ir.Def {
		return b.DerefVar(r.s.NewVariable(ir.ModeShaderTemp, &ir.Type{Base: ir.BaseRayQuery}, "q"))
	}
	r.q = query()
	other, unused := query(), query()
	accel := func(k uint32) *ir.Def {
		return &b.Intrinsic(ir.IntrLoadAccelStruct, 1, 64, b.DerefArray(b.DerefVar(scenes), b.Imm32(k))).Def
	}
	float := func(x float64) *ir.Def { return b.ImmFloat(x, 32) }
	ray := func(q, scene *ir.Def, least float64) {
		b.Intrinsic(ir.IntrRqInitialize, 0, 0, q, scene, b.Imm32(uint32(raytrace.RaySkipClosestHit)), b.Imm32(0x106),
			b.Vec(b.U2f32(r.lane), float(0.25), float(-10)), float(least), b.Vec(float(0.5), float(0.125), float(1)), float(100))
	}
	ray(r.q, accel(1), 0.5)
	for l := range r.lanes {
		r.lanes[l].Initialize(scene, raytrace.RaySkipClosestHit, 0x106,
			raytrace.Ray{Origin: raytrace.Vec3{float32(l), 0.25, -10}, Direction: raytrace.Vec3{0.5, 0.125, 1}, TMin: 0.5, TMax: 100})
	}
	r.load(true, 0)
	r.proceed(true)
	r.load(false, 1)
	ray(other, accel(0), 0.75)
	b.Intrinsic(ir.IntrRqGenerateIntersection, 0, 0, r.q, float(40))
	for l := range r.lanes {
		r.lanes[l].Generate(40)
	}
	r.load(true, 2)
	r.proceed(true)
	r.load(false, 1)
	r.proceed(true)
	r.load(false, 0)
	b.Intrinsic(ir.IntrRqConfirmIntersection, 0, 0, r.q)
	for l := range r.lanes {
		r.lanes[l].Confirm()
	}
	r.load(true, 1)
	b.Intrinsic(ir.IntrRqTerminate, 0, 0, r.q)
	for l := range r.lanes {
		r.lanes[l].Terminate()
	}
	r.proceed(false)
	main := r.q
	for _, q := range []*ir.Def{other, unused} { // over no scene
		r.q, r.lanes = q, nil
		r.proceed(false)
		for l := range r.want {
			r.want[l] = append(r.want[l], 0)
		}
	}
	r.out(&b.Intrinsic(ir.IntrRqLoad, 1, 32, other).Set(ir.IdxRayQueryValue, uint64(ir.RayQueryTMin)).Def)
	r.out(&b.Intrinsic(ir.IntrRqLoad, 1, 32, main).Set(ir.IdxRayQueryValue, uint64(ir.RayQueryTMin)).Def)
	for l := range r.want {
		r.want[l] = append(r.want[l], math.Float32bits(0.75), math.Float32bits(0.5))
	}
	got := r.run(4)
	for k := range r.want[0] {
		r.bench.want(got, k, func(l int) uint32 { return r.want[l][k] })
	}
}
