package nirc_test

import (
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
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

// Code generators take quads that lie in a row: those that are squares still, for want of a pass, are told and not taken for such.
func TestSquareQuads(t *testing.T) {
	few, err := passes.ParsePassList("gather_info")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"1", "2"} {
		text := `shader compute "main" { info { workgroup_size=4,4,1 derivative_group=` + group + ` } fn f0 "main" entry() { b0: } }`
		for _, b := range nirc.Targets() {
			_, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{Target: b.Name, Passes: few})
			if want := "the quads of the workgroup are squares (derivative_group 1): lower_compute_system_values brings their invocations together [" + b.Name + "]"; group == "1" && (err == nil || !strings.Contains(err.Error(), want)) || group == "2" && err != nil {
				t.Errorf("%s, derivative_group %s: %v, want %q", b.Name, group, err, want)
			}
		}
	}
}
