package nirc_test

import (
	"context"
	"strings"
	"testing"

	"nirc"
)

// What the frontend does not know is refused with the reason that the table of capabilities has, whether there is a target or not.
func TestReasonsOfTheFrontend(t *testing.T) {
	const text = `OpCapability Shader
CAPABILITY
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" VARIABLE
OpExecutionMode %main LocalSize 1 1 1
DECORATION
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
DECLARATION
%main = OpFunction %void None %fn
%entry = OpLabel
BODY
OpReturn
OpFunctionEnd
`
	for _, c := range []struct{ capability, decoration, declaration, body, want string }{
		{"ShaderSMBuiltinsNV", "OpDecorate %v BuiltIn WarpsPerSMNV", "%p = OpTypePointer Input %uint\n%v = OpVariable %p Input", "%x = OpLoad %uint %v",
			"the built-in WarpsPerSMNV of storage class Input (capability ShaderSMBuiltinsNV) is not supported: the numbers of multiprocessors and warps"},
		{"TensorsARM", "", "%v = OpTypeTensorARM %uint", "%x = OpUndef %v", "OpTypeTensorARM (capability TensorsARM) is not supported by this frontend: no GPU of the targets"},
		{"ShaderInvocationReorderNV", "", "%p = OpTypePointer HitObjectAttributeNV %uint\n%v = OpVariable %p HitObjectAttributeNV", "%x = OpLoad %uint %v",
			"HitObjectAttributeNV (capabilities ShaderInvocationReorderNV) is not supported: shaders that start others"},
	} {
		variable := "%v"
		if c.capability == "TensorsARM" {
			variable = ""
		}
		m, err := nirc.Load([]byte(strings.NewReplacer("CAPABILITY", "OpCapability "+c.capability, "VARIABLE", variable, "DECORATION", c.decoration, "DECLARATION", c.declaration, "BODY", c.body).Replace(text)), "a.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{nirc.IRTarget, "ir3", "midgard"} {
			if _, err := nirc.Translate(context.Background(), m, nirc.Options{Target: target}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", target, err, c.want)
			}
		}
	}
}
