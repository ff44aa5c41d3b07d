package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nirc/internal/refs"
)

// sampleModules gathers the modules of testdata and, where it is laid out,
// some of the corpus in a folder of their own.
func sampleModules(t *testing.T, every int) string {
	t.Helper()
	dir, n := t.TempDir(), 0
	add := func(path string) {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.%s", n, filepath.Base(path))), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	own, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*.spv"))
	if err != nil || len(own) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, path := range own {
		add(path)
	}
	corpus, err := refs.Find("corpus")
	if err != nil {
		t.Log(err)
		return dir
	}
	seen := 0
	err = filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".spv" || ext == ".spvasm") {
			if seen++; seen%every == 0 {
				add(path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// compileTree compiles all modules of a folder for all targets by a command, and
// returns what it wrote, by name, and what it said. Modules may be refused.
func compileTree(t *testing.T, dir string, env []string, command ...string) (map[string][sha256.Size]byte, string) {
	t.Helper()
	out := t.TempDir()
	cmd := exec.Command(command[0], append(command[1:], "-t", "all", "--keep-going", "-o", out+"/", ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitRefused {
			t.Fatalf("%q: %v\n%s", command, err, said.String())
		}
	}
	files := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(out, path)
		files[name] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, strings.ReplaceAll(said.String(), out, "OUT")
}

// differ lists the outputs that two compiles do not share.
func differ(a, b map[string][sha256.Size]byte) []string {
	var list []string
	for name, sum := range a {
		if other, ok := b[name]; !ok || other != sum {
			list = append(list, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// TestDeterminism compiles the same modules one at a time and side by side, on
// one processor and on two: the outputs and the messages are the same bytes.
// NIRC_FULL=1 takes the whole corpus.
func TestDeterminism(t *testing.T) {
	every := 40
	if os.Getenv("NIRC_FULL") == "1" {
		every = 1
	}
	dir := sampleModules(t, every)
	first, said := compileTree(t, dir, []string{"GOMAXPROCS=1"}, "nirc", "compile", "-j", "1")
	if len(first) < 10 {
		t.Fatalf("only %d outputs\n%s", len(first), said)
	}
	for _, c := range [][2]string{{"1", "2"}, {"2", "1"}, {"2", "2"}} {
		files, text := compileTree(t, dir, []string{"GOMAXPROCS=" + c[0]}, "nirc", "compile", "-j", c[1])
		if list := differ(first, files); len(list) > 0 {
			t.Errorf("GOMAXPROCS %s, -j %s: %d of %d outputs differ: %v", c[0], c[1], len(list), len(first), list[:min(len(list), 5)])
		}
		if text != said {
			t.Errorf("GOMAXPROCS %s, -j %s: other messages:\n%s\n%s", c[0], c[1], said, text)
		}
	}
	t.Logf("%d outputs", len(first))
}

// TestDeterminismARM64 compiles a sample as an arm64 binary under qemu-user: the
// same bytes as here. It takes a minute, most of it to compile the standard library.
func TestDeterminismARM64(t *testing.T) {
	if os.Getenv("NIRC_ARM64") == "" {
		t.Skip("NIRC_ARM64 is not set")
	}
	qemu := refs.Tool(t, "qemu-aarch64") // Debian's qemu-user
	binary := filepath.Join(t.TempDir(), "nirc-arm64")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := sampleModules(t, 200)
	here, said := compileTree(t, dir, nil, "nirc", "compile")
	there, text := compileTree(t, dir, nil, qemu, binary, "compile")
	if list := differ(here, there); len(list) > 0 || len(here) < 5 {
		t.Errorf("%d of %d outputs differ: %v", len(list), len(here), list[:min(len(list), 5)])
	}
	if said != text {
		t.Errorf("other messages:\n%s\n%s", said, text)
	}
	t.Logf("%d outputs", len(here))
}
