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
