package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// An angle that a constant multiplies takes no more instructions than one that is as it is, and is as precise as Vulkan wants.
func TestAngles(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		opts := CompileOptions{GPU: gpu}
		plain, err := compile(gputest.Angles(1), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{1, 6.2831853, -0.37, 4096, 1e-30} {
			bin, err := compile(gputest.Angles(factor), opts)
			if err != nil {
				t.Fatal(err)
			}
			if len(bin.Code) > len(plain.Code) {
				t.Errorf("%s, factor %g: %d bytes, want %d\n%s", gpu, factor, len(bin.Code), len(plain.Code), disasm(bin))
			}
			err = gputest.DifferAngles(factor, func(s *ir.Shader, r *gputest.Run, same func(i int, want, got uint32) bool) error {
				_, err := execute(s, opts, r, same)
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", gpu, err)
			}
		}
	}
}
