package core_test

import (
	"path/filepath"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/passes"
)

// TestPipelines: pipelines of all stages, as the compiler makes them, draw on the core what their scripts expect: what hand-written programs
// of a few instructions cannot be.
func TestPipelines(t *testing.T) {
	target, err := exec.AmberTarget(nirc.Options{Target: "agx", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tess.amber", "geometry.amber", "geometry_types.amber", "images_draw.amber", "narrow_io.amber", "draws.vkscript", "interpolate.amber", "tile_image.amber"} {
		s := prove.Script(t, filepath.Join("..", "..", "..", "testdata", name))
		r := (&amber.Runner{Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
		if r.Verdict == amber.Fail {
			t.Errorf("%s: line %d: %s", name, r.Line, r.Reason)
		}
	}
}
