package agx

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestMemory runs what the code generators share.
func TestMemory(t *testing.T) {
	programs.Hold(t)
	gputest.TestMemory(t, func(name string, s *ir.Shader, r *gputest.Run) error {
		return execute(t, s, CompileOptions{}, r, nil)
	}, "64-bit atomics", "64-bit exchanges")
}

// TestNarrowPlaces runs what the code generators share.
func TestNarrowPlaces(t *testing.T) {
	programs.Hold(t)
	gputest.TestNarrowPlaces(t, func(_ string, s *ir.Shader, r *gputest.Run) error {
		return execute(t, s, CompileOptions{}, r, nil)
	})
}
