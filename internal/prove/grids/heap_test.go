package grids

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// heapShader reads what stands in descriptor heaps: arrays of one type with a stride, structs whose members are at offsets that constants
// give, buffers by pointers with a type and without, texels by atomics. INDEX is the number of an array's element,
// DECORATIONS what is said of it.
const heapShader = `OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpCapability RuntimeDescriptorArray
OpCapability ShaderNonUniform
OpCapability SampledImageArrayNonUniformIndexing
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %resources %samplers %lane
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %resources BuiltIn ResourceHeapEXT
OpDecorate %samplers BuiltIn SamplerHeapEXT
OpDecorate %lane BuiltIn LocalInvocationIndex
DECORATIONS
OpDecorateId %flats ArrayStrideIdEXT %image_size
OpDecorateId %smps ArrayStrideIdEXT %sampler_size
OpDecorateId %buffers ArrayStrideIdEXT %two_buffers
OpDecorate %bytes ArrayStride 1
OpMemberDecorateIdEXT %material 0 OffsetIdEXT %zero
OpMemberDecorateIdEXT %material 1 OffsetIdEXT %image_size
OpMemberDecorate %material 2 Offset 128
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %constants Block
OpMemberDecorate %constants 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 0
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%u2 = OpTypeVector %uint 2
%heap = OpTypeUntypedPointerKHR UniformConstant
%texels = OpTypeUntypedPointerKHR Image
%memory = OpTypeUntypedPointerKHR StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%four = OpConstant %uint 4
%five = OpConstant %uint 5
%six = OpConstant %uint 6
%ten = OpConstant %uint 10
%scale = OpConstant %float 4
%materials = OpConstant %uint 128
%f0 = OpConstant %float 0
%half = OpConstant %float 0.5
%flat = OpTypeImage %float 2D 0 0 0 1 Unknown
%solid = OpTypeImage %float 3D 0 0 0 1 Unknown
%counter = OpTypeImage %uint 2D 0 0 0 2 R32ui
%sampler = OpTypeSampler
%storage = OpTypeBufferEXT StorageBuffer
%uniform = OpTypeBufferEXT Uniform
%image_size = OpConstantSizeOfEXT %uint %flat
%sampler_size = OpConstantSizeOfEXT %uint %sampler
%buffer_size = OpConstantSizeOfEXT %uint %storage
%two_buffers = OpSpecConstantOp %uint IMul %buffer_size %two
%flats = OpTypeRuntimeArray %flat
%smps = OpTypeRuntimeArray %sampler
%buffers = OpTypeRuntimeArray %storage
%bytes = OpTypeRuntimeArray %byte
%material = OpTypeStruct %solid %counter %uniform
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uint %words
%constants = OpTypeStruct %v4
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%pconstants = OpTypePointer Uniform %constants
%pv4 = OpTypePointer Uniform %v4
%plane = OpTypePointer Input %uint
%both = OpTypeSampledImage %flat
%both3 = OpTypeSampledImage %solid
%lane = OpVariable %plane Input
%resources = OpUntypedVariableKHR %heap UniformConstant
%samplers = OpUntypedVariableKHR %heap UniformConstant
%fsample = OpTypeFunction %float %heap %v2
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %lane
%far = OpIAdd %uint %i %ten
%x = OpConvertUToF %float %i
%xh = OpFAdd %float %x %half
%s = OpFDiv %float %xh %scale
%at = OpCompositeConstruct %v2 %s %half
%a1 = OpUntypedAccessChainKHR %heap %flats %resources INDEX
%r0 = OpFunctionCall %float %sample %a1 %at
%mat = OpUntypedAccessChainKHR %heap %bytes %resources %materials
%a2 = OpUntypedAccessChainKHR %heap %material %mat %zero
%i2 = OpLoad %solid %a2
%sp = OpUntypedAccessChainKHR %heap %smps %samplers %one
%sm = OpLoad %sampler %sp
%si2 = OpSampledImage %both3 %i2 %sm
%at3 = OpCompositeConstruct %v3 %s %half %half
%t2 = OpImageSampleExplicitLod %v4 %si2 %at3 Lod %f0
%r1 = OpCompositeExtract %float %t2 0
%a3 = OpUntypedAccessChainKHR %heap %material %mat %one
%c3 = OpCompositeConstruct %u2 %i %one
%p3 = OpUntypedImageTexelPointerEXT %texels %counter %a3 %c3 %zero
%r2 = OpAtomicIAdd %uint %p3 %one %zero %five
%a4 = OpUntypedAccessChainKHR %heap %material %mat %two
%p4 = OpBufferPointerEXT %pconstants %a4
%q4 = OpAccessChain %pv4 %p4 %zero
%v = OpLoad %v4 %q4
%r3 = OpVectorExtractDynamic %float %v %i
%a5 = OpUntypedAccessChainKHR %heap %buffers %resources %three
%p5 = OpBufferPointerEXT %memory %a5
%q5 = OpUntypedAccessChainKHR %memory %block %p5 %one %i
%r4 = OpLoad %uint %q5
%n5 = OpUntypedArrayLengthKHR %uint %block %p5 1
%a6 = OpUntypedAccessChainKHR %heap %buffers %resources %four
%p6 = OpBufferPointerEXT %pblock %a6
%b0 = OpBitcast %uint %r0
%b1 = OpBitcast %uint %r1
%b3 = OpBitcast %uint %r3
%k0 = OpIMul %uint %i %six
%k1 = OpIAdd %uint %k0 %one
%k2 = OpIAdd %uint %k0 %two
%k3 = OpIAdd %uint %k0 %three
%k4 = OpIAdd %uint %k0 %four
%k5 = OpIAdd %uint %k0 %five
%o0 = OpAccessChain %pword %p6 %one %k0
%o1 = OpAccessChain %pword %p6 %one %k1
%o2 = OpAccessChain %pword %p6 %one %k2
%o3 = OpAccessChain %pword %p6 %one %k3
%o4 = OpAccessChain %pword %p6 %one %k4
%o5 = OpAccessChain %pword %p6 %one %k5
OpStore %o0 %b0
OpStore %o1 %b1
OpStore %o2 %r2
OpStore %o3 %b3
OpStore %o4 %r4
OpStore %o5 %n5
OpReturn
OpFunctionEnd
%sample = OpFunction %float None %fsample
%from = OpFunctionParameter %heap
%where = OpFunctionParameter %v2
%sl = OpLabel
%im = OpLoad %flat %from
%fp = OpUntypedAccessChainKHR %heap %smps %samplers %zero
%fs = OpLoad %sampler %fp
%si = OpSampledImage %both %im %fs
%t = OpImageSampleExplicitLod %v4 %si %where Lod %f0
%r = OpCompositeExtract %float %t 0
OpReturnValue %r
OpFunctionEnd
`

