// Package scripts proves what our AmberScript files of testdata say, on the interpreter and on every
// core, and that each of their expectations fails when it is changed.
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

// TestScriptsEverywhere runs scripts on the interpreter and on each core.
func TestScriptsEverywhere(t *testing.T) {
	scripts := []struct {
		path    string
		glsl    bool
		checked int
		without string // a target whose hardware cannot
	}{
		{prove.Data("interpolate.amber"), true, 1, ""},
		{prove.Data("block_arrays.amber"), true, 1, ""},
		{prove.Data("opaque.amber"), false, 1, ""},
		{prove.Data("partition.amber"), true, 7, "midgard"}, // its subgroups have one lane
	}
	names := []string{nirc.IRTarget}
	for _, b := range nirc.Targets() {
		names = append(names, b.Name)
	}
	for _, x := range scripts {
		t.Run(x.path, func(t *testing.T) {
			if x.glsl {
				refs.Tool(t, "glslangValidator")
			}
			for _, name := range names {
				if name == x.without {
					continue
				}
				for _, level := range []passes.Level{passes.O0, passes.O2} {
					target, err := exec.AmberTarget(nirc.Options{Target: name, Level: level})
					if err != nil {
						t.Fatal(err)
					}
					r := (&amber.Runner{Strict: true, Target: target}).Run(t.Context(), prove.Script(t, x.path))
					if r.Verdict != amber.Pass || r.Checked != x.checked {
						t.Errorf("%s at O%v: %+v", name, level, r)
					}
				}
			}
		})
	}
}
