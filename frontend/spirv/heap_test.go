package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// heapHead declares what the rows of TestHeaps use; DECL is more of declarations, DEC of decorations.
const heapHead = `OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpCapability InputAttachment
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %res %smp %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %res BuiltIn ResourceHeapEXT
OpDecorate %smp BuiltIn SamplerHeapEXT
OpDecorate %out Location 0
OpDecorate %n Flat
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorateId %flats ArrayStrideIdEXT %size
OpMemberDecorateIdEXT %pair 0 OffsetIdEXT %c64
OpMemberDecorate %pair 1 Offset 256
DEC
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%heap = OpTypeUntypedPointerKHR UniformConstant
%memory = OpTypeUntypedPointerKHR StorageBuffer
%texels = OpTypeUntypedPointerKHR Image
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c3 = OpConstant %uint 3
%c64 = OpConstant %uint 64
%f0 = OpConstant %float 0
%at = OpConstantComposite %v2 %f0 %f0
%flat = OpTypeImage %float 2D 0 0 0 1 Unknown
%both = OpTypeSampledImage %flat
%pass = OpTypeImage %float SubpassData 0 0 0 2 Unknown
%sampler = OpTypeSampler
%buffer = OpTypeBufferEXT StorageBuffer
%size = OpConstantSizeOfEXT %uint %flat
%flats = OpTypeRuntimeArray %flat
%bare = OpTypeRuntimeArray %flat
%pair = OpTypeStruct %flat %flat
%block = OpTypeStruct %v4
%pblock = OpTypePointer StorageBuffer %block
%pv4 = OpTypePointer StorageBuffer %v4
%pout = OpTypePointer Output %v4
DECL
%out = OpVariable %pout Output
%res = OpUntypedVariableKHR %heap UniformConstant
%smp = OpUntypedVariableKHR %heap UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
BODY
OpReturn
OpFunctionEnd
`

// TestHeaps: which element of the heap's array an access is of, or what is wrong with it.
func TestHeaps(t *testing.T) {
	const load = "\n%i = OpLoad %flat %p\n%s = OpLoad %sampler %smp\n%b = OpSampledImage %both %i %s\n%v = OpImageSampleExplicitLod %v4 %b %at Lod %f0\nOpStore %out %v"
	const read = "\n%m = OpAccessChain %pv4 %q %c0\n%v = OpLoad %v4 %m\nOpStore %out %v"
	for _, c := range []struct {
		name, body, decl, dec, err string
		element                    uint64
	}{
		{name: "an array", body: "%p = OpUntypedAccessChainKHR %heap %flats %res %c3" + load, element: 3},
		{name: "the beginning", body: "%p = OpCopyObject %heap %res" + load},
		{name: "a member by a constant", body: "%p = OpUntypedAccessChainKHR %heap %pair %res %c0" + load, element: 1},
		{name: "a member", body: "%p = OpUntypedAccessChainKHR %heap %pair %res %c1" + load, element: 4},
		{name: "one after another", body: "%o = OpUntypedAccessChainKHR %heap %pair %res %c1\n%p = OpUntypedAccessChainKHR %heap %flats %o %c3" + load, element: 7},
		{name: "a buffer", body: "%p = OpUntypedAccessChainKHR %heap %flats %res %c3\n%q = OpBufferPointerEXT %pblock %p" + read, element: 3},
		{name: "no stride", body: "%p = OpUntypedAccessChainKHR %heap %bare %res %c3" + load, err: "has no ArrayStrideIdEXT"},
		{name: "no offset", body: "%p = OpUntypedAccessChainKHR %heap %open %res %c0" + load, decl: "%open = OpTypeStruct %flat\n", err: "member 0 of struct %"},
		{name: "no such member", body: "%p = OpUntypedAccessChainKHR %heap %pair %res %c3" + load, err: "the index of a struct member is not a constant below 2"},
		{name: "into an image", body: "%p = OpUntypedAccessChainKHR %heap %flat %res %c3" + load, err: "which has no parts"},
		{name: "a number", body: "%p = OpLoad %uint %res", err: "uint32 is loaded from a heap"},
		{name: "an image and a sampler", body: "%p = OpLoad %both %res", err: "is loaded from a heap"},
		{name: "an input attachment", body: "%p = OpLoad %pass %res", err: "input attachments in a heap are not supported"},
		{name: "size of a number", body: "%x = OpCopyObject %uint %n", decl: "%n = OpConstantSizeOfEXT %uint %float\n", err: "OpConstantSizeOfEXT: float32 is no type of descriptors"},
		{name: "size as a float", body: "%x = OpCopyObject %float %n", decl: "%n = OpConstantSizeOfEXT %float %flat\n", err: "the type is no integer of 32 or 64 bits"},
		{name: "a buffer elsewhere", body: "%q = OpBufferPointerEXT %pblock %out" + read, err: "the pointer leads into no heap"},
		{name: "no block", body: "%q = OpBufferPointerEXT %pv4 %res\n%v = OpLoad %v4 %q", err: "not to a block"},
		{name: "no memory", body: "%q = OpBufferPointerEXT %pout %res", err: "the result is no pointer to Uniform or StorageBuffer"},
		{name: "texel of a texture", body: "%q = OpUntypedImageTexelPointerEXT %texels %flat %res %c0 %c0", err: "is not of a storage image in a heap"},
		{name: "a binding there", body: "%p = OpCopyObject %heap %res\n%o = OpLoad %flat %set" + load, decl: "%pflat = OpTypePointer UniformConstant %flat\n%set = OpVariable %pflat UniformConstant\n", dec: "OpDecorate %set DescriptorSet 3\nOpDecorate %set Binding 1\n", err: "in descriptor set 3 is not supported in a shader with descriptor heaps, which are sets 2 and 3"},
	} {
		decl := c.decl
		if !strings.Contains(decl, "%n =") {
			decl += "%n = OpConstant %uint 0\n"
		}
		text := strings.NewReplacer("DECL\n", decl, "DEC\n", c.dec, "BODY", c.body).Replace(heapHead)
		s, err := Translate(assemble(t, text), Options{panics: true})
		if c.err != "" || err != nil {
			if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
			continue
		}
		found := false
		for b := range s.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				at := in.IsIntrinsic(ir.IntrVulkanResourceIndex)
				k := 0
				if in.Kind == ir.KindDeref && in.Deref == ir.DerefArray && in.Srcs[0].Def.Instr.DerefInfo().Var != nil && in.Srcs[0].Def.Instr.DerefInfo().Var.Name == "resource_heap" {
					at, k = true, 1
				}
				if at {
					v, ok := constantOf(in.Srcs[k].Def)
					if found = true; !ok || v != c.element {
						t.Errorf("%s: element %d of the heap, want %d", c.name, v, c.element)
					}
				}
			}
		}
		if !found {
			t.Errorf("%s: nothing of the heap is accessed", c.name)
		}
	}
}

// constantOf evaluates what is made of constants alone.
func constantOf(d *ir.Def) (uint64, bool) {
	if v, ok := d.Const(0); ok {
		return v, true
	}
	in := d.Instr
	if in.Kind != ir.KindALU || len(in.Srcs) != 2 {
		return 0, false
	}
	x, a := constantOf(in.Srcs[0].Def)
	y, b := constantOf(in.Srcs[1].Def)
	switch in.Op {
	case ir.OpIadd:
		return x + y, a && b
	case ir.OpImul:
		return x * y, a && b
	case ir.OpUshr:
		return x >> y, a && b
	}
	return 0, false
}
