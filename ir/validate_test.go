package ir

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// breakCase is a shader that breaks one rule: as text, or by what corrupt does
// to the valid shader that text (or sampleShader) is.
type breakCase struct {
	rule, msg string // msg is part of the message
	stage     string // compute unless given
	decl      string // what stands before the function
	body      string // of the entry point
	text      string // all of it, instead
	corrupt   func(*Shader)
}

func (c *breakCase) shader(t *testing.T) *Shader {
	t.Helper()
	text := c.text
	if text == "" {
		stage := c.stage
		if stage == "" {
			stage = "compute"
		}
		text = "shader " + stage + " \"main\" {\n" + c.decl + "\nfn f0 \"main\" entry() {\n" + c.body + "\n}\n}\n"
	}
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", c.rule, c.msg, err, text)
	}
	return s
}

// TestValidateRules: each rule is found, as itself, and the shader that a
// corruption starts from is valid.
func TestValidateRules(t *testing.T) {
	for _, c := range append(textBreaks, codeBreaks...) {
		s := c.shader(t)
		if c.corrupt != nil {
			if err := Validate(s); err != nil {
				t.Errorf("%s %q: the shader to corrupt is not valid: %v", c.rule, c.msg, err)
				continue
			}
			c.corrupt(s)
		}
		err := Validate(s)
		var ve *ValidationError
		if !errors.As(err, &ve) {
			t.Errorf("%s %q: not found; have %v\n%s", c.rule, c.msg, err, c.body)
			continue
		}
		if ve.Rule != c.rule || !strings.Contains(ve.Error(), c.msg) {
			t.Errorf("%s %q: found as %v\n%s", c.rule, c.msg, err, c.body)
		}
	}
}

