package agx

import (
	"testing"

	"nirc/ir"
)

// TestImageForms holds what becomes of accesses of storage images of all shapes, by robustness, format and size.
func TestImageForms(t *testing.T) {
	programs.Hold(t)
	err := programs.Images(400, func(s *ir.Shader) error {
		_, _, err := tryBuild(t, s, CompileOptions{})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
