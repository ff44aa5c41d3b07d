package spirv

import (
	"os"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/internal/capability"
	"nirc/ir"
)

// stageModule reads a module of testdata/stages.
func stageModule(t *testing.T, name string) *spv.Module {
	t.Helper()
	text, err := os.ReadFile("testdata/stages/" + name + ".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return assemble(t, string(text))
}

// stageWants are lines that the IR of a module has to have.
var stageWants = []struct {
	name  string
	stage ir.Stage
	wants []string
}{
	{"cull.task", ir.StageTask, []string{`mem_task_payload $1 "p"`, "memory_modes=mem_shared|mem_task_payload", "launch_mesh_workgroups_with_payload_deref", "halt"}},
	{"lines_nv.task", ir.StageTask, []string{`mem_task_payload $0 "task"`, `shader_out u32 "gl_TaskCountNV" { location=TASK_COUNT builtin=5274 }`}},
	{"quads.mesh", ir.StageMesh, []string{"mesh_max_vertices=4 mesh_max_primitives=2 mesh_primitive=3", "set_vertex_and_primitive_count",
		`shader_out vec4f32[4] "gl_MeshVerticesEXT.gl_Position" { location=POS builtin=0`, `shader_out vec3f32[2] "colour" { location=VAR1 per_primitive }`,
		`shader_out vec3u32[2] "gl_PrimitiveTriangleIndicesEXT" { location=PRIMITIVE_INDICES builtin=5296 per_primitive }`,
		`shader_out b1[2] "gl_MeshPrimitivesEXT.gl_CullPrimitiveEXT" { location=CULL_PRIMITIVE builtin=5299 per_primitive`}},
	{"lines_nv.mesh", ir.StageMesh, []string{`shader_out vec2u32[3] "gl_PrimitiveIndicesNV" { location=PRIMITIVE_INDICES`,
		`shader_out u32 "gl_PrimitiveCountNV" { location=PRIMITIVE_COUNT builtin=5275 }`, "= udiv", "= umod"}},
	{"path.rgen", ir.StageRaygen, []string{"load_shader_record_ptr", "load_accel_struct", "trace_ray", "execute_callable", `shader_call_data vec4f32 "radiance"`, "builtin=5319"}},
	{"hit.rchit", ir.StageClosestHit, []string{`shader_call_data vec4f32 "radiance" { incoming }`, `ray_hit_attrib vec2f32 "bary"`, `system_value mat4x3f32 "gl_ObjectToWorldEXT" { builtin=5330 }`}},
	{"alpha.rahit", ir.StageAnyHit, []string{"ignore_ray_intersection", "terminate_ray", "halt"}},
	{"sphere.rint", ir.StageIntersection, []string{"= report_ray_intersection", "access=coherent|volatile builtin=5326"}},
	{"sky.rmiss", ir.StageMiss, []string{"builtin=5322"}},
	{"weight.rcall", ir.StageCallable, []string{`shader_call_data f32 "weight" { incoming }`}},
}

// TestSharedComponents: a store to a component by an index is one to that component alone where other invocations may write the others of
// the vector: outputs of tessellation control and mesh shaders.
func TestSharedComponents(t *testing.T) {
	s, err := Translate(assemble(t, `OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %main "main" %id %v
OpExecutionMode %main OutputVertices 4
OpDecorate %id BuiltIn InvocationId
OpDecorate %v Patch
OpDecorate %v Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%iv = OpTypeVector %int 4
%pi = OpTypePointer Input %int
%pv = OpTypePointer Output %iv
%po = OpTypePointer Output %int
%id = OpVariable %pi Input
%v = OpVariable %pv Output
%main = OpFunction %void None %fn
%e = OpLabel
%i = OpLoad %int %id
%p = OpAccessChain %po %v %i
OpStore %p %i
OpReturn
OpFunctionEnd
`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := ir.Print(s)
	if strings.Count(text, "store_deref") != 1 || !strings.Contains(text, "write_mask=x") || strings.Count(text, "load_deref") != 1 {
		t.Errorf("the vector is read and written back:\n%s", text)
	}
}

// Shaders of all stages that no target has are translated, and keep what they are in text and bytes.
func TestStages(t *testing.T) {
	for _, x := range stageWants {
		t.Run(x.name, func(t *testing.T) {
			s, err := Translate(stageModule(t, x.name), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Validate(s); err != nil {
				t.Fatal(err)
			}
			text := ir.Print(s)
			for _, w := range x.wants {
				if !strings.Contains(text, w) {
					t.Errorf("no %q", w)
				}
			}
			if s.Stage != x.stage {
				t.Errorf("stage %s, not %s", s.Stage, x.stage)
			}
			again, err := ir.Parse(text)
			if err != nil || ir.Print(again) != text {
				t.Errorf("the text is another when it is read: %v", err)
			}
			b, err := ir.Deserialize(ir.Serialize(s, ir.SerializeOptions{}))
			if err != nil || ir.Print(b) != text {
				t.Errorf("the bytes give another shader: %v", err)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// lackingGPU is a target and its GPU, which lacks what the table of capabilities says.
type lackingGPU struct{ target, gpu string }

func (g lackingGPU) Options(ir.Stage) *ir.Options  { return new(ir.Options) }
func (g lackingGPU) Lacks(c spv.Capability) string { return capability.Why(c, g.target, g.gpu) }

// What no GPU has is refused with the reason of the table.
func TestStagesRefused(t *testing.T) {
	for _, x := range stageWants {
		for _, g := range [][3]string{{"ir3", "a630", "the hardware "}, {"ir3", "a740", "the hardware "}, {"agx", "g13g", "the hardware "}, {"midgard", "t860", "the hardware has no "}} {
			_, err := Translate(stageModule(t, x.name), Options{GPUName: g[1], TargetName: g[0], Machine: lackingGPU{g[0], g[1]}})
			if err == nil || !strings.Contains(err.Error(), "is not supported on "+g[1]+": the hardware ") {
				t.Errorf("%s on %s: %v", x.name, g[1], err)
			}
		}
	}
}

// Modules of these stages that are wrong are refused, with what is wrong.
func TestStagesWrong(t *testing.T) {
	for _, x := range []struct{ name, from, to, want string }{
		{"quads.mesh", "OpExecutionMode %main OutputVertices 4", "", ruleMeshModes},
		{"quads.mesh", "OpExecutionMode %main OutputTrianglesNV", "", ruleMeshModes},
		{"quads.mesh", "OpExecutionModeId %main LocalSizeId %uint_4 %uint_1 %uint_1", "", "the mesh entry point has no workgroup size"},
		{"lines_nv.mesh", "%_arr_uint_uint_6 = OpTypeArray %uint %uint_6", "%_arr_uint_uint_6 = OpTypeArray %float %uint_6", "PrimitiveIndicesNV is of type"},
		{"lines_nv.mesh", "BuiltIn LocalInvocationId", "BuiltIn MeshViewCountNV", "MeshViewCountNV is not supported: " + whyViews},
		{"lines_nv.mesh", "BuiltIn PrimitiveCountNV", "BuiltIn MeshViewIndicesNV", "MeshViewIndicesNV is not supported: " + whyViews},
		{"lines_nv.mesh", "%gl_MeshVerticesNV %38 %int_0", "%gl_MeshVerticesNV %38 %uint_4", "PositionPerViewNV is not supported: " + whyViews},
		{"lines_nv.mesh", "BuiltIn PrimitiveCountNV", "BuiltIn ViewportMaskNV", "ViewportMaskNV is not supported: " + whyViewports},
		{"weight.rcall", "BuiltIn LaunchIdNV", "BuiltIn HitKindNV", ruleBuiltIn},
		{"hit.rchit", "BuiltIn PrimitiveId", "BuiltIn SampleId", ruleBuiltInStage},
		{"path.rgen", "OpTraceRayKHR %68 ", "OpTraceRayKHR %uint_1 ", "operand 0 is no acceleration structure"},
	} {
		text, err := os.ReadFile("testdata/stages/" + x.name + ".spvasm")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), x.from) {
			t.Errorf("%s: no %q", x.name, x.from)
			continue
		}
		_, err = Translate(assemble(t, strings.Replace(string(text), x.from, x.to, 1)), Options{})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s without %q: %v", x.name, x.from, err)
		}
	}
}
