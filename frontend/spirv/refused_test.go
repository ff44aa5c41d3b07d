package spirv

import (
	"strings"
	"testing"

	"nirc/internal/capability"
	"nirc/ir"
)

// TestFullQuads: RequireFullQuads is a fact of the shader, by which helpers are wanted, and is refused where no quads are.
func TestFullQuads(t *testing.T) {
	const text = `OpCapability Shader
OpCapability QuadControlKHR
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main RequireFullQuadsKHR
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`
	s, err := Translate(assemble(t, text), Options{panics: true})
	if err != nil || !s.Info.FullQuads {
		t.Errorf("full quads: %v", err)
	}
	for gpu, want := range map[[2]string]string{{"agx", "g13g"}: "", {"ir3", "a630"}: "", {"midgard", "t860"}: "QuadControlKHR is not supported on t860"} {
		_, err := Translate(assemble(t, text), Options{GPUName: gpu[1], TargetName: gpu[0], Machine: lackingGPU{gpu[0], gpu[1]}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", gpu, err, want)
		}
	}
}

// TestPerVertexRefused: inputs by vertex are refused by the capability's name, where the target lacks it.
func TestPerVertexRefused(t *testing.T) {
	const text = `OpCapability Shader
OpCapability FragmentBarycentricKHR
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %in PerVertexKHR
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%three = OpConstant %uint 3
%list = OpTypeArray %float %three
%ptr = OpTypePointer Input %list
%fptr = OpTypePointer Input %float
%in = OpVariable %ptr Input
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpAccessChain %fptr %in %three
%v = OpLoad %float %at
OpReturn
OpFunctionEnd
`
	for gpu, want := range map[[2]string]string{{"agx", "g13g"}: "", {"ir3", "a630"}: "", {"midgard", "t860"}: "FragmentBarycentricKHR is not supported on t860"} {
		_, err := Translate(assemble(t, text), Options{GPUName: gpu[1], TargetName: gpu[0], Machine: lackingGPU{gpu[0], gpu[1]}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", gpu, err, want)
		}
	}
}

// TestPerPrimitiveRefused: inputs that a mesh shader writes once for each primitive are refused by the capability's name, where the
// target has no mesh stage.
func TestPerPrimitiveRefused(t *testing.T) {
	const text = `OpCapability Shader
OpCapability MeshShadingEXT
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %in PerPrimitiveEXT
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%ptr = OpTypePointer Input %float
%in = OpVariable %ptr Input
%main = OpFunction %void None %fn
%l = OpLabel
%v = OpLoad %float %in
OpReturn
OpFunctionEnd
`
	for _, gpu := range [][2]string{{"agx", "g13g"}, {"ir3", "a750"}, {"midgard", "t860"}} {
		_, err := Translate(assemble(t, text), Options{GPUName: gpu[1], TargetName: gpu[0], Machine: lackingGPU{gpu[0], gpu[1]}})
		if want := "MeshShadingEXT is not supported on " + gpu[1]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", gpu, err, want)
		}
	}
	if _, err := Translate(assemble(t, text), Options{}); err != nil {
		t.Errorf("without a GPU: %v", err)
	}
}

// TestSubgroupSizeMode: a size of subgroups that a kernel demands is that of the target, or refused.
func TestSubgroupSizeMode(t *testing.T) {
	text := strings.Replace(kernelText, "OpExecutionMode %f LocalSize 4 1 1\n", "OpExecutionMode %f LocalSize 4 1 1\nOpExecutionMode %f SubgroupSize 32\n", 1)
	for size, want := range map[uint8]string{32: "", 64: "SubgroupSize 32 is not supported: subgroups have 64 invocations", 0: "is known at run time only"} {
		s, err := Translate(assemble(t, text), Options{Target: &ir.Options{SubgroupSize: size}})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", size, err, want)
		}
		if err == nil && s.Info.SubgroupSize != 32 {
			t.Errorf("the shader's subgroups have %d", s.Info.SubgroupSize)
		}
	}
}

