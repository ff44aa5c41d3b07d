package passes

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/ir"
)

// codegenFile loads a file with the pipeline "ir" and the codegen lists of text.
func codegenFile(t *testing.T, name, text string) *Pipelines {
	t.Helper()
	p, err := Load([]byte("pipelines:\n  ir: [opt_dce]\n  other: [opt_cse]\nlists:\n  plain: [opt_dce]\n"+text), name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCodegenLists runs lists of a file and of the one it falls back on.
func TestCodegenLists(t *testing.T) {
	fallback := codegenFile(t, "default.yaml", "codegen:\n  mine: [opt_cse]\n  theirs: [opt_dce]\n")
	p := codegenFile(t, "user.yaml", "codegen:\n  mine:\n  - opt_copy_prop\n  - if: target == x && level >= O1 && stage == compute\n    then: [opt_dce]\n")
	if got := p.CodegenLists(); !slices.Equal(got, []string{"mine"}) || strings.Contains(strings.Join(p.Targets(), " "), "mine") {
		t.Errorf("lists %v, targets %v", got, p.Targets())
	}
	for _, c := range []struct {
		target, list string
		fallback     *Pipelines
		want, err    string
	}{
		{"x", "mine", fallback, "opt_copy_prop opt_dce", ""},
		{"y", "mine", nil, "opt_copy_prop", ""},
		{"x", "theirs", fallback, "opt_dce", ""},
		{"x", "theirs", nil, "", `user.yaml: no list "theirs" for the code generator`},
		{"x", "none", fallback, "", `default.yaml: no list "none" for the code generator`},
		{"x", "plain", fallback, "", `user.yaml: no list "plain" for the code generator`},
		{"x", "ir", fallback, "", `user.yaml: no list "ir" for the code generator`},
	} {
		times := &Times{}
		s := randomShader(2, 20, false)
		err := p.Codegen(c.target, O2, c.fallback, NewInstrument(RunOptions{Times: times, VerifyEach: true})).Run(s, c.list)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.list, err, c.err)
			}
			continue
		}
		var ran []string
		for _, st := range times.Steps {
			ran = append(ran, st.Name)
		}
		if got := strings.Join(ran, " "); got != c.want || err != nil {
			t.Errorf("%s on %s runs %s, %v, want %s", c.list, c.target, got, err, c.want)
		}
	}
	if err := Lists(nil).Run(nil, "mine"); err == nil {
		t.Error("no file has the list mine")
	}
}

// TestCodegenNeeded: what comes after a list relies on all of it.
func TestCodegenNeeded(t *testing.T) {
	p := codegenFile(t, "a.yaml", "codegen:\n  mine: [opt_dce, opt_peephole_select]\n")
	counted, dumped := 0, ""
	ins := NewInstrument(RunOptions{Bisect: &BisectLimit{Rewrites: -1}, Disable: []string{"opt_dce"}, DumpAfter: []string{"all"},
		BisectLog: func(int, string, bool) { counted++ }, Dump: func(title, _ string) { dumped += title + "," }})
	s := randomShader(3, 30, false)
	if err := p.Codegen("ir", O2, nil, ins).Run(s, "mine"); err != nil {
		t.Fatal(err)
	}
	if counted != 0 || dumped != "after opt_dce,after opt_peephole_select," {
		t.Errorf("%d steps are counted, dumps %s", counted, dumped)
	}
	again := randomShader(3, 30, false)
	for _, pass := range []string{"opt_dce", "opt_peephole_select"} {
		if _, err := RunPass(again, pass); err != nil {
			t.Fatal(err)
		}
	}
	if ir.Print(s) != ir.Print(again) {
		t.Error("the list has done something else than its passes do")
	}
}

// TestInnerTimes: the time of a step leaves out that of the steps inside it.
func TestInnerTimes(t *testing.T) {
	now, times := 0, &Times{}
	clock := func(d int) func() (bool, error) {
		return func() (bool, error) { now += d; return false, nil }
	}
	times.Clock = func() time.Duration { return time.Duration(now) }
	ins := NewInstrument(RunOptions{Times: times})
	ins.Do(&Step{Name: "outer", Run: func() (bool, error) {
		now += 5
		ins.Do(&Step{Name: "inner", Run: clock(7)})
		ins.Do(&Step{Name: "inner", Run: clock(11)})
		return false, nil
	}})
	ins.Do(&Step{Name: "after", Run: clock(3)})
	want := []StepTime{{"inner", 2, 0, 18}, {"outer", 1, 0, 5}, {"after", 1, 0, 3}}
	if !slices.Equal(times.Steps, want) {
		t.Errorf("got %v, want %v", times.Steps, want)
	}
}

// TestCodegenNames: the code generators ask for the lists that pipeline.yaml has, and
// for no others.
func TestCodegenNames(t *testing.T) {
	text, err := os.ReadFile("../pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(text, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	run := regexp.MustCompile(`\b(?:[lL]ists(?:\(\))?\.Run\([\w.]+|CountEmits\([\w.(), ]+), "(\w+)"\)`)
	note := func(code []byte) {
		for _, m := range run.FindAllSubmatch(code, -1) {
			asked[string(m[1])] = true
		}
	}
	linking, err := os.ReadFile("link.go")
	if err != nil {
		t.Fatal(err)
	}
	note(linking)
	err = filepath.WalkDir("../backend", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		note(code)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range p.CodegenLists() {
		if !asked[name] {
			t.Errorf("no code generator runs the list %s", name)
		}
		delete(asked, name)
	}
	for name := range asked {
		t.Errorf("pipeline.yaml has no list %s", name)
	}
}
