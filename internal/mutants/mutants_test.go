package main

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const text = `package p

func f(a, b int) int {
	c := 0
	if a < b && a != 3 {
		c = a + b
		g(c)
	}
	d, e := a*2, h(b)
	switch {
	case d > 5:
		c++
	}
	return -c - d - e
}

func g(int) { panic("x" + "y") }

func h(x int) int { return x }

func unused() int { return 1 }
`

// TestSites makes every change of a small file: each is a program that parses
// and differs from the file.
func TestSites(t *testing.T) {
	f, err := parseSource(&pkg{ImportPath: "p"}, "p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	list := f.sites()
	var whats []string
	for i := range list {
		whats = append(whats, list[i].what)
		before, after := list[i].both(f.ast)
		if before == after {
			t.Errorf("%s changes nothing", &list[i])
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", after, 0); err != nil {
			t.Errorf("%s: %v\n%s", &list[i], err, after)
		}
	}
	want := "if never;&& becomes ||;< becomes <=;!= becomes ==;3 becomes 4;statement dropped;statement dropped #2;statement dropped #3;+ becomes -;- becomes +;* becomes +"
	for w := range strings.SplitSeq(want, ";") {
		found := false
		for _, have := range whats {
			found = found || have == w
		}
		if !found {
			t.Errorf("no change %q among %q", w, whats)
		}
	}
}

// blind is a file in which three changes could be noticed: of the length 0, that a fault is switched on, and a condition.
const blind = `package p

func f(a, b int) ([]int, error) {
	m := make(map[int]int, 2*a)
	list := make([]int, 0, a+1)
	x := math.Inf(1)
	list = slices.Grow(list, 4)
	w.Grow(5)
	_ = list[3]
	if a > b && m != nil {
		panic("a is not above b")
	}
	w.list = nil
	clear(w.more[:cap(w.more)])
	workers.Put(w)
	if faults.has(faultA) {
		a += 2
	}
	if has(a) {
		fail()
	}
	if b > 10 {
		return nil, backend.Broken("t", nil, nil, "%d", b+1)
	}
	return list, fmt.Errorf("%d", a+b)
}

func (s *set) hash(a uint64) uint64 { return (a ^ 5) * 77 }

func (e *failure) Error() string { return "line " + strconv.Itoa(e.line+1) }
`

// TestBlind: texts, room, pools, hashes, assertions and what faults do are left alone; an error that is a panic for the way to its report,
// and a front end's error, are not.
func TestBlind(t *testing.T) {
	for _, c := range []struct {
		pkg, text string
		want      int
	}{
		{"nirc/backend/p", blind, 3},
		{"nirc/frontend/p", strings.ReplaceAll(blind, "backend.Broken", "t.broken"), 6},
		{"nirc/backend/p", strings.ReplaceAll(blind, `panic("a is not above b")`, "panic(bail{err})"), 7},
		{"nirc/backend/p", strings.ReplaceAll(blind, "make([]int, 0, a+1)", "make([]int, a+1)"), 4},
		{"nirc/backend/p", strings.ReplaceAll(blind, "w.list = nil", "v.list = nil"), 4},
		{"nirc/backend/p", strings.ReplaceAll(blind, "cap(w.more)", "len(w.more)"), 4},
		{"nirc/backend/p", strings.ReplaceAll(blind, "clear(w.more[:cap(w.more)])", "w.clear()"), 4},
		{"nirc/backend/p", strings.ReplaceAll(blind, "_ = list[3]", "a = list[3]"), 5},
		{"nirc/backend/p", strings.ReplaceAll(blind, "workers.Put(w)", "workers.Put(w, a)"), 6},
	} {
		f, err := parseSource(&pkg{ImportPath: c.pkg}, "p.go", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if list := f.sites(); len(list) != c.want {
			for i := range list {
				t.Log(&list[i])
			}
			t.Errorf("%s: %d changes, want %d:\n%s", c.pkg, len(list), c.want, c.text)
		}
	}
}

// TestCampaign tries all changes of a small module: what its test asserts is noticed,
// what it does not come by or does not look at is left.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod": "module nirc\n\ngo 1.24\n",
		"p/p.go": text,
		"p/p_test.go": `package p

import "testing"

func TestF(t *testing.T) {
	for _, c := range [][3]int{{1, 1, -3}, {4, 3, -12}, {0, 0, 0}} {
		if v := f(c[0], c[1]); v != c[2] {
			t.Errorf("%v: %d", c, v)
		}
	}
}
`} {
		if err := os.MkdirAll(filepath.Join(dir, "p"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	want := map[string]verdict{
		"f: < becomes <=": noticedByOwn, "f: statement dropped": survived, "f: statement dropped #2": survived, "f: statement dropped #3": noticedByOwn,
		"f: * becomes +": noticedByOwn, "f: - becomes + #2": noticedByOwn, "f: 5 becomes 6": survived, "unused: 1 becomes 2": survived,
	}
	c := &config{n: 100, only: regexp.MustCompile(""), timeout: time.Minute, slow: time.Minute, memory: 8192, patterns: []string{"./..."}, root: dir}
	for len(want) > 0 && c.seed < 40 { // a sample has one change of a statement
		c.seed++
		tryAll(t, c, want)
	}
	for what := range want {
		t.Errorf("%s was not tried", what)
	}
}

// TestLimit: a test is stopped when it has taken its time of the processor, not when it has waited as long for it, and when it waits for
// what does not come.
func TestLimit(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod": "module nirc\n\ngo 1.24\n",
		"p.go":   "package p\n",
		"p_test.go": `package p

import (
	"testing"
	"time"
)

func TestWaits(t *testing.T) { time.Sleep(1500 * time.Millisecond) }

func TestTurns(t *testing.T) {
	for time.Now().Year() > 0 {
	}
}

func TestHangs(t *testing.T) {
	t.Cleanup(func() {}) // what ends a test does not run
	<-make(chan int)
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	pkgs, err := listPackages(".")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{c: &config{memory: 8192}, dir: t.TempDir()}
	p.overlay = filepath.Join(p.dir, "overlay.json")
	if err := os.WriteFile(p.overlay, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := p.build(t.Context(), &pkgs[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err := p.run(t.Context(), b, "TestWaits", -1, "", time.Second); err != nil {
		t.Errorf("a test that waits: %v\n%s", err, out)
	}
	if out, took, err := p.run(t.Context(), b, "TestTurns", -1, "", time.Second); err == nil || took > 3*time.Second || failed.Match(out) {
		t.Errorf("a test that does not end took %v: %v\n%s", took, err, out)
	}
	if _, ok := spent(os.Getpid()); !ok {
		t.Skip("there is no /proc: who waits is not known")
	}
	p.c.quiet = time.Second
	if out, _, err := p.run(t.Context(), b, "TestHangs", -1, "", time.Hour); err != errIdle {
		t.Errorf("a test that waits for ever: %v\n%s", err, out)
	}
	if out, took, err := p.run(t.Context(), b, "TestTurns", -1, "", 2*time.Second); err == nil || err == errIdle {
		t.Errorf("a test that does not end took %v: %v\n%s", took, err, out)
	}
}

// TestIdle: what a process starts works for it, and one that nobody finds is not known to wait.
func TestIdle(t *testing.T) {
	if _, ok := spent(os.Getpid()); !ok {
		t.Skip("there is no /proc")
	}
	for _, c := range []struct {
		script string
		want   bool
	}{
		{"sleep 20; true", true},
		{"sh -c 'while kill -0 $PPID; do :; done'; true", false}, // the child ends with its parent
	} {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		cmd := exec.CommandContext(ctx, "sh", "-c", c.script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if have := idle(ctx, cmd.Process.Pid, 2*time.Second); have != c.want {
			t.Errorf("%s: idle is %t", c.script, have)
		}
		stop()
		cmd.Wait()
	}
	if took, ok := spent(1 << 30); ok {
		t.Errorf("a process that there is not has taken %v", took)
	}
}

// tryAll tries a sample that has something wanted, and takes that from the list.
func tryAll(t *testing.T, c *config, want map[string]verdict) {
	patches, err := c.sample()
	if err != nil {
		t.Fatal(err)
	}
	patches = slices.DeleteFunc(patches, func(x *patch) bool { return want[x.in+": "+x.what] == "" })
	if len(patches) == 0 {
		return
	}
	p, err := newProgram(context.Background(), c, t.TempDir(), patches)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.allTests(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range p.patches {
		what := x.in + ": " + x.what
		if v, _ := p.try(context.Background(), x, all); v != want[what] {
			t.Errorf("%s: %q, want %q", what, v, want[what])
		}
		delete(want, what)
	}
}

// TestEquivalent reads the list: every line has its reason.
func TestEquivalent(t *testing.T) {
	if _, err := readEquivalent(); err != nil {
		t.Error(err)
	}
}
