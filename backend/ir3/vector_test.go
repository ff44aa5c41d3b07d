package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestConstantVectors: stores of one constant vector share its registers.
func TestConstantVectors(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	to := gputest.StorageBuffer(b, 0, 1)
	id := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(7))
	for k := range 8 {
		gputest.StoreWords(b, to, b.IAddImm(id, int64(16*k)), b.Vec(b.Imm32(0), b.Imm32(7), b.Imm32(0), b.Imm32(7)))
	}
	for _, gpu := range []string{"a630", "a740"} {
		bin, err := execute(ir.Clone(s), CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: make([]byte, 4), OutSize: 64 * 128}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := disasm(bin); strings.Count(text, ", 7\n") > 4 || strings.Contains(text, "swz") {
			t.Errorf("%s:\n%s", gpu, text)
		}
	}
}
