package optab

// Rows of intrinsics: geometry, mesh, ray; preamble.
var stagesIntrinsics = []Intrinsic{
	{Name: "emit_vertex", Indices: []Index{IdxStreamId}, Doc: "stream"},
	{Name: "end_primitive", Indices: []Index{IdxStreamId}, Doc: "stream"},
	{Name: "emit_vertex_with_counter", Srcs: []int8{1, 1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "after lower_gs_intrinsics"},
	{Name: "end_primitive_with_counter", Srcs: []int8{1, 1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "end primitive with counter"},
	{Name: "set_vertex_and_primitive_count", Srcs: []int8{1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "at exit"},
	{Name: "launch_mesh_workgroups", Srcs: []int8{3}, SrcBits: []Bits{Bits32}, Indices: []Index{IdxBase, IdxRange}, Doc: "task shader exit"},
	{Name: "load_accel_struct", Srcs: []int8{-1}, Derefs: 1, HasDest: true, DestComps: 1, DestBits: Bits64, Flags: CanEliminate | CanReorder, Mem: asks(SpaceDeref, 0), Doc: "address of the acceleration structure whose descriptor the deref leads to"},
	{Name: "rq_initialize", Srcs: []int8{-1, 1, 1, 1, 3, 1, 3, 1}, SrcBits: []Bits{0, Bits64, Bits32, Bits32, Bits32, Bits32, Bits32, Bits32}, Derefs: 1, Doc: "begins a ray query: query, acceleration structure, ray flags, cull mask, origin, least t, direction, greatest t"},
	{Name: "rq_terminate", Srcs: []int8{-1}, Derefs: 1, Doc: "ends the traversal: the next rq_proceed is false"},
	{Name: "rq_proceed", Srcs: []int8{-1}, Derefs: 1, HasDest: true, DestComps: 1, DestBits: BitsBool, Doc: "goes on to the next candidate that the shader has to decide about; false when there is none"},
	{Name: "rq_generate_intersection", Srcs: []int8{-1, 1}, SrcBits: []Bits{0, Bits32}, Derefs: 1, Doc: "commits the candidate, a box, at t = src 1"},
	{Name: "rq_confirm_intersection", Srcs: []int8{-1}, Derefs: 1, Doc: "commits the candidate, a triangle"},
	{Name: "rq_load", Srcs: []int8{-1}, Derefs: 1, HasDest: true, Indices: []Index{IdxRayQueryValue, IdxCommitted, IdxColumn}, Flags: CanEliminate, Doc: "a value of the query, or of its candidate or committed intersection; column of a matrix, vertex of a triangle"},
	{Name: "load_preamble", HasDest: true, Indices: []Index{IdxBase}, Flags: CanEliminate | CanReorder, Doc: "value that the preamble stored at base; uniform"},
	{Name: "store_preamble", Srcs: []int8{0}, Indices: []Index{IdxBase}, Doc: "only in the preamble function"},
}
