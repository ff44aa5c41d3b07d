package optab

// Rows of intrinsics: only Midgard.
var midgardIntrinsics = []Intrinsic{
	{Name: "load_attribute_pan", Srcs: []int8{1, 1, 1}, HasDest: true, Indices: []Index{IdxBase, IdxComponent, IdxDestType, IdxIoSemantics}, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "attribute with explicit vertex and instance id"},
	{Name: "load_raw_vertex_id_pan", HasDest: true, DestComps: 1, DestBits: Bits32, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "hardware vertex id"},
	{Name: "load_raw_vertex_offset_pan", HasDest: true, DestComps: 1, DestBits: Bits32, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "vertex_id = raw + offset"},
	{Name: "store_combined_output_pan", Srcs: []int8{0, 1, 1, 1, 4}, Indices: []Index{IdxIoSemantics, IdxComponent, IdxSrcType, IdxDestType}, Target: "midgard", Doc: "colour, depth, stencil, dual colour in one writeout; component bits say which"},
	{Name: "store_raw_output_pan", Srcs: []int8{0}, Indices: []Index{IdxIoSemantics, IdxBase}, Target: "midgard", Doc: "blend shader: raw 128-bit tile value"},
	{Name: "load_raw_output_pan", Srcs: []int8{1}, HasDest: true, Indices: []Index{IdxIoSemantics}, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "tile read without conversion"},
	{Name: "load_converted_output_pan", Srcs: []int8{1}, HasDest: true, Indices: []Index{IdxDestType, IdxIoSemantics}, Flags: CanEliminate, Target: "midgard", Doc: "tile read with conversion"},
	{Name: "load_rt_conversion_pan", HasDest: true, DestComps: 1, DestBits: Bits32, Indices: []Index{IdxBase, IdxSrcType}, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "load rt conversion pan"},
	{Name: "load_sampler_lod_parameters_pan", Srcs: []int8{1}, HasDest: true, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "(min, max, bias) of a sampler"},
	{Name: "load_sample_positions_pan", HasDest: true, DestComps: 1, DestBits: Bits64, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "address of the table"},
	{Name: "load_multisampled_pan", HasDest: true, DestComps: 1, DestBits: Bits32, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "load multisampled pan"},
	{Name: "load_frag_coord_zw_pan", Srcs: []int8{2}, HasDest: true, DestComps: 1, DestBits: Bits32, Indices: []Index{IdxComponent}, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "load frag coord zw pan"},
	{Name: "load_noperspective_varyings_pan", HasDest: true, DestComps: 1, DestBits: Bits32, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "load noperspective varyings pan"},
	{Name: "load_stage_value_pan", HasDest: true, DestComps: 4, DestBits: Bits32, Indices: []Index{IdxBase, IdxFlags}, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "what the driver says of the stages between vertex and fragment: value flags, element base"},
	{Name: "load_stage_constant_pan", Srcs: []int8{1}, SrcBits: []Bits{Bits32}, HasDest: true, Indices: []Index{IdxBase, IdxFlags}, Flags: CanEliminate | CanReorder, Mem: loads(SpaceGlobal, -1, 0), Target: "midgard", Doc: "words at a byte offset of the memory whose address such a value is, which nobody writes meanwhile"},
	{Name: "load_stage_pan", Srcs: []int8{1}, SrcBits: []Bits{Bits32}, HasDest: true, Indices: []Index{IdxBase, IdxFlags}, Flags: CanEliminate, Mem: loads(SpaceGlobal, -1, 0), Target: "midgard", Doc: "same, of memory that other invocations write"},
	{Name: "store_stage_pan", Srcs: []int8{0, 1}, SrcBits: []Bits{Bits32, Bits32}, Indices: []Index{IdxBase, IdxFlags, IdxWriteMask}, Mem: stores(SpaceGlobal, 0, -1, 1), Target: "midgard", Doc: "store of words there"},
	{Name: "load_sink_address_pan", HasDest: true, DestComps: 1, DestBits: Bits64, Flags: CanEliminate | CanReorder, Target: "midgard", Doc: "address of memory that may be written and that nobody reads"},
}
