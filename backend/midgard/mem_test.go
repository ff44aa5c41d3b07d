package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestMemory runs what the code generators share.
func TestMemory(t *testing.T) {
	gputest.TestMemory(t, func(name string, s *ir.Shader, r *gputest.Run) error {
		_, err := execute(s, CompileOptions{}, r, nil)
		return err
	}, "dispatch values", "votes", "quads and shuffles")
}
