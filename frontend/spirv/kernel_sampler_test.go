package spirv

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// samplerModule looks an image up by a sampler that the module writes down.
const samplerModule = `OpCapability Addresses
OpCapability Kernel
OpCapability ImageBasic
OpCapability LiteralSampler
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFloat 32
%v2 = OpTypeVector %f 2
%v4 = OpTypeVector %f 4
%z = OpConstant %f 0
%q = OpConstant %f 0.25
%at = OpConstantComposite %v2 %q %z
%img = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%smp = OpTypeSampler
%both = OpTypeSampledImage %img
%p = OpTypePointer CrossWorkgroup %v4
%fn = OpTypeFunction %void %img %p
%s = OpConstantSampler SAMPLER
%main = OpFunction %void None %fn
%i = OpFunctionParameter %img
%o = OpFunctionParameter %p
%l = OpLabel
%b = OpSampledImage %both %i %s
%r = OpImageSampleExplicitLod %v4 %b %at Lod %z
OpStore %o %r Aligned 16
OpReturn
OpFunctionEnd
`

// TestLiteralSamplers: each addressing mode, filter and kind of coordinates of a sampler that the module writes down makes lookups of its own,
// except where they are undefined (beyond the image by None, repeated by coordinates in texels); what is no sampler is refused.
func TestLiteralSamplers(t *testing.T) {
	seen := map[string]string{}
	for mode := range 5 {
		for normalized := range 2 {
			for _, filter := range []string{"Nearest", "Linear"} {
				name := []string{"None", "ClampToEdge", "Clamp", "Repeat", "RepeatMirrored"}[mode]
				undefined := name == "None" || normalized == 0 && strings.HasPrefix(name, "Repeat")
				what := fmt.Sprintf("%%smp %s %d %s", name, normalized, filter)
				s, err := Translate(assemble(t, strings.Replace(samplerModule, "SAMPLER", what, 1)), Options{panics: true})
				if err == nil {
					err = ir.Validate(s)
				}
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				text := ir.Print(s)
				if other, ok := seen[text]; ok && !undefined {
					t.Errorf("%s is looked up as %s is", what, other)
				}
				if !undefined {
					seen[text] = what
				}
			}
		}
	}
	module := strings.Replace(samplerModule, "SAMPLER", "%f Clamp 1 Linear", 1)
	if _, err := Translate(assemble(t, module), Options{panics: true}); err == nil || !strings.Contains(err.Error(), "the type is not a sampler") {
		t.Errorf("a sampler of another type: %v", err)
	}
}
