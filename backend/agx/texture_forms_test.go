package agx

import (
	"testing"

	"nirc/ir"
)

// TestTextureForms holds what becomes of texture operations of all shapes, with sources of all sizes and results that are read in part.
func TestTextureForms(t *testing.T) {
	programs.Hold(t)
	err := programs.Textures(400, func(s *ir.Shader) error {
		_, _, err := tryBuild(t, s, CompileOptions{})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
