package ir

// RayQueryValue is what rq_load reads of a ray query (index ray_query_value), in NIR's names.
type RayQueryValue uint8

// Values of a ray query. Those of an intersection are of the candidate or, if the index committed says so, of the
// committed one.
const (
	RayQueryFlags RayQueryValue = iota
	RayQueryBarycentrics
	RayQueryCandidateAABBOpaque
	RayQueryFrontFace
	RayQueryGeometryIndex
	RayQueryInstanceCustomIndex
	RayQueryInstanceID
	RayQueryInstanceSBTIndex
	RayQueryObjectRayDirection
	RayQueryObjectRayOrigin
	RayQueryObjectToWorld // column of a matrix of four columns and three rows
	RayQueryPrimitiveIndex
	RayQueryT
	RayQueryType
	RayQueryWorldToObject // the same
	RayQueryTMin
	RayQueryWorldRayDirection
	RayQueryWorldRayOrigin
	RayQueryTriangleVertexPositions // of the vertex that the index column names
)

// rayQueryValues are the names in the text form, components and bits of the values, and how many columns there are.
var rayQueryValues = [...]struct {
	name        string
	comps, bits uint8
	columns     uint8
}{
	RayQueryFlags:                   {"flags", 1, 32, 1},
	RayQueryBarycentrics:            {"intersection_barycentrics", 2, 32, 1},
	RayQueryCandidateAABBOpaque:     {"intersection_candidate_aabb_opaque", 1, 1, 1},
	RayQueryFrontFace:               {"intersection_front_face", 1, 1, 1},
	RayQueryGeometryIndex:           {"intersection_geometry_index", 1, 32, 1},
	RayQueryInstanceCustomIndex:     {"intersection_instance_custom_index", 1, 32, 1},
	RayQueryInstanceID:              {"intersection_instance_id", 1, 32, 1},
	RayQueryInstanceSBTIndex:        {"intersection_instance_sbt_index", 1, 32, 1},
	RayQueryObjectRayDirection:      {"intersection_object_ray_direction", 3, 32, 1},
	RayQueryObjectRayOrigin:         {"intersection_object_ray_origin", 3, 32, 1},
	RayQueryObjectToWorld:           {"intersection_object_to_world", 3, 32, 4},
	RayQueryPrimitiveIndex:          {"intersection_primitive_index", 1, 32, 1},
	RayQueryT:                       {"intersection_t", 1, 32, 1},
	RayQueryType:                    {"intersection_type", 1, 32, 1},
	RayQueryWorldToObject:           {"intersection_world_to_object", 3, 32, 4},
	RayQueryTMin:                    {"tmin", 1, 32, 1},
	RayQueryWorldRayDirection:       {"world_ray_direction", 3, 32, 1},
	RayQueryWorldRayOrigin:          {"world_ray_origin", 3, 32, 1},
	RayQueryTriangleVertexPositions: {"intersection_triangle_vertex_positions", 3, 32, 3},
}

// Shape is the components and bits of a value, of booleans 1.
func (v RayQueryValue) Shape() (comps, bits uint8) {
	return rayQueryValues[v].comps, rayQueryValues[v].bits
}

// String returns the value's name in the text form.
func (v RayQueryValue) String() string { return rayQueryValues[v].name }

func rayQueryText(v uint64) string {
	if v < uint64(len(rayQueryValues)) {
		return rayQueryValues[v].name
	}
	return itoa(v)
}

// rayQueryValue reads what rayQueryText printed.
func (p *parser) rayQueryValue() uint64 {
	for i := range rayQueryValues {
		if p.accept(rayQueryValues[i].name) {
			return uint64(i)
		}
	}
	return p.uint(64)
}

// IsRayQuery reports whether the instruction works on a ray query, which is its source 0.
func (in *Instr) IsRayQuery() bool {
	if in.Kind != KindIntrinsic {
		return false
	}
	switch in.Intr {
	case IntrRqInitialize, IntrRqTerminate, IntrRqProceed, IntrRqGenerateIntersection, IntrRqConfirmIntersection, IntrRqLoad:
		return true
	}
	return false
}
