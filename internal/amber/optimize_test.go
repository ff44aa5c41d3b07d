package amber

import (
	"context"
	"errors"
	"nirc/internal/refs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOptimizeReachesTarget: a target is given what the tool made of the module, and none whose passes are not supported.
func TestOptimizeReachesTarget(t *testing.T) {
	dir := t.TempDir()
	const tool = "#!/bin/sh\nfor last; do :; done\nprintf '\\003\\002\\043\\007\\000\\000\\001\\000\\052\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000' >$last\n"
	if err := os.WriteFile(filepath.Join(dir, "spirv-opt"), []byte(tool), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for pass, want := range map[string]string{"-O": "", "in.spv": "SHADER_OPTIMIZATION in.spv is not supported"} {
		f := &fakeTarget{programs: map[string]*fakeProgram{"inc": increment()}}
		res := runText(t, f, strings.Replace(computeScript, "  ATTACH inc SPECIALIZE", "  ATTACH inc\n  SHADER_OPTIMIZATION inc\n  "+pass+"\n  END\n  #", 1))
		switch {
		case want != "":
			if !strings.Contains(res.Reason, want) || len(f.seen) != 0 {
				t.Errorf("%s: %+v, and %d shaders came to the target, want %q", pass, res, len(f.seen), want)
			}
		case len(f.seen) == 0 || !slices.Equal(f.seen[0].Words, []uint32{0x07230203, 0x10000, 42, 1, 0}):
			t.Errorf("%s: %+v, the target was given %v", pass, res, f.seen)
		}
	}
}

func TestOptimize(t *testing.T) {
	words, err := assemble(passthrough, "spv1.0")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := optimize(context.Background(), words, nil); err != nil || !slices.Equal(got, words) {
		t.Errorf("no passes: %v, or the module changed", err)
	}
	var un *Unsupported
	if _, err := optimize(context.Background(), words, []string{"in.spv"}); !errors.As(err, &un) {
		t.Errorf("a file name as a pass: %v", err)
	}
	if _, err := exec.LookPath("spirv-opt"); err != nil {
		if _, err := optimize(context.Background(), words, []string{"-O"}); !errors.As(err, &un) {
			t.Errorf("without the tool: %v", err)
		}
		refs.Tool(t, "spirv-opt")
	}
	got, err := optimize(context.Background(), words, []string{"--strip-debug"})
	if err != nil || len(got) < 5 || len(got) > len(words) {
		t.Errorf("--strip-debug: %v, %d words of %d", err, len(got), len(words))
	}
	if _, err := optimize(context.Background(), words, []string{"--no-such-pass"}); err == nil {
		t.Error("--no-such-pass is taken")
	}
}
