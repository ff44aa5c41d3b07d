package ir3

import (
	"testing"

	"nirc/ir"
)

// TestImageForms holds what becomes of accesses of storage images of all shapes, by robustness, format and size.
func TestImageForms(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"a630", "a740"} {
		err := programs.Images(400, func(s *ir.Shader) error {
			_, err := compile(s, CompileOptions{GPU: gpu})
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
