package main

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciJob is a job of docs/ci as a plain shell runs it: on the default branch, or for a request to merge.
type ciJob struct {
	name string
	main string // its lines on the default branch, and for a request
	pull string
	env  []string
}

// githubJob takes the steps of the GitHub job, whose conditions say on which events they are.
func githubJob(t *testing.T) ciJob {
	file := ciFile[struct {
		Env  map[string]string
		Jobs map[string]struct {
			Steps []struct{ Name, If, Run string }
		}
	}](t, "github-actions.yml")
	j := ciJob{name: "github", env: []string{"PULL=7", "GH_TOKEN=secret"}}
	for name, value := range file.Env {
		if !strings.HasPrefix(name, "NIRC_") {
			j.env = append(j.env, name+"="+value)
		}
	}
	// A step that fails ends the job, except for those that are always; the shell of the service is bash -e.
	for _, s := range file.Jobs["shaders"].Steps {
		if s.Run == "" {
			continue
		}
		step := "if [ $failed = 0 ]; then ( set -e\n" + s.Run + "\n) || failed=$?; fi\n"
		if strings.Contains(s.If, "always()") {
			step = "if [ -e changes.md ]; then ( set -e\n" + s.Run + "\n) || failed=$?; fi\n"
		}
		if !strings.Contains(s.If, "'pull_request'") {
			j.main += step
		}
		if !strings.Contains(s.If, "'push'") {
			j.pull += step
		}
	}
	j.main, j.pull = "failed=0\n"+j.main+"exit $failed\n", "failed=0\n"+j.pull+"exit $failed\n"
	return j
}

// gitlabJob takes the lines of the GitLab job.
func gitlabJob(t *testing.T) ciJob {
	file := ciFile[map[string]struct {
		Before    []string `yaml:"before_script"`
		Script    []string
		Variables map[string]string
	}](t, "gitlab-ci.yml")["shaders"]
	lines := "set -e\n" + strings.Join(append(file.Before, file.Script...), "\n")
	j := ciJob{name: "gitlab", env: []string{"CI_DEFAULT_BRANCH=main", "CI_API_V4_URL=https://gitlab.example/api/v4", "CI_PROJECT_ID=3", "NIRC_COMMENT_TOKEN=secret"}}
	for name, value := range file.Variables {
		j.env = append(j.env, name+"="+value)
	}
	j.main, j.pull = "CI_COMMIT_BRANCH=main\n"+lines, "CI_MERGE_REQUEST_IID=7\n"+lines
	return j
}

// TestCIExamples runs the jobs of docs/ci in a repository of shaders as a service would: on the default branch, for a request that changes
// nothing, and for one after which a shader is another, which the gate stops and the comment tells.
func TestCIExamples(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the jobs are scripts of sh, which this machine (Windows, say) does not have")
	}
	for _, j := range []ciJob{githubJob(t), gitlabJob(t)} {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkplace(t)
			w.env = append(w.env, j.env...)
			w.archive()
			if out, err := w.run(j.main); err != nil || !strings.Contains(out, "6 compiled") || !strings.Contains(out, "6 shaders (0 refused)") || w.said() != "" {
				t.Fatalf("%v: on main: %s\n%s", err, out, w.said())
			}
			if out, err := w.run(j.pull); err != nil || !strings.Contains(out, "6 shaders were there") || !strings.Contains(w.said(), "7") {
				t.Errorf("%v: no change: %s\n%s", err, out, w.said())
			}
			kept, err := os.ReadFile(filepath.Join(w.dir, ".nirc", "stats.json"))
			if err != nil {
				t.Fatal(err)
			}
			w.lose()
			if out, err := w.run(j.pull); err == nil || !strings.Contains(w.said(), "it compiled before") {
				t.Errorf("%v: a lost shader: %s\n%s", err, out, w.said())
			}
			if now, err := os.ReadFile(filepath.Join(w.dir, ".nirc", "stats.json")); err != nil || string(now) != string(kept) {
				t.Errorf("a request changed what main keeps: %v", err)
			}
			// nirc of a checkout, without an archive.
			w.env = append(w.env, "NIRC_ARCHIVE=", "NIRC_SOURCE="+w.source())
			if out, err := w.run(j.main); err != nil || w.said() != "" {
				t.Errorf("%v: of a checkout: %s", err, out)
			}
			if out, err := w.run(j.pull); err != nil || !strings.Contains(w.said(), "7") {
				t.Errorf("%v: main has it now: %s", err, out)
			}
		})
	}
}

