package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestClockReadings compiles shaders of no, one and several readings of the clock, with all steps verified.
func TestClockReadings(t *testing.T) {
	programs.Hold(t)
	for n := range 4 {
		for _, gpu := range gpus {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			out := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0), b.Imm32(2))
			sum := out
			for range n {
				c := &b.Intrinsic(ir.IntrShaderClock, 2, 32).Set(ir.IdxMemoryScope, uint64(ir.ScopeSubgroup)).Def
				sum = b.Iadd(sum, b.Ixor(b.Channel(c, 0), b.Channel(c, 1)))
			}
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), out, sum)
			if _, err := compile(s, CompileOptions{GPU: gpu, Verify: true}); err != nil {
				t.Errorf("%s, %d readings: %v", gpu, n, err)
			}
		}
	}
}
