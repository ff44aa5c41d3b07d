package ir3

import (
	"testing"

	"nirc/ir"
)

// TestTextureForms holds what becomes of texture operations of all shapes, with sources of all sizes and results that are read in part.
func TestTextureForms(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"a630", "a740"} {
		err := programs.Textures(400, func(s *ir.Shader) error {
			_, err := compile(s, CompileOptions{GPU: gpu})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
