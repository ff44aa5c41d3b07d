package agx

import (
	"testing"

	"nirc/ir"
)

// TestInterfaces holds what becomes of inputs and outputs of vertex and fragment shaders, of all sizes and places.
func TestInterfaces(t *testing.T) {
	programs.Hold(t)
	err := programs.Interfaces(300, func(s *ir.Shader) error {
		_, _, err := tryBuild(t, s, CompileOptions{})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