// TestDecorationsRefused: decorations of extensions that nobody has change what a shader does: they are not passed over.
func TestDecorationsRefused(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Geometry
OpCapability GeometryShaderPassthroughNV
OpCapability PushConstantBanksNV
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %in %out
OpEntryPoint Vertex %other "other"
OpExecutionMode %main InputPoints
OpExecutionMode %main Invocations 1
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1
OpDecorate %in Location 0
DECORATION
OpDecorate %out BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%v4 = OpTypeVector %f32 4
%one = OpConstant %f32 1
%at = OpConstantComposite %v4 %one %one %one %one
%n = OpConstant %f32 1
%u32 = OpTypeInt 32 0
%c1 = OpConstant %u32 1
%block = OpTypeStruct %v4
%blocks = OpTypeArray %block %c1
%pin = OpTypePointer Input %blocks
%in = OpVariable %pin Input
%pout = OpTypePointer Output %v4
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %out %at
OpEmitVertex
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%k = OpLabel
OpReturn
OpFunctionEnd
`
	for _, c := range []struct{ decoration, entry, want string }{
		{"OpDecorate %in PassthroughNV", "main", "the decoration PassthroughNV (capability GeometryShaderPassthroughNV) is not supported: only NVIDIA"},
		{"OpMemberDecorate %block 0 PassthroughNV", "main", "the decoration PassthroughNV"},
		{"OpDecorate %in PassthroughNV", "other", ""},
		{"OpDecorate %out ViewportRelativeNV", "main", "the decoration ViewportRelativeNV (capability ShaderViewportMaskNV)"},
		{"OpDecorate %out Invariant", "main", ""},
	} {
		_, err := Translate(assemble(t, strings.Replace(text, "DECORATION", c.decoration, 1)), Options{Entry: c.entry, Why: capability.Frontend})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %q", c.decoration, c.entry, err, c.want)
		}
	}
}

// TestKernelHints: what vendors' compilers say of the members of a kernel's structs, for FPGAs, is no matter.
func TestKernelHints(t *testing.T) {
	text := strings.NewReplacer("OpDecorate %id ", "OpMemberDecorate %pair 0 RegisterALTERA\nOpDecorate %id ",
		"%fn = ", "%pair = OpTypeStruct %float %float\n%ppair = OpTypePointer Function %pair\n%fn = ",
		"%i = OpLoad", "%local = OpVariable %ppair Function\n%none = OpLoad %pair %local\n%i = OpLoad").Replace(kernelText)
	if _, err := Translate(assemble(t, text), Options{Why: capability.Frontend}); err != nil {
		t.Error(err)
	}
}

// TestGathersOfALevel: gathers are of the first level, and of no derivatives.
func TestGathersOfALevel(t *testing.T) {
	for operands, want := range map[string]string{
		"":                      "",
		" Bias %c1f":            "OpImageGather with the image operand Bias (capability ImageGatherBiasLodAMD) is not supported: gathers are of the first level",
		" Lod %c1f":             "image operand Lod (capability ImageGatherBiasLodAMD)",
		" Grad %c2f %c2f":       "does not take the image operand Grad",
		" ConstOffset %c2i":     "",
		" Lod|Offset %c1f %c2i": "image operand Lod (capability ImageGatherBiasLodAMD)",
	} {
		text := `OpCapability Shader
OpCapability ImageGatherExtended
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%i32 = OpTypeInt 32 1
%v2 = OpTypeVector %f32 2
%v2i = OpTypeVector %i32 2
%v4 = OpTypeVector %f32 4
%c1f = OpConstant %f32 1
%c1i = OpConstant %i32 1
%c2f = OpConstantComposite %v2 %c1f %c1f
%c2i = OpConstantComposite %v2i %c1i %c1i
%img = OpTypeImage %f32 2D 0 0 0 1 Unknown
%both = OpTypeSampledImage %img
%p = OpTypePointer UniformConstant %both
%t = OpVariable %p UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %both %t
%y = OpImageGather %v4 %x %c2f %c1i` + operands + `
OpReturn
OpFunctionEnd
`
		_, err := Translate(assemble(t, text), Options{Why: capability.Frontend})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", operands, err, want)
		}
	}
}

// TestStagesOfInstructions: instructions that only some stages have are refused in others, and taken in these.
func TestStagesOfInstructions(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Geometry
OpCapability DemoteToHelperInvocation
OpCapability InterpolationFunction
OpCapability FragmentShaderPixelInterlockEXT
OpExtension "SPV_EXT_fragment_shader_interlock"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint MODEL %main "main" %in
MODES
OpDecorate %in Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%pin = OpTypePointer Input %f32
%in = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
BODY
OpFunctionEnd
`
	modes := map[string]string{"Fragment": "OpExecutionMode %main OriginUpperLeft\nOpExecutionMode %main PixelInterlockOrderedEXT", "Vertex": "",
		"Geometry": "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 1"}
	for body, model := range map[string]string{
		"OpKill": "Fragment", "OpTerminateInvocation": "Fragment", "OpDemoteToHelperInvocation\nOpReturn": "Fragment", "%h = OpIsHelperInvocationEXT %bool\nOpReturn": "Fragment",
		"OpBeginInvocationInterlockEXT\nOpEndInvocationInterlockEXT\nOpReturn": "Fragment", "%x = OpExtInst %f32 %glsl InterpolateAtCentroid %in\nOpReturn": "Fragment",
		"OpEmitVertex\nOpEndPrimitive\nOpReturn": "Geometry",
	} {
		for in, mode := range modes {
			m := assemble(t, strings.NewReplacer("MODEL", in, "MODES", mode, "BODY", body).Replace(text))
			_, err := Translate(m, Options{})
			if (err == nil) != (in == model) || err != nil && (!strings.Contains(err.Error(), ruleModels) || !strings.Contains(err.Error(), " in a "+strings.ToLower(in)+" shader")) {
				t.Errorf("%s in a %s shader: %v", body, in, err)
			}
		}
	}
}
