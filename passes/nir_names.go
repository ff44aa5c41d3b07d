package passes

import "strings"

// nirNames are functions and files of NIR that bear the name of no pass here, and what does their work: a pass, with the options
// that make it do that alone, or where the work is done.
var nirNames = []struct{ name, here string }{
	{"build_addr", "lower_explicit_io"},
	{"clear_shared_memory", "lower_variable_initializers(modes=mem_shared), of variables whose initialiser is zero"},
	{"copy_prop", "opt_copy_prop"},
	{"convert_from_ssa", "from_ssa"},
	{"convert_to_lcssa", "to_lcssa"},
	{"deref", "opt_deref"},
	{"gather_ssa_types", "an analysis of the passes that want it (passes/analysis)"},
	{"gather_types", "an analysis of the passes that want it (passes/analysis)"},
	{"gather_xfb_info", "done as modules are translated, and for each list of variables (ir)"},
	{"link_opt_varyings", "nirc compile --link"},
	{"lower_clip", "lower_clip_vs or lower_clip_fs"},
	{"lower_discard_or_demote", "lower_terminate_to_demote(to=fit)"},
	{"lower_double_ops", "lower_doubles"},
	{"lower_fp16_conv", "lower_fp16_casts"},
	{"lower_goto_ifs", "done as modules are translated (frontend/spirv)"},
	{"lower_int64_float_conversions", "lower_int64"},
	{"lower_packing", "lower_pack"},
	{"lower_scratch", "lower_vars_to_scratch"},
	{"lower_tex_shadow", "lower_tex_shadow_swizzle"},
	{"lower_vec_to_movs", "lower_vec_to_regs"},
	{"opt_copy_propagate", "opt_copy_prop"},
	{"opt_varyings", "nirc compile --link"},
	{"repair_ssa", "done as modules are translated (frontend/spirv)"},
	{"split_per_member_structs", "done as modules are translated (frontend/spirv)"},
	{"split_vars", "split_struct_vars, split_array_vars and shrink_vec_array_vars"},
	{"sweep", "the garbage collector"},
	{"zero_initialize_shared_memory", "lower_variable_initializers(modes=mem_shared)"},
}

// ForNIR says what does the work of a function or a file of NIR, named without its prefix nir_: the pass of that name, another pass with
// options, or the place where it is done; "" if nothing bears the name.
func ForNIR(name string) string {
	if Find(name) != nil {
		return name
	}
	for i := range nirNames {
		if nirNames[i].name == name {
			return nirNames[i].here
		}
	}
	return ""
}

// suggest says what NIR's name of something stands for here, or else which registered pass is closest to a misspelt one.
func suggest(name string) string {
	if here := ForNIR(strings.TrimPrefix(name, "nir_")); here != "" {
		return " (NIR's name; here: " + here + ")"
	}
	var names []string
	for _, p := range Registry() {
		names = append(names, p.Name)
	}
	return Suggest(name, names)
}
