package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestStoredImmediates: where the command stream cannot put immediates into
// the const file the preamble stores them, far up by a1.x too.
func TestStoredImmediates(t *testing.T) {
	programs.Hold(t)
	for _, n := range []int{1, 6, 300} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		sum := id
		for k := range n {
			sum = b.Ixor(b.Iadd(sum, b.Imm32(uint32(100000+7*k))), b.Ishl(sum, b.Imm32(1)))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
		bin, err := execute(s, CompileOptions{GPU: "a750"}, &gputest.Run{Groups: 2, In: make([]byte, 64), OutSize: 128 * 4}, nil)
		if err != nil {
			t.Fatalf("%d immediates: %v", n, err)
		}
		if len(bin.Meta.Consts.Immediates) > 0 || !bin.Meta.EarlyPreamble || 4*bin.Meta.ConstLen < n || bin.Stats.Mov > 4 {
			t.Errorf("%d immediates: %d from the driver, early preamble %v, constlen %d, %d moves\n%s",
				n, len(bin.Meta.Consts.Immediates), bin.Meta.EarlyPreamble, bin.Meta.ConstLen, bin.Stats.Mov, disasm(bin))
		}
		if far := strings.Contains(disasm(bin), "c[a1.x"); far != (n > 256) {
			t.Errorf("%d immediates: stored by a1.x: %v", n, far)
		}
	}
}
