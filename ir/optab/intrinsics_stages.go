package optab

// Rows of intrinsics: geometry, mesh, ray; preamble.
var stagesIntrinsics = []Intrinsic{
	{Name: "emit_vertex", Indices: []Index{IdxStreamId}, Doc: "stream"},
	{Name: "end_primitive", Indices: []Index{IdxStreamId}, Doc: "stream"},
	{Name: "emit_vertex_with_counter", Srcs: []int8{1, 1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "after lower_gs_intrinsics"},
	{Name: "end_primitive_with_counter", Srcs: []int8{1, 1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "end primitive with counter"},
	{Name: "set_vertex_and_primitive_count", Srcs: []int8{1, 1, 1}, SrcBits: []Bits{Bits32, Bits32, Bits32}, Indices: []Index{IdxStreamId}, Doc: "at exit"},
	{Name: "launch_mesh_workgroups", Srcs: []int8{3}, SrcBits: []Bits{Bits32}, Indices: []Index{IdxBase, IdxRange}, Doc: "task shader exit"},
	{Name: "rq_initialize", Srcs: []int8{-1, -1, 1, 1, 3, 1, 3, 1}, Doc: "ray query (ir3 a7xx lowers it)"},
	{Name: "rq_proceed", Srcs: []int8{-1}, HasDest: true, DestComps: 1, Doc: "rq proceed"},
	{Name: "rq_load", Srcs: []int8{-1}, HasDest: true, Indices: []Index{IdxRayQueryValue, IdxCommitted, IdxColumn}, Doc: "rq load"},
	{Name: "load_preamble", HasDest: true, Indices: []Index{IdxBase}, Flags: CanEliminate | CanReorder, Doc: "value that the preamble stored at base; uniform"},
	{Name: "store_preamble", Srcs: []int8{0}, Indices: []Index{IdxBase}, Doc: "only in the preamble function"},
}
