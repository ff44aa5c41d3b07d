package scripts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
)

// mutant returns the script with expectation n, counted through REPEAT blocks,
// changed so that it must be false; nil when there is none.
func mutant(s *amber.Script, n int) *amber.Script {
	list, _, found := mutateList(s.Commands, n)
	if !found {
		return nil
	}
	m := *s
	m.Commands = list
	return &m
}

func mutateList(in []amber.Command, n int) (list []amber.Command, left int, found bool) {
	list = slices.Clone(in)
	for i, c := range list {
		if r, ok := c.(*amber.Repeat); ok {
			m := *r
			if m.Body, n, found = mutateList(r.Body, n); found {
				list[i] = &m
				return list, 0, true
			}
			continue
		}
		e := mutateExpectation(c)
		if e == nil {
			continue
		}
		if n == 0 {
			list[i] = e
			return list, 0, true
		}
		n--
	}
	return list, n, false
}

// mutateExpectation changes the value that an expectation wants, or its
// comparison where most values would do; nil when c expects nothing.
func mutateExpectation(c amber.Command) amber.Command {
	switch c := c.(type) {
	case *amber.ExpectValues:
		m := *c
		if c.Cmp != amber.CmpEQ {
			m.Cmp = [...]amber.Comparator{amber.CmpNE: amber.CmpEQ, amber.CmpLT: amber.CmpGE, amber.CmpLE: amber.CmpGT, amber.CmpGT: amber.CmpLE, amber.CmpGE: amber.CmpLT}[c.Cmp]
			m.Values = c.Values[:1]
			return &m
		}
		m.Values = slices.Clone(c.Values)
		v := &m.Values[len(m.Values)/2]
		v.U = ^v.U
		if v.F = -2*v.F - 1e4; v.F != v.F {
			v.F = 1
		}
		return &m
	case *amber.ExpectTexels:
		m := *c
		for i := range m.RGBA {
			m.RGBA[i] = -3*m.RGBA[i] - 10
		}
		return &m
	case *amber.ExpectBuffers:
		m := *c
		m.Kind, m.Tolerance = amber.CompareRMSE, -1
		return &m
	}
	return nil
}

// checkMutants runs a script, which must pass, then up to limit mutants, each of
// which must fail for its expectation; 0 is all of them. It returns how many did.
func checkMutants(ctx context.Context, r *amber.Runner, s *amber.Script, limit int) (int, error) {
	if got := r.Run(ctx, s); got.Verdict != amber.Pass {
		return 0, fmt.Errorf("%w: %v: line %d: %s", errNoPass, got.Verdict, got.Line, got.Reason)
	}
	done := 0
	for n := 0; limit == 0 || n < limit; n++ {
		m := mutant(s, n)
		if m == nil {
			break
		}
		if got := r.Run(ctx, m); got.Verdict != amber.Fail || got.Cause != amber.CauseExpectation {
			return done, fmt.Errorf("with expectation %d changed: %v: line %d: %s", n, got.Verdict, got.Line, got.Reason)
		}
		done++
	}
	return done, nil
}

// errNoPass is the error of checkMutants for a script that does not pass itself.
var errNoPass = errors.New("the script does not pass")

// sharedPrograms is a target that compiles each shader once: mutants differ in
// their expectations only.
type sharedPrograms struct {
	amber.Target
	list map[[32]byte]emu.Program
}

func (s *sharedPrograms) Compile(ctx context.Context, sh amber.Shader) (emu.Program, error) {
	h := sha256.New()
	fmt.Fprintln(h, sh.Stage, sh.Entry, sh.Spec, sh.SubgroupSize, sh.FullSubgroups, sh.Words)
	key := [32]byte(h.Sum(nil))
	if p := s.list[key]; p != nil {
		return p, nil
	}
	p, err := s.Target.Compile(ctx, sh)
	s.list[key] = p
	return p, err
}

// CompileKernel compiles a kernel again for each mutant: the scripts have few.
func (s *sharedPrograms) CompileKernel(ctx context.Context, sh amber.Shader, size [3]uint32) (*amber.Kernel, error) {
	return s.Target.(amber.KernelTarget).CompileKernel(ctx, sh, size)
}

func mutationRunner(t *testing.T) *amber.Runner {
	target, err := exec.AmberTarget(nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	return &amber.Runner{Target: &sharedPrograms{target, map[[32]byte]emu.Program{}}, Modules: &modules, Strict: true, Limits: emu.Limits{Check: true}}
}

// TestMutants changes every expectation of our own scripts, one at a time.
func TestMutants(t *testing.T) {
	files, err := filepath.Glob(prove.Data("*.amber"))
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(prove.Data("*.vkscript"))
	r := mutationRunner(t)
	for _, path := range append(files, more...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := prove.Script(t, path)
			for _, sh := range s.Shaders {
				switch sh.Format {
				case amber.FormatGLSL:
					refs.Tool(t, "glslangValidator")
				case amber.FormatOpenCL:
					refs.Tool(t, "llvm-spirv-15")
				}
			}
			if n, err := checkMutants(t.Context(), r, s, 0); err != nil || n == 0 {
				t.Errorf("%d mutants fail, then %v", n, err)
			}
		})
	}
}

// TestCorpusMutants changes the first expectation of a sample of the
// conformance tests' scripts.
func TestCorpusMutants(t *testing.T) {
	var paths []string
	err := filepath.WalkDir(refs.Path(t, "corpus", "KhronosGroup+VK-GL-CTS"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".amber") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Skip("no corpus: ", err)
	}
	want := 20
	if prove.Full() {
		want = 50
	}
	r := mutationRunner(t)
	scripts, mutants := 0, 0
	for i := 0; i < len(paths) && scripts < want; i++ {
		path := paths[i*11%len(paths)] // from all folders
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := amber.Parse(path, src)
		if err != nil || slices.ContainsFunc(s.Shaders, func(sh *amber.ShaderDecl) bool { return sh.Format == amber.FormatGLSL }) {
			continue // GLSL costs a process a shader
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		n, err := checkMutants(ctx, r, s, 1)
		if late := ctx.Err() != nil; err != nil && !late && !errors.Is(err, errNoPass) {
			t.Errorf("%s: %v", path, err)
		}
		if n > 0 {
			scripts++
			mutants += n
		}
		cancel()
	}
	t.Logf("%d scripts pass, %d mutants of them fail", scripts, mutants)
	if scripts < want {
		t.Errorf("only %d scripts of the corpus pass", scripts)
	}
}
