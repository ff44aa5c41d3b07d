package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is the compiler with the changes of a sample beside what they change.
type program struct {
	c       *config
	dir     string // for everything that is written
	overlay string
	patches []*patch
}

// newProgram writes the changed files and drops the changes that make no program.
func newProgram(ctx context.Context, c *config, dir string, patches []*patch) (*program, error) {
	p := &program{c: c, dir: dir, overlay: filepath.Join(dir, "overlay.json"), patches: patches}
	for {
		if err := p.write(); err != nil {
			return nil, err
		}
		out, err := p.command(ctx, "go", append([]string{"build", "-trimpath", "-gcflags=-e", "-overlay", p.overlay}, p.packages()...)...)
		if err == nil {
			return p, nil
		}
		n := len(p.patches)
		if p.dropRefused(string(out)); len(p.patches) == n {
			return nil, fmt.Errorf("the changed program does not build: %w\n%s", err, out)
		}
	}
}

// command runs a command, by that of the flag -exec if there is one.
func (p *program) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	if p.c.exec != "" {
		args = append([]string{name}, args...)
		name = p.c.exec
	}
	return exec.CommandContext(ctx, name, args...).CombinedOutput()
}

// packages are the import paths of the changed packages.
func (p *program) packages() []string {
	var list []string
	for _, x := range p.patches {
		list = append(list, x.pkg.ImportPath)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// write writes the overlay.
func (p *program) write() error {
	byFile := make(map[*source][]*patch)
	for _, x := range p.patches {
		byFile[x.source] = append(byFile[x.source], x)
	}
	replace := make(map[string]string)
	put := func(path, text string) error {
		to := filepath.Join(p.dir, fmt.Sprintf("%d.go", len(replace)))
		replace[path] = to
		return os.WriteFile(to, []byte(text), 0o666)
	}
	if err := put(filepath.Join(p.c.root, "internal", "mutants", "on", "on.go"), switchText); err != nil {
		return err
	}
	for f, list := range byFile {
		slices.SortFunc(list, func(a, b *patch) int { return a.from - b.from })
		if err := put(f.path, rewrite(f, list)); err != nil {
			return err
		}
		for _, x := range list {
			x.written = replace[f.path]
		}
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(p.overlay, data, 0o666)
}

var complaint = regexp.MustCompile(`(?m)^([^\s:]+\.go):(\d+):`)

// dropRefused drops the patches whose lines the compiler complains about.
func (p *program) dropRefused(out string) {
	bad := make(map[*patch]bool)
	for _, m := range complaint.FindAllStringSubmatch(out, -1) {
		line, _ := strconv.Atoi(m[2])
		for _, x := range p.patches { // the go command shortens paths
			if strings.HasSuffix(m[1], filepath.Join(filepath.Base(p.dir), filepath.Base(x.written))) && line >= x.first && line <= x.last {
				bad[x] = true
			}
		}
	}
	p.patches = slices.DeleteFunc(p.patches, func(x *patch) bool { return bad[x] })
}

// binary is the tests of a package, built.
type binary struct {
	pkg  *pkg
	path string
}

// build builds the tests of a package.
func (p *program) build(ctx context.Context, x *pkg, n int) (*binary, error) {
	b := &binary{pkg: x, path: filepath.Join(p.dir, fmt.Sprintf("%d.test", n))}
	out, err := p.command(ctx, "go", "test", "-c", "-trimpath", "-vet=off", "-overlay", p.overlay, "-o", b.path, x.ImportPath)
	if err != nil {
		return nil, fmt.Errorf("the tests of %s do not build: %w\n%s", x.ImportPath, err, out)
	}
	return b, nil
}

// waiting is how many times its limit a test may take by the clock: other work may have most of the processors. One that waits for ever
// takes no time of theirs, and is stopped long before (idle).
const waiting = 20

// run runs tests of a binary, whose names stand between bars, with a change. Memory is bounded, as a change
// may make a loop that never ends and appends. What they took, and the limit, is the processor's time, which other work does not change.
func (p *program) run(ctx context.Context, b *binary, names string, n int, seen string, limit time.Duration) (out []byte, took time.Duration, err error) {
	seconds := int(math.Ceil(limit.Seconds()))
	args := []string{"-c", `ulimit -v "$1"; ulimit -t "$2"; shift 2; exec "$@"`, "sh", strconv.Itoa(p.c.memory << 10), strconv.Itoa(seconds), b.path,
		"-test.run", "^(" + names + ")$", "-test.timeout", (waiting * limit).String(), "-test.failfast", "-test.count", "1"}
	prog := "sh"
	if p.c.exec != "" {
		prog, args = p.c.exec, append([]string{"sh"}, args...)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, prog, args...)
	cmd.Dir = b.pkg.Dir
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(n), "MUTANT_SEEN="+seen)
	cmd.WaitDelay = 5 * time.Second // what a stopped test has started may go on, and hold its output
	var w bytes.Buffer
	cmd.Stdout, cmd.Stderr = &w, &w
	if err = cmd.Start(); err == nil {
		go func() {
			if p.c.quiet > 0 && idle(ctx, cmd.Process.Pid, p.c.quiet) {
				stop(errIdle)
			}
		}()
		err = cmd.Wait()
	}
	if s := cmd.ProcessState; s != nil {
		took = s.UserTime() + s.SystemTime()
	}
	if err != nil && context.Cause(ctx) == errIdle {
		err = errIdle
	}
	return w.Bytes(), took, err
}
