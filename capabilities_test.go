package nirc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc"
)

// capabilityProbe is a small module that uses a capability: what it declares besides, and the body of main, where %u is a
// number, %f a float, %b a boolean, %p and %pf where words of a buffer are %p64 and %pf64 where double words are.
type capabilityProbe struct{ name, model, decls, body string }

const probeText = `OpCapability Shader
OpCapability CAPABILITY
EXTRA
OpMemoryModel Logical GLSL450
OpEntryPoint MODEL %main "main"
MODE
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 16
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v4 = OpTypeVector %u32 4
%v3 = OpTypeVector %u32 3
%block = OpTypeStruct %u32 %f32 %u64 %f64
%pblock = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u32
%pfl = OpTypePointer StorageBuffer %f32
%pd = OpTypePointer StorageBuffer %u64
%pdf = OpTypePointer StorageBuffer %f64
%buf = OpVariable %pblock StorageBuffer
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%l1 = OpConstant %u64 1
%one = OpConstant %f32 1
%wide = OpConstant %f64 1
DECLS
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pu %buf %c0
%pf = OpAccessChain %pfl %buf %c1
%p64 = OpAccessChain %pd %buf %c2
%pf64 = OpAccessChain %pdf %buf %c3
%u = OpLoad %u32 %p
%f = OpLoad %f32 %pf
%b = OpIEqual %bool %u %c1
BODY
OpReturn
OpFunctionEnd
`

var capabilityProbes = []capabilityProbe{
	{"Geometry", "Geometry", "", "OpEmitVertex\nOpEndPrimitive"},
	{"GroupNonUniform", "GLCompute", "", "%r = OpGroupNonUniformElect %bool %c3"},
	{"GroupNonUniformVote", "GLCompute", "", "%r = OpGroupNonUniformAny %bool %c3 %b"},
	{"GroupNonUniformArithmetic", "GLCompute", "", "%r = OpGroupNonUniformIAdd %u32 %c3 Reduce %u\nOpStore %p %r"},
	{"GroupNonUniformBallot", "GLCompute", "", "%r = OpGroupNonUniformBallot %v4 %c3 %b\n%x = OpCompositeExtract %u32 %r 0\nOpStore %p %x"},
	{"GroupNonUniformShuffle", "GLCompute", "", "%r = OpGroupNonUniformShuffle %u32 %c3 %u %c1\nOpStore %p %r"},
	{"GroupNonUniformShuffleRelative", "GLCompute", "", "%r = OpGroupNonUniformShuffleUp %u32 %c3 %u %c1\nOpStore %p %r"},
	{"GroupNonUniformRotateKHR", "GLCompute", "", "%r = OpGroupNonUniformRotateKHR %u32 %c3 %u %c1\nOpStore %p %r"},
	{"GroupNonUniformQuad", "GLCompute", "", "%r = OpGroupNonUniformQuadSwap %u32 %c3 %u %c0\nOpStore %p %r"},
	{"QuadControlKHR", "GLCompute", "", "%r = OpGroupNonUniformQuadAnyKHR %bool %b\n%x = OpSelect %u32 %r %c1 %c2\nOpStore %p %x"},
	{"Groups", "GLCompute", "", "%r = OpGroupUMax %u32 %c3 Reduce %u\nOpStore %p %r"},
	{"GroupUniformArithmeticKHR", "GLCompute", "", "%r = OpGroupIMulKHR %u32 %c3 Reduce %u\nOpStore %p %r"},
	{"SubgroupBallotKHR", "GLCompute", "", "%r = OpSubgroupFirstInvocationKHR %u32 %u\nOpStore %p %r"},
	{"SubgroupVoteKHR", "GLCompute", "", "%r = OpSubgroupAllKHR %bool %b\n%x = OpSelect %u32 %r %c1 %c2\nOpStore %p %x"},
	{"ReplicatedCompositesEXT", "GLCompute", "", "%r = OpCompositeConstructReplicateEXT %v3 %u\n%x = OpCompositeExtract %u32 %r 2\nOpStore %p %x"},
	{"ShaderClockKHR", "GLCompute", "", "%r = OpReadClockKHR %u64 %c3\nOpStore %p64 %r"},
	{"ExpectAssumeKHR", "GLCompute", "", "OpAssumeTrueKHR %b"},
	{"DotProductInput4x8BitPacked", "GLCompute", "", "%r = OpUDotKHR %u32 %u %c3 PackedVectorFormat4x8Bit\nOpStore %p %r"},
	{"AtomicFloat32AddEXT", "GLCompute", "", "%r = OpAtomicFAddEXT %f32 %pf %c1 %c0 %one"},
	{"AtomicFloat64AddEXT", "GLCompute", "", "%r = OpAtomicFAddEXT %f64 %pf64 %c1 %c0 %wide"},
	{"AtomicFloat64MinMaxEXT", "GLCompute", "", "%r = OpAtomicFMinEXT %f64 %pf64 %c1 %c0 %wide"},
	{"AtomicFloat32MinMaxEXT", "GLCompute", "", "%r = OpAtomicFMaxEXT %f32 %pf %c1 %c0 %one"},
	{"Int64Atomics", "GLCompute", "", "%r = OpAtomicIAdd %u64 %p64 %c1 %c0 %l1"},
	{"DemoteToHelperInvocation", "Fragment", "", "OpDemoteToHelperInvocation"},
	{"DerivativeControl", "Fragment", "", "%r = OpDPdxFine %f32 %f\nOpStore %pf %r"},
	{"FragmentShaderPixelInterlockEXT", "Fragment", "", "OpBeginInvocationInterlockEXT\nOpStore %p %c1\nOpEndInvocationInterlockEXT"},
	{"RayQueryKHR", "GLCompute", "%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Private %rq\n%q = OpVariable %prq Private", "%r = OpRayQueryProceedKHR %bool %q"},
	{"MeshShadingEXT", "MeshEXT", "", "OpSetMeshOutputsEXT %c0 %c0"},
	{"MeshShadingNV", "TaskNV", "", ""},
	{"RayTracingKHR", "RayGenerationKHR", "", ""},
}

