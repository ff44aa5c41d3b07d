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

// TestArraysWithoutSize runs a script on arrays of descriptors that declare no size, of
// all kinds, on the interpreter and the cores.
func TestArraysWithoutSize(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	modules := &amber.ModuleCache{}
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "agx"}, {Target: "midgard"}, {Target: "midgard", GPU: "t720"}} {
		for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
			target, err := exec.AmberTarget(o)
			if err != nil {
				t.Fatal(err)
			}
			r := &amber.Runner{Strict: true, Target: target, Modules: modules}
			if got := r.Run(t.Context(), prove.Script(t, prove.Data("unsized.amber"))); got.Verdict != amber.Pass || got.Checked < 18 {
				t.Errorf("%s %s at O%v: %+v", o.Target, o.GPU, o.Level, got)
			}
		}
	}
}
