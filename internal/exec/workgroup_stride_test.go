package exec

import (
	"context"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// strided stores 10 to 13 to an array of workgroup memory, whose layout is the
// compiler's, and reads them by steps of a chosen pointer whose type says a stride of 8.
const strided = `OpCapability Shader
OpCapability VariablePointers
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %pshared ArrayStride 8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%bool = OpTypeBool
%pin = OpTypePointer Input %u32
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pu32 = OpTypePointer StorageBuffer %u32
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c4 = OpConstant %u32 4
%c10 = OpConstant %u32 10
%c264 = OpConstant %u32 264
%four = OpTypeArray %u32 %c4
%pfour = OpTypePointer Workgroup %four
%pshared = OpTypePointer Workgroup %u32
%index = OpVariable %pin Input
%out = OpVariable %pblock StorageBuffer
%memory = OpVariable %pfour Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %u32 %index
%mine = OpAccessChain %pshared %memory %i
%v = OpIAdd %u32 %i %c10
OpStore %mine %v
OpControlBarrier %c2 %c2 %c264
%first = OpAccessChain %pshared %memory %c0
%last = OpAccessChain %pshared %memory %c2
%far = OpUGreaterThan %bool %i %c10
%chosen = OpSelect %pshared %far %last %first
%step = OpPtrAccessChain %pshared %chosen %i
%w = OpLoad %u32 %step
%p = OpAccessChain %pu32 %out %c0 %i
OpStore %p %w
OpReturn
OpFunctionEnd
`

// TestWorkgroupStride: ArrayStride does not count for pointers to workgroup memory
// without an explicit layout.
func TestWorkgroupStride(t *testing.T) {
	for _, target := range []string{"ir3", "agx", "midgard"} {
		obj, err := nirc.Compile(context.Background(), []byte(strided), nirc.Options{Target: target, File: "stride.spvasm", Level: passes.O2})
		if err != nil {
			t.Fatal(target, err)
		}
		p, err := Reload(context.Background(), obj)
		if err != nil {
			t.Fatal(target, err)
		}
		got := dispatchWords(t, p, 4, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
		for i, w := range got {
			if w != uint32(10+i) {
				t.Errorf("%s: word %d is %d, want %d", target, i, w, 10+i)
			}
		}
	}
}
