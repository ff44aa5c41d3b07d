package grids

import (
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/passes"
)

const fragmentRaceScript = `#!amber
SHADER vertex vert PASSTHROUGH
SHADER fragment frag GLSL
#version 450
EXTENSION
layout(set = 0, binding = 0) buffer B { uint n[]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D im;
layout(location = 0) out vec4 o;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  uint at = uint(p.y * 8 + p.x);
  BODY
  o = vec4(1);
}
END
BUFFER v DATA_TYPE vec3<float> DATA -1 -1 0.1  3 -1 0.2  -1 3 0.3   -1 -1 0.5  3 -1 0.6  -1 3 0.7 END
BUFFER n DATA_TYPE uint32 SIZE 64 FILL 0
IMAGE im DATA_TYPE uint32 DIM_2D WIDTH 8 HEIGHT 8 FILL 500
BUFFER fb FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH vert
  ATTACH frag
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA v LOCATION 0
  BIND BUFFER fb AS color LOCATION 0
  BIND BUFFER n AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER im AS storage_image DESCRIPTOR_SET 0 BINDING 1
END
CLEAR p
RUN p DRAW_ARRAY AS TRIANGLE_LIST
EXPECT fb IDX 0 0 SIZE 8 8 EQ_RGBA 255 255 255 255
`

// TestFragmentRaces: what overlapping fragments do to the same memory is a race, with the places of both accesses, unless
// they only read it, are atomic, change nothing or are ordered by an interlock.
func TestFragmentRaces(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	var cache amber.ModuleCache
	const count, begin, end = "n[at] = n[at] * 3u + 1u;", "beginInvocationInterlockARB(); ", " endInvocationInterlockARB();"
	const texel, depth = "imageStore(im, p, imageLoad(im, p) + 1u);", "uint(gl_FragCoord.z * 100.0)"
	all, none, ir := []string{"ir", "ir3", "agx", "midgard"}, []string(nil), []string{"ir"}
	now := []string{"ir", "agx", "midgard"} // where stores land at once, so that equal ones are told apart
	for _, c := range []struct {
		name, body string
		race       []string // where
		locks      bool
	}{
		{"count", count, all, false},
		{"texels", texel, all, false},
		{"store of what differs", "n[at] = " + depth + ";", now, false},
		{"store of the same", "n[at] = at + 1u;", none, false},
		{"store of another's", "n[at ^ 1u] = " + depth + ";", now, false},
		{"atomics", "atomicAdd(n[at], 1u);", none, false},
		{"loads", "if (n[at] != 0u) discard;", none, false},
		{"interlock", begin + count + end, none, true},
		{"texels in an interlock", begin + texel + end, none, true},
		{"after the interlock", begin + end + count, ir, true}, // elsewhere the end of the shader is that of the interlock
		{"neighbours in an interlock", begin + "n[at ^ 1u] = n[at] + 1u;" + end, []string{"ir", "agx"}, true},
	} {
		extension := ""
		if c.locks {
			extension = "#extension GL_ARB_fragment_shader_interlock : require\nlayout(pixel_interlock_ordered) in;"
		}
		s, err := amber.Parse(c.name, []byte(strings.NewReplacer("EXTENSION", extension, "BODY", c.body).Replace(fragmentRaceScript)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			target, err := exec.AmberTarget(nirc.Options{Target: name, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			r := (&amber.Runner{Target: target, Modules: &cache, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
			want := slices.Contains(c.race, name)
			switch {
			case c.locks && (name == "ir3" || name == "midgard"):
				if r.Verdict != amber.Skip {
					t.Errorf("%s on %s: %+v", c.name, name, r)
				}
			case !want && r.Verdict != amber.Pass:
				t.Errorf("%s on %s: %+v", c.name, name, r)
			case want && (!strings.Contains(r.Reason, "emu: race on ") || strings.Count(r.Reason, " of fragment ") != 2):
				t.Errorf("%s on %s: no race is reported: %+v", c.name, name, r)
			}
		}
	}
}
