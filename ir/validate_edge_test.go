package ir

import "testing"

// edges are shaders that a rule just allows: what is next to them breaks it (textBreaks).
var edges = []breakCase{
	{rule: "V2", body: "b0: %0:32x5 = undef %1:8x16 = undef %2:64x8 = undef %3:1x3 = undef"},
	{rule: "V4", body: "b0: %0:1 = undef %1:32 = undef if %0 { b1: %2:32 = mov %1 } else { b2: } b3: %3:32 = phi b1: %2, b2: %1 loop { b4: %4:32 = phi b3: %3, b7: %5 if %0 { b5: break } else { b6: } b7: %5:32 = mov %4 } b8: %6:32 = mov %4"},
	{rule: "A2", body: "b0: %0:32x2 = undef %1:32 = mov %0.y"},
	{rule: "A3", body: "b0: %0:1 = undef %1:16 = undef %2:16 = bcsel %0, %1, %1"},
	{rule: "A4", body: "b0: %0:16 = undef %1:16 = fadd %0, %0"},
	{rule: "A6", body: "b0: %0:64 = undef %1:32 = ufind_msb %0 %2:32 = ufind_msb %1"},
	{rule: "A7", body: "b0: %0:32 = undef %1:8 = undef %2:32 = undef if %0 { b1: } else { b2: } b3:"},
	{rule: "I3", body: "b0: %0:32 = undef %1:32x3 = undef store_ssbo %1, %0, %0 write_mask=z align_mul=4"},
	{rule: "I5", decl: `var @1 shader_temp b1 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = load_deref %0 %2:1 = load_deref %0 store_deref %0, %2 write_mask=x"},
	{rule: "I5", decl: `var @1 shader_temp sampler "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = load_deref %0 %2:64 = load_deref %0"},
	{rule: "I5", body: "b0: %0:64 = undef %1:64 = deref_cast %0 (mem_constant|mem_global u32) %2:32 = load_deref %1 store_deref %1, %2 write_mask=x"},
	{rule: "I6", decl: `var @1 shader_temp f32[2:16] "a" var @2 shader_temp f32[2] "b"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_var @2 copy_deref %0, %1"},
	{rule: "I7", body: "b0: %0:32 = undef %1:32 = load_ssbo %0, %0 align_mul=1 %2:8 = load_ssbo %0, %0 align_mul=4 align_offset=3"},
	{rule: "I7", body: "b0: %0:32 = undef %1:32x2 = load_ubo_vec4 %0, %0 component=2 %2:64x2 = load_ubo_vec4 %0, %0 %3:8x16 = load_ubo_vec4 %0, %0 %4:16 = load_ubo_vec4 %0, %0 component=7"},
	{rule: "I8", stage: "fragment", body: "b0: %0:32x2 = load_barycentric_pixel interp_mode=none %1:32x2 = load_barycentric_centroid interp_mode=noperspective %2:32x2 = load_barycentric_sample interp_mode=smooth"},
	{rule: "I9", stage: "fragment", body: "b0: %0:8 = undef %1:32 = undef store_output %0, %1 write_mask=x src_type=u8 io_semantics={DATA0 1}"},
	{rule: "I9", stage: "vertex", body: "b0: %0:16 = undef %1:32 = undef store_output %0, %1 write_mask=x src_type=f16 io_semantics={VAR0 1}"},
	{rule: "I10", stage: "fragment", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={DATA0 1 dual=1} %1:32 = load_output %0 dest_type=f32 io_semantics={DATA0 1 fb_fetch}"},
	{rule: "I10", stage: "geometry", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 streams=1}"},
	{rule: "I10", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 no_varying} store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 no_sysval}"},
	{rule: "I11", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic %0, %1, %0, %0 format=3 atomic_op=fadd %3:32 = image_atomic %0, %1, %0, %0 format=3 atomic_op=xchg"},
	{rule: "I11", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic %0, %1, %0, %0 format=33 atomic_op=umax %3:32 = image_atomic_swap %0, %1, %0, %0, %0 format=33 atomic_op=cmpxchg %4:32 = image_atomic %0, %1, %0, %0 atomic_op=fadd"},
	{rule: "I11", body: "b0: %0:32 = undef %1:32x4 = undef %2:64 = undef %3:64 = image_atomic %0, %1, %0, %2 format=40 atomic_op=umax"},
	{rule: "I13", body: "b0: %0:64 = undef %1:64 = deref_cast %0 (mem_shared|mem_global u32) %2:1 = deref_mode_is %1 memory_modes=mem_global"},
	{rule: "I14", body: "b0: %0:16 = undef %1:16 = reduce %0 reduction_op=fadd cluster_size=1 %2:8 = undef %3:8 = reduce %2 reduction_op=imul %4:1 = undef %5:1 = inclusive_scan %4 reduction_op=ixor %6:1 = reduce %4 reduction_op=iand cluster_size=64 %7:1 = exclusive_scan %4 reduction_op=ior"},
	{rule: "I15", body: "b0: %0:16 = undef %1:32 = undef %2:16 = shuffle %0, %1 %3:1 = undef %4:64 = ballot %3 %5:32x4 = ballot %3 %6:32 = ballot_find_lsb %5 %7:1 = vote_feq %0 %8:1 = vote_any %3 %9:1 = ballot_bitfield_extract %5, %1"},
	{rule: "I17", body: "b0: %0:32 = undef %1:32 = ssbo_atomic %0, %0, %0 atomic_op=xchg %2:32 = ssbo_atomic_swap %0, %0, %0, %0 atomic_op=cmpxchg %3:32 = load_shared %0 base=4294967295 align_mul=4"},
	{rule: "I17", decl: `var @1 image imageCUBE<f32> "i"`, body: "b0: %0:32 = deref_var @1 %1:32 = image_deref_levels %0 image_dim=CUBE image_array=1"},
	{rule: "I19", decl: `var @1 shader_temp ray_query "a"`, body: "b0: %0:32 = deref_var @1 rq_terminate %0 %1:32 = rq_load %0 ray_query_value=tmin %2:32x3 = rq_load %0 ray_query_value=intersection_triangle_vertex_positions column=2"},
	{rule: "I19", body: `local @1 function_temp ray_query[2] "a" b0: %0:32 = undef %1:32 = deref_var @1 %2:32 = deref_array %1[%0] rq_terminate %2`},
	{rule: "T1", body: "b0: %0:32x3 = undef %1:32 = undef %2:32x4 = txl coord=%0 lod=%1 dim=2D dest=f32 %3:16x2 = undef %4:32x4 = txl coord=%3 lod=%1 dim=2D dest=f32 coord_components=2"},
	{rule: "T1", body: "b0: %0:32x3 = undef %1:32x2 = undef %2:32x4 = txb coord=%0 offset=%1 dim=2D array dest=f32 coord_components=3 %3:32x4 = undef %4:32 = undef %5:32x4 = txl coord=%3 lod=%4 dim=CUBE array dest=f32"},
	{rule: "T1", body: "b0: %0:32x3 = undef %1:32x2 = lod coord=%0 dim=CUBE array dest=f32 %2:32x4 = undef %3:32x4 = tex coord=%2 backend1=%2 dim=1D dest=f32"},
	{rule: "T2", body: "b0: %0:32 = undef %1:32 = tex coord=%0 comparator=%0 dim=1D dest=f32 shadow new_style_shadow"},
	{rule: "T3", body: "b0: %0:32 = undef %1:32x2 = undef %2:32x4 = txb coord=%0 bias=%0 dim=1D dest=f32 %3:32x4 = tg4 coord=%1 bias=%0 dim=2D dest=f32 %4:32x2 = lod coord=%0 bias=%0 dim=1D dest=f32 %5:32x4 = txd coord=%0 ddx=%0 ddy=%0 dim=1D dest=f32 %6:32x4 = txf coord=%0 lod=%0 dim=1D dest=f32"},
	{rule: "T4", body: "b0: %0:32x2 = undef %1:32 = undef %2:32x4 = txf_ms coord=%0 ms_index=%1 dim=MS dest=f32 %3:32x4 = txf_ms coord=%0 ms_index=%1 dim=SUBPASS_MS dest=f32 %4:32x4 = txf coord=%1 dim=BUF dest=f32"},
	{rule: "T5", body: "b0: %0:32x2 = undef %1:32x4 = tg4 coord=%0 dim=2D dest=f32 component=3 %2:32x4 = tg4 coord=%0 dim=2D dest=f32 offsets=1,2,3,4,5,6,7,8"},
	{rule: "T6", body: "b0: %0:32 = undef %1:32x5 = tex coord=%0 dim=1D dest=f32 sparse %2:32x3 = txs lod=%0 dim=2D array dest=i32 %3:32x3 = txs lod=%0 dim=3D dest=i32 %4:32 = txs dim=BUF dest=i32 %5:16x4 = tex coord=%0 dim=1D dest=f16 %6:32x2 = txs lod=%0 dim=CUBE dest=i32"},
	{rule: "T7", decl: `var @1 uniform tex2D<u32> "t" var @2 uniform sampled2D<f32> "u" var @3 uniform sampler "s" var @4 image image2D<f32> "i"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_var @2 %2:32 = deref_var @3 %3:32 = deref_var @4 %4:32x2 = undef %5:32x4 = tex texture_deref=%0 sampler_deref=%2 coord=%4 dim=2D dest=u32 %6:32x4 = tex texture_deref=%1 sampler_deref=%1 coord=%4 dim=2D dest=f32 %7:32x4 = txf texture_deref=%3 coord=%4 dim=2D dest=f32 %8:32x2 = txs texture_deref=%1 dim=2D dest=i32"},
	{rule: "D1", decl: `var @1 shader_temp f32 "a"`, body: "b0: %0:64 = deref_var @1"},
	{rule: "D4", decl: `var @1 shader_temp vec4f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = undef %2:32 = deref_array %0[%1]"},
	{rule: "D4", stage: "vertex", decl: `var @1 shader_in vec4f32 "a" var @2 shader_out mat2x2f32 "b"`, body: "b0: %0:32 = undef %1:32 = deref_var @1 %2:32 = deref_array %1[%0] %3:32 = deref_var @2 %4:32 = deref_array %3[%0] %5:32 = deref_array %4[%0]"},
	{rule: "D5", decl: `var @1 mem_ssbo f32[4:4] "a"`, body: "b0: %0:32 = undef %1:32 = deref_var @1 %2:32 = deref_array %1[%0] %3:32 = deref_ptr %2 + %0 %4:32 = deref_ptr %3 + %0 %5:32 = deref_cast %0 (mem_ssbo f32) stride=4 %6:32 = deref_ptr %5 + %0"},
	{rule: "D6", body: "b0: %0:64 = undef %1:64 = deref_cast %0 (mem_shared|function_temp|mem_global|mem_constant f32) %2:64 = deref_cast %1 (mem_ssbo f32) align=8+7"},
	{rule: "D6", stage: "vertex", decl: `var @1 shader_out f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_cast %0 (shader_out u32)"},
	{rule: "J1", body: "b0: %0:1 = undef loop { b1: if %0 { b2: continue } else { b3: break } b4: } continue { b5: loop { b6: break } b7: } b8:"},
	{rule: "B5", body: "b0: %0:32 = undef %1:8 = undef if %0 { b1: } else { b2: } b3: if %1 { b4: } else { b5: } b6:"},
	{rule: "R2", decl: `var @1 shader_out f32[4] "a" { compact }`, body: "b0:"},
	{rule: "R3", decl: "type $0 = struct \"S\" { \"a\": f32 }\n" + `var @1 shader_out vec4f32[2] "a" { interface=$0[2] }`, body: "b0:"},
	{rule: "R4", decl: `var @1 mem_constant u32[2] "a" { init={(0x1), (0x2)} } var @2 uniform vec3u32 "b" { init=(0x1, 0x1, 0x1) } var @3 shader_temp f32[2] "c" { init=zero }`, body: "b0:"},
	{rule: "R5", decl: `var @1 shader_temp sampler "a" var @2 image image2D<f32>[2] "b" var @3 uniform tex2D<f32> "c" var @4 shader_temp ray_query[2] "d"`, body: `local @5 function_temp ray_query "e" local @6 function_temp sampler "f" b0:`},
	{rule: "R6", stage: "fragment", decl: `var @1 shader_in f32[3] "a" { per_vertex }`, body: "b0:"},
	{rule: "R6", stage: "vertex", decl: `var @1 shader_out f32[2] "a" { per_view }`, body: "b0:"},
}

// TestValidAtTheEdge: what a rule just allows is valid.
func TestValidAtTheEdge(t *testing.T) {
	for _, c := range edges {
		s := c.shader(t)
		if err := Validate(s); err != nil {
			t.Errorf("%s: %v\n%s\n%s", c.rule, err, c.decl, c.body)
		}
	}
}
