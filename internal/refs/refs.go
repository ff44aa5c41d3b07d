// Package refs finds the tools that the deeper tests use, and what others made and the repository does not hold: the corpus of
// Khronos' conformance scripts and shaders, and tables of other compilers' figures. That lies in a folder "shared" beside the
// repository, or where NIRC_SHARED says. It says too how much of a grid a test takes. Nothing that ships imports this.
package refs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Find returns the path of a file or folder beside the repository, or an
// error that says why it is not there.
func Find(elem ...string) (string, error) {
	root := os.Getenv("NIRC_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", err
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			up := filepath.Dir(dir)
			if up == dir {
				return "", errors.New("no go.mod above the working directory")
			}
			dir = up
		}
		root = filepath.Join(dir, "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: the corpus is no part of the repository", err)
	}
	return path, nil
}

// Path is Find for tests: where the path is absent the test is skipped.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path, err := Find(elem...)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// File returns what a file beside the repository holds, or skips the test.
func File(t testing.TB, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(Path(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Tool returns the path of a program that a test uses where it is installed.
// Where it is not the test is skipped, or fails if NIRC_REQUIRE_TOOLS is set,
// as CI sets it, unless NIRC_WITHOUT names it.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("NIRC_REQUIRE_TOOLS") != "" && os.Getenv("NIRC_WITHOUT") != name:
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return path
}
