package midgard

import (
	"testing"

	"nirc/ir"
)

// TestSystemValues holds what becomes of each system value in each stage, of each size.
func TestSystemValues(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"t720", "t860"} {
		n := programs.SystemValues(func(s *ir.Shader) error {
			_, err := compile(s, CompileOptions{GPU: gpu})
			return err
		})
		if n < 300 {
			t.Errorf("only %d shaders", n)
		}
	}
}
