package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

// orderRule is a constraint between two passes of one pipeline. Where both
// occur, the first occurrence of first precedes the first of then; if never
// is set, no occurrence of first follows any of then.
type orderRule struct {
	first, then string
	never       bool
	why         string
}

// orderRules are the facts about order that are easy to get wrong (nir.md
// §4.5 and 5).
var orderRules = []orderRule{
	{first: "lower_returns", then: "inline_functions", why: "an inlined return would leave the caller"},
	{first: "lower_returns", then: "inline_functions", never: true, why: "an inlined return would leave the caller"},
	{first: "inline_functions", then: "remove_non_entrypoints", why: "callees must still exist to be inlined"},
	{first: "lower_continue_constructs", then: "lower_vars_to_ssa", why: "no later pass handles continue lists"},
	{first: "lower_continue_constructs", then: "opt_loop_unroll", why: "no later pass handles continue lists"},
	{first: "opt_find_array_copies", then: "split_var_copies", why: "splitting hides the element copies"},
	{first: "opt_loop_unroll", then: "lower_io_to_temporaries", why: "indices that unrolling makes constant would cost ladders of selects"},
	{first: "lower_io_to_temporaries", then: "lower_io", never: true, why: "the copies at the ends would overwrite what explicit stores wrote"},
	{first: "lower_io_to_temporaries", then: "lower_var_copies", why: "it makes copies"},
	{first: "opt_find_array_copies", then: "lower_var_copies", why: "it makes copies"},
	{first: "lower_var_copies", then: "lower_io", why: "explicit inputs and outputs have no copies"},
	{first: "lower_indirect_derefs", then: "lower_io", why: "some inputs and outputs are not indexed by values"},
	{first: "lower_io_arrays_to_elements", then: "lower_io", never: true, why: "it takes variables"},
	{first: "lower_io_to_scalar_early", then: "lower_io", never: true, why: "it takes variables"},
	{first: "lower_io_to_vector", then: "lower_io", never: true, why: "it takes variables"},
	{first: "lower_clip_cull_distance_arrays", then: "lower_io", never: true, why: "it takes variables"},
	{first: "lower_clip_cull_distance_arrays", then: "lower_clip_cull_distance_to_vec4s", never: true, why: "it takes arrays"},
	{first: "lower_sysvals_to_varyings", then: "lower_system_values", never: true, why: "it takes variables"},
	{first: "lower_system_values", then: "lower_compute_system_values", why: "it takes ids that are loads, and lays out quads of the workgroup once"},
	{first: "lower_input_attachments", then: "lower_io", why: "the layer is an input"},
	{first: "lower_input_attachments", then: "lower_frag_coord_to_pixel_coord", why: "it asks for the fragment's place"},
	{first: "lower_io", then: "lower_blend", why: "it takes slots"},
	{first: "lower_tex", then: "lower_indirect_textures", why: "explicit derivatives ask for sizes"},
	{first: "lower_io", then: "lower_clip_vs", why: "it takes slots"},
	{first: "lower_io", then: "lower_interpolation", why: "it takes slots"},
	{first: "lower_io", then: "lower_multiview", why: "it takes slots"},
	{first: "lower_blend", then: "lower_fb_read", never: true, why: "it reads the destination"},
	{first: "lower_explicit_io", then: "lower_amul", why: "the accesses say how large the objects are"},
	{first: "lower_image", then: "opt_idiv_const", why: "it divides the faces of cube arrays"},
	{first: "opt_idiv_const", then: "lower_idiv", why: "divisions by constants would go through the slow form"},
	{first: "lower_flrp", then: "lower_doubles", why: "where rounding is free the short form is half as long"},
	{first: "lower_doubles", then: "lower_int64", why: "doubles become 64-bit integers in halves"},
	{first: "lower_doubles", then: "lower_bool_to_int32", never: true, why: "its conditions are 1-bit booleans"},
	{first: "opt_algebraic_before_lower_int64", then: "lower_int64", why: "its shapes are 64-bit operations"},
	{first: "propagate_invariant", then: "opt_algebraic", why: "rules may change a rounding"},
	{first: "lower_var_copies", then: "lower_explicit_io", why: "explicit memory has no copies"},
	{first: "lower_vars_to_explicit_types", then: "lower_explicit_io", why: "addresses need layouts"},
	{first: "lower_robust_access", then: "lower_mem_access_bit_sizes", never: true, why: "a word that reaches past the buffer may hold its last bytes"},
	{first: "lower_explicit_io", then: "opt_load_store_vectorize", why: "it merges explicit accesses"},
	{first: "lower_explicit_io", then: "opt_load_store_update_alignments", why: "it reads explicit offsets"},
	{first: "lower_explicit_io", then: "opt_offsets", why: "it moves constants into explicit bases"},
	{first: "lower_explicit_io", then: "opt_barrier_modes", why: "it looks for explicit accesses"},
	{first: "lower_explicit_io", then: "opt_uniform_atomics", why: "it takes explicit atomics"},
	{first: "lower_explicit_io", then: "from_ssa", never: true, why: "pointers in registers lead to no variable"},
	{first: "lower_explicit_io", then: "lower_atomics", why: "it takes explicit atomics"},
	{first: "opt_uniform_atomics", then: "lower_atomics", never: true, why: "it does not know the loops"},
	{first: "lower_atomics", then: "lower_is_helper_invocation", never: true, why: "it asks for helpers"},
	{first: "lower_atomics", then: "lower_bool_to_int32", never: true, why: "its conditions are 1-bit booleans"},
	{first: "opt_uniform_atomics", then: "lower_subgroups", why: "it makes reductions and scans"},
	{first: "opt_uniform_atomics", then: "opt_uniform_subgroup", why: "it makes reductions and scans of operands that lanes may share"},
	{first: "opt_uniform_subgroup", then: "lower_subgroups", why: "it makes ballots, and no loop is to be of what all lanes share"},
	{first: "opt_combine_stores", then: "lower_io", why: "it joins stores through derefs"},
	{first: "lower_io", then: "opt_fragdepth", why: "it takes slots"},
	{first: "opt_cse", then: "opt_rematerialize_compares", never: true, why: "the copies would be merged again"},
	{first: "opt_algebraic_late", then: "lower_bool_to_int32", why: "general rules match 1-bit booleans"},
	{first: "opt_algebraic", then: "lower_bool_to_int32", never: true, why: "general rules match 1-bit booleans"},
	{first: "lower_vars_to_ssa", then: "lower_bool_to_int32", never: true, why: "variables hold 1-bit booleans"},
	{first: "lower_array_deref_of_vec", then: "lower_bool_to_int32", never: true, why: "variables hold 1-bit booleans"},
	{first: "lower_is_helper_invocation", then: "lower_bool_to_int32", never: true, why: "its flags are 1-bit booleans"},
	{first: "opt_algebraic", then: "lower_bool_to_bitsize", never: true, why: "general rules match 1-bit booleans"},
	{first: "opt_algebraic_late", then: "lower_bool_to_bitsize", why: "general rules match 1-bit booleans"},
	{first: "lower_vars_to_ssa", then: "lower_bool_to_bitsize", never: true, why: "variables hold 1-bit booleans"},
	{first: "lower_array_deref_of_vec", then: "lower_bool_to_bitsize", never: true, why: "variables hold 1-bit booleans"},
	{first: "lower_is_helper_invocation", then: "lower_bool_to_bitsize", never: true, why: "its flags are 1-bit booleans"},
	{first: "lower_regs_to_ssa", then: "lower_to_source_mods", never: true, why: "values have no modifiers"},
	{first: "lower_vars_to_ssa", then: "from_ssa", never: true, why: "registers are not SSA"},
	{first: "opt_cse", then: "from_ssa", never: true, why: "register loads have no value numbers"},
	{first: "opt_algebraic", then: "from_ssa", never: true, why: "rules match SSA"},
	{first: "from_ssa", then: "lower_vec_to_regs", why: "vector stores coalesce with the phi registers"},
}

