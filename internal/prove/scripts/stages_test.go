package scripts

import (
	"os"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestStageScripts runs the scripts on tessellation, geometry stages and the
// older script form from GLSL to the interpreter: as the frontend made them, after
// the passes, and with explicit inputs and outputs.
func TestStageScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	lowered, err := passes.ParsePassList(prove.LoweredInterface)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []nirc.Options{{}, {Level: passes.O2}, {Passes: lowered}} {
		o.Target = nirc.IRTarget
		for _, name := range []string{"tess.amber", "geometry.amber", "geometry_types.amber", "barycentric.amber", "barycentric_strips.amber", "covered.amber", "draws.vkscript"} {
			path := prove.Data(name)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := runScript(t, o, path, src); got.Verdict != amber.Pass || got.Checked < 1 {
				t.Errorf("%s at O%v, passes given %v: %+v", name, o.Level, o.Passes != nil, got)
			}
		}
	}
}
