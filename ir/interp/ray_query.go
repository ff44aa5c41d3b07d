package interp

import (
	"math"

	"nirc/internal/raytrace"
	"nirc/ir"
)

// querySize is the room of a ray query among a lane's variables. It holds nothing: its address names the query.
const querySize = 8

// queryOf is the ray query of a lane at an address of its variables.
func (w *Wave) queryOf(l int, at uint64) *raytrace.Query {
	key := uint64(l)<<32 | at&0xffffffff
	q := w.queries[key]
	if q == nil {
		if w.queries == nil {
			w.queries = map[uint64]*raytrace.Query{}
		}
		q = new(raytrace.Query)
		q.Terminate()
		w.queries[key] = q
	}
	return q
}

// execRay runs an intrinsic on acceleration structures and ray queries for a lane.
func (w *Wave) execRay(i *inst, l int) {
	x := i.x
	src := func(k, c int) uint64 { return w.regs[x.src[k][c]+int32(l)] }
	float := func(k, c int) float32 { return math.Float32frombits(uint32(src(k, c))) }
	vec := func(k int) raytrace.Vec3 { return raytrace.Vec3{float(k, 0), float(k, 1), float(k, 2)} }
	out := func(c int, v uint64) { w.regs[i.dst+int32(c)*w.w+int32(l)] = v & lowBits(i.bits) }
	if x.in.Intr == ir.IntrLoadAccelStruct {
		out(0, w.l.Env.Bindings.Desc(int(int32(src(0, 0)))).Addr)
		return
	}
	q := w.queryOf(l, src(0, 0))
	switch x.in.Intr {
	case ir.IntrRqInitialize:
		ray := raytrace.Ray{Origin: vec(4), TMin: float(5, 0), Direction: vec(6), TMax: float(7, 0)}
		q.Initialize(w.l.Env.Mem.Scene(src(1, 0)), raytrace.RayFlags(src(2, 0)), uint32(src(3, 0)), ray)
	case ir.IntrRqTerminate:
		q.Terminate()
	case ir.IntrRqProceed:
		out(0, truth(q.Proceed())*lowBits(i.bits))
	case ir.IntrRqGenerateIntersection:
		q.Generate(float(1, 0))
	case ir.IntrRqConfirmIntersection:
		q.Confirm()
	case ir.IntrRqLoad:
		h := q.Candidate()
		if x.in.Get(ir.IdxCommitted) != 0 {
			h = q.Committed()
		}
		switch ir.RayQueryValue(x.in.Get(ir.IdxRayQueryValue)) {
		case ir.RayQueryCandidateAABBOpaque:
			out(0, truth(q.Candidate().Kind == raytrace.HitBox && q.Candidate().Opaque)*lowBits(i.bits))
		case ir.RayQueryFrontFace:
			out(0, truth(h.Front)*lowBits(i.bits))
		default:
			v := rayValue(q, h, x.in)
			for c := range int(i.n) {
				out(c, uint64(v[c]))
			}
		}
	}
}

// rayValue is what an rq_load gives of the query or a hit of it, except for booleans.
func rayValue(q *raytrace.Query, h *raytrace.Hit, in *ir.Instr) (v [3]uint32) {
	inst, column := q.Instance(h), int(in.Get(ir.IdxColumn))
	vec := func(x raytrace.Vec3) {
		for k := range v {
			v[k] = math.Float32bits(x[k])
		}
	}
	matrix := func(m *raytrace.Matrix) { vec(raytrace.Vec3{m[0][column], m[1][column], m[2][column]}) }
	float := func(x float32) { v[0] = math.Float32bits(x) }
	switch ir.RayQueryValue(in.Get(ir.IdxRayQueryValue)) {
	case ir.RayQueryFlags:
		v[0] = uint32(q.Flags())
	case ir.RayQueryBarycentrics:
		v[0], v[1] = math.Float32bits(h.U), math.Float32bits(h.V)
	case ir.RayQueryGeometryIndex:
		v[0] = uint32(h.Geometry)
	case ir.RayQueryInstanceCustomIndex:
		v[0] = inst.CustomIndex
	case ir.RayQueryInstanceID:
		v[0] = uint32(h.Instance)
	case ir.RayQueryInstanceSBTIndex:
		v[0] = inst.SBTOffset
	case ir.RayQueryObjectRayDirection:
		vec(h.Object.Direction)
	case ir.RayQueryObjectRayOrigin:
		vec(h.Object.Origin)
	case ir.RayQueryObjectToWorld:
		matrix(&inst.Transform)
	case ir.RayQueryPrimitiveIndex:
		v[0] = uint32(h.Primitive)
	case ir.RayQueryT:
		float(h.T)
	case ir.RayQueryType:
		v[0] = rayType(h.Kind, in.Get(ir.IdxCommitted) != 0)
	case ir.RayQueryWorldToObject:
		m := inst.Transform.Inverse()
		matrix(&m)
	case ir.RayQueryTMin:
		float(q.World().TMin)
	case ir.RayQueryWorldRayDirection:
		vec(q.World().Direction)
	case ir.RayQueryWorldRayOrigin:
		vec(q.World().Origin)
	case ir.RayQueryTriangleVertexPositions:
		t := q.Vertices(h)
		vec(t[column])
	}
	return v
}

// rayType is a kind as SPIR-V numbers it: a committed one begins with none, a candidate with the triangle.
func rayType(k raytrace.Kind, committed bool) uint32 {
	if committed || k == raytrace.None {
		return uint32(k)
	}
	return uint32(k) - 1
}
