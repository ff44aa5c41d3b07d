package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestFewRegisters: a long program of which little lives at a time does not walk through all registers that cost no wave,
// and where results of the ALU come soon through no more than live at once.
func TestFewRegisters(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		gpu  string
		most int
	}{{"a630", 2}, {"a740", 1}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		sum := id
		for range 60 {
			sum = b.Ixor(b.Iadd(sum, id), b.Ishl(sum, b.Imm32(3)))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
		bin, err := execute(s, CompileOptions{GPU: c.gpu}, &gputest.Run{Groups: 1, In: make([]byte, 64), OutSize: 64 * 4}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.gpu, err)
		}
		if n := bin.Meta.MaxRegs; n > c.most {
			t.Errorf("%s: %d registers for three values, more than %d", c.gpu, n, c.most)
		}
	}
}
