package ir3

import (
	"fmt"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPairs runs what the code generators share, on a chip of each generation.
func TestPairs(t *testing.T) {
	programs.Hold(t)
	p := gputest.Pairs{Run: func(s *ir.Shader, r *gputest.Run) error {
		for _, gpu := range []string{"a630", "a740"} {
			if _, err := execute(s, CompileOptions{GPU: gpu}, r, nil); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	}, Refused: []string{"words: upper word of a product"}}
	p.Test(t)
}
