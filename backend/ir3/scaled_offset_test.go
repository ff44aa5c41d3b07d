package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestScaledOffsets: the offset of an element, a product of 24 bits that does not wrap, is multiplied in words; one
// that may wrap, or whose factor is no multiple of a word, is shifted.
func TestScaledOffsets(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		factor, more uint32
		nuw          bool
		mul, shr     int
	}{{48, 0, true, 1, 0}, {12, 8, true, 1, 0}, {48, 0, false, 1, 1}, {14, 0, true, 1, 1}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		n := id
		if c.factor&3 != 0 {
			n = b.Ishl(id, b.Imm32(1))
		}
		at := b.ALU(ir.OpImul24, n, b.Imm32(c.factor))
		at.Instr.NoUnsignedWrap = c.nuw
		x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), b.IAddImm(at, int64(c.more))).Set(ir.IdxAlignMul, 4)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), &x.Def)
		bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 1, In: gputest.RandomInput(7, 64*12), OutSize: 256}, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if text := disasm(bin); strings.Count(text, "mul.s24") != c.mul || strings.Count(text, "shr.b") != c.shr {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