func (p *capabilityProbe) text() string {
	mode := "OpExecutionMode %main LocalSize 4 1 1"
	switch p.model {
	case "Fragment":
		mode = "OpExecutionMode %main OriginUpperLeft"
	case "Geometry":
		mode = "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 1"
	case "RayGenerationKHR":
		mode = ""
	}
	return strings.NewReplacer("CAPABILITY", p.name, "EXTRA", "OpCapability Int64\nOpCapability Float64", "MODEL", p.model, "MODE", mode,
		"DECLS", p.decls, "BODY", p.body).Replace(probeText)
}

// What the table says of a capability is what compiling a module that uses it comes to: code, or a
// diagnostic that names the GPU or the frontend's limit.
func TestCapabilities(t *testing.T) {
	table := map[string]nirc.Capability{}
	for _, c := range nirc.Capabilities() {
		table[c.Name] = c
	}
	gpus := map[string]bool{"a630": true, "a660": true, "a740": true, "a750": true, "g13g": true, "t860": true}
	for i := range capabilityProbes {
		p := &capabilityProbes[i]
		m, err := nirc.Load([]byte(p.text()), "probe.spvasm")
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		for _, s := range table[p.name].GPUs {
			if gpus[s.GPU] {
				_, err := m.Compile(context.Background(), nirc.Options{Target: s.Target, GPU: s.GPU})
				checkProbe(t, p, &s, err)
			}
		}
	}
}

func checkProbe(t *testing.T, p *capabilityProbe, s *nirc.CapabilitySupport, err error) {
	t.Helper()
	switch {
	case s.Supported && err != nil:
		t.Errorf("%s on %s: the table says yes: %v", p.name, s.GPU, err)
	case !s.Supported && err == nil:
		t.Errorf("%s on %s compiles, the table says: %s", p.name, s.GPU, s.Why)
	case !s.Supported && !errors.Is(err, errors.ErrUnsupported):
		t.Errorf("%s on %s is no refusal: %v", p.name, s.GPU, err)
	case !s.Supported && p.name != "Int64Atomics" && !strings.Contains(err.Error(), fmt.Sprintf("%s is not supported on %s: %s", p.name, s.GPU, s.Why)) &&
		!strings.Contains(err.Error(), "is not supported by this frontend") && !strings.Contains(err.Error(), "execution model"):
		t.Errorf("%s on %s: the refusal is not the table's, %q: %v", p.name, s.GPU, s.Why, err)
	}
}

// The counts are those of the rows, and what drivers expose and we refuse is named.
func TestCapabilityCounts(t *testing.T) {
	for _, n := range nirc.CapabilityCounts() {
		if n.Driver == "" || n.Of < 100 || n.Supported < 80 || n.Supported > n.Of || n.Exposed > n.Of || len(n.Missing) > n.Exposed {
			t.Errorf("%+v", n)
		}
		if n.GPU == "a740" && !strings.Contains(strings.Join(n.Missing, " "), "RayQueryKHR") {
			t.Errorf("turnip has ray queries on a740, which are not said to be missing: %v", n.Missing)
		}
		if n.Target == "midgard" && n.Exposed != 0 {
			t.Errorf("panvk has no %s", n.GPU)
		}
	}
}
