package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nirc/backend/object"
)

// An interrupted compile leaves whole outputs and nothing else.
func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) { interruptCompile(t, signal) })
	}
}

func interruptCompile(t *testing.T, signal os.Signal) {
	tree, out := writeTree(t, 600), filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("nirc", "compile", "-j", "2", "-o", out+"/", tree)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if list, _ := os.ReadDir(out); len(list) > 5 || time.Now().After(deadline) {
			break
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Skipf("no %v: %v", signal, err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitStopped || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v: %s", err, stderr.String())
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) == 0 || len(files) == 600 {
		t.Fatalf("%d outputs, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err == nil {
			_, err = object.Read(data)
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
	}
	t.Logf("%d of 600 outputs", len(files))
}

// What is interrupted has no verdicts and no figures: those of a part would look
// like those of all.
func TestInterruptedFigures(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	script := filepath.Join("..", "..", "testdata", "add.amber")
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{"amber", script}, "0 scripts: 0 pass, 0 fail, 0 skip; 0 expectations true\n"},
		{[]string{"stats", "--format", "json", writeTree(t, 1)}, ""},
	} {
		var out, errs bytes.Buffer
		code := run(ctx, c.args, streams{strings.NewReader(""), &out, &errs})
		if code != exitStopped || out.String() != c.out || !strings.HasSuffix(errs.String(), "nirc: error: interrupted\n") {
			t.Errorf("%v: exit code %d\n%s%s", c.args, code, out.String(), errs.String())
		}
	}
}

// The commands on whole caches stop too: one of a million entries takes its time.
func TestInterruptedCache(t *testing.T) {
	dir := t.TempDir()
	cache, pack, half := filepath.Join(dir, "cache"), filepath.Join(dir, "all.pack"), filepath.Join(dir, "half.pack")
	stopped, stop := context.WithCancel(context.Background())
	stop()
	command := func(ctx context.Context, want int, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(ctx, args, streams{strings.NewReader(""), &out, &errs}); code != want {
			t.Errorf("%v: exit code %d, want %d\n%s%s", args, code, want, out.String(), errs.String())
		}
	}
	command(context.Background(), exitDone, "cache", "build", "--dir", cache, writeTree(t, 3))
	command(context.Background(), exitDone, "cache", "export", "--dir", cache, pack)
	for _, args := range [][]string{{"verify", "--dir", cache}, {"stats", "--dir", cache}, {"gc", "--dir", cache, "--max-size", "1"}, {"export", "--dir", cache, half},
		{"merge", "--dir", filepath.Join(dir, "other"), cache}, {"import", "--dir", filepath.Join(dir, "another"), pack}} {
		command(stopped, exitStopped, append([]string{"cache"}, args...)...)
	}
	if n := len(entries(cache)); n != 3 {
		t.Errorf("%d entries are left of 3", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*half.pack*")); len(left) > 0 {
		t.Errorf("half an export: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*half.pack*")); len(left) > 0 {
		t.Errorf("half an export: %v", left)
	}
}
