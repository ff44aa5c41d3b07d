package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// TestReachable: the functions of a shader are those that its entry point reaches, each once, callees before their callers; a function that calls itself, however
// far around, is refused where the entry point reaches it.
func TestReachable(t *testing.T) {
	for _, c := range []struct {
		calls string // of each function those that it calls, in order: m is the entry point
		want  string // the functions, "" if it is refused
	}{
		{"m:", "m"}, {"m:a a:", "a m"}, {"m: a:", "m"}, {"m:ab a:c b:c c:", "c a b m"}, {"m:aa a:", "a m"}, {"m:a a:b b:c c:", "c b a m"}, {"m:cba a: b:a c:b", "a b c m"},
		{"m:a a:a", ""}, {"m:a a:b b:a", ""}, {"m:ab a:c b: c:b", "b c a m"}, {"m:b a:m b:", "b m"}, {"m:a a:m", ""}, {"m:a a:b b:c c:d d:b", ""}, {"m:d a:b b:a d:", "d m"},
	} {
		var text strings.Builder
		text.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %m \"m\"\nOpExecutionMode %m LocalSize 1 1 1\n")
		for f := range strings.FieldsSeq(c.calls) {
			fmt.Fprintf(&text, "OpName %%%c \"%c\"\n", f[0], f[0])
		}
		text.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n")
		n := 0
		for f := range strings.FieldsSeq(c.calls) {
			fmt.Fprintf(&text, "%%%c = OpFunction %%void None %%fn\n%%l%c = OpLabel\n", f[0], f[0])
			for _, callee := range f[2:] {
				n++
				fmt.Fprintf(&text, "%%r%d = OpFunctionCall %%void %%%c\n", n, callee)
			}
			text.WriteString("OpReturn\nOpFunctionEnd\n")
		}
		s, err := Translate(assemble(t, text.String()), Options{panics: true})
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "calls itself") {
				t.Errorf("%s: %v", c.calls, err)
			}
			continue
		}
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.calls, err)
			continue
		}
		var names []string
		for _, f := range s.Functions {
			names = append(names, f.Name)
		}
		if want := strings.Fields(c.want); !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", c.calls, names, want)
		}
	}
}
