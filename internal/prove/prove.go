// Package prove holds what the tests in the rooms below it share. They prove the whole compiler, from a
// module to what its machine code does, where a package's own tests prove the package:
//
//   - modules: machine code does what the IR does, for every shader of the corpus in generated worlds;
//     listings and objects that are changed at random do not break a core
//   - scripts: our AmberScript files pass on every target, and fail when an expectation is changed
//   - grids: all forms of texture operations, of prologs and epilogs, of tessellation, of geometry
//     shaders and of transform feedback draw what the interpreter draws
//   - orders: each pass alone, random orders of passes and all pipelines keep what a shader does
//   - hostile: wrong, mangled, deep and huge input is refused by a diagnostic, in bounded time and memory
//   - texts: what is printed reads back: the IR after every pass, the listing of every object
//   - code: machine code is what it was, and what readers make of modules and of what is nearly one, unless somebody means to change it
//   - costs: the cost model agrees with the statistics of each target
//   - rays: ray queries find on Adreno and on the interpreter what a plain walk over the scene finds
//   - vulkan: random shaders compute what another implementation, lavapipe, computes
//
// Each takes a sample by default; NIRC_FULL=1 takes all. Only tests import this.
package prove

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/mangle"
	"nirc/internal/refs"
	"nirc/ir"
)

// Near reports whether x is want except for a tolerance, relative above 1. Only an infinite number of the same sign is near an
// infinite one, of which any tolerance would allow all numbers; NaN is near NaN.
func Near(x, want, tolerance float64) bool {
	switch {
	case math.IsNaN(x) || math.IsNaN(want):
		return math.IsNaN(x) && math.IsNaN(want)
	case math.IsInf(x, 0) || math.IsInf(want, 0):
		return x == want
	}
	return math.Abs(x-want) <= tolerance*max(1, math.Abs(want))
}

// Full reports whether the environment asks for the long run.
func Full() bool { return os.Getenv("NIRC_FULL") != "" }

// Data returns the path of a file of the repository's testdata, as the rooms see it.
func Data(name string) string { return filepath.Join("..", "..", "..", "testdata", name) }

// GLSL are the names of shaders that glslangValidator compiles.
var GLSL = []string{"*.vert", "*.frag", "*.comp", "*.tesc", "*.tese", "*.geom"}

// Read reads a module.
func Read(name string) (*nirc.Module, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return nirc.Load(data, name)
}

// LoadCorpus reads a module, which glslangValidator makes of GLSL.
func LoadCorpus(t *testing.T, path string) (*nirc.Module, error) {
	if ext := filepath.Ext(path); ext == ".spv" || ext == ".spvasm" {
		return Read(path)
	}
	out := filepath.Join(t.TempDir(), "m.spv")
	if err := exec.Command("glslangValidator", "-V", "--target-env", "vulkan1.3", "-R", "--amb", "--aml", "-o", out, path).Run(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return nirc.Load(data, path)
}

// made are the modules of FromGLSL.
var made struct {
	sync.Mutex
	list map[string]*nirc.Module
}

// FromGLSL compiles GLSL by glslangValidator, once for each text of a stage; without the tool the test is skipped.
func FromGLSL(t testing.TB, stage ir.Stage, text string) *nirc.Module {
	t.Helper()
	refs.Tool(t, "glslangValidator")
	made.Lock()
	defer made.Unlock()
	key := stage.String() + "\n" + text
	if m := made.list[key]; m != nil {
		return m
	}
	m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(text), Stage: stage})
	if err != nil {
		t.Fatal(err)
	}
	if made.list == nil {
		made.list = map[string]*nirc.Module{}
	}
	made.list[key] = m
	return m
}

// Corpus lists the corpus's files of some names, in order; none where
// the corpus is not laid out beside the repository.
func Corpus(t *testing.T, patterns ...string) []string {
	root, err := refs.Find("corpus")
	if err != nil {
		return nil
	}
	var list []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not there
		}
		for _, p := range patterns {
			if ok, _ := filepath.Match(p, d.Name()); ok && d.Type().IsRegular() {
				list = append(list, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// MangleFiles are the modules that texts are made from: those of testdata, or
// those that the file NIRC_MODULES lists.
func MangleFiles(t *testing.T) []string {
	name := os.Getenv("NIRC_MODULES")
	if os.Getenv(mangle.Env) == "" || name == "" {
		list, err := filepath.Glob(Data("*.spv"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no modules: %v", err)
		}
		return list
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	for s := bufio.NewScanner(f); s.Scan(); {
		list = append(list, strings.Fields(s.Text())...)
	}
	return list
}

// Script reads a script.
func Script(t *testing.T, path string) *amber.Script {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := amber.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// IsRefusal reports whether an error says what in the module the compiler or the
// target does not do: what the frontend refuses it may call what it wants.
func IsRefusal(m *nirc.Module, o nirc.Options, err error) bool {
	var d nirc.Diagnostics
	if !errors.As(err, &d) {
		return false
	}
	if errors.Is(d, errors.ErrUnsupported) {
		return true
	}
	o.Target, o.GPU = nirc.IRTarget, ""
	_, err = nirc.Translate(context.Background(), m, o)
	return err != nil
}

// LoweredInterface are passes that make inputs, outputs and built-ins explicit.
const LoweredInterface = "lower_continue_constructs,opt_dce,lower_returns,inline_functions,opt_copy_prop,opt_deref,remove_non_entrypoints," +
	"lower_variable_initializers,lower_global_vars_to_local,split_var_copies,lower_var_copies," +
	"lower_array_deref_of_vec(modes=function_temp|shader_temp|shader_in|shader_out),lower_vars_to_ssa,opt_dce,lower_system_values,split_struct_vars," +
	"lower_vars_to_ssa,loop(opt_copy_prop,opt_dce,opt_constant_folding,opt_dead_cf,opt_loop_unroll),lower_io(modes=shader_in|shader_out)"
