package ir3

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
	"nirc/passes"
)

var zzPasses = []string{
	"lower_returns", "inline_functions", "remove_non_entrypoints", "lower_continue_constructs",
	"lower_variable_initializers", "lower_system_values", "lower_compute_system_values", "lower_global_vars_to_local", "split_var_copies", "lower_var_copies", "split_struct_vars", "split_array_vars", "lower_io_to_temporaries",
	"lower_global_vars_to_local", "split_var_copies", "lower_var_copies", "lower_indirect_derefs", "lower_vars_to_ssa", "opt_copy_prop", "opt_dce", "opt_remove_phis", "opt_dead_cf",
	"opt_algebraic", "opt_constant_folding", "opt_copy_prop", "opt_cse", "opt_dce",
	"lower_array_deref_of_vec", "lower_vars_to_explicit_types", "lower_explicit_io", "lower_io",
	"lower_vars_to_scratch",
	"lower_mem_access_bit_sizes", "lower_wrmasks",
	"opt_algebraic", "opt_constant_folding", "lower_idiv", "lower_alu", "lower_alu_to_scalar", "lower_phis_to_scalar", "lower_load_const_to_scalar", "lower_bit_size",
	"opt_algebraic", "opt_constant_folding", "lower_alu", "lower_alu_to_scalar", "opt_copy_prop", "opt_cse", "opt_dce", "opt_remove_phis", "opt_dead_cf", "opt_loop", "opt_if", "opt_peephole_select", "opt_algebraic_late", "opt_copy_prop", "opt_cse", "opt_dce",
}

func TestZZ(t *testing.T) {
	root := "/work/shared/corpus"
	var files []string
	for _, g := range []string{"KhronosGroup+glslang/Test/*.comp","KhronosGroup+glslang/Test/*.frag","KhronosGroup+glslang/Test/*.vert","KhronosGroup+SPIRV-Cross/shaders-no-opt/*/*.*"} {
		l, _ := filepath.Glob(filepath.Join(root, g))
		files = append(files, l...)
	}
	errs := map[string]int{}
	first := map[string]string{}
	ok, inst, nops := 0, 0, 0
	dir := t.TempDir()
	for _, f := range files {
		out := filepath.Join(dir, "a.spv")
		os.Remove(out)
		if exec.Command("glslangValidator", "-V", "--amb", "--aml", f, "-o", out).Run() != nil {
			continue
		}
		data, err := os.ReadFile(out)
		if err != nil {
			continue
		}
		m, err := spv.Parse(data)
		if err != nil {
			continue
		}
		note := func(stage string, err error) {
			k := stage + ": " + strings.SplitN(err.Error(), "\n", 2)[0]
			if i := strings.Index(k, "%"); i > 0 {
				k = k[:i]
			}
			errs[k]++
			if first[k] == "" {
				first[k] = f
			}
		}
		o, _ := Options("a630", ir.StageCompute)
		s, err := spirv.Translate(m, spirv.Options{Target: o})
		if err != nil {
			note("frontend", err)
			continue
		}
		err = func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("PANIC %v", r)
				}
			}()
			for _, p := range zzPasses {
				if passes.Find(p) == nil {
					continue
				}
				if _, err := passes.RunPass(s, p); err != nil {
					return fmt.Errorf("pass: %w", err)
				}
			}
			return nil
		}()
		if err != nil {
			note("passes", err)
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					note("backend", fmt.Errorf("PANIC %v", r))
					if os.Getenv("ZZP") != "" {
						panic(r)
					}
				}
			}()
			bin, err := Compile(s, CompileOptions{Verify: true})
			if err != nil {
				note("backend", err)
				return
			}
			ok++
			inst += bin.Stats.Instrs
			nops += bin.Stats.Nops
		}()
	}
	var keys []string
	for k := range errs {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return errs[keys[i]] > errs[keys[j]] })
	for _, k := range keys {
		fmt.Printf("%4d %s   [%s]\n", errs[k], k, strings.TrimPrefix(first[k], root))
	}
	fmt.Printf("ok %d of %d files, %d inst %d nops\n", ok, len(files), inst, nops)
}
