package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

const kernelText = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "k" %id
OpExecutionMode %f LocalSize 4 1 1
OpName %y "y"
OpName %a "a"
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%float = OpTypeFloat 32
%v3float = OpTypeVector %float 3
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%in = OpTypePointer Input %v3ulong
%global = OpTypePointer CrossWorkgroup %v3float
%fn = OpTypeFunction %void %global %float
%id = OpVariable %in Input
%f = OpFunction %void None %fn
%y = OpFunctionParameter %global
%a = OpFunctionParameter %float
%l = OpLabel
%i = OpLoad %v3ulong %id
%x = OpCompositeExtract %ulong %i 0
%p = OpInBoundsPtrAccessChain %global %y %x
%v = OpLoad %v3float %p Aligned 16
%w = OpVectorTimesScalar %v3float %v %a
OpStore %p %w Aligned 16
OpReturn
OpFunctionEnd
`

// TestKernel looks at where a kernel's arguments stand, and at the steps of its pointers: vectors of three lie 16 bytes apart.
func TestKernel(t *testing.T) {
	s, err := Translate(assemble(t, kernelText), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	text := ir.Print(s)
	for _, want := range []string{`"y": u64 offset=0`, `"a": f32 offset=8`, `"global_offset": vec3u32 offset=12`, "(mem_global vec3f32) stride=16", "shader compute \"k\"", "kernel"} {
		if !strings.Contains(text, want) {
			t.Errorf("the shader lacks %q:\n%s", want, text)
		}
	}
}

// TestKernelRefusals: what kernels cannot have is said.
func TestKernelRefusals(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"OpExecutionMode %f LocalSize 4 1 1\n", "", "--workgroup-size"},
		{"Physical64", "Physical32", "the addressing model Physical32 is not supported"},
		{"Physical64 OpenCL", "Physical64 GLSL450", "the memory model OpenCL"},
		{"GlobalInvocationId", "NumEnqueuedSubgroups", "the built-in NumEnqueuedSubgroups"},
		{"OpTypeFloat 32\n", "OpTypeFloat 32\n%gf = OpTypePointer CrossWorkgroup %float\n%g = OpVariable %gf CrossWorkgroup\n", ""},
	} {
		_, err := Translate(assemble(t, strings.ReplaceAll(kernelText, c.old, c.new)), Options{panics: true})
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := Translate(assemble(t, strings.ReplaceAll(kernelText, "OpExecutionMode %f LocalSize 4 1 1\n", "")), Options{WorkgroupSize: [3]uint32{8, 1, 1}, panics: true}); err != nil {
		t.Error(err)
	}
}

// TestKernelPrintf: a format and what %s prints are literals; the call gives 0, whether its text is wanted or not.
func TestKernelPrintf(t *testing.T) {
	module := strings.NewReplacer("OpCapability Int64\n", "OpCapability Int64\nOpCapability Int8\n%cl = OpExtInstImport \"OpenCL.std\"\n", "%fn = Op", `%uint = OpTypeInt 32 0
%uchar = OpTypeInt 8 0
%n4 = OpConstant %ulong 4
%zero = OpConstant %ulong 0
%one = OpConstant %ulong 1
%percent = OpConstant %uchar 37
%s = OpConstant %uchar 115
%end = OpConstantNull %uchar
%chars = OpTypeArray %uchar %n4
%pc = OpTypePointer UniformConstant %chars
%pb = OpTypePointer UniformConstant %uchar
%init = OpConstantComposite %chars %percent %percent %s %end
%text = OpVariable %pc UniformConstant %init
%literal = OpSpecConstantOp %pb InBoundsPtrAccessChain %text %zero %one
%fn = Op`, "%i = Op", "%r = OpExtInst %uint %cl printf %literal %other\n%i = Op").Replace(kernelText)
	for _, c := range []struct{ other, want string }{
		{"%literal", "ir:printf"},
		{"%a", "a printf of %s with what is no literal is not supported"},
	} {
		m := assemble(t, strings.ReplaceAll(module, "%other", c.other))
		s, err := Translate(m, Options{panics: true, Printf: true})
		switch text, ok := strings.CutPrefix(c.want, "ir:"); {
		case ok && err != nil, !ok && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.other, err, c.want)
		case ok && !strings.Contains(ir.Print(s), text):
			t.Errorf("%s: the shader lacks %q", c.other, text)
		}
	}
	m := assemble(t, strings.ReplaceAll(module, "%other", "%literal"))
	if s, err := Translate(m, Options{panics: true}); err != nil || strings.Contains(ir.Print(s), "printf") {
		t.Errorf("where nothing is printed: %v", err)
	}
	if !Prints(m) || Prints(assemble(t, kernelText)) {
		t.Error("Prints does not see the calls")
	}
	for i := range m.Insts {
		if call, ok := PrintfAt(m, uint32(m.Insts[i].Offset)); ok && (call.Format != "%s" || call.Args[0].Text != "%s" || !call.Kernel) {
			t.Errorf("the call is %+v", call)
		}
	}
}
