package agx_test

import (
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/passes"
)

// obligations says which script shows that an obligation is met, by the convention with which
// shaders are compiled, both if none is said.
var obligations = []struct {
	fault, script, abi string
	refused            string // the script is skipped for this reason
}{
	{fault: "base instance", script: "base_instance"},
	{fault: "written image", script: "written_image"},
	{fault: "image barrier", script: "written_image"},
	{fault: "guard", script: "guard"},
	{fault: "subgroup barrier", script: "subgroup_barrier"},
	{fault: "patch barrier", script: "patch_barrier"},
	{fault: "scratch size", script: "scratch_size"},
	{fault: "point size", script: "point_size"},
	{fault: "sample halt", script: "sample_halt", abi: nirc.SeparateABI},
	{fault: "sample place", script: "sample_place"},
	{fault: "halted index", script: "halted_index"},
	{fault: "quad index", script: "quad_index"},
	{fault: "pass facts", script: "base_instance", abi: nirc.SeparateABI},
	{fault: "texel range", script: "texel_range"},
	{fault: "early tests", script: "early_tests"},
	{fault: "side effects", script: "sample_place"},
	{fault: "varying order", script: "varying_order"},
	{fault: "viewport copy", script: "viewport_copy"},
	{fault: "viewport unwritten", script: "viewport_copy"},
	{fault: "clip copy", script: "clip_copy"},
	{fault: "first fan", script: "first_fan"},
	{fault: "invalid plane", script: "invalid_plane"},
	{fault: "tile budget", script: "tile_budget", abi: nirc.SeparateABI, refused: "no tile holds them"},
}

// TestObligations compiles without what meets an obligation of the hardware (agx.md §16) and
// demands that the core notices, or that the result is wrong.
func TestObligations(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	tested := map[string]bool{}
	for _, o := range obligations {
		tested[o.fault] = true
		f, ok := agx.Faults[o.fault]
		if !ok {
			t.Fatalf("there is no fault %q", o.fault)
		}
		abis := []string{"", nirc.SeparateABI}
		if o.abi != "" {
			abis = []string{o.abi}
		}
		for _, abi := range abis {
			t.Run(o.fault+" "+abi, func(t *testing.T) {
				want := amber.Pass
				if o.refused != "" {
					want = amber.Skip
				}
				if r := runScript(t, o.script, abi); r.Verdict != want || !strings.Contains(r.Reason, o.refused) {
					t.Fatalf("with all obligations met: %+v", r)
				}
				mend := agx.Break(f)
				defer mend()
				if r := runScript(t, o.script, abi); r.Verdict != amber.Fail {
					t.Errorf("nobody notices: %+v", r)
				}
			})
		}
	}
	for name := range agx.Faults {
		if !tested[name] {
			t.Errorf("no script shows %q", name)
		}
	}
	if len(agx.Faults) != agx.NumFaults {
		t.Errorf("%d of %d faults have names", len(agx.Faults), agx.NumFaults)
	}
}

// modules keeps what glslangValidator makes of the scripts.
var modules amber.ModuleCache

func runScript(t *testing.T, name, abi string) amber.Result {
	t.Helper()
	file := "testdata/obligations/" + name + ".amber"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := amber.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	target, err := exec.AmberTarget(nirc.Options{Target: "agx", ABI: abi, Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	return (&amber.Runner{Target: target, Modules: &modules, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
}
