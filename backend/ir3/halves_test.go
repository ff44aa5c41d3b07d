package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPackedHalves: halves that are stored as words are made where the words stand.
func TestPackedHalves(t *testing.T) {
	programs.Hold(t)
	for _, g := range []string{"a630", "a750"} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := gputest.LoadWords(b, in, b.Ishl(id, b.Imm32(4)), 4)
		word := func(c int) *ir.Def {
			return b.Pack32_2x16Split(b.F2f16(b.Channel(x, c)), b.F2f16(b.Channel(x, c+1)))
		}
		gputest.StoreWords(b, out, b.Ishl(id, b.Imm32(3)), b.Vec(word(0), word(2)))
		bin, err := execute(s, CompileOptions{GPU: g}, &gputest.Run{Groups: 1, In: make([]byte, 1024), OutSize: 512}, nil)
		if err != nil {
			t.Fatalf("%s: %v", g, err)
		}
		if text := disasm(bin); strings.Contains(text, "mov.u16u16") {
			t.Errorf("%s: halves are moved\n%s", g, text)
		}
	}
}
