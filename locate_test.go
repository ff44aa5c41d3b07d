package nirc

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestRefusalPlaces: what a pass refuses for a target is said with the place in
// the module, debug information asked for or not.
func TestRefusalPlaces(t *testing.T) {
	const text = `OpCapability Shader
OpCapability FragmentBarycentricKHR
OpExtension "SPV_KHR_fragment_shader_barycentric"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %bary %o
OpExecutionMode %main OriginUpperLeft
%file = OpString "bary.frag"
OpDecorate %bary BuiltIn BaryCoordKHR
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%v3 = OpTypeVector %f 3
%pi = OpTypePointer Input %v3
%po = OpTypePointer Output %v3
%bary = OpVariable %pi Input
%o = OpVariable %po Output
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 12 5
%x = OpLoad %v3 %bary
OpStore %o %x
OpReturn
OpFunctionEnd
`
	for _, c := range []struct{ text, want string }{
		{text, "bary.frag:12:5: error: "},
		{strings.Replace(text, "OpLine %file 12 5\n", "", 1), "word "},
	} {
		for _, debug := range []bool{false, true} {
			m, err := Load([]byte(c.text), "bary.spvasm")
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Compile(context.Background(), Options{Target: "midgard", Debug: debug})
			var list Diagnostics
			if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) || list[0].Target != "midgard" || list[0].Word == 0 {
				t.Errorf("debug %v: %v, want the place %q", debug, err, c.want)
			}
		}
	}
}
