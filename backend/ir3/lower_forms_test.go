package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestRefusedForms: operands of sizes that selection does not have are errors that
// say what, whatever passes have run.
func TestRefusedForms(t *testing.T) {
	programs.Hold(t)
	const uniform = `var @1 mem_ubo $0 "" { set=0 binding=0 }`
	for _, c := range []struct{ stage, decl, body, want string }{
		{"", "", "%0:8 = undef %1:32 = undef %2:8 = iadd %0, %0 store_shared %2, %1 align_mul=1 write_mask=x", ""},
		{"", "", "%0:1 = undef %1:32 = undef %2:1 = iadd %0, %0 %3:32 = b2i32 %2 store_shared %3, %1 align_mul=4 write_mask=x", "1-bit iadd is not supported"},
		{"", "", "%0:1 = undef %1:32 = undef %2:1 = ilt %0, %0 %3:32 = b2i32 %2 store_shared %3, %1 align_mul=4 write_mask=x", "1-bit ilt is not supported"},
		{"", "", "%0:32 = undef %1:1 = undef %2:64x4 = ballot %1 %3:32 = unpack_64_2x32_split_x %2.x store_shared %3, %0 align_mul=4 write_mask=x", "ballot with a result of 64 bits is not supported"},
		{"", "", "%0:32 = undef %1:32 = vote_any %0 store_shared %1, %0 align_mul=4 write_mask=x", "vote_any with a result of 32 bits is not supported"},
		{"", "", "%0:32 = undef demote_if %0", "demote_if with a source of 32 bits (0) is not supported"},
		{"", "", "%0:32 = undef %1:32x8 = load_ssbo %0, %0 align_mul=4 store_shared %1, %0 align_mul=4 write_mask=x", "load_ssbo of 8 components is not supported, at most 4 are"},
		{"", "", "%0:32 = undef if %0 { b1: } else { b2: } b3:", "an if on a value of 32 bits is not supported"},
		{"", "", "%0:32 = undef %1:32 = load_global %0 align_mul=4 store_shared %1, %0 align_mul=4 write_mask=x", "load_global with a source of 32 bits (0) is not supported"},
		{"", "", "%0:64 = undef %1:64 = load_global %0 align_mul=8 %2:32 = undef store_shared %1, %2 align_mul=8 write_mask=x", "load_global with a result of 64 bits is not supported"},
		{"", "", "%0:64 = undef %1:32x8 = load_global %0 align_mul=4 %2:32 = undef store_shared %1, %2 align_mul=4 write_mask=x", "load_global of 8 components is not supported, at most 4 are"},
		{"", "", "%0:32 = undef %1:16 = load_subgroup_eq_mask store_shared %1, %0 align_mul=2 write_mask=x", "load_subgroup_eq_mask with a result of 16 bits is not supported"},
		{"fragment", "", "%0:16x2 = load_barycentric_pixel interp_mode=smooth %1:32 = undef store_shared %0, %1 align_mul=2 write_mask=x", "load_barycentric_pixel with a result of 16 bits is not supported"},
		{"", uniform, "%0:32 = load_const 0 %1:32 = bindless_resource_ir3 %0 %2:32 = iadd %1, %1 store_shared %2, %0 align_mul=4 write_mask=x", "%1 is not supported as a value: %1:32 = bindless_resource_ir3"},
		{"", uniform, "%0:32 = load_const 0 %1:32 = bindless_resource_ir3 %0 desc_set=9 %2:32 = load_ubo %1, %0 align_mul=16 range=16 store_shared %2, %0 align_mul=4 write_mask=x", "descriptor set 9 is not supported, there are 5 sets (VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286: "},
		{"", "", "%0:32 = load_const 0 %1:32 = load_push_constant %0 base=4294967292 range=4 align_mul=4 store_shared %1, %0 align_mul=4 write_mask=x", "push constants after byte 8192 are not supported"},
		{"", "", "%0:32 = load_local_invocation_index %1:32 = load_push_constant %0 range=65536 align_mul=4 store_shared %1, %0 align_mul=4 write_mask=x", "push constants after byte 8192 are not supported"},
		{"", "", "%0:32 = load_const 0 %1:32 = load_primitive_param_ir3 base=100000 store_shared %1, %0 align_mul=4 write_mask=x", "load_primitive_param_ir3 of 100000 is not supported"},
		{"fragment", "", "%0:32 = load_const 0 %1:32x2 = load_input %0 component=3 dest_type=u32 io_semantics={VAR31 1} store_shared %1, %0 align_mul=4 write_mask=xy", "load_input of slot 63, components from 3 on, is not supported"},
		{"vertex", "", "%0:32 = load_const 0 %1:32x2 = load_barycentric_pixel interp_mode=smooth %2:32 = load_interpolated_input %1, %0 dest_type=f32 io_semantics={VAR0 1} store_shared %2, %0 align_mul=4 write_mask=x", "%2 is not supported as a value: %2:32 = load_interpolated_input"},
		{"fragment", `var @1 uniform sampled2D<f32> "t" { set=0 binding=0 }`, "%0:32x2 = undef %1:32 = deref_var @1 %2:32x4 = tex texture_deref=%1 sampler_deref=%1 coord=%0 backend1=%0 dim=2D dest=f32 coord_components=2 store_shared %2, %1 align_mul=4 write_mask=x", "tex with sources packed for another target is not supported"},
		{"", `var @1 mem_ssbo $0[65536][65536] "" { set=0 binding=0 }`, "%0:32 = undef", "4294967295 descriptors at binding 0 of set 0 are not supported without a pipeline layout"},
		// Handles that a stage of lowering has made before.
		{"", uniform, "%0:32 = load_const 0 %1:32 = bindless_resource_ir3 %0 %2:32 = load_ubo %1, %0 align_mul=16 range=16 store_shared %2, %0 align_mul=4 write_mask=x", ""},
	} {
		stage := c.stage
		if stage == "" {
			stage = "compute"
		}
		text := "shader " + stage + " \"main\" {\ninfo { workgroup_size=64,1,1 }\ntype $0 = struct \"B\" block { \"x\": u32 offset=0 }\n" + c.decl + "\nfn f0 \"main\" entry() {\nb0: " + c.body + "\n}\n}\n"
		s, err := ir.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		_, err = held(Compile(s, CompileOptions{Verify: true, Lists: gputest.Lists}))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.body, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
}

// TestRefusedColours: fragment shaders whose text reads an output back, which no module does, are told that they cannot.
func TestRefusedColours(t *testing.T) {
	s, err := ir.Parse(`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %1:32x4 = load_output %0 dest_type=f32 io_semantics={DATA0 1}
		store_output %1, %0 write_mask=xyzw src_type=f32 io_semantics={DATA0 1} } }`)
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "ir3: reading back output slot 4 is not supported"
	if _, err := held(Compile(s, CompileOptions{})); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
