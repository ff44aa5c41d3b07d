package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"nirc/object"
)

// An interrupted compile leaves whole outputs and nothing else.
func TestInterrupt(t *testing.T) {
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
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("no interrupt: %v", err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitRefused || !strings.Contains(stderr.String(), "interrupted") {
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

// command is a line of the README that runs nirc.
var command = regexp.MustCompile(`^ {4}(?:\./nirc|go run \./cmd/nirc) (.*?)(?: {2,}#.*)?$`)

// Every nirc command that the README shows works as it stands there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	n := 0
	for line := range strings.Lines(string(text)) {
		m := command.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		args, err := splitArgs(m[1])
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		n++
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs}); code != exitDone {
			t.Errorf("nirc %s: exit code %d\n%s", m[1], code, errs.String())
		}
	}
	if n < 5 {
		t.Errorf("only %d commands in the README", n)
	}
}
