package nirc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/capability"
)

// grammarModule is a compute shader in which an instruction stands: in the body, before it if it declares, or among the decorations or
// execution modes. Its operands are all 1, the id of a constant, which is a value of most enumerants too.
func grammarModule(c spv.Capability, section int, op spv.Op, words ...uint32) []byte {
	const (
		one, u32, void, fn, main, label, result = 1, 2, 3, 4, 5, 6, 7
	)
	list := []uint32{0x07230203, 0x00010600, 0, 100, 0}
	put := func(op spv.Op, args ...uint32) {
		list = append(append(list, uint32(len(args)+1)<<16|uint32(op)), args...)
	}
	at := func(n int) {
		if n == section {
			put(op, words...)
		}
	}
	put(spv.OpCapability, uint32(spv.CapabilityShader))
	put(spv.OpCapability, uint32(c))
	put(spv.OpMemoryModel, 0, 1)
	put(spv.OpEntryPoint, 5, main, 'm')
	at(0)
	if section != 0 || words[1] != 17 {
		put(spv.OpExecutionMode, main, 17, 1, 1, 1)
	}
	at(1)
	put(spv.OpTypeInt, u32, 32, 0)
	put(spv.OpConstant, u32, one, 7)
	put(spv.OpTypeVoid, void)
	put(spv.OpTypeFunction, fn, void)
	at(2)
	put(spv.OpFunction, void, main, 0, fn)
	put(spv.OpLabel, label)
	at(3)
	if section == 2 && strings.HasPrefix(op.String(), "OpType") {
		put(spv.OpUndef, result, result+1)
	} else if section == 2 {
		put(spv.OpCopyObject, u32, result+1, result)
	}
	put(spv.OpReturn)
	put(spv.OpFunctionEnd)
	var b []byte
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// notRefused are capabilities that the frontend does not translate and that nothing is refused for: of each row it says why.
var notRefused = []struct {
	why  string
	list []spv.Capability
}{
	{"what indexes arrays of tensors: the tensors are refused", []spv.Capability{
		spv.CapabilityStorageTensorArrayDynamicIndexingARM, spv.CapabilityStorageTensorArrayNonUniformIndexingARM}},
	{"it brings in nothing: what a module may do with it is all that rules of validation see, or what declares it comes with instructions of another one, which are refused", []spv.Capability{
		spv.CapabilityMultipleWaitQueuesQCOM, spv.CapabilityInt4TypeINTEL, spv.CapabilityInt4CooperativeMatrixINTEL, spv.CapabilityPerViewAttributesNV,
		spv.CapabilityRayTracingOpacityMicromapKHR, spv.CapabilityRayTracingDisplacementMicromapNV, spv.CapabilityCooperativeMatrixBlockLoadsNV,
		spv.CapabilityCooperativeMatrixDecodeVectorNV, spv.CapabilityVectorAnyINTEL, spv.CapabilityArbitraryPrecisionIntegersALTERA, spv.CapabilityDebugInfoModuleINTEL,
		spv.CapabilityRoundedDivideSqrtINTEL, spv.CapabilityIntrinsicSAMSUNG, spv.CapabilityFPFastMathModeINTEL, spv.CapabilityFPGALoopControlsALTERA,
		spv.CapabilityRuntimeAlignedAttributeALTERA, spv.CapabilityFloatingPointModeINTEL}},
	{"decorations of kernels, which say where an FPGA or another vendor's GPU puts a variable or how it computes a function: they are passed over", []spv.Capability{
		spv.CapabilityIndirectReferencesINTEL, spv.CapabilityFunctionFloatControlINTEL, spv.CapabilityFPGAMemoryAttributesALTERA, spv.CapabilityFPGAMemoryAccessesALTERA,
		spv.CapabilityFPGAClusterAttributesALTERA, spv.CapabilityLoopFuseALTERA, spv.CapabilityFPGADSPControlALTERA, spv.CapabilityFPGAInvocationPipeliningAttributesALTERA,
		spv.CapabilityFPGABufferLocationALTERA, spv.CapabilityIOPipesALTERA, spv.CapabilityFPGAClusterAttributesV2ALTERA, spv.CapabilityFPMaxErrorINTEL,
		spv.CapabilityFPGALatencyControlALTERA, spv.CapabilityFPGAArgumentInterfacesALTERA, spv.CapabilityGlobalVariableHostAccessINTEL,
		spv.CapabilityGlobalVariableFPGADecorationsALTERA, spv.CapabilityCacheControlsINTEL}},
}

// TestGrammarRefusals: of each capability that the frontend does not translate something that it brings in, by SPIR-V's grammar, is
// refused by its name and for the table's reason, or a probe shows that, or nothing has to be.
func TestGrammarRefusals(t *testing.T) {
	passed := map[spv.Capability]bool{}
	for _, n := range notRefused {
		for _, c := range n.list {
			passed[c] = true
		}
	}
	probed := map[string]bool{}
	for _, p := range readProbes(t) {
		probed[p.name] = true
	}
	rows := capability.Rows()
	for i := range rows {
		r := &rows[i]
		if r.Frontend == "" {
			continue
		}
		tried, refused := grammarRefusal(r)
		switch {
		case !refused && !passed[r.Capability] && !probed[r.Capability.String()]:
			t.Errorf("%s: nothing of it is refused for %q: %s", r.Capability, r.Frontend, tried)
		case refused && passed[r.Capability]:
			t.Errorf("%s: %s", r.Capability, "it is refused, and among what is not")
		}
	}
}

// grammarRefusal reports whether something that the capability brings in is refused by its name, with the table's reason.
func grammarRefusal(r *capability.Row) (tried string, ok bool) {
	for op := range 1 << 16 {
		o := spv.Op(op)
		if !o.Known() || !slices.Contains(o.Capabilities(), r.Capability) {
			continue
		}
		section := 3
		if s := o.String(); strings.HasPrefix(s, "OpType") || strings.HasPrefix(s, "OpConst") || strings.HasPrefix(s, "OpSpec") {
			section = 2
		}
		var words []uint32
		if o.HasResultType() {
			words = append(words, 2)
		}
		if o.HasResult() {
			words = append(words, 7)
		}
		if tried, ok = refusedIn(r, section, o, words); ok {
			return tried, true
		}
	}
	for _, k := range grammarKinds {
		for v := range uint32(7000) {
			if slices.Contains(k.kind.Capabilities(v), r.Capability) {
				if tried, ok = refusedIn(r, k.section, k.op, append(slices.Clone(k.before), v)); ok {
					return tried, true
				}
			}
		}
	}
	return tried, false
}

var grammarKinds = []struct {
	kind    spv.Kind
	section int
	op      spv.Op
	before  []uint32
}{
	{spv.KindDecoration, 1, spv.OpDecorate, []uint32{1}},
	{spv.KindExecutionMode, 0, spv.OpExecutionMode, []uint32{5}},
	{spv.KindStorageClass, 2, spv.OpTypePointer, []uint32{7}},
	{spv.KindFPEncoding, 2, spv.OpTypeFloat, []uint32{7, 8}},
}

// refusedIn tries an instruction with ever more operands until it is refused as the row says.
func refusedIn(r *capability.Row, section int, op spv.Op, words []uint32) (tried string, ok bool) {
	for range 16 {
		m, err := nirc.Load(grammarModule(r.Capability, section, op, words...), "g.spv")
		if err == nil {
			_, err = m.Compile(context.Background(), nirc.Options{Target: "agx"})
		}
		if err != nil && strings.Contains(err.Error(), r.Frontend) && strings.Contains(err.Error(), r.Capability.String()) && errors.Is(err, errors.ErrUnsupported) {
			return tried, true
		}
		if tried == "" {
			tried = fmt.Sprint(op, words, err)
		}
		words = append(words, 1)
	}
	return tried, false
}
