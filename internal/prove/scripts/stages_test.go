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
// the passes, and with explicit inputs and outputs; and to Midgard, where the stages are jobs of others.
func TestStageScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	lowered, err := passes.ParsePassList(prove.LoweredInterface)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"tess.amber", "geometry.amber", "geometry_types.amber", "draws.vkscript", "barycentric.amber", "barycentric_strips.amber", "covered.amber"}
	const stages = 4 // those that Midgard takes too
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: nirc.IRTarget, Level: passes.O2}, {Target: nirc.IRTarget, Passes: lowered},
		{Target: "midgard"}, {Target: "midgard", Level: passes.O2}} {
		list := names
		if o.Target == "midgard" {
			list = names[:stages]
		}
		for _, name := range list {
			path := prove.Data(name)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := runScript(t, o, path, src); got.Verdict != amber.Pass || got.Checked < 1 {
				t.Errorf("%s on %s at O%v, passes given %v: %+v", name, o.Target, o.Level, o.Passes != nil, got)
			}
		}
	}
}
