package scripts

import (
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestStageScripts runs the scripts on tessellation, geometry stages and the
// older script form from GLSL to the interpreter: as the frontend made them, behind
// the passes, and with explicit inputs and outputs.
func TestStageScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	lowered, err := passes.ParsePassList(prove.LoweredInterface)
	if err != nil {
		t.Fatal(err)
	}
	modules := &amber.ModuleCache{}
	for _, o := range []nirc.Options{{}, {Level: passes.O2}, {Passes: lowered}} {
		o.Target = nirc.IRTarget
		target, err := exec.AmberTarget(o)
		if err != nil {
			t.Fatal(err)
		}
		r := &amber.Runner{Strict: true, Target: target, Modules: modules}
		for _, name := range []string{"tess.amber", "geometry.amber", "geometry_types.amber", "barycentric.amber", "draws.vkscript"} {
			if got := r.Run(t.Context(), prove.Script(t, prove.Data(name))); got.Verdict != amber.Pass || got.Checked < 1 {
				t.Errorf("%s at O%v, passes given %v: %+v", name, o.Level, o.Passes != nil, got)
			}
		}
	}
}
