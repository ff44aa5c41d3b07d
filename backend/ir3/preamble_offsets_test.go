package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPreambleOffsets: what the preamble computes of an offset is not computed again, whether accesses of buffers alone read it
// (it is then their number of words that is a const) or others do too.
func TestPreambleOffsets(t *testing.T) {
	programs.Hold(t)
	for _, shared := range []bool{false, true} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		n := b.Iand(gputest.LoadPush(b, b.Imm32(0), 1, 32, 0, 16), b.Imm32(7))
		n = b.Iand(b.Imul(b.Imul(n, b.IAddImm(n, 1)), b.Ixor(n, b.Imm32(5))), b.Imm32(63))
		off := b.Ishl(n, b.Imm32(2))
		v := id
		if shared {
			v = b.Iadd(v, off)
		}
		i := b.PushIf(b.Ieq(id, b.Imm32(3)))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, v)
		b.PopIf(i)
		for _, gpu := range []string{"a630", "a740"} {
			bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256, Push: []byte{6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, nil)
			if err != nil {
				t.Errorf("%s: %v", gpu, err)
				continue
			}
			_, main, _ := strings.Cut(disasm(bin), "shpe")
			if strings.Contains(main, "mull") || strings.Contains(main, "xor") || strings.Contains(main, "shr.b") != shared {
				t.Errorf("%s, shared %v:\n%s", gpu, shared, disasm(bin))
			}
		}
	}
}
