package spirv_test

import (
	"strings"
	"testing"

	"nirc/ir"
)

// untypedModule is a compute shader with a buffer %buf, an untyped pointer %p to its word 1 and a pointer %q to its word 0.
const untypedModule = `OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability RawAccessChainsNV
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buf %rows
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %arr ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %mats Block
OpMemberDecorate %mats 0 Offset 0
OpMemberDecorate %mats 0 MatrixStride 8
OpMemberDecorate %mats 0 RowMajor
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
OpDecorate %rows DescriptorSet 0
OpDecorate %rows Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%m2 = OpTypeMatrix %v2 2
%loose = OpTypeStruct %u32 %u32
%arr = OpTypeRuntimeArray %u32
%block = OpTypeStruct %arr
%mats = OpTypeStruct %m2
%up = OpTypeUntypedPointerKHR StorageBuffer
%tp = OpTypePointer StorageBuffer %u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%buf = OpUntypedVariableKHR %up StorageBuffer %block
%rows = OpUntypedVariableKHR %up StorageBuffer %mats
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpUntypedAccessChainKHR %up %block %buf %c0 %c1
%q = OpAccessChain %tp %buf %c0 %c0
USE
OpReturn
OpFunctionEnd
`

// What untyped pointers cannot do is said.
func TestUntypedRefused(t *testing.T) {
	for use, want := range map[string]string{
		"%x = OpLoad %loose %p": "Offset",
		"%c = OpUntypedAccessChainKHR %up %mats %rows %c0 %c1\n%x = OpLoad %v2 %c\n%y = OpLoad %u32 %c": "no place in memory of its own",
		"%r = OpRawAccessChainNV %tp %buf %c1 %c0 %c0 RobustnessPerElementNV":                           "RobustnessPerElementNV is not supported",
		"OpCopyMemory %p %buf":         "neither pointer says how much",
		"OpCopyMemorySized %p %buf %q": "a size that is not a constant",
		"%d = OpPtrDiff %u32 %p %p":    "",
	} {
		_, err := translate(t, strings.Replace(untypedModule, "USE", use, 1))
		switch {
		case err == nil && want != "":
			t.Errorf("%s is translated", use)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", use, err, want)
		}
	}
}

// fragmentModule reads a sample of a multisampled image.
const fragmentModule = `OpCapability Shader
OpCapability FragmentMaskAMD
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v4 = OpTypeVector %f32 4
%v2u = OpTypeVector %u32 2
%image = OpTypeImage %f32 2D 0 0 1 1 Unknown
%pi = OpTypePointer UniformConstant %image
%po = OpTypePointer Output %v4
%img = OpVariable %pi UniformConstant
%out = OpVariable %po Output
%c3 = OpConstant %u32 3
%mask = OpConstant %u32 0x76543210
%at = OpConstantComposite %v2u %c3 %c3
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %image %img
MASK
%n = OpBitwiseAnd %u32 %m %c3
%x = FETCH
OpStore %out %x
OpReturn
OpFunctionEnd
`

// A fragment is a sample, and the mask says so.
func TestFragmentMask(t *testing.T) {
	text := func(mask, fetch string) string {
		s, err := translate(t, strings.NewReplacer("MASK", mask, "FETCH", fetch).Replace(fragmentModule))
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		return ir.Print(s)
	}
	got := text("%m = OpFragmentMaskFetchAMD %u32 %i %at", "OpFragmentFetchAMD %v4 %i %at %n")
	if want := text("%m = OpCopyObject %u32 %mask", "OpImageFetch %v4 %i %at Sample %n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestCopySizedOperands: one set of memory operands is of both pointers, of two the first is of what is written.
func TestCopySizedOperands(t *testing.T) {
	for operands, want := range map[string][2]bool{"": {}, "Aligned 4": {}, "Volatile": {true, true}, "Volatile|Aligned 4": {true, true},
		"Volatile|Aligned 4 Aligned 4": {false, true}, "Aligned 4 Volatile|Aligned 4": {true, false}} {
		s, err := translate(t, strings.Replace(untypedModule, "USE", "OpCopyMemorySized %p %q %c1 "+operands, 1))
		if err != nil {
			t.Errorf("%s: %v", operands, err)
			continue
		}
		var got [2]bool
		for line := range strings.Lines(ir.Print(s)) {
			for i, op := range []string{" load_deref ", "store_deref "} {
				got[i] = got[i] || strings.Contains(line, op) && strings.Contains(line, "volatile")
			}
		}
		if got != want {
			t.Errorf("%q: the load and the store are volatile: %v, want %v\n%s", operands, got, want, ir.Print(s))
		}
	}
}

const taskModule = `OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %main "main" %pay
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%c2 = OpConstant %uint 2
%s = OpTypeStruct %uint
%pp = OpTypePointer TaskPayloadWorkgroupEXT %s
%pay = OpVariable %pp TaskPayloadWorkgroupEXT
%pw = OpTypePointer Workgroup %s
%shared = OpVariable %pw Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
OpEmitMeshTasksEXT %c2 %c2 %c2PAYLOAD
OpFunctionEnd
`

// TestTaskPayloads: a task shader hands on its payload, or none, and nothing else.
func TestTaskPayloads(t *testing.T) {
	for payload, want := range map[string]string{"": "launch_mesh_workgroups ", " %pay": "launch_mesh_workgroups_with_payload_deref "} {
		s, err := translate(t, strings.Replace(taskModule, "PAYLOAD", payload, 1))
		if err != nil || !strings.Contains(ir.Print(s), want) {
			t.Errorf("%q: %v, want %s", payload, err, want)
		}
	}
	if _, err := translate(t, strings.Replace(taskModule, "PAYLOAD", " %shared", 1)); err == nil || !strings.Contains(err.Error(), "the payload is in") {
		t.Errorf("a payload in workgroup memory: %v", err)
	}
}
