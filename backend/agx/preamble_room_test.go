package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestCrowdedUniforms: where the preamble has more results than there are uniform registers, a constant that many blocks read and a
// pushed word have one nevertheless, and results that save an instruction have not. A program without results has that constant there too.
func TestCrowdedUniforms(t *testing.T) {
	programs.Hold(t)
	const often = 0x12345678
	for _, results := range []int{0, 300} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		groups := b.Channel(&b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def, 0)
		x := lane
		for k := range results {
			x = b.Ixor(x, b.Iadd(groups, b.Imm32(0x1001*uint32(k+1))))
			x = b.Imul(x, b.Imm32(3))
		}
		for k := range 300 { // constants that are read once come first
			x = b.Ixor(x, b.Imm32(0x01010101*uint32(k%200+1)+uint32(k)<<8))
			x = b.Imul(x, b.Imm32(5))
		}
		for k := range 12 {
			i := b.PushIf(b.Ult(x, b.Imm32(uint32(k))))
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(2)), b.Ixor(x, b.Imm32(often)))
			b.PopIf(i)
			x = b.Ixor(x, pushWord(b, 4))
			x = b.Imul(x, b.Imm32(7))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(2)), x)
		words := []byte{0x12, 0xfd, 0xff, 0x7f, 0x21, 0x43, 0, 0x80}
		if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(4, 128), OutSize: 64 * 4, Push: words}, nil); err != nil {
			t.Fatal(err)
		}
		bin, text := build(t, s, CompileOptions{})
		if bin.Meta.UniformHalves < preambleBudget {
			t.Fatalf("%d results: there is room for all: %d halves", results, bin.Meta.UniformHalves)
		}
		if strings.Contains(text, "305419896") || strings.Contains(text, "device_load") {
			t.Errorf("%d results: the constant that many blocks read, or a pushed word, has no register:\n%s", results, text)
		}
	}
}
