package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestListingWithLines: --emit asm -g has lines of the source, and assembles to the same code.
func TestListingWithLines(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*.spv")
	dir := t.TempDir()
	do := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
			t.Fatalf("nirc %s: %s", strings.Join(args, " "), out.String())
		}
	}
	for _, path := range files {
		for _, target := range []string{"ir3", "agx", "midgard"} {
			asm, want, got := filepath.Join(dir, "x.s"), filepath.Join(dir, "x.bin"), filepath.Join(dir, "y.bin")
			do("compile", "-g", "-t", target, "--emit", "asm", "-o", asm, path)
			do("compile", "-t", target, "--emit", "bin", "-o", want, path)
			do("asm", "-t", target, "-o", got, asm)
			text, _ := os.ReadFile(asm)
			source := strings.TrimSuffix(filepath.Base(path), ".spv")
			if !bytes.Contains(text, []byte("; "+source+":")) {
				t.Errorf("%s, %s: no lines of the source", path, target)
			}
			a, _ := os.ReadFile(want)
			b, _ := os.ReadFile(got)
			if !bytes.Equal(a, b) {
				t.Errorf("%s, %s: the listing assembles to other code", path, target)
			}
		}
	}
}
