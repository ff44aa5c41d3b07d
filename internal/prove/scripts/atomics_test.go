package scripts

import (
	"bytes"
	"os"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// atomicScript is a script on atomics, the targets that run it, and what in it
// is right and wrong.
type atomicScript struct {
	path         string
	targets      []nirc.Options
	right, wrong string
	checked      int
}

// run runs the script, and its wrong form, which must fail.
func (a *atomicScript) run(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	src, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := amber.Parse(a.path, bytes.Replace(src, []byte(a.right), []byte(a.wrong), 1))
	if err != nil {
		t.Fatal(err)
	}
	modules := &amber.ModuleCache{}
	for _, o := range a.targets {
		for _, o.Level = range []passes.Level{passes.O0, passes.O2} {
			target, err := exec.AmberTarget(o)
			if err != nil {
				t.Fatal(err)
			}
			r := &amber.Runner{Strict: true, Target: target, Modules: modules}
			if got := r.Run(t.Context(), prove.Script(t, a.path)); got.Verdict != amber.Pass || got.Checked < a.checked {
				t.Errorf("%s %s at O%v: %+v", o.Target, o.GPU, o.Level, got)
			}
			if got := r.Run(t.Context(), wrong); got.Verdict != amber.Fail || got.Cause != amber.CauseExpectation {
				t.Errorf("%s %s at O%v takes a wrong sum for right: %+v", o.Target, o.GPU, o.Level, got)
			}
		}
	}
}

// TestFloatAtomics runs atomics on floats, which lower_atomics writes as loops,
// on the interpreter and on the cores: sums are whole although many lanes add
// at once, and helpers neither add nor keep their waves from ending.
func TestFloatAtomics(t *testing.T) {
	a := atomicScript{path: prove.Data("float_atomics.amber"), targets: []nirc.Options{{Target: nirc.IRTarget}}, right: "EQ 35 25", wrong: "EQ 35 26", checked: 4}
	for _, b := range nirc.Targets() {
		a.targets = append(a.targets, nirc.Options{Target: b.Name})
	}
	a.run(t)
}

// TestWideAtomics runs atomics of 64 bits where they are: on the interpreter
// and on the ir3 GPUs that have unsigned ones.
func TestWideAtomics(t *testing.T) {
	a := atomicScript{path: prove.Data("wide_atomics.amber"), right: "EQ 1968813", wrong: "EQ 1968814", checked: 1}
	a.targets = []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a740"}, {Target: "ir3", GPU: "a750"}, {Target: "midgard"}}
	a.run(t)
}
