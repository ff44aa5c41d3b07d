package amber

import (
	"context"
	"errors"
	"nirc/internal/refs"
	"os/exec"
	"slices"
	"testing"
)

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
