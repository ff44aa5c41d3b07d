package exec

import (
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestPartialBarriers: invocations that have left before a barrier of their workgroup are reported, lanes by the interpreter,
// whole subgroups on every target whose waves end with their lanes; a barrier that all come to is not, nor is one after which some leave.
func TestPartialBarriers(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		body    string
		targets []string
		partial bool
	}{
		{"if (i < 3u) return; s[i] = i; barrier(); w[i] = s[i ^ 1u];", []string{"ir"}, true},
		{"if (i >= 64u) return; s[i] = i; barrier(); w[i] = s[i ^ 1u];", []string{"ir", "midgard"}, true},
		{"s[i] = i; if (i < w.length() - 200u) { barrier(); } w[i] = s[i];", []string{"ir"}, true},
		{"s[i] = i; barrier(); if (i >= 64u) return; w[i] = s[i ^ 1u];", []string{"ir", "agx", "ir3", "midgard"}, false},
	} {
		m := computeModule(t, `#version 450
layout(local_size_x=256) in;
layout(std430, set=0, binding=0) buffer W { uint w[]; };
shared uint s[256];
void main() { uint i = gl_LocalInvocationIndex; `+c.body+` }`)
		for _, target := range c.targets {
			x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{1, 1, 1},
				Limits: emu.Limits{Check: true}, Bindings: []Binding{{Binding: 0, Data: make([]byte, 1024)}}}
			if err := Execute(context.Background(), x); (err != nil && strings.Contains(err.Error(), emu.ErrPartialBarrier.Error())) != c.partial || !c.partial && err != nil {
				t.Errorf("%s, %s: %v", c.body, target, err)
			}
		}
	}
}
