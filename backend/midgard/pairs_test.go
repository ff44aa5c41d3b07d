package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// TestPairs runs what the code generators share, with narrow integers as the pipeline widens them.
func TestPairs(t *testing.T) {
	programs.Hold(t)
	p := gputest.Pairs{
		Lower: func(s *ir.Shader) error {
			_, err := passes.RunPass(s, "lower_bit_size", "below", "32", "to", "32", "bytes", "true")
			return err
		},
		Run: func(s *ir.Shader, r *gputest.Run) error {
			_, err := execute(s, CompileOptions{}, r, nil)
			return err
		},
		Refused: []string{"words: reversed bits", "floats: fused", "floats: fused with itself"},
	}
	p.Test(t)
}
