package profile_test

import (
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestProgramsOfAStage: a geometry shader on AGX is several programs, and the profile has what each of them ran: the
// stores of its main program and the vertices of the one that rasterises.
func TestProgramsOfAStage(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	target, err := exec.AmberTarget(nirc.Options{Target: "agx", Level: passes.O2, Debug: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Counts{}
	ctx := exec.WithCounts(t.Context(), c)
	path := "../../testdata/geometry.amber"
	if r := (&amber.Runner{Target: target}).Run(ctx, prove.Script(t, path)); r.Verdict != amber.Pass {
		t.Fatal(r)
	}
	p := written(t, c)
	aside, all := 0, 0
	for _, n := range c.Programs() {
		if n.Object.Stage.String() != "geometry" {
			continue
		}
		m, err := nirc.Cost(t.Context(), n.Object)
		if err != nil {
			t.Fatal(err)
		}
		runs := map[int]uint64{}
		for i := range n.Counters {
			runs[int(n.Counters[i].Offset)] = n.Counters[i].Runs()
		}
		for i := range m.Instrs {
			if m.Instrs[i].Aside && runs[m.Instrs[i].Offset] > 0 {
				aside++
			}
			if runs[m.Instrs[i].Offset] > 0 && (m.Instrs[i].Aside || !m.Instrs[i].Once) {
				all++
			}
		}
	}
	samples := 0
	for _, s := range p.Sample {
		if s.Label["stage"][0] == "geometry" {
			samples++
		}
	}
	if aside == 0 || samples != all {
		t.Errorf("%d samples of geometry shaders, %d instructions ran, %d of them in programs beside the main one", samples, all, aside)
	}
}
