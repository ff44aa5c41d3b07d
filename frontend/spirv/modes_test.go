package spirv

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/ir"
)

//go:embed testdata/asm/modes_text.spvasm
var modesText string

// TestExecutionModes: modes of SPIR-V 1.6 revision 7 reach the shader.
func TestExecutionModes(t *testing.T) {
	for _, c := range []struct {
		mode  string
		exact bool
		keep  ir.FloatControls
	}{
		// NSZ with AllowRecip, AllowContract, AllowReassoc and AllowTransform.
		{"458764", false, ir.FCInfPreserve | ir.FCNaNPreserve},
		// NotNaN and NotInf alone: zeros are kept, and nothing may be rewritten.
		{"3", true, ir.FCSignedZeroPreserve},
	} {
		s, err := Translate(assemble(t, strings.Replace(modesText, "MODE", c.mode, 1)), Options{panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Info.MaximalR || s.Info.DerivativeGroup != 1 {
			t.Errorf("maximal reconvergence %v, derivative group %d", s.Info.MaximalR, s.Info.DerivativeGroup)
		}
		found := false
		for in := range s.Functions[0].Impl.Start().Instrs() {
			if !in.IsALU(ir.OpFadd) {
				continue
			}
			found = true
			if want := ir.FloatControls(0).With(c.keep, 32); in.Exact != c.exact || in.FastMath != want {
				t.Errorf("mode %s: exact %v, keeps %#x; want %v, %#x", c.mode, in.Exact, in.FastMath, c.exact, want)
			}
		}
		if !found {
			t.Error("no fadd")
		}
	}
}

// TestEarlyAndLate: tests before and after a shader are those after it alone, unless it stores to memory.
func TestEarlyAndLate(t *testing.T) {
	const text = `OpCapability Shader
OpCapability StencilExportEXT
OpExtension "SPV_EXT_shader_stencil_export"
OpExtension "SPV_AMD_shader_early_and_late_fragment_tests"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main EarlyAndLateFragmentTestsAMD
OpExecutionMode %main StencilRefLessBackAMD
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%block = OpTypeStruct %u32
%p = OpTypePointer StorageBuffer %block
BUFFER
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
`
	if _, err := Translate(assemble(t, strings.Replace(text, "BUFFER", "", 1)), Options{panics: true}); err != nil {
		t.Error(err)
	}
	_, err := Translate(assemble(t, strings.Replace(text, "BUFFER", "%b = OpVariable %p StorageBuffer", 1)), Options{panics: true})
	if err == nil || !strings.Contains(err.Error(), "EarlyAndLateFragmentTestsAMD of a shader that may store to memory is not supported: the hardware's tests are") {
		t.Errorf("a shader that may store: %v", err)
	}
}
