package agx

import (
	"testing"

	"nirc/ir"
)

// TestSystemValues holds what becomes of each system value in each stage, of each size.
func TestSystemValues(t *testing.T) {
	programs.Hold(t)
	n := programs.SystemValues(func(s *ir.Shader) error {
		_, _, err := tryBuild(t, s, CompileOptions{})
		return err
	})
	if n < 300 {
		t.Errorf("only %d shaders", n)
	}
}
