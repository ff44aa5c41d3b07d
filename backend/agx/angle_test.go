package agx

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// An angle that a constant multiplies takes no more instructions than one that is as it is, and is as precise as Vulkan wants.
func TestAngles(t *testing.T) {
	programs.Hold(t)
	plain, _ := build(t, gputest.Angles(1), CompileOptions{})
	for _, factor := range []float64{1, 6.2831853, -0.37, 4096, 1e-30} {
		bin, text := build(t, gputest.Angles(factor), CompileOptions{})
		if len(bin.Code) > len(plain.Code) {
			t.Errorf("factor %g: %d bytes, want %d\n%s", factor, len(bin.Code), len(plain.Code), text)
		}
		err := gputest.DifferAngles(factor, func(s *ir.Shader, r *gputest.Run, same func(i int, want, got uint32) bool) error {
			return execute(t, s, CompileOptions{}, r, same)
		})
		if err != nil {
			t.Error(err)
		}
	}
}
