package grids

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// tessModes is what a module of an evaluation stage says of the domain, the spacing and the order: it may stand in the control stage's instead.
var tessModes = regexp.MustCompile(`(?m)^ *OpExecutionMode %\S+ (Triangles|Quads|Isolines|SpacingEqual|VertexOrderCcw)$`)

// domainScript draws two patches of a domain. ASSEMBLY1 is the control stage, ASSEMBLY2 the evaluation stage. The buffer gets the number of points, and the sums of 12 times each coordinate.
const domainScript = `#!amber
SHADER vertex vert GLSL
#version 450
layout(location = 0) in vec2 pos;
void main() { gl_Position = vec4(pos, 0, 1); }
END
SHADER tessellation_control ctrl SPIRV-ASM
ASSEMBLY1
END
SHADER tessellation_evaluation eval SPIRV-ASM
ASSEMBLY2
END
SHADER fragment frag GLSL
#version 450
layout(location = 0) out vec4 result;
void main() { result = vec4(1); }
END
BUFFER corners DATA_TYPE vec2<float> DATA -1 -1  0 -1 END
BUFFER seen DATA_TYPE uint32 SIZE 5 FILL 0
BUFFER fb FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH vert
  ATTACH ctrl
  ATTACH eval
  ATTACH frag
  PATCH_CONTROL_POINTS 1
  FRAMEBUFFER_SIZE 16 16
  VERTEX_DATA corners LOCATION 0
  BIND BUFFER fb AS color LOCATION 0
  BIND BUFFER seen AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p DRAW_ARRAY AS PATCH_LIST START_IDX 0 COUNT 2
EXPECT seen IDX 0 EQ NUMBERS
`

// TestDomainOfControl: the domain, the spacing and the order may be said by the control stage alone. The evaluation stage, which does not
// know them when it is compiled, has the same coordinates and levels then; AGX's grids cannot be made without them.
func TestDomainOfControl(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		domain       string
		outer, inner int
		want         string // points, sums of the coordinates, 1 for each level that is not what the control stage wrote
	}{
		{"triangles", 3, 1, "28 116 104 116 0"},
		{"quads", 4, 2, "32 192 192 0 0"},
		{"isolines", 2, 0, "16 96 48 0 0"},
	} {
		control := `#version 450
layout(vertices = 1) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position;
  for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = float(2 + (i & 1));
  gl_TessLevelInner[0] = 4; gl_TessLevelInner[1] = 3;
}`
		evaluation := fmt.Sprintf(`#version 450
layout(%s, equal_spacing, ccw) in;
layout(set = 0, binding = 0) buffer Seen { uint count, x, y, z, wrong; };
void main() {
  gl_Position = gl_in[0].gl_Position + vec4(gl_TessCoord.xy, 0, 0);
  atomicAdd(count, 1);
  uvec3 c = uvec3(round(gl_TessCoord * 12.0));
  atomicAdd(x, c.x); atomicAdd(y, c.y); atomicAdd(z, c.z);
  for (int i = 0; i < %d; i++) if (gl_TessLevelOuter[i] != float(2 + (i & 1))) atomicAdd(wrong, 1);
  for (int i = 0; i < %d; i++) if (gl_TessLevelInner[i] != float(4 - i)) atomicAdd(wrong, 1);
}`, c.domain, c.outer, c.inner)
		ctrl, err := prove.FromGLSL(t, ir.StageTessCtrl, control).Disassemble()
		if err != nil {
			t.Fatal(err)
		}
		eval, err := prove.FromGLSL(t, ir.StageTessEval, evaluation).Disassemble()
		if err != nil {
			t.Fatal(err)
		}
		modes := tessModes.FindAllString(eval, -1)
		if len(modes) != 3 {
			t.Fatalf("the modes are %q", modes)
		}
		alone := tessModes.ReplaceAllString(eval, "")
		both := regexp.MustCompile(`(?m)^ *OpExecutionMode .*$`).ReplaceAllString(ctrl, "$0\n"+strings.Join(modes, "\n"))
		text := strings.NewReplacer("ASSEMBLY1", both, "ASSEMBLY2", alone, "NUMBERS", c.want).Replace(domainScript)
		s, err := amber.Parse("domain.amber", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, refused := range map[string]string{nirc.IRTarget: "", "ir3": "", "agx": "of a shader that does not say its domain is not supported"} {
			target, err := exec.AmberTarget(nirc.Options{Target: name, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			r := (&amber.Runner{Strict: true, Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
			if refused == "" && (r.Verdict != amber.Pass || r.Checked < 1) || refused != "" && (r.Verdict != amber.Skip || !strings.Contains(r.Reason, refused)) {
				t.Errorf("%s on %s: %+v", c.domain, name, r)
			}
		}
	}
}
