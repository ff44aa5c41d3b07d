package passes

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output of testdata")

// TestText runs testdata/PASS/*.txtar. The comment's first line that starts
// with "passes:" is the pass list (default: the folder's name); file in is
// the shader before, file out the shader after. A line "options: A,B" sets
// these booleans of ir.Options.
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimPrefix(f, "testdata/"), func(t *testing.T) { textTest(t, f) })
	}
}

func textTest(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Base(filepath.Dir(file))
	opts := &ir.Options{}
	for _, line := range strings.Split(string(ar.Comment), "\n") {
		if l, ok := strings.CutPrefix(line, "passes:"); ok {
			list = strings.TrimSpace(l)
		}
		if l, ok := strings.CutPrefix(line, "options:"); ok {
			for _, name := range strings.Split(strings.TrimSpace(l), ",") {
				f := reflect.ValueOf(opts).Elem().FieldByName(name)
				if !f.IsValid() || f.Kind() != reflect.Bool {
					t.Fatalf("no option %q", name)
				}
				f.SetBool(true)
			}
		}
	}
	var in, want string
	outAt := -1
	for i, f := range ar.Files {
		switch f.Name {
		case "in":
			in = string(f.Data)
		case "out":
			want, outAt = string(f.Data), i
		}
	}
	got := runText(t, list, in, opts, !strings.Contains(string(ar.Comment), "noexec:"))
	if *update {
		if outAt < 0 {
			ar.Files = append(ar.Files, txtar.File{Name: "out"})
			outAt = len(ar.Files) - 1
		}
		ar.Files[outAt].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s gives\n%s\nwant\n%s", list, got, want)
	}
}

// runText parses, runs and verifies, and tests that idempotent passes have
// nothing left to do.
func runText(t *testing.T, list, in string, opts *ir.Options, exec bool) string {
	t.Helper()
	s, err := ir.Parse(in)
	if err != nil {
		t.Fatalf("input: %v", err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatalf("input: %v", err)
	}
	s.Options = opts
	before := ir.Clone(s)
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	out := ir.Print(s)
	if last := p.steps[len(p.steps)-1]; last.ctx != nil && last.ctx.pass.Idempotent {
		if progress, err := last.ctx.pass.Run(last.ctx, s); progress || err != nil {
			t.Errorf("%s again: progress %v, %v\n%s", list, progress, err, ir.Print(s))
		}
	}
	if exec {
		compareRuns(t, before, s)
	}
	return out
}
