package agx_test

import (
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestRaces: races of shaders show in the accesses that AGX's code makes, with the places of both.
func TestRaces(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct{ name, body, race string }{
		{"shared", "s[i] = i; b[i] = s[63u - i];", "race on workgroup memory"},
		{"shared, one wave", "s[i % 32u] = i;", ""},
		{"buffer", "b[i] = i; b[64u + i] = b[63u - i];", "race on the device's memory"},
		{"barrier", "s[i] = i; barrier(); b[i] = s[63u - i];", ""},
		{"workgroups", "b[i] = i + gl_WorkGroupID.x; b[64u] = gl_WorkGroupID.x; b[64u + i / 64u] = 7u;", "race on the device's memory"},
		{"atomics", "atomicAdd(b[0], i); atomicMax(b[1], i);", ""},
	} {
		text := strings.ReplaceAll(`#!amber
SHADER compute cs GLSL
#version 450
layout(local_size_x=64) in;
layout(set=0,binding=0) buffer B { uint b[128]; };
shared uint s[64];
void main(){ uint i = gl_LocalInvocationIndex; BODY }
END
BUFFER b DATA_TYPE uint32 SIZE 128 FILL 9
PIPELINE compute p
 ATTACH cs
 BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 2 1 1
`, "BODY", c.body)
		if c.name == "shared, one wave" || c.name == "barrier" || c.name == "shared" {
			text = strings.Replace(text, "RUN p 2", "RUN p 1", 1)
		}
		s, err := amber.Parse(c.name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			target, err := exec.AmberTarget(nirc.Options{Target: "agx", Level: level})
			if err != nil {
				t.Fatal(err)
			}
			r := (&amber.Runner{Target: target, Modules: &modules, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
			switch {
			case c.race == "":
				if r.Verdict != amber.Pass {
					t.Errorf("%s at O%d: %+v", c.name, level, r)
				}
			case !strings.Contains(r.Reason, c.race) || strings.Count(r.Reason, "(pc 0x") != 2:
				t.Errorf("%s at O%d: %+v", c.name, level, r)
			}
		}
	}
}
