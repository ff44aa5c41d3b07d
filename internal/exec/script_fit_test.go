package exec

import (
	"strings"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
)

// TestLooksAtSubgroups: a module that reads the number of its subgroup, or wants lanes to meet again, is told from those that say something near it.
func TestLooksAtSubgroups(t *testing.T) {
	const head = "OpCapability Shader\nOpCapability GroupNonUniform\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\nOpExecutionMode %main LocalSize 1 1 1\n"
	const tail = "\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%p = OpTypePointer Input %uint\n%id = OpVariable %p Input\n%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
	for text, want := range map[string]bool{
		"OpDecorate %id BuiltIn SubgroupId": true, "OpDecorate %id BuiltIn SubgroupSize": false, "OpDecorate %id BuiltIn SubgroupLocalInvocationId": false, "OpDecorate %id Location 40": false,
		"OpDecorate %id BuiltIn LocalInvocationIndex": false, "": false, "OpExecutionMode %main MaximallyReconvergesKHR": true, "OpExecutionMode %main SubgroupUniformControlFlowKHR": false,
		"OpExecutionMode %main LocalSizeHint 6023 40 40": false, "OpName %id \"BuiltIn SubgroupId\"": false, "OpDecorate %id Alignment 40\nOpDecorate %id Binding 11": false,
	} {
		words, err := spv.Assemble(head+text+tail, spv.AssembleOptions{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		m, err := spv.ParseWords(words)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := looksAtSubgroups(m); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// pointScript draws points, of a vertex shader that says SIZE of theirs.
const pointScript = `#!amber
SHADER vertex v GLSL
#version 450
layout(location = 0) in vec4 at;
void main() { gl_Position = at; SIZE }
END
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 o;
void main() { o = vec4(1, 0, 0, 1); }
END
BUFFER at DATA_TYPE vec4<float> DATA
-0.375 -0.375 0 1
 0.625  0.625 0 1
END
BUFFER frame FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA at LOCATION 0
  BIND BUFFER frame AS color LOCATION 0
END
CLEAR p
RUN p DRAW_ARRAY AS POINT_LIST START_IDX 0 COUNT 2
EXPECT frame IDX 3 3 SIZE 1 1 EQ_RGBA FIRST
EXPECT frame IDX 0 0 SIZE 1 1 EQ_RGBA 0 0 0 0
EXPECT frame IDX 6 6 SIZE 1 1 EQ_RGBA 255 0 0 255
`

// TestScriptPoints: points are drawn on every target, of the size that the vertex shader stores, or of one pixel where it stores none.
func TestScriptPoints(t *testing.T) {
	for size, first := range map[string]string{"": "0 0 0 0", "gl_PointSize = 1.0;": "0 0 0 0", "gl_PointSize = 3.0;": "255 0 0 255"} {
		for _, name := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			text := strings.NewReplacer("SIZE }", size+" }", "FIRST", first).Replace(pointScript)
			r := runScript(t, text, name)
			if r.Verdict == amber.Skip {
				t.Skip(r.Reason)
			}
			if r.Verdict != amber.Pass {
				t.Errorf("%s, %q: %v, line %d: %s", name, size, r.Verdict, r.Line, r.Reason)
			}
		}
	}
}
