package nirc_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/capability"
)

// kernelCapabilities are those of OpenCL's profiles (OpenCL SPIR-V Environment Specification, “Required and Optional Capabilities”).
var kernelCapabilities = []spv.Capability{
	spv.CapabilityKernel, spv.CapabilityAddresses, spv.CapabilityLinkage, spv.CapabilityInt8, spv.CapabilityInt16, spv.CapabilityInt64, spv.CapabilityFloat16Buffer,
	spv.CapabilityFloat64, spv.CapabilityVector16, spv.CapabilityGroups, spv.CapabilityGenericPointer, spv.CapabilityImageBasic, spv.CapabilityImageReadWrite,
	spv.CapabilityLiteralSampler, spv.CapabilitySampled1D, spv.CapabilityImageMipmap, spv.CapabilitySubgroupDispatch, spv.CapabilityDeviceEnqueue, spv.CapabilityPipes, spv.CapabilityPipeStorage,
}

// TestKernelCapabilities: each capability of OpenCL is one that a kernel which the tests of internal/exec run declares, or is refused with a reason.
func TestKernelCapabilities(t *testing.T) {
	ran := map[spv.Capability]string{}
	paths, err := filepath.Glob(filepath.Join("internal", "exec", "testdata", "kernels", "*.spv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := nirc.Load(text, path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.SPIRV.Insts {
			if in := &m.SPIRV.Insts[i]; in.Op == spv.OpCapability {
				ran[spv.Capability(in.Arg(0))] = path
			}
		}
	}
	rows := capability.Rows()
	for _, c := range kernelCapabilities {
		k := slices.IndexFunc(rows, func(r capability.Row) bool { return r.Capability == c })
		if k < 0 {
			t.Errorf("%s is not in the table", c)
			continue
		}
		switch refused := rows[k].Frontend != ""; {
		case refused && ran[c] != "":
			t.Errorf("%s is refused (%s), and %s uses it", c, rows[k].Frontend, ran[c])
		case !refused && ran[c] == "":
			t.Errorf("%s: no kernel uses what the table says is there", c)
		}
	}
}

// TestKernelCapabilityRefusals: what kernels do not have is refused where it is used, by its name.
func TestKernelCapabilityRefusals(t *testing.T) {
	const module = `OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int64
CAPABILITY
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "k"
OpExecutionMode %f LocalSize 4 1 1
DECORATION
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%pu = OpTypePointer CrossWorkgroup %uint
TYPE
%fn = OpTypeFunction %void PARAMETERS
%f = OpFunction %void None %fn
BODY
OpReturn
OpFunctionEnd
AFTER
`
	for _, c := range []struct{ capability, decoration, types, parameters, body, after, want string }{
		{capability: "OpCapability Pipes", types: "%pipe = OpTypePipe ReadOnly", parameters: "%pipe", body: "%p = OpFunctionParameter %pipe\n%l = OpLabel", want: "capability Pipes"},
		{capability: "OpCapability DeviceEnqueue", types: "%queue = OpTypeQueue", body: "%l = OpLabel\n%q = OpGetDefaultQueue %queue", want: "capability DeviceEnqueue"},
		{capability: "OpCapability SubgroupDispatch\nOpCapability DeviceEnqueue", body: "%l = OpLabel\n%n = OpGetKernelMaxNumSubgroups %uint %f %zero %zero %one", want: "capability SubgroupDispatch"},
		{decoration: `OpDecorate %other LinkageAttributes "elsewhere" Import`, body: "%l = OpLabel\n%r = OpFunctionCall %void %other", after: "%other = OpFunction %void None %fn\nOpFunctionEnd", want: `"elsewhere"`},
	} {
		text := strings.NewReplacer("CAPABILITY", c.capability, "DECORATION", c.decoration, "TYPE", c.types, "PARAMETERS", c.parameters, "BODY", c.body, "AFTER", c.after).Replace(module)
		m, err := nirc.Load([]byte(text), "k.spvasm")
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		if _, err := m.Compile(t.Context(), nirc.Options{Target: "ir3"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestKernelBits: the instructions on bits of SPV_KHR_bit_instructions, which clang makes of cl_khr_extended_bit_ops, and what
// UniformDecoration lets a kernel say, compile on each target.
func TestKernelBits(t *testing.T) {
	m, err := nirc.Load([]byte(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability BitInstructions
OpCapability UniformDecoration
OpExtension "SPV_KHR_bit_instructions"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "k"
OpExecutionMode %f LocalSize 4 1 1
OpDecorate %r Uniform
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%four = OpConstant %uint 4
%pu = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %pu
%f = OpFunction %void None %fn
%p = OpFunctionParameter %pu
%l = OpLabel
%x = OpLoad %uint %p Aligned 4
%r = OpBitReverse %uint %x
%i = OpBitFieldInsert %uint %x %r %four %four
%s = OpBitFieldSExtract %uint %i %four %four
%u = OpBitFieldUExtract %uint %s %four %four
OpStore %p %u Aligned 4
OpReturn
OpFunctionEnd
`), "bits.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range nirc.Targets() {
		if _, err := m.Compile(t.Context(), nirc.Options{Target: target.Name}); err != nil {
			t.Errorf("%s: %v", target.Name, err)
		}
	}
	for _, c := range nirc.Capabilities() {
		for _, s := range c.GPUs {
			if (c.Name == "BitInstructions" || c.Name == "UniformDecoration") && !s.Supported {
				t.Errorf("%s on %s: %s", c.Name, s.GPU, s.Why)
			}
		}
	}
}
