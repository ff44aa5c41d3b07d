package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// A vector of constants, or of a value and constants, that is stored again and again is made once a block.
func TestSameVectors(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name   string
		stored func(b *ir.Builder, lane *ir.Def) []*ir.Def
		want   int // constants that are made
	}{
		{"constants", func(b *ir.Builder, _ *ir.Def) []*ir.Def {
			one, two := b.Vec(b.Imm32(7), b.Imm32(8), b.Imm32(9), b.Imm32(7)), b.Vec(b.Imm32(7), b.Imm32(8), b.Imm32(9), b.Imm32(10))
			return []*ir.Def{one, two, one, two}
		}, 8},
		{"a value and constants", func(b *ir.Builder, lane *ir.Def) []*ir.Def {
			v := b.Vec(lane, b.Imm32(7), b.Imm32(8), b.Imm32(9))
			return []*ir.Def{v, v, v, v}
		}, 3},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		out, off := gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(6))
		for i, v := range c.stored(b, lane) {
			gputest.StoreWords(b, out, b.Iadd(off, b.Imm32(uint32(16*i))), v)
		}
		r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 64 * 64}
		if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, text, err := tryBuild(t, s, CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "mov_imm r"); n != c.want {
			t.Errorf("%s: %d constants are made, want %d:\n%s", c.name, n, c.want, text)
		}
	}
}
