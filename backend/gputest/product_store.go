package gputest

import "fmt"

// ProductStore is a module, as assembly, that stores a product of vectors to an image of a format with so many components.
type ProductStore struct {
	Format string
	Comps  int
	Text   string
}

// ProductStores lists modules by format.
func ProductStores() []ProductStore {
	list := []ProductStore{{Format: "R32f", Comps: 1}, {Format: "Rg16f", Comps: 2}, {Format: "R11fG11fB10f", Comps: 3}, {Format: "Rgba8", Comps: 4}, {Format: "Unknown", Comps: 4}}
	for i := range list {
		m := &list[i]
		m.Text = fmt.Sprintf(productStore, m.Format)
		if m.Format == "Unknown" {
			m.Text = "OpCapability StorageImageWriteWithoutFormat\n" + m.Text
		}
	}
	return list
}

const productStore = `OpCapability Shader
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
