package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var offSetting = regexp.MustCompile(`(?m)^# ([a-z-]+: .*)$`)

// The settings that init leaves as comments are settings, of kinds that their flags take.
func TestInitSettings(t *testing.T) {
	files, err := initFiles("", project{Target: "all", Level: "2", Shaders: "shaders", Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(files[0].data)
	if n := len(offSetting.FindAllString(text, -1)); n < 10 {
		t.Fatalf("%d settings are comments", n)
	}
	shader, err := os.ReadFile(filepath.Join(repository, "testdata", "blur.comp.spv"))
	if err != nil {
		t.Fatal(err)
	}
	layout, err := os.ReadFile(filepath.Join(repository, "testdata", "blur.layout.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile(configFile, []byte(offSetting.ReplaceAllString(text, "$1")), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"blur.comp.spv": shader, "layout.json": layout} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"config show cache build --origin", "reflect blur.comp.spv", "stats blur.comp.spv"} {
		var out, errs strings.Builder
		if code := run(context.Background(), strings.Fields(line), streams{strings.NewReader(""), &out, &errs}); code != exitDone {
			t.Errorf("nirc %s: exit code %d\n%s", line, code, errs.String())
		}
	}
}

// The jobs that init writes are run as a service would: without figures of before, with equal ones, and with better ones,
// against which the change is worse.
func TestInitJobs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the jobs are scripts of sh, which this machine (Windows, say) does not have")
	}
	for service, scripts := range map[string]func(t *testing.T, text []byte) string{"github": gitHubScript, "gitlab": gitLabScript} {
		t.Run(service, func(t *testing.T) {
			w := newWorkplace(t)
			w.env = append(w.env, "RUNNER_TEMP="+filepath.Dir(w.program)) // where the job has put nirc
			w.must("PATH=$RUNNER_TEMP:$PATH; nirc init -t all --ci " + service + " # no cache yet")
			text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(ciJobs.Get()[service].path)))
			if err != nil {
				t.Fatal(err)
			}
			job := "set -e; PATH=$RUNNER_TEMP:$PATH\n" + scripts(t, text)
			w.must(job)
			w.must("mv now.json shaders.json # beside the cache")
			w.must(job)
			if out, err := w.run(strings.ReplaceAll(job, "--json >now.json", "--json -O 0 >now.json")); err == nil || !strings.Contains(out, "the gate is closed") {
				t.Errorf("worse figures pass: %v\n%s", err, out)
			}
		})
	}
}

// must runs lines that end well.
func (w *workplace) must(script string) {
	w.t.Helper()
	if out, err := w.shell(script); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// gitHubScript is what the steps of the job do once nirc is there.
func gitHubScript(t *testing.T, text []byte) string {
	var file struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	job := file.Jobs["shaders"]
	if !strings.HasSuffix(job.Env["NIRC_ARCHIVE"], "_linux_amd64.tar.gz") {
		t.Errorf("the archive is %q", job.Env["NIRC_ARCHIVE"])
	}
	var lines []string
	for _, s := range job.Steps {
		if s.Run != "" && s.Name != "nirc" {
			lines = append(lines, s.Run)
		}
	}
	return strings.Join(lines, "\n")
}

// gitLabScript is the script of the job.
func gitLabScript(t *testing.T, text []byte) string {
	var file map[string]struct {
		Script []string
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return strings.Join(file["shaders"].Script, "\n")
}
