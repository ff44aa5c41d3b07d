package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/internal/lazy"
	"nirc/ir"
)

// rayGet says what an OpRayQueryGet… instruction reads. Those of an intersection have an operand that chooses the
// candidate or the committed one.
type rayGet struct {
	value        ir.RayQueryValue
	intersection bool
}

var rayGets = lazy.Value[map[spv.Op]rayGet]{Make: func() map[spv.Op]rayGet {
	return map[spv.Op]rayGet{
		spv.OpRayQueryGetRayTMinKHR:                                            {ir.RayQueryTMin, false},
		spv.OpRayQueryGetRayFlagsKHR:                                           {ir.RayQueryFlags, false},
		spv.OpRayQueryGetWorldRayDirectionKHR:                                  {ir.RayQueryWorldRayDirection, false},
		spv.OpRayQueryGetWorldRayOriginKHR:                                     {ir.RayQueryWorldRayOrigin, false},
		spv.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR:                    {ir.RayQueryCandidateAABBOpaque, false},
		spv.OpRayQueryGetIntersectionTypeKHR:                                   {ir.RayQueryType, true},
		spv.OpRayQueryGetIntersectionTKHR:                                      {ir.RayQueryT, true},
		spv.OpRayQueryGetIntersectionInstanceCustomIndexKHR:                    {ir.RayQueryInstanceCustomIndex, true},
		spv.OpRayQueryGetIntersectionInstanceIdKHR:                             {ir.RayQueryInstanceID, true},
		spv.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: {ir.RayQueryInstanceSBTIndex, true},
		spv.OpRayQueryGetIntersectionGeometryIndexKHR:                          {ir.RayQueryGeometryIndex, true},
		spv.OpRayQueryGetIntersectionPrimitiveIndexKHR:                         {ir.RayQueryPrimitiveIndex, true},
		spv.OpRayQueryGetIntersectionBarycentricsKHR:                           {ir.RayQueryBarycentrics, true},
		spv.OpRayQueryGetIntersectionFrontFaceKHR:                              {ir.RayQueryFrontFace, true},
		spv.OpRayQueryGetIntersectionObjectRayDirectionKHR:                     {ir.RayQueryObjectRayDirection, true},
		spv.OpRayQueryGetIntersectionObjectRayOriginKHR:                        {ir.RayQueryObjectRayOrigin, true},
		spv.OpRayQueryGetIntersectionObjectToWorldKHR:                          {ir.RayQueryObjectToWorld, true},
		spv.OpRayQueryGetIntersectionWorldToObjectKHR:                          {ir.RayQueryWorldToObject, true},
		spv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR:                {ir.RayQueryTriangleVertexPositions, true},
	}
}}

// rayQuery translates the instructions on ray queries, and the conversion to an acceleration structure.
func (t *translator) rayQuery(in *inst) bool {
	b := t.f.b
	switch in.op {
	case spv.OpConvertUToAccelerationStructureKHR:
		t.toAccel(in)
	case spv.OpRayQueryInitializeKHR:
		t.rayInitialize(in)
	case spv.OpRayQueryTerminateKHR:
		b.Effect(ir.IntrRqTerminate, t.query(in))
	case spv.OpRayQueryConfirmIntersectionKHR:
		b.Effect(ir.IntrRqConfirmIntersection, t.query(in))
	case spv.OpRayQueryGenerateIntersectionKHR:
		b.Effect(ir.IntrRqGenerateIntersection, t.query(in), t.floatVector(t.arg(in, 1), 1, 32))
	case spv.OpRayQueryProceedKHR:
		t.set(in, &b.Intrinsic(ir.IntrRqProceed, 1, 1, t.query(in)).Def)
	default:
		g, ok := rayGets.Get()[in.op]
		if ok {
			t.rayGet(in, g)
		}
		return ok
	}
	return true
}

// query is the deref of the ray query that is an instruction's first operand.
func (t *translator) query(in *inst) *ir.Def {
	p := t.ptr(t.arg(in, 0))
	if p.typ.kind != tRayQuery {
		t.fail(in.id, "%s: the operand points to %s, not to a ray query", in.op, p.typ)
	}
	return t.derefOf(p)
}

func (t *translator) rayInitialize(in *inst) {
	q := t.query(in)
	if ty := t.valType(t.arg(in, 1)); ty.kind != tAccel {
		t.fail(in.id, "%s: the operand is %s, not an acceleration structure", in.op, ty)
	}
	t.f.b.Effect(ir.IntrRqInitialize, q, t.one(t.arg(in, 1)), t.intVector(t.arg(in, 2), 1, 32), t.intVector(t.arg(in, 3), 1, 32),
		t.floatVector(t.arg(in, 4), 3, 32), t.floatVector(t.arg(in, 5), 1, 32), t.floatVector(t.arg(in, 6), 3, 32), t.floatVector(t.arg(in, 7), 1, 32))
}

func (t *translator) rayGet(in *inst, g rayGet) {
	q := t.query(in)
	committed := uint64(0)
	if g.intersection {
		c := t.constOf(t.arg(in, 1))
		if c.typ.kind != tInt || c.typ.bits != 32 || c.signed() < 0 || c.signed() > 1 {
			t.fail(in.id, "%s: the intersection is not a constant 0 (candidate) or 1 (committed)", in.op)
		}
		committed = uint64(c.signed())
	}
	ty := t.typeOf(in.typ)
	columns := uint32(1)
	if ty.kind == tMatrix || ty.kind == tArray {
		columns = ty.n
	}
	switch g.value {
	case ir.RayQueryObjectToWorld, ir.RayQueryWorldToObject:
		t.wantColumns(in, columns, 4)
	case ir.RayQueryTriangleVertexPositions:
		t.wantColumns(in, columns, 3)
	default:
		t.wantColumns(in, columns, 1)
	}
	comps, bits := g.value.Shape()
	l := t.leaves.Slice(int(columns))
	for k := range l {
		x := t.f.b.Intrinsic(ir.IntrRqLoad, comps, bits, q)
		x.Set(ir.IdxRayQueryValue, uint64(g.value)).Set(ir.IdxCommitted, committed).Set(ir.IdxColumn, uint64(k))
		l[k] = &x.Def
	}
	if ty.isLeaf() {
		t.set(in, l[0])
		return
	}
	t.setLeaves(in, ty, l)
}

func (t *translator) wantColumns(in *inst, have, want uint32) {
	if have != want {
		t.fail(in.id, "%s: the result type has %d columns or elements, not %d", in.op, have, want)
	}
}

// toAccel translates OpConvertUToAccelerationStructureKHR: of an address of 64 bits, or of its halves.
func (t *translator) toAccel(in *inst) {
	id := t.arg(in, 0)
	if from := t.valType(id); !from.numeric() || !from.isInt() {
		t.fail(in.id, "%s of %s is not allowed", in.op, from)
	}
	x := t.one(id)
	switch {
	case x.NumComponents == 2 && x.BitSize == 32:
		x = t.f.b.Pack64_2x32(x)
	case x.NumComponents != 1 || x.BitSize != 64:
		t.fail(in.id, "%s of %d x %d bits is not allowed", in.op, x.NumComponents, x.BitSize)
	}
	if ty := t.typeOf(in.typ); ty.kind != tAccel {
		t.fail(in.id, "%s: the result type is %s", in.op, ty)
	}
	t.set(in, t.f.b.Mov(x))
}
