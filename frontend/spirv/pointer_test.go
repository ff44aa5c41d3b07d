package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// sharedText has a variable of workgroup memory and a null pointer to a storage
// buffer; DECORATE is where the type may become a Block.
const sharedText = `
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %wg %buf
OpExecutionMode %main LocalSize 1 1 1
DECORATE
OpMemberDecorate %s 0 Offset 0
OpDecorate %b Block
OpMemberDecorate %b 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%int = OpTypeInt 32 0
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%s = OpTypeStruct %int
%b = OpTypeStruct %int
%ps = OpTypePointer Workgroup %s
%pb = OpTypePointer StorageBuffer %b
%pi = OpTypePointer StorageBuffer %int
%null = OpConstantNull %pi
%wg = OpVariable %ps Workgroup
%buf = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pi %buf %c0
%ne = OpPtrNotEqual %bool %p %null
%v = OpSelect %int %ne %c1 %c0
OpStore %p %v
OpReturn
OpFunctionEnd
`

// TestSharedBlocks: workgroup variables alias when they are Blocks, not already
// when the module declares the capability.
func TestSharedBlocks(t *testing.T) {
	for decoration, want := range map[string]bool{"": false, "OpDecorate %s Block": true} {
		s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", decoration, 1)), Options{panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Info.SharedExplicitLayout != want {
			t.Errorf("with %q the layout of shared memory is explicit: %v", decoration, s.Info.SharedExplicitLayout)
		}
	}
}

// TestNullPointer: a null pointer is no place in any buffer: all its bits are set.
func TestNullPointer(t *testing.T) {
	s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", "", 1)), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsALU(ir.OpIeq) {
				continue
			}
			for c := range 2 {
				if v, ok := in.Srcs[1].Def.Const(c); in.Srcs[1].Def.NumComponents != 2 || !ok || v != 0xffffffff {
					t.Errorf("component %d of the null pointer is %#x", c, v)
				}
			}
			return
		}
	}
	t.Error("the pointers are not compared")
}
