package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"nirc"
	"nirc/ir"
)

func TestExitCode(t *testing.T) {
	refused := nirc.Diagnostics{{Msg: "no"}}
	inout := &nirc.IOError{Err: fs.ErrNotExist}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {refused, 1}, {errors.New("other"), 1}, {context.Canceled, 130}, {errors.Join(refused, inout, context.Canceled), 130}, {errors.Join(context.Canceled, &nirc.InternalError{}), 5}, {nirc.Usagef("x"), 2}, {inout, 3},
		{&fs.PathError{Err: fs.ErrExist}, 3}, {&nirc.InternalError{Value: 1}, 5}, {errReported{inout}, 3},
		{errors.Join(refused, nirc.Usagef("x")), 2}, {errors.Join(nirc.Usagef("x"), inout, refused), 3},
		{fmt.Errorf("a: %w", errors.Join(inout, &nirc.InternalError{})), 5},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

// TestUseProcessors: as many as -j says, no more than there are, and as before afterwards.
func TestUseProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	limit := debug.SetMemoryLimit(-1)
	for jobs, want := range map[int]int{1: 1, 2: 2, 3: 3, 8: 3} {
		restore := useProcessors(jobs)
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("-j %d: %d processors, want %d", jobs, got, want)
		}
		restore()
		if got := runtime.GOMAXPROCS(0); got != 3 || debug.SetMemoryLimit(-1) != limit {
			t.Errorf("-j %d: %d processors afterwards, memory %d", jobs, got, debug.SetMemoryLimit(-1))
		}
	}
}

// TestModuleOptions: what a permutation of a matrix says of reading its source goes before what the flags say.
func TestModuleOptions(t *testing.T) {
	c := &compileCommand{app: new(app)}
	c.entry, c.stageName = "flag", "vertex"
	plain := c.moduleOptions(&input{path: "a.comp"})
	if got := c.moduleOptions(&input{path: "a.comp", asked: &permutation{}}); got.Stage != plain.Stage || got.Entry != plain.Entry {
		t.Errorf("a permutation that says nothing has stage %s and entry point %q", got.Stage, got.Entry)
	}
	got := c.moduleOptions(&input{path: "a.comp", asked: &permutation{stage: "fragment", entry: "own", language: "hlsl", macros: []string{"-DA"}, include: []string{"inc"}, preInclude: []string{"pre"}}})
	if got.Stage != ir.StageFragment || got.Entry != "own" || got.Language != "hlsl" || len(got.Macros) != 1 || len(got.Include) != 1 || len(got.PreInclude) != 1 {
		t.Errorf("a permutation gives %+v", got)
	}
}

func TestOrdered(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {1, 7}, {3, 1}, {3, 4}, {3, 60}, {100, 1}, {100, 3}} {
		jobs, run := c[0], c[1]
		var got []int
		ordered(50, jobs, run, func(i int) int { return i * i }, func(i, r int) bool {
			if r != i*i {
				t.Errorf("result %d is %d", i, r)
			}
			got = append(got, i)
			return true
		})
		for i := range 50 {
			if i >= len(got) || got[i] != i {
				t.Fatalf("jobs %d, run %d: order %v", jobs, run, got)
			}
		}
		var started atomic.Int32
		ordered(10000, jobs, run, func(int) int { started.Add(1); return 0 }, func(i, _ int) bool { return i < 2 })
		if n := started.Load(); n > 3+int32(65*jobs) {
			t.Errorf("jobs %d, run %d: %d were started after the end at 3", jobs, run, n)
		}
	}
	ordered(0, 4, 3, func(int) int { return 0 }, func(int, int) bool { t.Error("called for nothing"); return true })
}

// Several errors of one run are each written once, in order.
func TestReport(t *testing.T) {
	var b bytes.Buffer
	r := reporter{w: &b}
	r.error(errors.Join(nirc.Diagnostics{{File: "a", Msg: "one"}, {File: "b", Severity: nirc.SeverityWarning, Msg: "two"}}, nirc.Usagef("three")))
	if want := "a: error: one\nb: warning: two\nnirc: error: three\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	r.error(errReported{nirc.Usagef("x")})
	if b.Len() != 0 {
		t.Errorf("a reported error came again: %q", b.String())
	}
}

// Building the command tree must stay cheap: it is part of every start.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		var out bytes.Buffer
		if code := run(context.Background(), []string{"--version"}, streams{strings.NewReader(""), &out, &out}); code != 0 {
			b.Fatal(code)
		}
	}
}

