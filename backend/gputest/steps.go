package gputest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Update says that tests write what they expect.
var Update = flag.Bool("update", false, "rewrite the expected output of testdata")

// StepOptions are the options of a machine step's test by name.
type StepOptions map[string]string

// StepTests runs the tests of machine steps that stand in dir, a folder for each step, as
// testdata/steps/cse/loads.txtar. File "in" of such a test is the state before the step as text,
// file "out" the one after it; go test -update writes that. Lines "NAME: VALUE" of the comment are
// options, such as "gpu: a740"; the option "step" takes the place of the folder's name. What is
// expected to fail has a file "error" instead of "out".
//
// run reads the text, runs the step and prints the state; the text that it returns is run once
// more with no step (""), which must give the same text: what is printed reads back.
func StepTests(t *testing.T, dir string, run func(step string, o StepOptions, in string) (string, error)) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, f := range files {
		name, _ := filepath.Rel(dir, f)
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) { stepTest(t, f, run) })
	}
}

func stepTest(t *testing.T, file string, run func(step string, o StepOptions, in string) (string, error)) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := StepOptions{"step": filepath.Base(filepath.Dir(file))}
	for line := range strings.Lines(string(ar.Comment)) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			o[name] = strings.TrimSpace(value)
		}
	}
	var in txtar.File
	var want *txtar.File
	for i := range ar.Files {
		switch f := &ar.Files[i]; f.Name {
		case "in":
			in = *f
		case "out", "error":
			want = f
		}
	}
	got := txtar.File{Name: "out"}
	text, err := run(o["step"], o, string(in.Data))
	if err != nil {
		got = txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
	} else {
		got.Data = []byte(text)
		if again, err := run("", o, text); err != nil || again != text {
			t.Errorf("the text does not read back: %v\n%s\nthen\n%s", err, text, again)
		}
	}
	switch {
	case *Update:
		ar.Files = []txtar.File{in, got}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	case want == nil || want.Name != got.Name || string(want.Data) != string(got.Data):
		t.Errorf("%s gives %s\n%s", o["step"], got.Name, got.Data)
	}
}
