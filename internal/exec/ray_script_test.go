package exec

import (
	"context"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// runRays runs a variant of the script of ray tracing on the interpreter.
func runRays(t *testing.T, o nirc.Options, change ...string) amber.Result {
	t.Helper()
	text, err := os.ReadFile("testdata/rays.amber")
	if err != nil {
		t.Fatal(err)
	}
	old := string(text)
	s, err := amber.Parse("rays.amber", []byte(strings.NewReplacer(change...).Replace(old)))
	if err != nil {
		t.Fatal(err)
	}
	o.Target = nirc.IRTarget
	target, err := AmberTarget(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &amber.Runner{Target: target, Limits: emu.Limits{Check: true, Seed: 7}}
	return r.Run(context.Background(), s)
}

// Every stage of a ray tracing pipeline runs, as the frontend made it and after the passes.
func TestRayPipeline(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	systemValues, err := passes.ParsePassList("lower_continue_constructs,lower_returns,inline_functions,lower_vars_to_ssa,lower_system_values,opt_copy_prop,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]nirc.Options{"as it is": {Level: passes.O0}, "passes": {Level: passes.O2}, "system values": {Passes: systemValues}} {
		if r := runRays(t, o); r.Verdict != amber.Pass || r.Checked != 4 {
			t.Errorf("%s: %v, line %d: %s", name, r.Verdict, r.Line, r.Reason)
		}
	}
}

// What pipelines of rays must not do is an error.
func TestRayPipelineErrors(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct{ old, text, want string }{
		{"MAX_RAY_RECURSION_DEPTH 2", "MAX_RAY_RECURSION_DEPTH 1", "rays are traced more than 1 deep"},
		{"t_miss g_miss0 g_miss1", "t_miss g_miss0", "miss shaders has 1 entries, and none of index 1"},
		{"OFFSET 2", "OFFSET 3", "hit shaders has 3 entries, and none of index 3"},
		{"executeCallableEXT(1, 2)", "executeCallableEXT(2, 2)", "callable shaders has 2 entries, and none of index 2"},
		{"void main() { data.x = -100; }", "layout(location = 1) callableDataEXT vec2 again; void main() { executeCallableEXT(0, 1); }", ""},
		{"void main() { data = data.yx", "layout(location = 1) callableDataEXT vec2 again; void main() { executeCallableEXT(1, 1); data = data.yx", "shaders call each other more than 64 deep"},
	} {
		if r := runRays(t, nirc.Options{}, c.old, c.text); !strings.Contains(r.Reason, c.want) || (c.want == "") != (r.Verdict == amber.Pass) {
			t.Errorf("%s: %v: %q, want %q", c.text, r.Verdict, r.Reason, c.want)
		}
	}
}
