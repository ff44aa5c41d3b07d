package scripts

import (
	"context"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// withoutLayout compiles as if there were no layout.
type withoutLayout struct{ amber.Target }

func (t withoutLayout) Compile(ctx context.Context, s amber.Shader) (emu.Program, error) {
	s.Layout = nil
	return t.Target.Compile(ctx, s)
}

// TestLayouts runs scripts with the layouts of what they bind: the tables are filled by them, and a
// program that was compiled for other tables is noticed.
func TestLayouts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, b := range nirc.Targets() {
		for _, name := range []string{"shared_set.amber", "unsized.amber", "images.amber", "images_draw.amber", "block_arrays.amber", "opaque.amber"} {
			for _, gpu := range []string{b.GPUs[0].Name, b.GPUs[len(b.GPUs)-1].Name} {
				target, err := exec.AmberTarget(nirc.Options{Target: b.Name, GPU: gpu, Level: passes.O2})
				if err != nil {
					t.Fatal(err)
				}
				run := func(target amber.Target) amber.Result {
					r := &amber.Runner{Target: target, ScriptLayouts: true, Limits: emu.Limits{Check: true, Seed: 1}}
					return r.Run(t.Context(), prove.Script(t, prove.Data(name)))
				}
				if r := run(target); r.Verdict != amber.Pass && (gpu == b.GPUs[0].Name || r.Verdict != amber.Skip) {
					t.Errorf("%s on %s %s: %+v", name, b.Name, gpu, r)
				}
				if r := run(withoutLayout{target}); name == "unsized.amber" && r.Verdict != amber.Fail {
					t.Errorf("%s on %s %s, compiled for another layout: %+v", name, b.Name, gpu, r)
				}
			}
		}
	}
}
