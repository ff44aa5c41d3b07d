package spirv

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestBlockArrayLocations: an array of blocks lies where the first member says, whether there is one member or several, and
// members that do not follow each other are refused.
func TestBlockArrayLocations(t *testing.T) {
	for _, c := range []struct {
		members   int
		locations []int // of the members, in their order
		want      string
	}{
		{1, []int{3}, "location=VAR3"}, {2, []int{3, 4}, "location=VAR3"}, {2, []int{0, 1}, "location=VAR0"}, {3, []int{5, 6, 7}, "location=VAR5"},
		{2, []int{3, 5}, "do not follow each other"}, {2, []int{3, 3}, "do not follow each other"}, {1, nil, "location=VAR9"},
	} {
		var dec, types strings.Builder
		for k, l := range c.locations {
			fmt.Fprintf(&dec, "OpMemberDecorate %%block %d Location %d\n", k, l)
		}
		if c.locations == nil {
			dec.WriteString("OpDecorate %v Location 9\n")
		}
		for range c.members {
			types.WriteString(" %vec4")
		}
		m := assemble(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %v
OpDecorate %block Block
`+dec.String()+`%void = OpTypeVoid
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%block = OpTypeStruct`+types.String()+`
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%arr = OpTypeArray %block %two
%ptr = OpTypePointer Output %arr
%pv4 = OpTypePointer Output %vec4
%v = OpVariable %ptr Output
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%f1 = OpConstant %float 1
%one = OpConstantComposite %vec4 %f1 %f1 %f1 %f1
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%begin = OpLabel
%p = OpAccessChain %pv4 %v %c1 %c0
OpStore %p %one
OpReturn
OpFunctionEnd
`)
		s, err := Translate(m, Options{panics: true})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v, want %q", c.locations, err, c.want)
			}
			continue
		}
		if text := ir.Print(s); !strings.Contains(text, c.want) {
			t.Errorf("%v: no %q in\n%s", c.locations, c.want, text)
		}
	}
}