// TestEveryRuleHasATest compares the rules in the validator's source with the
// tests' and with docs/ir.md.
func TestEveryRuleHasATest(t *testing.T) {
	files, err := filepath.Glob("validate*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	doc, err := os.ReadFile("../docs/ir.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, c := range append(textBreaks, codeBreaks...) {
		tested[c.rule] = true
	}
	inSource := map[string]bool{}
	rule := regexp.MustCompile(`"([A-Z][0-9]+)"`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rule.FindAllStringSubmatch(string(src), -1) {
			if inSource[m[1]] {
				continue
			}
			inSource[m[1]] = true
			if !tested[m[1]] {
				t.Errorf("rule %s of %s has no test", m[1], f)
			}
			if !strings.Contains(string(doc), "| "+m[1]+" |") {
				t.Errorf("rule %s of %s is not in docs/ir.md", m[1], f)
			}
		}
	}
	if len(inSource) < 50 {
		t.Errorf("only %d rules found in the source: has the spelling changed?", len(inSource))
	}
	for r := range tested {
		if !inSource[r] {
			t.Errorf("rule %s is tested, but not in the validator", r)
		}
	}
}

// textBreaks are the broken rules that the text form can express.
var textBreaks = []breakCase{
	{rule: "V2", msg: "6 components", body: "b0: %0:32x6 = undef"},
	{rule: "V2", msg: "bit size 7", body: "b0: %0:7 = undef"},
	{rule: "V4", msg: "source 0 does not dominate its use", body: "b0: %0:32 = mov %1 %1:32 = undef"},
	{rule: "V4", msg: "source 1 does not dominate its use", body: "b0: %0:1 = undef if %0 { b1: %1:32 = undef } else { b2: } b3: %2:32 = iadd %0, %1"},
	{rule: "V4", msg: "does not dominate its predecessor", body: "b0: %0:1 = undef if %0 { b1: %1:32 = undef } else { b2: %2:32 = undef } b3: %3:32 = phi b1: %2, b2: %1"},
	{rule: "V4", msg: "the if that it is the condition of", body: "b0: if %0 { b1: %0:1 = undef } else { b2: } b3:"},

	{rule: "A2", msg: "source 0 reads a component", body: "b0: %0:32 = undef %1:32 = mov %0.y"},
	{rule: "A3", msg: "operands of 32 and 16 bits", body: "b0: %0:32 = undef %1:16 = undef %2:32 = iadd %0, %1"},
	{rule: "A3", msg: "operands of 32 and 16 bits", body: "b0: %0:32 = undef %1:16 = iadd %0, %0"},
	{rule: "A3", msg: "operand of 32 bits, the table says 1", body: "b0: %0:32 = undef %1:32 = bcsel %0, %0, %0"},
	{rule: "A4", msg: "float of 8 bits", body: "b0: %0:8 = undef %1:8 = fadd %0, %0"},
	{rule: "A5", msg: "3 components, the table says 4", body: "b0: %0:32 = undef %1:32x3 = vec4 %0, %0, %0, %0"},
	{rule: "A6", msg: "16-bit source", body: "b0: %0:16 = undef %1:32 = ufind_msb %0"},
	{rule: "A7", msg: "boolean of 64 bits", body: "b0: %0:64 = undef %1:32 = b2i32 %0"},

	{rule: "I1", msg: "result of 3 components, not 1", body: "b0: %0:32x3 = load_local_invocation_index"},
	{rule: "I1", msg: "source 0 has 2 components, the table says 1", body: "b0: %0:1x2 = undef demote_if %0"},
	{rule: "I1", msg: "source 0 has 1 components, not 2", body: "b0: %0:32 = undef %1:32x2 = load_vulkan_descriptor %0"},
	{rule: "I2", msg: "result of another size than source 0", body: "b0: %0:64 = undef %1:32 = load_vulkan_descriptor %0"},
	{rule: "I5", msg: "32x4 of a sampler, not a pointer", decl: `var @1 shader_temp sampler "s"`, body: "b0: %0:32 = deref_var @1 %1:32x4 = load_deref %0"},
	{rule: "I2", msg: "result of 8 bits", body: "b0: %0:8 = undef %1:8 = ddx %0"},
	{rule: "I3", msg: "write mask beyond", body: "b0: %0:32 = undef store_ssbo %0, %0, %0 write_mask=y align_mul=4"},
	{rule: "I4", msg: "decl_reg outside the start block", body: "b0: %0:1 = undef if %0 { b1: %1:32 = decl_reg num_components=1 bit_size=32 } else { b2: } b3:"},
	{rule: "I4", msg: "handle does not come from decl_reg", body: "b0: %0:32 = undef %1:32 = load_reg %0"},
	{rule: "I4", msg: "value and register differ in size", body: "b0: %0:32 = decl_reg num_components=2 bit_size=32 %1:32 = undef store_reg %1, %0 write_mask=x"},
	{rule: "I4", msg: "register end does not come from decl_reg", body: "b0: %0:32 = undef parallel_copy (reg %0 <- %0)"},
	{rule: "I18", msg: "source 0 is no deref", body: "b0: %0:32 = undef %1:32 = load_deref %0"},
	{rule: "I5", msg: "access of type f32[4]", decl: `var @1 shader_temp f32[4] "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = load_deref %0"},
	{rule: "I5", msg: "1 components of a vec2f32", decl: `var @1 shader_temp vec2f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = load_deref %0"},
	{rule: "I5", msg: "16 bits of a f32", decl: `var @1 shader_temp f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:16 = load_deref %0"},
	{rule: "I5", msg: "store to mem_ubo", decl: `var @1 mem_ubo f32 "a"`, body: "b0: %0:32 = deref_var @1 store_deref %0, %0 write_mask=x"},
	{rule: "I5", msg: "copy into read-only memory", decl: `var @1 mem_ubo f32 "a"`, body: "b0: %0:32 = deref_var @1 copy_deref %0, %0"},
	{rule: "I6", msg: "copy between different types", decl: `var @1 shader_temp f32 "a" var @2 shader_temp u32 "b"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_var @2 copy_deref %0, %1"},
	{rule: "I18", msg: "source 1 is no deref", decl: `var @1 shader_temp f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = undef copy_deref %0, %1"},
	{rule: "I7", msg: "alignment 3+0", body: "b0: %0:32 = undef %1:32 = load_ssbo %0, %0 align_mul=3"},
	{rule: "I7", msg: "alignment 4+4", body: "b0: %0:32 = undef %1:32 = load_ssbo %0, %0 align_mul=4 align_offset=4"},
	{rule: "I7", msg: "load_ubo of range 0", body: "b0: %0:32 = undef %1:32 = load_ubo %0, %0 align_mul=4"},
	{rule: "I7", msg: "beyond its vec4", body: "b0: %0:32 = undef %1:32x3 = load_ubo_vec4 %0, %0 component=2"},
	{rule: "I7", msg: "beyond its vec4", body: "b0: %0:32 = undef %1:8x16 = load_ubo_vec4 %0, %0 component=1"},
	{rule: "I7", msg: "memory access of 1 bits", body: "b0: %0:32 = undef %1:1 = load_ssbo %0, %0 align_mul=4"},
	{rule: "I7", msg: "memory access of 1 bits", body: "b0: %0:32 = undef %1:1 = undef store_ssbo %1, %0, %0 write_mask=x align_mul=4"},
	{rule: "I8", msg: "interpolation mode flat", stage: "fragment", body: "b0: %0:32x2 = load_barycentric_pixel interp_mode=flat"},
	{rule: "I9", msg: "output of 8 bits", stage: "vertex", body: "b0: %0:8 = undef %1:32 = undef store_output %0, %1 write_mask=x"},
	{rule: "I9", msg: "output of 16 bits stored from 32", stage: "fragment", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f16"},
	{rule: "I10", msg: "dual source", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 dual=1}"},
	{rule: "I10", msg: "streams", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 streams=1}"},
	{rule: "I10", msg: "without effect", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=f32 io_semantics={VAR0 1 no_varying no_sysval}"},
	{rule: "I11", msg: "iadd on an image of format r32f", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic %0, %1, %0, %0 format=3 atomic_op=iadd"},
	{rule: "I11", msg: "fadd on an image of format r32ui", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic %0, %1, %0, %0 format=33 atomic_op=fadd"},
	{rule: "I11", msg: "32 bits of an image of format r64ui", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic %0, %1, %0, %0 format=40 atomic_op=umax"},
	{rule: "I11", msg: "on an image of format rgba8", body: "b0: %0:32 = undef %1:32x4 = undef %2:32 = image_atomic_swap %0, %1, %0, %0, %0 format=4 atomic_op=cmpxchg"},
	{rule: "I12", msg: "no such parameter", body: "b0: %0:32 = load_param param_idx=1"},
	{rule: "I12", msg: "parameter of 32x2", text: `shader compute "m" { fn f0 "g" (32x2 "p") { b0: %0:32 = load_param } }`},
	{rule: "I13", msg: "exactly one mode", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (mem_shared|mem_global u32) %2:1 = deref_mode_is %1 memory_modes=mem_shared|mem_global"},
	{rule: "I14", msg: "none of a reduction", body: "b0: %0:32 = undef %1:32 = reduce %0 reduction_op=isub"},
	{rule: "I14", msg: "fadd of 8 bits", body: "b0: %0:8 = undef %1:8 = inclusive_scan %0 reduction_op=fadd"},
	{rule: "I14", msg: "iadd of booleans", body: "b0: %0:1 = undef %1:1 = exclusive_scan %0 reduction_op=iadd"},
	{rule: "I14", msg: "no power of two", body: "b0: %0:32 = undef %1:32 = reduce %0 reduction_op=iadd cluster_size=3"},
	{rule: "I15", msg: "number of an invocation of 16 bits", body: "b0: %0:16 = undef %1:16 = shuffle %0, %0"},
	{rule: "I15", msg: "words of 16 bits", body: "b0: %0:1 = undef %1:16x4 = ballot %0"},
	{rule: "I15", msg: "words of 8 bits", body: "b0: %0:8x4 = undef %1:32 = ballot_find_lsb %0"},
	{rule: "I15", msg: "boolean of 64 bits", body: "b0: %0:64 = undef demote_if %0"},
	{rule: "I15", msg: "vote of 1 bits on a boolean of 32", body: "b0: %0:32 = undef %1:1 = vote_any %0"},
	{rule: "I15", msg: "float of 8 bits", body: "b0: %0:8 = undef %1:1 = vote_feq %0"},

	{rule: "I16", msg: "source 1 has 8 bits", body: "b0: %0:32 = undef %1:8 = undef %2:32 = load_ssbo %0, %1 align_mul=4"},
	{rule: "I16", msg: "source 0 has 64 bits", body: "b0: %0:64 = undef %1:32x2 = vulkan_resource_index %0"},
	{rule: "I2", msg: "result of another size than source 2", body: "b0: %0:32 = undef %1:16 = ssbo_atomic %0, %0, %0 atomic_op=iadd"},
	{rule: "I17", msg: "src_type u76 does not exist", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=u76"},
	{rule: "I17", msg: "src_type 16 does not exist", stage: "vertex", body: "b0: %0:32 = undef store_output %0, %0 write_mask=x src_type=16"},
	{rule: "I17", msg: "image_dim 99 does not exist", decl: `var @1 image image2D<f32> "i"`, body: "b0: %0:32 = deref_var @1 %1:32 = image_deref_levels %0 image_dim=99"},
	{rule: "I17", msg: "atomic_op 77 does not exist", body: "b0: %0:32 = undef %1:32 = ssbo_atomic %0, %0, %0 atomic_op=77"},
	{rule: "I17", msg: "cmpxchg has another number of operands", body: "b0: %0:32 = undef %1:32 = ssbo_atomic %0, %0, %0 atomic_op=cmpxchg"},
	{rule: "I17", msg: "xchg has another number of operands", body: "b0: %0:32 = undef %1:32 = ssbo_atomic_swap %0, %0, %0, %0 atomic_op=xchg"},
	{rule: "I17", msg: "base 4294967296 does not exist", body: "b0: %0:32 = undef %1:32 = load_shared %0 base=4294967296 align_mul=4"},

	{rule: "I19", msg: "no acceleration structure, but a sampler in uniform", decl: `var @1 uniform sampler "s"`, body: "b0: %0:32 = deref_var @1 %1:64 = load_accel_struct %0"},
	{rule: "I19", msg: "no ray query, but a u32 in shader_temp", decl: `var @1 shader_temp u32 "a"`, body: "b0: %0:32 = deref_var @1 rq_terminate %0"},
	{rule: "I19", msg: "tmin of 3 components and 32 bits", decl: `var @1 shader_temp ray_query "a"`, body: "b0: %0:32 = deref_var @1 %1:32x3 = rq_load %0 ray_query_value=tmin"},
	{rule: "I19", msg: "intersection_triangle_vertex_positions has no column 3", decl: `var @1 shader_temp ray_query "a"`, body: "b0: %0:32 = deref_var @1 %1:32x3 = rq_load %0 ray_query_value=intersection_triangle_vertex_positions column=3"},
	{rule: "I17", msg: "ray_query_value 19 does not exist", decl: `var @1 shader_temp ray_query "a"`, body: "b0: %0:32 = deref_var @1 %1:32x3 = rq_load %0 ray_query_value=19"},
	{rule: "I5", msg: "access of type ray_query", decl: `var @1 shader_temp ray_query "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = load_deref %0"},
	{rule: "R5", msg: "variable of type ray_query in uniform", decl: `var @1 uniform ray_query "a"`, body: "b0:"},
	{rule: "I18", msg: "source 0 is no deref", body: "b0: %0:32x4 = undef %1:32 = undef %2:32x4 = image_deref_load %1, %0, %1, %1"},
	{rule: "I18", msg: "no image, but a sampler", decl: `var @1 uniform sampler "s"`, body: "b0: %0:32 = deref_var @1 %1:32 = image_deref_levels %0"},
	{rule: "I18", msg: "atomic of 64 bits on a u32", decl: `var @1 mem_shared u32 "a"`, body: "b0: %0:32 = deref_var @1 %1:64 = undef %2:64 = deref_atomic %0, %1 atomic_op=iadd"},
	{rule: "I18", msg: "atomic on mem_ubo", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (mem_ubo u32) %2:32 = deref_atomic %1, %0 atomic_op=iadd"},
	{rule: "I18", msg: "source 0 is no deref", body: "b0: %0:32 = undef %1:32 = deref_buffer_array_length %0"},
	{rule: "I18", msg: "interpolation of mem_shared", decl: `var @1 mem_shared f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = interp_deref_at_centroid %0"},
	{rule: "I18", msg: "interpolation of a vec2f32", text: `shader fragment "m" { var @1 shader_in vec2f32 "a" fn f0 "main" entry() { b0: %0:32 = deref_var @1 %1:32 = interp_deref_at_centroid %0 } }`},

	{rule: "T1", msg: "coord of 1 components for 2D", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=2D dest=f32"},
	{rule: "T1", msg: "offset of 2 components, not 1", body: "b0: %0:32 = undef %1:32x2 = undef %2:32x4 = txl coord=%0 offset=%1 dim=1D dest=f32"},
	{rule: "T1", msg: "bias of 8 bits", body: "b0: %0:32 = undef %1:8 = undef %2:32x4 = txb coord=%0 bias=%1 dim=1D dest=f32"},
	{rule: "T1", msg: "two coord sources", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 coord=%0 dim=1D dest=f32 coord_components=1"},
	{rule: "T1", msg: "coord of 1 components, not 2", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=2D dest=f32 coord_components=2"},
	{rule: "T1", msg: "lod of 2 components", body: "b0: %0:32x2 = undef %1:32x4 = txl coord=%0 lod=%0 dim=2D dest=f32 coord_components=2"},
	{rule: "T1", msg: "offset of 2 components, not 1", body: "b0: %0:32x2 = undef %1:32x4 = txl coord=%0 offset=%0 dim=1D array dest=f32 coord_components=2"},
	{rule: "T1", msg: "backend1 of 5 components", body: "b0: %0:32x5 = undef %1:32x4 = txl backend1=%0 dim=1D dest=f32"},
	{rule: "T2", msg: "comparator without shadow", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 comparator=%0 dim=1D dest=f32"},
	{rule: "T3", msg: "bias", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 bias=%0 dim=1D dest=f32"},
	{rule: "T3", msg: "lod", body: "b0: %0:32 = undef %1:32x4 = tex coord=%0 lod=%0 dim=1D dest=f32"},
	{rule: "T3", msg: "derivative", body: "b0: %0:32 = undef %1:32x4 = tex coord=%0 ddx=%0 ddy=%0 dim=1D dest=f32"},
	{rule: "T3", msg: "derivative", body: "b0: %0:32 = undef %1:32x4 = txd coord=%0 ddx=%0 dim=1D dest=f32"},
	{rule: "T4", msg: "txl of a buffer", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 lod=%0 dim=BUF dest=f32 coord_components=1"},
	{rule: "I17", msg: "array of 3D", decl: `var @1 image image3D<f32> "i"`, body: "b0: %0:32 = deref_var @1 %1:32 = image_deref_levels %0 image_dim=3D image_array=1"},
	{rule: "I17", msg: "array of BUF", body: "b0: %0:32 = undef %1:32x2 = image_size %0, %0 image_dim=BUF image_array=1"},
	{rule: "T1", msg: "array of 3D", body: "b0: %0:32 = undef %1:32x4 = txs lod=%0 dim=3D array dest=i32"},
	{rule: "T4", msg: "txf of a multisampled texture", body: "b0: %0:32 = undef %1:32x4 = txf coord=%0 dim=MS dest=f32"},
	{rule: "T4", msg: "tex of a multisampled texture", body: "b0: %0:32 = undef %1:32x4 = tex coord=%0 dim=MS dest=f32"},
	{rule: "T4", msg: "not multisampled", body: "b0: %0:32 = undef %1:32x4 = txf_ms coord=%0 dim=2D dest=f32"},
	{rule: "T5", msg: "component", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32 component=1"},
	{rule: "T5", msg: "four offsets", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32 offsets=1,2,3,4,5,6,7,8"},
	{rule: "T6", msg: "result of 3 components, not 4", body: "b0: %0:32 = undef %1:32x3 = txl coord=%0 dim=1D dest=f32"},
	{rule: "T6", msg: "result of 4 components, not 5", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32 sparse"},
	{rule: "T6", msg: "result of 2 components, not 3", body: "b0: %0:32 = undef %1:32x2 = txs lod=%0 dim=2D dest=i32 array"},
	{rule: "T6", msg: "result of 32 bits", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f16"},
	{rule: "T7", msg: "no deref", body: "b0: %0:32 = undef %1:32x4 = txl texture_deref=%0 dim=1D dest=f32"},
	{rule: "T7", msg: "sampler_deref of type tex2D<f32>", decl: `var @1 uniform tex2D<f32> "t"`, body: "b0: %0:32 = deref_var @1 %1:32x4 = txl sampler_deref=%0 dim=2D dest=f32"},
	{rule: "T7", msg: "texture_deref of type sampler", decl: `var @1 uniform sampler "t"`, body: "b0: %0:32 = deref_var @1 %1:32x4 = txl texture_deref=%0 dim=2D dest=f32"},
	{rule: "T7", msg: "u32 result of a tex2D<f32>", decl: `var @1 uniform tex2D<f32> "t"`, body: "b0: %0:32 = deref_var @1 %1:32x4 = txl texture_deref=%0 dim=2D dest=u32"},
	{rule: "T8", msg: "txl without coord", body: "b0: %0:32 = undef %1:32x4 = txl backend1=%0 lod=%0 dim=2D dest=f32"},
	{rule: "T8", msg: "txl without coord", body: "b0: %0:32 = undef %1:32x4 = txl lod=%0 dim=1D dest=f32"},
	{rule: "T8", msg: "txd without ddx", body: "b0: %0:32 = undef %1:32x4 = txd coord=%0 dim=1D dest=f32"},
	{rule: "T8", msg: "txf_ms without ms_index", body: "b0: %0:32x2 = undef %1:32x4 = txf_ms coord=%0 dim=MS dest=f32"},

	{rule: "D1", msg: "pointer of 16 bits", decl: `var @1 shader_temp f32 "a"`, body: "b0: %0:16 = deref_var @1"},
	{rule: "D6", msg: "cast from function_temp", text: `shader compute "m" { fn f0 "g" (32 "p" to function_temp f32) { b0: %0:32 = load_param %1:32 = deref_cast %0 (shader_in f32) } }`},
	{rule: "C1", msg: "argument 0 points to shader_temp, the parameter to function_temp", text: `shader compute "m" { var @1 shader_temp f32 "a" fn f0 "g" (32 "p" to function_temp f32) { b0: } fn f1 "main" entry() { b0: %0:32 = deref_var @1 call f0(%0) } }`},
	{rule: "D1", msg: "variable of another function", text: `shader compute "m" { fn f0 "g" () { local @1 function_temp f32 "x" b0: } fn f1 "main" entry() { b0: %0:32 = deref_var @1 } }`},
	{rule: "D2", msg: "pointer has another size", decl: `var @1 shader_temp f32[4] "a"`, body: "b0: %0:32 = deref_var @1 %1:64 = deref_array %0[%0]"},
	{rule: "D4", msg: "array deref of a vec4f32 in uniform", decl: `var @1 uniform vec4f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_array %0[%0]"},
	{rule: "D4", msg: "index of 64x1", decl: `var @1 shader_temp f32[4] "a"`, body: "b0: %0:32 = deref_var @1 %1:64 = undef %2:32 = deref_array %0[%1]"},
	{rule: "D5", msg: "parent is no array", decl: `var @1 shader_temp f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_ptr %0 + %0"},
	{rule: "D6", msg: "modes mem_ubo|mem_ssbo", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (mem_ubo|mem_ssbo f32)"},
	{rule: "D6", msg: "alignment 6+0", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (mem_ssbo f32) align=6+0"},
	{rule: "D6", msg: "cast from none", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (shader_out f32)"},
	{rule: "D6", msg: "cast from shader_out", stage: "vertex", decl: `var @1 shader_out f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_cast %0 (mem_ssbo f32)"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 if %0 { b1: } else { b2: } b3:"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a" var @2 shader_temp u32 "b"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_var @2 store_deref %1, %0 write_mask=x"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = mov %0"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = vulkan_resource_index %0 desc_set=0 binding=0"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = undef %2:32x4 = txf coord=%1 texture_handle=%0 dim=1D dest=f32"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = undef %2:32x4 = txf coord=%1 backend1=%0 dim=1D dest=f32"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:32x4 = txf coord=%0 dim=1D dest=f32"},
	{rule: "D7", msg: "is a number", decl: `var @1 shader_in f32[4] "a"`, body: "b0: %0:32 = deref_var @1 %1:32 = deref_array %0[%0]"},
	{rule: "D6", msg: "cast of 1 x 1 bits", body: "b0: %0:1 = undef %1:32 = deref_cast %0 (mem_shared f32)"},
	{rule: "D7", msg: "phi of a deref", decl: `var @1 uniform f32 "a"`, body: "b0: %0:32 = deref_var @1 %1:1 = undef if %1 { b1: } else { b2: } b3: %2:32 = phi b1: %0, b2: %0"},

	{rule: "P2", msg: "1 sources, but 2 predecessors", body: "b0: %0:1 = undef if %0 { b1: } else { b2: } b3: %2:1 = phi b1: %0"},
	{rule: "P2", msg: "no predecessor", body: "b0: %0:1 = undef if %0 { b1: } else { b2: } b3: %2:1 = phi b1: %0, b0: %0"},
	{rule: "P2", msg: "two sources from one", body: "b0: %0:1 = undef if %0 { b1: } else { b2: } b3: %2:1 = phi b1: %0, b1: %0"},
	{rule: "P2", msg: "source 0 has another size", body: "b0: %0:1 = undef if %0 { b1: } else { b2: } b3: %2:32 = phi b1: %0, b2: %0"},
	{rule: "P3", msg: "from 32x1 to 64x1", body: "b0: %0:32 = undef parallel_copy (%1:64 <- %0)"},
	{rule: "J1", msg: "break outside a loop", body: "b0: break"},
	{rule: "J1", msg: "continue outside a loop", body: "b0: continue"},
	{rule: "J1", msg: "continue in a continue list", body: "b0: loop { b1: break } continue { b2: continue } b3:"},
	{rule: "J1", msg: "return in a continue list", body: "b0: %0:1 = undef loop { b1: break } continue { b2: if %0 { b3: return } else { b4: } b5: } b6:"},
	{rule: "C1", msg: "0 arguments for 1 parameters", text: `shader compute "m" { fn f0 "g" (32) { b0: } fn f1 "main" entry() { b0: call f0() } }`},
	{rule: "C1", msg: "argument 0 has another size", text: `shader compute "m" { fn f0 "g" (32) { b0: } fn f1 "main" entry() { b0: %0:64 = undef call f0(%0) } }`},
	{rule: "B5", msg: "condition of 32x2", body: "b0: %0:32x2 = undef if %0 { b1: } else { b2: } b3:"},
	{rule: "B5", msg: "condition of 64x1", body: "b0: %0:64 = undef if %0 { b1: } else { b2: } b3:"},
	{rule: "B7", msg: "unstructured", body: "unstructured b0:"},

	{rule: "R1", msg: "function_temp variable outside", decl: `var @1 function_temp f32 "a"`, body: "b0:"},
	{rule: "R1", msg: "local variable of mode shader_temp", body: `local @1 shader_temp f32 "a" b0:`},
	{rule: "R2", msg: "compact", decl: `var @1 shader_out vec4f32 "a" { compact }`, body: "b0:"},
	{rule: "R3", msg: "no struct", decl: `var @1 shader_out vec4f32 "a" { interface=f32 }`, body: "b0:"},
	{rule: "R4", msg: "initialiser of what nothing may store to, in system_value", decl: `var @1 system_value vec3u32 "a" { builtin=28 init=(0x1, 0x1, 0x1) }`, body: "b0:"},
	{rule: "R4", msg: "1 parts, the type 2", decl: `var @1 shader_temp f32[2] "a" { init={(0x0)} }`, body: "b0:"},
	{rule: "R5", msg: "variable of type sampler[2] in shader_out", decl: `var @1 shader_out sampler[2] "a"`, body: "b0:"},
	{rule: "T7", msg: "texture_deref in mem_ssbo", body: "b0: %0:32 = undef %1:32 = deref_cast %0 (mem_ssbo tex1D<f32>) %2:32x4 = txl texture_deref=%1 coord=%0 dim=1D dest=f32"},
	{rule: "R5", msg: "image variable", decl: `var @1 image f32 "a"`, body: "b0:"},
	{rule: "R6", msg: "per_vertex", decl: `var @1 shader_in f32 "a" { per_vertex }`, body: "b0:"},
	{rule: "R6", msg: "per_view", decl: `var @1 shader_out f32 "a" { per_view }`, body: "b0:"},
	{rule: "F1", msg: "2 entry points", text: `shader compute "m" { fn f0 "g" entry() { b0: } fn f1 "main" entry() { b0: } }`},
	{rule: "F1", msg: "2 preambles", text: `shader compute "m" { fn f0 "g" preamble() { b0: } fn f1 "main" preamble() { b0: } }`},
	{rule: "F1", msg: "entry point is the preamble", text: `shader compute "m" { fn f0 "g" entry preamble() { b0: } }`},
	{rule: "F1", msg: "called from another function", text: `shader compute "m" { fn f0 "p" preamble() { b0: } fn f1 "g" () { b0: call f0() } }`},
}
