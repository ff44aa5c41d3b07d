package spirv

import (
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// operandHead declares what the rows of TestOperands use.
const operandHead = `OpCapability Shader
OpCapability Float64
OpCapability Float16
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Int64Atomics
OpCapability DotProduct
OpCapability DotProductInputAll
OpCapability VariablePointers
OpCapability GroupNonUniform
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformClustered
OpCapability ImageQuery
OpCapability StorageImageReadWithoutFormat
OpCapability StorageImageWriteWithoutFormat
OpCapability SparseResidency
OpCapability PhysicalStorageBufferAddresses
%glsl = OpExtInstImport "GLSL.std.450"
%other = OpExtInstImport "Some.set"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 2 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 RowMajor
OpMemberDecorate %block 0 MatrixStride 16
OpMemberDecorate %block 1 Offset 64
OpMemberDecorate %block 2 Offset 72
OpMemberDecorate %block 3 Offset 80
OpMemberDecorate %block 4 Offset 96
OpDecorate %rta ArrayStride 4
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
OpDecorate %ubuf DescriptorSet 0
OpDecorate %ubuf Binding 1
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 2
OpDecorate %st DescriptorSet 0
OpDecorate %st Binding 3
OpDecorate %ms DescriptorSet 0
OpDecorate %ms Binding 4
OpDecorate %smp DescriptorSet 0
OpDecorate %smp Binding 5
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%b2 = OpTypeVector %bool 2
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%byte = OpTypeInt 8 0
%short = OpTypeInt 16 0
%long = OpTypeInt 64 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%double = OpTypeFloat 64
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%u2 = OpTypeVector %uint 2
%u4 = OpTypeVector %uint 4
%h4 = OpTypeVector %half 4
%d2 = OpTypeVector %double 2
%m2 = OpTypeMatrix %v2 2
%m23 = OpTypeMatrix %v3 2
%m4 = OpTypeMatrix %v4 4
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%c6 = OpConstant %uint 6
%c9 = OpConstant %uint 9
%c64 = OpConstant %uint 64
%c4096 = OpConstant %uint 4168
%b0 = OpConstant %byte 0
%s0 = OpConstant %short 0
%l0 = OpConstant %long 0
%huge = OpConstant %long 0x8000000000000000
%f0 = OpConstant %float 0
%h0 = OpConstant %half 0
%d0 = OpConstant %double 0
%fv2 = OpConstantComposite %v2 %f0 %f0
%fv3 = OpConstantComposite %v3 %f0 %f0 %f0
%fv4 = OpConstantComposite %v4 %f0 %f0 %f0 %f0
%dv2 = OpConstantComposite %d2 %d0 %d0
%hv4 = OpConstantComposite %h4 %h0 %h0 %h0 %h0
%uv2 = OpConstantComposite %u2 %c0 %c1
%uv4 = OpConstantComposite %u4 %c0 %c0 %c0 %c0
%mm2 = OpConstantComposite %m2 %fv2 %fv2
%mm23 = OpConstantComposite %m23 %fv3 %fv3
%mm4 = OpConstantComposite %m4 %fv4 %fv4 %fv4 %fv4
%bb2 = OpConstantComposite %b2 %true %true
%pair = OpTypeStruct %uint %float
%mod = OpTypeStruct %float %float
%arr = OpTypeArray %uint %c4
%rta = OpTypeRuntimeArray %uint
%block = OpTypeStruct %m4 %long %uint %v4 %rta
%psb = OpTypePointer StorageBuffer %block
%pub = OpTypePointer Uniform %block
%ubs = OpTypeStruct %uint
%buf = OpVariable %psb StorageBuffer
%pu = OpTypePointer Private %uint
%pf = OpTypePointer Private %float
%pb = OpTypePointer Private %byte
%pv4 = OpTypePointer Private %v4
%psu = OpTypePointer StorageBuffer %uint
%psl = OpTypePointer StorageBuffer %long
%psv4 = OpTypePointer StorageBuffer %v4
%psf = OpTypePointer StorageBuffer %float
%psm = OpTypePointer StorageBuffer %m4
%psr = OpTypePointer StorageBuffer %rta
%pwu = OpTypePointer Workgroup %uint
%x = OpVariable %pu Private
%xf = OpVariable %pf Private
%xb = OpVariable %pb Private
%xv = OpVariable %pv4 Private
%w = OpVariable %pwu Workgroup
%im = OpTypeImage %float 2D 0 0 0 1 Unknown
%sim = OpTypeSampledImage %im
%tim = OpTypeImage %uint 2D 0 0 0 2 R32ui
%bim = OpTypeImage %float 2D 0 0 0 2 Rgba8
%mim = OpTypeImage %float 2D 0 0 1 1 Unknown
%msi = OpTypeSampledImage %mim
%sampler = OpTypeSampler
%ptim = OpTypePointer UniformConstant %sim
%pst = OpTypePointer UniformConstant %tim
%pms = OpTypePointer UniformConstant %msi
%psmp = OpTypePointer UniformConstant %sampler
%pbim = OpTypePointer UniformConstant %bim
%pix = OpTypePointer Image %uint
%pixf = OpTypePointer Image %v4
%t = OpVariable %ptim UniformConstant
%st = OpVariable %pst UniformConstant
%ms = OpVariable %pms UniformConstant
%smp = OpVariable %psmp UniformConstant
%ubuf = OpVariable %pbim UniformConstant
%sparse = OpTypeStruct %uint %v4
%thin = OpTypeStruct %uint
%fu = OpTypeFunction %void %uint
%fpw = OpTypeFunction %void %pwu
%fr = OpTypeFunction %uint
%main = OpFunction %void None %fn
%e = OpLabel
%u = OpLoad %uint %x
%f = OpLoad %float %xf
%lt = OpULessThan %bool %u %c4
`

// TestOperands: operands that an instruction cannot have are refused with what is wrong, and what is unusual becomes what it
// should: a row that wants "ir:" and a text has IR with that.
func TestOperands(t *testing.T) {
	const end = "OpReturn\nOpFunctionEnd\n"
	for _, c := range []struct{ body, want, decl, dec, head, mode string }{
		// pointers
		{body: "%p = OpAccessChain %psv4 %buf %c0 %c1\n%q = OpPtrEqual %bool %p %p", want: "row-major matrix cannot be a value"},
		{body: "%p = OpAccessChain %psu %buf %c2\n%q = OpPtrEqual %bool %p %w", want: "the pointers are of different storage"},
		{body: "%n = OpArrayLength %uint %buf 2", want: "is not of the last member"},
		{body: "%n = OpArrayLength %uint %buf 4", want: "ir:deref_buffer_array_length"},
		{body: "%p = OpAccessChain %psu %buf %c4 %c1\n%q = OpInBoundsPtrAccessChain %psu %p %u\nOpStore %q %c1", want: "ir:deref_ptr"},
		{body: "%q = OpConvertPtrToU %long %x", want: "pointer that is not physical"},
		// arithmetic
		{body: "%r = OpQuantizeToF16 %half %h0", want: "operand 0 is of type"},
		{body: "%y = OpUConvert %long %u\n%r = OpIMul32x16INTEL %uint %u %y", want: "operand 2 has 64 bits, not 16 or 32"},
		{body: "%y = OpUConvert %long %u\n%r = OpUMul32x16INTEL %long %y %u", want: "not an integer of the wanted shape"},
		{body: "%y = OpUConvert %long %u\n%r = OpUAddSatINTEL %uint %u %y", want: "not an integer of the wanted shape"},
		{body: "%r = OpIsInf %bool %d0", want: "ir:0x7ff0000000000000"},
		{body: "%r = OpUDot %float %uv2 %uv2", want: "the result type is not an integer"},
		{body: "%r = OpUDot %short %uv2 %uv2", want: "narrower"},
		{body: "%a = OpLoad %uint %x\n%r = OpUDot %short %a %a PackedVectorFormat4x8Bit\n%z = OpUConvert %uint %r\nOpStore %x %z", want: "ir:unpack_32_4x8"},
		{body: "%r = OpMatrixTimesMatrix %m2 %mm23 %mm23", want: "the matrices do not fit"},
		{body: "%r = OpFConvert %float %f\nOpStore %xf %r", want: "ir:mov"},
		{body: "%r = OpFConvert %half %h0", want: "ir:0x0"},
		{body: "%r = OpConvertFToU %uint %true", want: "the types do not fit the conversion"},
		{body: "%r = OpUConvert %bool %u", want: "the types do not fit the conversion"},
		{body: "%r = OpBitcast %long %hv4", want: "ir:pack_64_4x16"},
		{body: "%r = OpBitcast %h4 %l0", want: "ir:unpack_64_4x16"},
		{body: "%r = OpBitcast %u2 %u", want: "differ in size"},
		{body: "%r = OpDPdx %double %d0", want: "64-bit floats is not supported"},
		{body: "%r = OpDPdx %float %f\nOpStore %xf %r", want: "ir:load_const 0x0"},
		// atomics and barriers
		{body: "%r = OpAtomicIAdd %byte %xb %c1 %c0 %b0", want: "is not supported"},
		{body: "%p = OpAccessChain %psl %buf %c1\n%r = OpAtomicIAdd %long %p %c1 %c0 %c1", want: "does not have the type of the memory"},
		{body: "OpMemoryBarrier %c5 %c4096", want: "ir:queue_family"},
		{body: "OpMemoryBarrier %c6 %c4096", want: "ir:shader_call"},
		{body: "OpMemoryBarrier %c9 %c64", want: "is not known"},
		{body: "OpMemoryBarrier %c1 %c4096", want: "ir:shader_out"},
		// calls
		{body: "%r = OpFunctionCall %void %x", want: "the callee is not a function"},
		{body: "%r = OpFunctionCall %void %g %f\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fu\n%a = OpFunctionParameter %uint\n%ge = OpLabel", want: "argument 0 has type"},
		{body: "%r = OpFunctionCall %void %g %u %u\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fu\n%a = OpFunctionParameter %uint\n%ge = OpLabel", want: "the call has 2 arguments, the function has 1"},
		{body: "%r = OpFunctionCall %void %g %x\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fpw\n%a = OpFunctionParameter %pwu\n%ge = OpLabel", want: "argument 0 has type"},
		{body: "%r = OpFunctionCall %uint %g\nOpReturn\nOpFunctionEnd\n%g = OpFunction %uint None %fr\n%ge = OpLabel\nOpReturnValue %f0\nOpFunctionEnd\n%k = OpFunction %void None %fn\n%ke = OpLabel", want: "not of its result type"},
		{body: "%r = OpFunctionCall %void %g %u\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fu\n%ge = OpLabel", want: "the function has 0 parameters, its type has 1"},
		{body: "%r = OpFunctionCall %void %g\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fn\nOpFunctionEnd\n%k = OpFunction %void None %fn\n%ke = OpLabel", want: "the function has no body"},
		// composites
		{body: "%l = OpLoad %v4 %xv\n%r = OpVectorInsertDynamic %v4 %l %f %u\nOpStore %xv %r", want: "ir:bcsel"},
		{body: "%l = OpLoad %v4 %xv\n%r = OpVectorInsertDynamic %v4 %l %d0 %u", want: "the component does not fit"},
		{body: "%r = OpCompositeConstruct %v2 %f %f %f", want: "the parts do not fit the vector"},
		{body: "%r = OpCompositeConstruct %v2 %fv4", want: "the parts do not fit the vector"},
		{body: "%r = OpCompositeConstruct %arr %c0 %c0 %c0 %c0 %c0", want: "too many parts"},
		{body: "%r = OpCompositeConstruct %uint %c0", want: "is not a composite"},
		{body: "%r = OpCompositeExtract %float %fv2 0 0", want: "too many indices"},
		{body: "%r = OpCompositeExtract %float %fv2 2", want: "the index 2 is out of range"},
		{body: "%r = OpCompositeExtract %v2 %mm2 2", want: "the index 2 is out of range"},
		{body: "%r = OpCompositeInsert %v2 %f %fv4 0", want: "the composite's type is not the result type"},
		{body: "%r = OpCompositeInsert %v4 %c0 %fv4 0", want: "the object's type is"},
		{body: "%r = OpVectorShuffle %v4 %fv2 %dv2 0 1 2 3", want: "do not make a vector"},
		{body: "%l = OpLoad %v4 %xv\n%k = OpVectorShuffle %v3 %l %fv4 0 4 0xffffffff\n%z = OpCompositeExtract %float %k 2\nOpStore %xf %z", want: "ir:undef"},
		{body: "%r = OpCopyObject %v2 %fv4", want: "differ"},
		{body: "%r = OpSelect %v4 %bb2 %fv4 %fv4", want: "the condition does not fit"},
		{body: "%p = OpCompositeConstruct %pair %u %f\n%r = OpCompositeExtract %float %p 1\nOpStore %xf %r", want: "ir:store_deref"},
		// GLSL.std.450
		{body: "%r = OpExtInst %float %other 1 %f", want: `the extended instruction set "Some.set" is not supported`},
		{body: "%r = OpExtInst %long %glsl FindILsb %l0", want: "FindILsb of 64 bits is not supported"},
		{body: "%r = OpExtInst %float %glsl Normalize %f\nOpStore %xf %r", want: "ir:fsign"},
		{body: "%r = OpExtInst %float %glsl Determinant %mm23", want: "a square matrix is wanted"},
		{body: "%r = OpExtInst %v2 %glsl Refract %fv2 %fv2 %s0", want: "the ratio of indices is not a float"},
		{body: "%r = OpExtInst %uint %glsl PackHalf2x16 %fv4", want: "the operand has the wrong shape"},
		{body: "%r = OpExtInst %uint %glsl PackHalf2x16 %dv2", want: "the operand has the wrong shape"},
		{body: "%r = OpExtInst %v2 %glsl Modf %fv2 %xf", want: "does not fit the pointer's type"},
		{body: "%r = OpExtInst %v2 %glsl ModfStruct %fv2", want: "is not a struct of two members"},
		{body: "%r = OpExtInst %float %glsl Tanh %f\nOpStore %xf %r", want: "ir:0x41200000"},
		{body: "%r = OpExtInst %float %glsl InterpolateAtCentroid %xf", want: "is not of a float input"},
		// images
		{body: "%i = OpLoad %sim %t\n%r = OpImage %sim %i", want: "the result type is not an image"},
		{body: "%i = OpLoad %sim %t\n%j = OpImage %im %i\n%s = OpLoad %sampler %smp\n%r = OpSampledImage %im %j %s", want: "the result type is not a sampled image"},
		{body: "%r = OpImageFetch %v4 %u %uv2", want: "is not a loaded image or sampler"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageRead %u4 %i %fv2", want: "not an integer"},
		{body: "%i = OpLoad %tim %st\nOpImageWrite %i %uv2 %bb2", want: "OpImageWrite of booleans"},
		{body: "%p = OpImageTexelPointer %pix %x %uv2 %c0", want: "is not of a storage image"},
		{body: "%p = OpImageTexelPointer %pixf %st %uv2 %c0\n%r = OpAtomicIAdd %uint %p %c1 %c0 %c1", want: "the texel is not a scalar"},
		{body: "%p = OpImageTexelPointer %pix %ubuf %uv2 %c0\n%r = OpAtomicIAdd %uint %p %c1 %c0 %c1", want: "on an image of format"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageSparseSampleExplicitLod %v4 %i %fv2 Lod %f0", want: "is not a struct of code and texel"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageSparseSampleExplicitLod %thin %i %fv2 Lod %f0", want: "is not a struct of code and texel"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageSampleExplicitLod %u4 %i %fv2 Lod %f0", want: "from an image of"},
		{body: "%i = OpLoad %sim %t\n%j = OpImage %im %i\n%r = OpImageFetch %u4 %j %uv2 Lod %c0", want: "from an image of"},
		{body: "%i = OpLoad %msi %ms\n%r = OpImageSampleExplicitLod %v4 %i %fv2 Lod %f0", want: "is not allowed on a multisampled image"},
		{body: "%i = OpLoad %sim %t\n%j = OpImage %im %i\n%r = OpImageQuerySizeLod %v2 %j %c0", want: "the result is not an integer"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageQuerySize %u2 %i\n%z = OpCompositeExtract %uint %r 0\nOpStore %x %z", want: "ir:image_deref_size"},
		// subgroups
		{body: "%r = OpGroupNonUniformBroadcast %uint %c3 %f %c0", want: "the value does not have the result type"},
		{body: "%r = OpGroupNonUniformIAdd %uint %c3 ClusteredReduce %u %c3", want: "the cluster size is not a power of two"},
		{body: "%r = OpGroupNonUniformQuadSwap %uint %c3 %u %c3", want: "the direction 3 is not known"},
		{body: "%r = OpGroupNonUniformBallotBitCount %uint %c3 ClusteredReduce %uv4", want: "is not supported"},
		// memory
		{body: "%l = OpLoad %uint %x Aligned 3", want: "the alignment 3 is not a power of two"},
		{body: "OpCopyMemory %x %xf", want: "differ"},
		{body: "%p = OpAccessChain %psr %buf %c4\n%r = OpLoad %rta %p", want: "there are no values of type run-time array"},
		// declarations
		{body: "%l = OpUndef %f8", want: "the float encoding", decl: "%f8 = OpTypeFloat 32 BFloat16KHR\n", head: "OpCapability BFloat16TypeKHR\nOpExtension \"SPV_KHR_bfloat16\"\n"},
		{body: "%l = OpLoad %uint %fv", want: "declared forward with storage class", decl: "OpTypeForwardPointer %fp PhysicalStorageBuffer\n%fp = OpTypePointer Private %uint\n%fv = OpVariable %fp Private\n"},
		{body: "%l = OpLoad %uint %x", want: "a forward pointer is not a pointer declared later", decl: "OpTypeForwardPointer %uint PhysicalStorageBuffer\n"},
		{body: "%l = OpLoad %uint %sv", want: "a forward pointer is not a pointer declared later", decl: "%soon = OpTypePointer Private %uint\nOpTypeForwardPointer %soon PhysicalStorageBuffer\n%sv = OpVariable %soon Private\n"},
		{body: "%l = OpUndef %big", want: "vectors of 2000 components are not supported, there are up to 1024", decl: "%c2000 = OpConstant %uint 2000\n%big = OpTypeVectorIdEXT %float %c2000\n", head: "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"\n"},
		{body: "%l = OpUndef %lv6\n%lm = OpOuterProduct %float %l %l", want: "OpOuterProduct of vectors of more than four components is not supported", decl: "%lc6 = OpConstant %uint 6\n%lv6 = OpTypeVectorIdEXT %float %lc6\n", head: "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"\n"},
		{body: "%l = OpUndef %lv6\n%ln = OpUndef %lv7\n%lm = OpFAdd %lv6 %l %ln", want: "operand 1 has 7 components, the result 6", decl: "%lc6 = OpConstant %uint 6\n%lc7 = OpConstant %uint 7\n%lv6 = OpTypeVectorIdEXT %float %lc6\n%lv7 = OpTypeVectorIdEXT %float %lc7\n", head: "OpCapability LongVectorEXT\nOpExtension \"SPV_EXT_long_vector\"\n"},
		{body: "%l = OpLoad %ti %vti", want: "a tile image in storage class UniformConstant", decl: "%ti = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown\n%pti = OpTypePointer UniformConstant %ti\n%vti = OpVariable %pti UniformConstant\n", head: "OpCapability TileImageColorReadAccessEXT\n"},
		{body: "%l = OpLoad %ti %vti", want: "multisampled images of dimension 3D do not exist", decl: "%ti = OpTypeImage %float 3D 0 0 1 1 Unknown\n%pti = OpTypePointer UniformConstant %ti\n%vti = OpVariable %pti UniformConstant\n"},
		{body: "%l = OpLoad %uint %vb", want: "is no Block", decl: "%vb = OpVariable %psu StorageBuffer\n", dec: "OpDecorate %vb DescriptorSet 0\nOpDecorate %vb Binding 7\n"},
		{body: "%l = OpLoad %uint %vi", want: "the initialiser's type", decl: "%vi = OpVariable %pu Private %l0\n"},
		{body: "%l = OpLoad %uint %vg Aligned 4", want: "a variable cannot be in storage class PhysicalStorageBuffer", decl: "%pg = OpTypePointer PhysicalStorageBuffer %uint\n%vg = OpVariable %pg PhysicalStorageBuffer\n"},
		{body: "%l = OpLoad %uint %vk", want: "the storage class CodeSectionINTEL (capabilities", decl: "%pk = OpTypePointer CodeSectionINTEL %uint\n%vk = OpVariable %pk CodeSectionINTEL\n"},
		{body: "%l = OpUntypedAccessChainKHR %up %block %buf %c2", want: "untyped pointers to storage class Private", decl: "%up = OpTypeUntypedPointerKHR Private\n", head: "OpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\n"},
		{body: "%p = OpAccessChain %psu %buf %c2\n%l = OpLoad %uint %p\nOpStore %x %l", want: "ir:non_writeable", dec: "OpDecorate %grp NonWritable\n%grp = OpDecorationGroup\nOpGroupMemberDecorate %grp %block 2\n"},
		{body: "%r = OpFunctionCall %big %g\nOpReturn\nOpFunctionEnd\n%g = OpFunction %big None %fbig\n%ge = OpLabel\n%z = OpLoad %big %vbig\nOpReturnValue %z\nOpFunctionEnd\n%k = OpFunction %void None %fn\n%ke = OpLabel", want: "the function's result is too large", decl: "%c300 = OpConstant %uint 17000\n%big = OpTypeArray %uint %c300\n%fbig = OpTypeFunction %big\n%pbig = OpTypePointer Private %big\n%vbig = OpVariable %pbig Private\n"},
		{body: "%z = OpLoad %big %vbig\n%r = OpFunctionCall %void %g %z\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fbig\n%a = OpFunctionParameter %big\n%ge = OpLabel", want: "the function's parameters are too large", decl: "%c300 = OpConstant %uint 17000\n%big = OpTypeArray %uint %c300\n%fbig = OpTypeFunction %void %big\n%pbig = OpTypePointer Private %big\n%vbig = OpVariable %pbig Private\n"},
		// execution modes
		{body: "%r = OpFAdd %float %f %f\nOpStore %xf %r", want: "ir:fadd!", mode: "OpExecutionMode %main ContractionOff\n"},
		{body: "", want: "the execution mode SubgroupSize 64 is not supported: the size of a subgroup is known at run time only", mode: "OpExecutionMode %main SubgroupSize 64\n", head: "OpCapability SubgroupDispatch\n"},
		{body: "", want: "an execution mode for floats of 8 bits", mode: "OpExecutionMode %main DenormPreserve 8\n", head: "OpCapability DenormPreserve\n"},
		{body: "", want: "is given for a type that is no float", mode: "OpExecutionModeId %main FPFastMathDefault %uint %c0\n", head: "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"\n"},
		// more of images
		{body: "%i = OpLoad %tim %st\n%r = OpImageRead %u4 %i %uv2 SignExtend\n%z = OpCompositeExtract %uint %r 0\nOpStore %x %z", want: "ir:dest_type=i32"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageFetch %u4 %i %uv2", want: "is not of a sampled image"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageSampleExplicitLod %v4 %i %fv2 Lod|ConstOffset %f0 %c3", want: "an operand has 1 components, the image has 2 coordinates"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageSampleExplicitLod %v4 %i %fv2 ConstOffset %uv2", want: "has neither Lod nor Grad"},
		{body: "%i = OpLoad %sim %t\n%r = OpImageGather %v4 %i %fv2 %c0 ConstOffsets %uv4", want: "ConstOffsets are not four offsets of a gather"},
		{body: "%i = OpLoad %sim %t\n%r = OpSelect %sim %lt %i %i", want: "of images or samplers is not supported"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageQueryLevels %uint %i\nOpStore %x %r", want: "ir:image_deref_levels"},
		// more of values
		{body: "%r = OpAtomicIAdd %uint %w %c1 %c0 %uv2", want: "a scalar is wanted here"},
		{body: "%p = OpCompositeConstruct %pair %u %f\n%r = OpBitcast %uint %p", want: "is not allowed"},
		{body: "%r = OpBitcast %uint %true", want: "is not allowed"},
		{body: "%r = OpIAddCarry %ul %u %u", want: "a part has", decl: "%ul = OpTypeStruct %uint %long\n"},
		{body: "%r = OpIAddCarry %uint %u %u", want: "parts"},
		{body: "%r = OpAccessChain %uint %buf %c2", want: "is not a pointer type"},
		{body: "%q = OpConvertUToPtr %pp %l0\n%r = OpBitcast %u4 %q", want: "differ in size", decl: "%pp = OpTypePointer PhysicalStorageBuffer %uint\n"},
		{body: "%r = OpExtInst %uint %glsl IMix %u %u %u", want: "GLSL.std.450 instruction IMix is not supported"},
		{body: "%r = OpExtInst %v2 %glsl Refract %fv2 %fv2 %h0\n%z = OpCompositeExtract %float %r 0\nOpStore %xf %z", want: "ir:f2f32"},
		{body: "%r = OpExtInst %double %glsl Tanh %d0\n%z = OpFConvert %float %r\nOpStore %xf %z", want: "ir:0x4036000000000000"},
		{body: "%r = OpExtInst %double %glsl Atan2 %d0 %d0\n%z = OpFConvert %float %r\nOpStore %xf %z", want: "ir:0x7e37e43c8800759c"},
		{body: "%r = OpExtInst %float %glsl Frexp %f %xs\n%z = OpLoad %short %xs\n%y = OpUConvert %uint %z\nOpStore %x %y", want: "ir:i2i16", decl: "%pss = OpTypePointer Private %short\n%xs = OpVariable %pss Private\n"},
		{body: "%r = OpAtomicIAdd %uint %w %c1 %cvol %c1", want: "ir:volatile", decl: "%cvol = OpConstant %uint 33032\n", head: "OpCapability VulkanMemoryModel\n"},
		{body: "%r = OpAtomicFlagTestAndSet %bool %w %c1 %c0\n%s = OpSelect %uint %r %c0 %c1\nOpStore %x %s", want: "ir:atomic_op=cmpxchg", head: "OpCapability Kernel\n"},
		{body: "OpAtomicFlagClear %w %c1 %c0", want: "ir:store_deref", head: "OpCapability Kernel\n"},
		{body: "%r = OpSignBitSet %bool %f\n%s = OpSelect %uint %r %c0 %c1\nOpStore %x %s", want: "ir:ilt", head: "OpCapability Kernel\n"},
		{body: "%r = OpGroupNonUniformPartitionNV %u2 %u", want: "is not a vector of four 32-bit integers", head: "OpCapability GroupNonUniformPartitionedNV\n"},
		// acceleration structures
		{body: "%a = OpConvertUToAccelerationStructureKHR %as %uv2\nOpRayQueryInitializeKHR %query %a %c0 %c0 %fv3 %f0 %fv3 %f0", want: "ir:pack_64_2x32", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "%a = OpConvertUToAccelerationStructureKHR %as %l0\nOpRayQueryInitializeKHR %query %a %c0 %c0 %fv3 %f0 %fv3 %f0", want: "ir:rq_initialize", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "%a = OpConvertUToAccelerationStructureKHR %as %f0", want: "is not allowed", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "%a = OpConvertUToAccelerationStructureKHR %as %c0", want: "of 1 x 32 bits is not allowed", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "%a = OpConvertUToAccelerationStructureKHR %long %l0", want: "the result type is", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "OpRayQueryInitializeKHR %query %c0 %c0 %c0 %fv3 %f0 %fv3 %f0", want: "not an acceleration structure", decl: "%as = OpTypeAccelerationStructureKHR\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%query = OpVariable %prq Private\n", head: "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"},
		{body: "%r = OpCompositeConstructReplicateEXT %uint %c0", want: "composite", head: "OpCapability ReplicatedCompositesEXT\nOpExtension \"SPV_EXT_replicated_composites\"\n"},
		// clocks, pointers, components
		{body: "%r = OpReadClockKHR %long %c3\n%z = OpUConvert %uint %r\nOpStore %x %z", want: "ir:pack_64_2x32", head: "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n"},
		{body: "%r = OpReadClockKHR %u2 %c3\n%z = OpCompositeExtract %uint %r 1\nOpStore %x %z", want: "ir:shader_clock memory_scope=subgroup", head: "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n"},
		{body: "%p = OpAccessChain %psu %buf %c2\n%q = OpPtrNotEqual %bool %p %p\n%s = OpSelect %uint %q %c0 %c1\nOpStore %x %s", want: "ir:inot"},
		{body: "%r = OpVectorTimesScalar %v2 %fv2 %fv3", want: "the operands have different component counts"},
		// debugPrintfEXT
		{body: "%r = OpExtInst %void %dp 1 %fmt %lt", want: "ir:b2i32", head: "OpExtension \"SPV_KHR_non_semantic_info\"\n%dp = OpExtInstImport \"NonSemantic.DebugPrintf\"\n", mode: "%fmt = OpString \"%u\"\n"},
		{body: "%r = OpExtInst %void %dp 2 %fmt %lt", want: "instruction 2 of NonSemantic.DebugPrintf is not supported", head: "OpExtension \"SPV_KHR_non_semantic_info\"\n%dp = OpExtInstImport \"NonSemantic.DebugPrintf\"\n", mode: "%fmt = OpString \"%u\"\n"},
		{body: "%r = OpExtInst %void %dp 1 %fmt %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4 %uv4", want: "the most are", head: "OpExtension \"SPV_KHR_non_semantic_info\"\n%dp = OpExtInstImport \"NonSemantic.DebugPrintf\"\n", mode: "%fmt = OpString \"%u\"\n"},
		// counters, texels, values of other lanes, pointers
		{body: "%n = OpArrayLength %uint %lb 0", want: "has no ArrayStride", decl: "%lr = OpTypeRuntimeArray %uint\n%lbt = OpTypeStruct %lr\n%plb = OpTypePointer StorageBuffer %lbt\n%lb = OpVariable %plb StorageBuffer\n", dec: "OpDecorate %lbt Block\nOpMemberDecorate %lbt 0 Offset 0\nOpDecorate %lb DescriptorSet 0\nOpDecorate %lb Binding 9\n"},
		{body: "%p = OpAccessChain %pub4 %ub %c3\n%r = OpAtomicIAdd %uint %p %c1 %c0 %c1", want: "is not allowed", decl: "%pub4 = OpTypePointer Uniform %uint\n%ubt = OpTypeStruct %uint %uint %uint %uint\n%pubt = OpTypePointer Uniform %ubt\n%ub = OpVariable %pubt Uniform\n", dec: "OpDecorate %ubt Block\nOpMemberDecorate %ubt 0 Offset 0\nOpMemberDecorate %ubt 1 Offset 4\nOpMemberDecorate %ubt 2 Offset 8\nOpMemberDecorate %ubt 3 Offset 12\nOpDecorate %ub DescriptorSet 0\nOpDecorate %ub Binding 9\n"},
		{body: "%r = OpAtomicLoad %uint %uw %c1 %c0\nOpAtomicStore %uw %c1 %c0 %r", want: "ir:access=coherent", decl: "%uw = OpVariable %pwu Workgroup\n"},
		{body: "%r = OpAtomicIAdd %uint %ac %c1 %c0 %c1\nOpAtomicStore %ac %c1 %c0 %r", want: "ir:counter_atomic", decl: "%pac = OpTypePointer AtomicCounter %uint\n%ac = OpVariable %pac AtomicCounter\n", dec: "OpDecorate %ac Binding 3\nOpDecorate %ac Offset 8\n", head: "OpCapability AtomicStorage\n"},
		{body: "%p = OpAccessChain %pac %ac %u %u\n%r = OpAtomicLoad %uint %p %c1 %c0\nOpStore %x %r", want: "ir:load_const 0x4 // 4\n      %11:32 = ishl %4, %10", decl: "%ac4 = OpTypeArray %arr %c2\n%pac4 = OpTypePointer AtomicCounter %ac4\n%pac = OpTypePointer AtomicCounter %uint\n%ac = OpVariable %pac4 AtomicCounter\n", dec: "OpDecorate %ac Binding 3\nOpDecorate %ac Offset 8\n", head: "OpCapability AtomicStorage\n"},
		{body: "%r = OpAtomicLoad %float %ac %c1 %c0", want: "atomic counters of float32 are not supported", decl: "%pac = OpTypePointer AtomicCounter %float\n%ac = OpVariable %pac AtomicCounter\n", dec: "OpDecorate %ac Binding 3\n", head: "OpCapability AtomicStorage\n"},
		{body: "%r = OpAtomicLoad %long %ac %c1 %c0", want: "are not supported", decl: "%pac = OpTypePointer AtomicCounter %long\n%ac = OpVariable %pac AtomicCounter\n", dec: "OpDecorate %ac Binding 3\n", head: "OpCapability AtomicStorage\n"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageRead %u4 %i %uv2 ZeroExtend|MakeTexelVisible|NonPrivateTexel %c1\n%z = OpCompositeExtract %uint %r 0\nOpStore %x %z", want: "ir:dest_type=u32", head: "OpCapability VulkanMemoryModel\n"},
		{body: "%i = OpLoad %tim %st\n%r = OpImageRead %u2 %i %uv2\n%z = OpCompositeExtract %uint %r 1\nOpStore %x %z", want: "ir:image_deref_load"},
		{body: "%r = OpExtInst %v2 %amd WriteInvocationAMD %fv2 %fv3 %c0", want: "the values have different types", head: "OpExtension \"SPV_AMD_shader_ballot\"\n%amd = OpExtInstImport \"SPV_AMD_shader_ballot\"\n"},
		{body: "%r = OpExtInst %v2 %amd WriteInvocationAMD %fv2 %dv2 %c0", want: "the values have different types", head: "OpExtension \"SPV_AMD_shader_ballot\"\n%amd = OpExtInstImport \"SPV_AMD_shader_ballot\"\n"},
		{body: "%q = OpCompositeConstruct %v2 %f %f\n%r = OpExtInst %v2 %amd WriteInvocationAMD %q %fv2 %c0\n%z = OpCompositeExtract %float %r 1\nOpStore %xf %z", want: "ir:bcsel", head: "OpExtension \"SPV_AMD_shader_ballot\"\n%amd = OpExtInstImport \"SPV_AMD_shader_ballot\"\n"},
		{body: "%r = OpLoad %uint %vp", want: "a variable of storage class Workgroup has a pointer as initialiser", decl: "%ppu = OpTypePointer Private %uint\n%pwp = OpTypePointer Workgroup %ppu\n%vp = OpVariable %pwp Workgroup %x\n"},
		{body: "%r = OpGroupNonUniformIAdd %uint %c3 PartitionedReduceNV %u %uv4\nOpStore %x %r", want: "ir:", head: "OpCapability GroupNonUniformPartitionedNV\n"},
		{body: "%r = OpConvertUToPtr %pp %uv2", want: "is not", decl: "%pp = OpTypePointer PhysicalStorageBuffer %uint\n"},
	} {
		text := strings.Replace(operandHead, "%glsl = ", c.head+"%glsl = ", 1)
		text = strings.Replace(text, "OpDecorate %block Block\n", c.mode+c.dec+"OpDecorate %block Block\n", 1)
		text = strings.Replace(text, "%main = ", c.decl+"%main = ", 1)
		words, err := spv.Assemble(text+c.body+"\n"+end, spv.AssembleOptions{Version: 0x0106})
		if err != nil {
			t.Errorf("%s\n%v", c.body, err)
			continue
		}
		m, err := spv.ParseWords(words)
		if err != nil {
			t.Errorf("%s\n%v", c.body, err)
			continue
		}
		s, err := Translate(m, Options{panics: true, Printf: strings.Contains(c.head, "DebugPrintf")})
		if want, ok := strings.CutPrefix(c.want, "ir:"); ok {
			if err != nil {
				t.Errorf("%s\n%v", c.body, err)
			} else if text := ir.Print(s); !strings.Contains(text, want) {
				t.Errorf("%s\ngives no %s:\n%s", c.body, want, text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || c.want == "" {
			t.Errorf("%s\n%v, want %q", c.body, err, c.want)
		}
	}
}

// TestSpecValues: values of specialization constants by their types, read and written.
func TestSpecValues(t *testing.T) {
	for _, c := range []struct {
		class       ir.TypeClass
		bits        uint8
		value, want string
		v           uint64
	}{
		{ir.ClassFloat, 16, "65504", "", 0x7bff}, {ir.ClassFloat, 16, "70000", `16-bit float: "70000" is too large`, 0}, {ir.ClassFloat, 64, "0.5", "", 0x3fe0000000000000},
		{ir.ClassFloat, 32, "half", "32-bit float", 0}, {ir.ClassUint, 32, "7", "", 7}, {ir.ClassUint, 8, "-1", "", 0xff}, {ir.ClassUint, 8, "256", `unsigned 8-bit integer: "256"`, 0},
		{ir.ClassUint, 16, "-40000", "unsigned 16-bit integer", 0}, {ir.ClassInt, 16, "-2", "", 0xfffffffffffffffe}, {ir.ClassInt, 8, "0xff", "", 0xff}, {ir.ClassInt, 8, "300", "signed 8-bit integer", 0},
		{ir.ClassBool, 1, "true", "", 1}, {ir.ClassBool, 1, "0", "", 0}, {ir.ClassBool, 1, "2", "want true or false", 0},
	} {
		x := SpecConstant{Class: c.class, Bits: c.bits}
		v, err := x.ParseValue(c.value)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || v != c.v {
			t.Errorf("%s %q: %#x, %v, want %#x, %q", x.TypeName(), c.value, v, err, c.v, c.want)
		}
		if err == nil {
			if again, err := x.ParseValue(x.FormatValue(v)); err != nil || again != v && c.class != ir.ClassInt {
				t.Errorf("%s %q: %#x is written %s, which is read as %#x, %v", x.TypeName(), c.value, v, x.FormatValue(v), again, err)
			}
		}
	}
}
