package nirc

import (
	"testing"

	"nirc/internal/amber"
	"nirc/internal/refs"
	"nirc/passes"
)

// loweredInterface are passes that make inputs, outputs and built-ins explicit.
const loweredInterface = "lower_continue_constructs,opt_dce,lower_returns,inline_functions,opt_copy_prop,opt_deref,remove_non_entrypoints," +
	"lower_variable_initializers,lower_global_vars_to_local,split_var_copies,lower_var_copies," +
	"lower_array_deref_of_vec(modes=function_temp|shader_temp|shader_in|shader_out),lower_vars_to_ssa,opt_dce,lower_system_values,split_struct_vars," +
	"lower_vars_to_ssa,loop(opt_copy_prop,opt_dce,opt_constant_folding,opt_dead_cf,opt_loop_unroll),lower_io(modes=shader_in|shader_out)"

// TestStageScripts runs the scripts on tessellation, geometry stages and the
// older script form from GLSL to the interpreter: as the frontend made them, behind
// the passes, and with explicit inputs and outputs.
func TestStageScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	lowered, err := passes.ParsePassList(loweredInterface)
	if err != nil {
		t.Fatal(err)
	}
	modules := &amber.ModuleCache{}
	for _, o := range []Options{{}, {Level: passes.O2}, {Passes: lowered}} {
		o.Target = IRTarget
		target, err := AmberTarget(o)
		if err != nil {
			t.Fatal(err)
		}
		r := &amber.Runner{Strict: true, Target: target, Modules: modules}
		for _, name := range []string{"tess.amber", "geometry.amber", "geometry_types.amber", "barycentric.amber", "draws.vkscript"} {
			if got := r.Run(t.Context(), parseScript(t, "testdata/"+name)); got.Verdict != amber.Pass || got.Checked < 1 {
				t.Errorf("%s at O%v, passes given %v: %+v", name, o.Level, o.Passes != nil, got)
			}
		}
	}
}