// TestDescriptorHeaps: the descriptors of a heap are those that the bytes of a place name, whatever types the shader sees there.
func TestDescriptorHeaps(t *testing.T) {
	image := func(d emu.ImageDesc, at float32) *emu.Image {
		img, err := emu.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(img.Data); k += 4 {
			v := at + float32(k/4)
			bits := math.Float32bits(v)
			if d.Format.IsInteger() {
				bits = uint32(v)
			}
			binary.LittleEndian.PutUint32(img.Data[k:], bits)
		}
		return img
	}
	words := func(n int, f func(i int) uint32) []byte {
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], f(i))
		}
		return b
	}
	f32, u32 := emu.FormatByName("R32_SFLOAT"), emu.FormatByName("R32_UINT")
	for _, nonUniform := range []bool{false, true} {
		replace := strings.NewReplacer("INDEX", "%one", "DECORATIONS\n", "")
		if nonUniform {
			replace = strings.NewReplacer("INDEX", "%far", "DECORATIONS\n", "OpDecorate %im NonUniform\nOpDecorate %si NonUniform\n")
		}
		m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(replace.Replace(heapShader))})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a660"}, {Target: "ir3", GPU: "a740"}} {
			for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
				out := make([]byte, 4+4*24)
				x := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Bindings: []exec.Binding{
					{Set: 2, Element: 1, Image: image(emu.ImageDesc{Width: 4, Height: 1, Format: f32}, 100)},
					{Set: 2, Element: 2, Image: image(emu.ImageDesc{Width: 4, Height: 2, Depth: 2, Format: f32}, 1000)},
					{Set: 2, Element: 3, Image: image(emu.ImageDesc{Width: 4, Height: 2, Format: u32}, 50), As: "storage_image"},
					{Set: 2, Element: 4, Data: words(4, func(i int) uint32 { return math.Float32bits(float32(7 + i)) }), As: "uniform_buffer"},
					{Set: 2, Element: 6, Data: words(9, func(i int) uint32 { return uint32(300 + i) })},
					{Set: 2, Element: 8, Data: out},
				}}
				for e := range uint32(4) { // one for each lane, of other numbers
					x.Bindings = append(x.Bindings, exec.Binding{Set: 2, Element: 10 + e, Image: image(emu.ImageDesc{Width: 4, Height: 1, Format: f32}, 200+10*float32(e))})
				}
				if err := exec.Execute(context.Background(), x); err != nil {
					t.Errorf("%s, %s, by lanes %v: %v", o.Target+o.GPU, o.Level, nonUniform, err)
					continue
				}
				for lane := range 4 {
					first := float32(100 + lane)
					if nonUniform {
						first = float32(200 + 11*lane)
					}
					middle := float32(1006 + lane) // of four rows
					for k, want := range [6]uint32{math.Float32bits(first), math.Float32bits(middle), uint32(54 + lane), math.Float32bits(float32(7 + lane)), uint32(301 + lane), 8} {
						if got := binary.LittleEndian.Uint32(out[4+4*(6*lane+k):]); got != want {
							t.Errorf("%s, %s, by lanes %v: lane %d, result %d: %#x, want %#x", o.Target+o.GPU, o.Level, nonUniform, lane, k, got, want)
						}
					}
				}
			}
		}
	}
}
