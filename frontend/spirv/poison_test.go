package spirv_test

import (
	"context"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

func translate(t *testing.T, text string) (*ir.Shader, error) {
	t.Helper()
	words, err := spv.Assemble(text, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	return spirv.Translate(m, spirv.Options{})
}

// workgroupModule sums what a workgroup variable of structs, arrays and
// matrices holds before anything was stored, by 3 invocations, and by 64.
const workgroupModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize THREADS 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %rt ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%mat = OpTypeMatrix %v3 2
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c5 = OpConstant %uint 5
%c7 = OpConstant %uint 7
%inner = OpTypeArray %mat %c5
%outer = OpTypeArray %inner %c7
%s = OpTypeStruct %uint %outer
%ps = OpTypePointer Workgroup %s
%pf = OpTypePointer Workgroup %float
%pu = OpTypePointer Workgroup %uint
%null = OpConstantNull %s
%w = OpVariable %ps Workgroup INIT
%rt = OpTypeRuntimeArray %uint
%block = OpTypeStruct %rt
%pblock = OpTypePointer StorageBuffer %block
%pout = OpTypePointer StorageBuffer %uint
%out = OpVariable %pblock StorageBuffer
%pin = OpTypePointer Input %uint
%index = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %index
%a = OpUMod %uint %i %c7
%b = OpUMod %uint %i %c5
%m = OpUMod %uint %i %c2
%p = OpAccessChain %pf %w %c1 %a %b %m %c2
%f = OpLoad %float %p
%q = OpAccessChain %pu %w %c0
%u = OpLoad %uint %q
%bits = OpBitcast %uint %f
%or = OpBitwiseOr %uint %bits %u
%o = OpAccessChain %pout %out %c0 %i
OpStore %o %or
OpReturn
OpFunctionEnd
`

func TestWorkgroupInitialiser(t *testing.T) {
	for _, c := range []struct {
		threads, init string
		zero          bool
	}{{"3", "%null", true}, {"64", "%null", true}, {"64", "", false}} {
		s, err := translate(t, strings.NewReplacer("THREADS", c.threads, "INIT", c.init).Replace(workgroupModule))
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		p, err := interp.New(s, interp.Options{WaveSize: 8})
		if err != nil {
			t.Fatal(err)
		}
		mem := emu.NewMemory()
		out := mem.Alloc(256)
		for i := range out.Data {
			out.Data[i] = 7
		}
		var b emu.Bindings
		b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 256}})
		params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}
		if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &b}, params); err != nil {
			t.Fatal(err)
		}
		n := int(p.WorkgroupSize()[0])
		zero := true
		for _, x := range out.Data[:4*n] {
			zero = zero && x == 0
		}
		if zero != c.zero {
			t.Errorf("%s invocations, initialiser %q: zeros: %t", c.threads, c.init, zero)
		}
	}
}

func TestWorkgroupInitialiserNotNull(t *testing.T) {
	text := strings.NewReplacer("THREADS", "1", "INIT", "%one", "%null = OpConstantNull %s", "%none = OpConstantNull %outer\n%one = OpConstantComposite %s %c1 %none").Replace(workgroupModule)
	if _, err := translate(t, text); err == nil || !strings.Contains(err.Error(), "OpVariable-04734") {
		t.Errorf("error %v", err)
	}
}

// distances is a vertex shader with a gl_PerVertex as GLSL declares it.
const distances = `OpCapability Shader
OpCapability ClipDistance
OpCapability CullDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %v
OpMemberDecorate %s 0 BuiltIn Position
OpMemberDecorate %s 1 BuiltIn ClipDistance
OpMemberDecorate %s 2 BuiltIn CullDistance
OpDecorate %s Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%n = OpConstant %uint 2
%arr = OpTypeArray %float %n
%s = OpTypeStruct %v4 %arr %arr
%ps = OpTypePointer Output %s
%pf = OpTypePointer Output %float
%v = OpVariable %ps Output
%i0 = OpConstant %int 0
%f0 = OpConstant %float 0
%member = OpConstant %int MEMBER
%null = OpConstantNull %s
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpAccessChain %pf %v %member %i0
OpStore %p %f0
OpReturn
OpFunctionEnd
`

// TestDistancesDeclared looks at what counts as clip and cull distances: those
// that the shader names, not those that gl_PerVertex declares.
func TestDistancesDeclared(t *testing.T) {
	for member, want := range map[string][2]uint8{"0": {0, 0}, "1": {2, 0}, "2": {0, 2}} {
		s, err := translate(t, strings.NewReplacer("MEMBER", member).Replace(distances))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]uint8{s.Info.ClipDistances, s.Info.CullDistances}; got != want {
			t.Errorf("a store to member %s: %v, not %v", member, got, want)
		}
	}
}
