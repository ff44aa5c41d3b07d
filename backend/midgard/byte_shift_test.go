package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestShiftedBytes: bytes that are shifted as halves by words, each of which lands in a lane of its own.
func TestShiftedBytes(t *testing.T) {
	programs.Hold(t)
	for _, n := range []int{1, 2, 3, 4} {
		for k, shift := range []func(b *ir.Builder, x, y *ir.Def) *ir.Def{(*ir.Builder).Ishl, (*ir.Builder).Ushr, (*ir.Builder).Ishr} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			words := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4)
			bytes := &b.Intrinsic(ir.IntrLoadSsbo, 4, 8, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2))).Set(ir.IdxAlignMul, 4).Def
			by := b.Iand(words, b.Const(32, 7, 7, 7, 7))
			var l []*ir.Def
			for c := range n {
				l = append(l, shift(b, b.U2u16(b.Channel(bytes, c)), b.Channel(by, (c+1)&3)))
			}
			sum := b.Iadd(b.Vec(l...), b.Vec(l...))
			for c := range n {
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Iadd(b.Ishl(id, b.Imm32(4)), b.Imm32(uint32(4*c))), b.U2u32(b.Channel(sum, c)))
			}
			if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(9, 64), OutSize: 64 * 16}, nil); err != nil {
				t.Errorf("%d of %d: %v", k, n, err)
			}
		}
	}
}
