package midgard

import (
	"testing"

	"nirc/ir"
)

// TestInterfaces holds what becomes of inputs and outputs of vertex and fragment shaders, of all sizes and places.
func TestInterfaces(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"t720", "t860"} {
		err := programs.Interfaces(300, func(s *ir.Shader) error {
			_, err := compile(s, CompileOptions{GPU: gpu})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