// Constraints lists the pairs of passes of which the first must run before the
// second wherever both run once: what pipelines are checked by, for what makes
// lists of passes itself.
func Constraints() [][2]string {
	list := make([][2]string, len(orderRules))
	for i, r := range orderRules {
		list[i] = [2]string{r.first, r.then}
	}
	return list
}

// Requirements lists where a pass must stand in a pipeline, as people read it:
// "before PASS: why" and "after PASS: why", for the other passes that the same
// pipeline runs.
func Requirements(name string) []string {
	var list []string
	for i := range orderRules {
		r := &orderRules[i]
		text := ""
		switch name {
		case r.first:
			text = "before " + r.then + ": " + r.why
		case r.then:
			text = "after " + r.first + ": " + r.why
		default:
			continue
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// occurrence is a pass in a flattened pipeline.
type occurrence struct {
	pass string
	line int
}

// checkOrder tests every pipeline for every level and stage.
func (p *Pipelines) checkOrder() error {
	stages := []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute, ir.StageKernel}
	for _, t := range p.names {
		for level := O0; level <= Os; level++ {
			for _, st := range stages {
				pl, err := p.Resolve(t, level, st)
				if err != nil {
					return err
				}
				if err := pl.checkOrder(); err != nil {
					return fmt.Errorf("%s:%w (pipeline %s, -%s, %s)", p.name, err, t, level, st)
				}
			}
		}
	}
	return nil
}

func (pl *Pipeline) checkOrder() error {
	var occ []occurrence
	walkSteps(pl.steps, func(s *step) { occ = append(occ, occurrence{s.ctx.pass.Name, s.line}) })
	for i, name := range pl.hooks {
		if slices.Contains(pl.hooks[:i], name) {
			return fmt.Errorf("1: the hook %s stands twice, and runs once", name)
		}
	}
	return checkRules(occ)
}

func checkRules(occ []occurrence) error {
	for _, r := range orderRules {
		seenThen := -1
		for _, o := range occ {
			switch {
			case o.pass == r.then && seenThen < 0:
				seenThen = o.line
			case o.pass == r.first && seenThen >= 0:
				return fmt.Errorf("%d: %s must come before %s of line %d: %s", o.line, r.first, r.then, seenThen, r.why)
			}
			if o.pass == r.first && !r.never {
				break // the first occurrence decides
			}
		}
	}
	return nil
}
