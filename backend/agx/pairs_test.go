package agx

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPairs runs what the code generators share.
func TestPairs(t *testing.T) {
	programs.Hold(t)
	p := gputest.Pairs{Run: func(s *ir.Shader, r *gputest.Run) error { return execute(t, s, CompileOptions{}, r, nil) }, Refused: []string{"words: absolute"}}
	p.Test(t)
}