// ciFile reads an example.
func ciFile[T any](t *testing.T, name string) (v T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci", name))
	if err == nil {
		// What the services know besides is no concern here: only what the type names is read.
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
	t       *testing.T
	dir     string
	tools   string // programs that stand for those of the services
	program string
	env     []string
}

func newWorkplace(t *testing.T) *workplace {
	program, err := exec.LookPath("nirc")
	if err != nil {
		t.Fatal(err)
	}
	w := &workplace{t: t, dir: t.TempDir(), tools: t.TempDir(), program: program}
	w.env = append(os.Environ(), "GITHUB_STEP_SUMMARY="+filepath.Join(w.dir, "summary.md"), "PATH="+w.tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	shaders := filepath.Join(w.dir, "shaders")
	if err := os.Mkdir(shaders, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blur.comp.spv", "lit.vert.spv", "lit.frag.spv"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		w.write(filepath.Join(shaders, name), string(data), 0o666)
	}
	// What comments: it says so, and shows what of.
	for _, tool := range []string{"gh", "curl"} {
		w.write(filepath.Join(w.tools, tool), "#!/bin/sh\n{ echo \"$@\"; cat changes.md; } >>"+filepath.Join(w.tools, "said")+"\n", 0o777)
	}
	return w
}

func (w *workplace) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// archive makes the archive of a release, in which nirc is a script that starts the one of the test.
func (w *workplace) archive() {
	w.t.Helper()
	path := filepath.Join(w.tools, "nirc_1.0.0_linux_amd64.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	a := tar.NewWriter(z)
	text := "#!/bin/sh\nexec '" + w.program + "' \"$@\"\n"
	err = a.WriteHeader(&tar.Header{Name: "nirc_1.0.0_linux_amd64/nirc", Mode: 0o755, Size: int64(len(text))})
	if err == nil {
		_, err = a.Write([]byte(text))
	}
	for _, c := range []interface{ Close() error }{a, z, f} {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "NIRC_ARCHIVE="+path)
}

// source makes a checkout, and a go that builds it.
func (w *workplace) source() string {
	dir := w.t.TempDir()
	w.write(filepath.Join(w.tools, "go"), "#!/bin/sh -e\n[ \"$1 $2 $3 $4 $5 $7\" = \"-C "+dir+" build -trimpath -o ./cmd/nirc\" ]\nln -sf '"+w.program+"' \"$6\"\n", 0o777)
	return dir
}

// lose puts another shader in place of one.
func (w *workplace) lose() {
	data, err := os.ReadFile(filepath.Join(w.dir, "shaders", "blur.comp.spv"))
	if err == nil {
		err = os.Remove(filepath.Join(w.dir, "shaders", "lit.vert.spv"))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(filepath.Join(w.dir, "shaders", "lit.vert.spv"), string(data), 0o666)
}

// run runs the lines of a job.
func (w *workplace) run(script string) (string, error) {
	w.t.Helper()
	if !strings.Contains(script, "cache build") {
		w.t.Fatalf("no job: %q", script)
	}
	for _, name := range []string{filepath.Join(w.tools, "said"), filepath.Join(w.dir, "changes.md")} { // a job begins with a fresh checkout
		if err := os.RemoveAll(name); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.shell(script)
}

// shell runs lines as those of a job are run.
func (w *workplace) shell(script string) (string, error) {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// said is what was commented by the last job.
func (w *workplace) said() string {
	text, err := os.ReadFile(filepath.Join(w.tools, "said"))
	if err != nil {
		return ""
	}
	return string(text)
}