// TestRealPaths: a directory that is listed tells the same of its files as a look at each.
func TestRealPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "here")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	if err := os.Symlink(file, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	r := realPaths{}
	for i := range 2 * many {
		for _, below := range []string{dir, filepath.Join(dir, "here")} {
			for name, want := range map[string]string{"file": file, "link": file, "absent": filepath.Join(dir, "absent")} {
				if got := r.of(filepath.Join(below, name)); got != want {
					t.Fatalf("round %d: %s in %s leads to %s, want %s", i, name, below, got, want)
				}
			}
		}
	}
	for _, below := range []string{dir, filepath.Join(dir, "here")} {
		if got := r.plain(filepath.Join(below, "file")); got != file {
			t.Errorf("the file in %s, not looked at, leads to %s, want %s", below, got, file)
		}
	}
	for _, pattern := range []string{"*", "**"} {
		found, err := glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 2 || !found[0].plain || found[1].plain {
			t.Errorf("%s finds a file and a link: %+v, %v", pattern, found, err)
		}
	}
	if got := r.of(filepath.Join(dir, "no", "file")); got != filepath.Join(dir, "no", "file") {
		t.Errorf("in a directory that is not there: %s", got)
	}
}

// TestFolder: a directory that was made is known to be empty, one that was there is listed for many files alone, and a file is
// none.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	var d folder
	if err := d.enter(deep, 1); err != nil || !d.isNew(filepath.Join(deep, "f")) || d.isNew(filepath.Join(root, "f")) {
		t.Errorf("a new directory: %v, %v", err, d)
	}
	if err := os.WriteFile(filepath.Join(deep, "f"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for files, known := range map[int]bool{1: false, many: true} {
		d = folder{}
		if err := d.enter(deep, files); err != nil || d.isNew(filepath.Join(deep, "f")) || d.isNew(filepath.Join(deep, "g")) != known {
			t.Errorf("for %d files: %v, %v", files, err, d)
		}
	}
	for _, path := range []string{filepath.Join(deep, "f"), filepath.Join(deep, "f", "g")} {
		d = folder{}
		if err := d.enter(path, 1); err == nil {
			t.Errorf("%s is a directory", path)
		}
	}
}

// TestListOnce: what ** found in a directory is not asked for again at once.
func TestListOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var s search
	first := s.list(dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if again := s.list(dir); len(first) != 1 || len(again) != 1 {
		t.Errorf("%d entries, then %d: the directory was listed twice", len(first), len(again))
	}
	if other := s.list(t.TempDir()); len(other) != 0 || len(s.list(dir)) != 0 {
		t.Errorf("another directory has %d entries", len(other))
	}
}

// TestGlobWays: a file that several ** lead to in many ways is found once, and soon.
func TestGlobWays(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, strings.Repeat("a/", 30))
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "f"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{strings.Repeat("/**/a", 15) + "/**/f", strings.Repeat("/**/*", 15), "/**/**/f", "/**/**", "/**/a/**/a/**", "/**"} {
		if found, err := glob(root + pattern); err != nil || len(found) != 1 || found[0].path != filepath.Join(deep, "f") {
			t.Errorf("%s: %d found, %v", pattern, len(found), err)
		}
	}
}

// TestBrokenImport: of an export that is cut off the entries that are broken are told too.
func TestBrokenImport(t *testing.T) {
	tree, dir := writeTree(t, 2), t.TempDir()
	pack := filepath.Join(dir, "pack")
	nirc := func(args ...string) (code int, told string) {
		var out, errs bytes.Buffer
		code = run(context.Background(), args, streams{strings.NewReader(""), &out, &errs})
		return code, errs.String()
	}
	for _, args := range [][]string{{"cache", "build", "--dir", filepath.Join(dir, "a"), tree}, {"cache", "export", "--dir", filepath.Join(dir, "a"), pack}} {
		if code, told := nirc(args...); code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, told)
		}
	}
	data, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	data[len("nircpack1\n")+32+8+50] ^= 1 // after key and size of the first entry
	if err := os.WriteFile(pack, data[:len(data)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	code, told := nirc("cache", "import", "--dir", filepath.Join(dir, "b"), pack)
	if code != exitRefused || !strings.Contains(told, "broken cache entry: its checksum is wrong") || !strings.Contains(told, "pack: error: no whole export of nirc cache: its checksum is wrong") {
		t.Errorf("exit code %d: %s", code, told)
	}
}

// TestWriteInterface: what transform feedback takes is listed with its stream.
func TestWriteInterface(t *testing.T) {
	r := &nirc.Interface{Entry: "main", Captures: []nirc.CapturedOutput{{Buffer: 3, Stride: 8, Stream: 1, Location: "location 1", Components: 2, Bits: 32}}}
	var text strings.Builder
	if err := writeInterface(&text, r); err != nil || !strings.Contains(text.String(), "transform feedback") || !strings.Contains(text.String(), "stream 1") {
		t.Errorf("%v: %s", err, text.String())
	}
}
