package agx_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx/isa"
	"nirc/ir"
	"nirc/passes"
)

// TestImageStoreComponents stores a product of vectors to images: components that the format has not are neither
// computed nor set.
func TestImageStoreComponents(t *testing.T) {
	const module = `OpCapability Shader
OpCapability StorageImageExtendedFormats
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%index
OpExecutionMode %%main LocalSize 32 1 1
OpDecorate %%index BuiltIn LocalInvocationIndex
OpDecorate %%image DescriptorSet 0
OpDecorate %%image Binding 0
OpDecorate %%image NonReadable
OpDecorate %%array ArrayStride 16
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block BufferBlock
OpDecorate %%buffer DescriptorSet 0
OpDecorate %%buffer Binding 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%v2uint = OpTypeVector %%uint 2
%%v4float = OpTypeVector %%float 4
%%in_uint = OpTypePointer Input %%uint
%%index = OpVariable %%in_uint Input
%%type = OpTypeImage %%float 2D 0 0 0 2 %s
%%image_ptr = OpTypePointer UniformConstant %%type
%%image = OpVariable %%image_ptr UniformConstant
%%array = OpTypeRuntimeArray %%v4float
%%block = OpTypeStruct %%array
%%block_ptr = OpTypePointer Uniform %%block
%%buffer = OpVariable %%block_ptr Uniform
%%vec_ptr = OpTypePointer Uniform %%v4float
%%zero = OpConstant %%uint 0
%%one = OpConstant %%uint 1
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%i = OpLoad %%uint %%index
%%next = OpIAdd %%uint %%i %%one
%%a_ptr = OpAccessChain %%vec_ptr %%buffer %%zero %%i
%%a = OpLoad %%v4float %%a_ptr
%%b_ptr = OpAccessChain %%vec_ptr %%buffer %%zero %%next
%%b = OpLoad %%v4float %%b_ptr
%%product = OpFMul %%v4float %%a %%b
%%at = OpCompositeConstruct %%v2uint %%i %%zero
%%to = OpLoad %%type %%image
OpImageWrite %%to %%at %%product
OpReturn
OpFunctionEnd
`
	for format, n := range map[string]int{"R32f": 1, "Rg16f": 2, "R11fG11fB10f": 3, "Rgba8": 4, "Unknown": 4} {
		text := fmt.Sprintf(module, format)
		if format == "Unknown" {
			text = "OpCapability StorageImageWriteWithoutFormat\n" + text
		}
		m, err := nirc.Load([]byte(text), "store.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		obj, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Entry: "main", Stage: ir.StageCompute, Level: passes.O2})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		products, zeros := 0, 0
		for pc := 0; pc < len(obj.Code); {
			in, size, err := isa.Unpack(obj.Code[pc:])
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, in.Text())
			switch in.Op {
			case isa.OpFmul32:
				products++
			case isa.OpMovImm32:
				zeros++
			}
			pc += size
		}
		if products != n || zeros != 1 { // that of a coordinate
			t.Errorf("%s: %d products and %d constants for %d components:\n%s", format, products, zeros, n, strings.Join(lines, "\n"))
		}
	}
}
