package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestCIExamples runs the jobs of docs/ci as a service would: two shards, then
// what puts them together.
func TestCIExamples(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	gitlab, github := ciFile[map[string]struct{ Script []string }](t, "gitlab-ci.yml"), ciFile[struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}](t, "github-actions.yml")
	t.Run("gitlab", func(t *testing.T) {
		w := newWorkplace(t)
		for shard := range 2 {
			w.run(fmt.Sprintf("CI_NODE_INDEX=%d\nCI_NODE_TOTAL=2\n%s", shard+1, strings.Join(gitlab["shaders"].Script, "\n")))
		}
		w.check(strings.Join(gitlab["merge"].Script, "\n"))
	})
	t.Run("github", func(t *testing.T) {
		w := newWorkplace(t)
		script := func(job string) string {
			var lines []string
			for _, s := range github.Jobs[job].Steps {
				if !strings.HasPrefix(s.Run, "go build") {
					lines = append(lines, s.Run)
				}
			}
			return strings.Join(lines, "\n")
		}
		for shard := range 2 {
			w.run(strings.ReplaceAll(script("build"), "${{ matrix.shard }}", fmt.Sprint(shard+1)))
		}
		w.check(script("merge"))
	})
}

// ciFile reads an example.
func ciFile[T any](t *testing.T, name string) (v T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci", name))
	if err == nil {
		// Anchors and templates of the services are no concern here: only what the type names is read.
		var n yaml.Node
		if err = yaml.Unmarshal(text, &n); err == nil {
			_ = n.Decode(&v) // fields of other kinds are left out
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// workplace is the directory of a checkout, with shaders in it.
type workplace struct {
	t   *testing.T
	dir string
	env []string
}

func newWorkplace(t *testing.T) *workplace {
	program, err := exec.LookPath("nirc")
	if err != nil {
		t.Fatal(err)
	}
	w := &workplace{t: t, dir: t.TempDir()}
	if err := os.Symlink(program, filepath.Join(w.dir, "nirc")); err != nil {
		t.Skip(err)
	}
	w.env = append(os.Environ(), "RUNNER_TEMP="+w.dir, "GITHUB_STEP_SUMMARY="+filepath.Join(w.dir, "summary.md"))
	shaders := filepath.Join(w.dir, "shaders")
	if err := os.Mkdir(shaders, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blur.comp.spv", "lit.vert.spv", "lit.frag.spv"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(shaders, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// run runs the lines of a job, which end at the first that fails.
func (w *workplace) run(script string) string {
	w.t.Helper()
	if !strings.Contains(script, "cache") {
		w.t.Fatalf("no job: %q", script)
	}
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

// check runs the last job, and looks for all shaders on both GPUs in its cache.
func (w *workplace) check(script string) {
	w.t.Helper()
	if out := w.run(script); !strings.Contains(out, "6 shaders (0 refused)") {
		w.t.Errorf("the cache has not all shaders:\n%s", out)
	}
	if info, err := os.Stat(filepath.Join(w.dir, "stats.json")); err != nil || info.Size() == 0 {
		w.t.Errorf("no statistics: %v", err)
	}
}
