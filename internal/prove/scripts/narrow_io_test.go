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

// TestUnusualWidths runs scripts on inputs and outputs of 8 and 16 bits and on
// subgroup operations of 64 bits on the interpreter and the cores. A subgroup of
// Midgard is one lane, so it has no part in the latter.
func TestUnusualWidths(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	modules := &amber.ModuleCache{}
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
		for _, name := range []string{"narrow_io.amber", "wide_subgroups.amber"} {
			if o.Target == "midgard" && name == "wide_subgroups.amber" {
				continue
			}
			o.Level = passes.O2
			target, err := exec.AmberTarget(o)
			if err != nil {
				t.Fatal(err)
			}
			r := &amber.Runner{Strict: true, Target: target, Modules: modules}
			if got := r.Run(t.Context(), prove.Script(t, prove.Data(name))); got.Verdict != amber.Pass || got.Checked < 1 {
				t.Errorf("%s on %s %s: %+v", name, o.Target, o.GPU, got)
			}
		}
	}
}
