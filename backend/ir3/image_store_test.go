package ir3_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/ir3"
	"nirc/ir"
	"nirc/passes"
)

// TestImageStoreComponents stores a product of vectors to images: components that the format has not are neither
// computed nor stored.
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
		for _, gpu := range []string{"a630", "a740"} {
			obj, err := m.Compile(t.Context(), nirc.Options{Target: "ir3", GPU: gpu, Entry: "main", Stage: ir.StageCompute, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := ir3.Target{}.Disassemble(gpu, obj.Code)
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			for i := range lines {
				code += lines[i].Text + "\n"
			}
			if want := fmt.Sprintf("stib.b.typed.2d.f32.%d.", n); !strings.Contains(code, want) || products(code) != n {
				t.Errorf("%s on %s: %d products, no %s:\n%s", format, gpu, products(code), want, code)
			}
		}
	}
}

// products counts multiplications, repetitions among them.
func products(code string) (n int) {
	for line := range strings.Lines(code) {
		if at := strings.Index(line, "mul.f"); at >= 0 {
			n++
			var rpt int
			if k := strings.Index(line, "(rpt"); k >= 0 {
				fmt.Sscanf(line[k:], "(rpt%d)", &rpt)
			}
			n += rpt
		}
	}
	return n
}
