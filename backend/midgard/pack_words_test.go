package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPackedWords: four words in the bytes of one are gathered where nothing is above their low bytes, and shifted and joined where something
// may be.
func TestPackedWords(t *testing.T) {
	programs.Hold(t)
	all := func(b *ir.Builder, v float64) *ir.Def {
		w := ir.FloatBits(v, 32)
		return b.Const(32, w, w, w, w)
	}
	float := func(b *ir.Builder, x *ir.Def, by float64, round bool) *ir.Def {
		f := b.Fmul(b.U2f32(b.Ushr(x, b.Const(32, 24, 24, 24, 24))), all(b, 1.0/128))
		f = b.Fmul(b.Fsat(f), all(b, by))
		if round {
			f = b.FroundEven(f)
		}
		return b.F2u32(f)
	}
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, x *ir.Def) *ir.Def
	}{
		{"bytes", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.U2u32(b.U2u8(x)) }},
		{"masked", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Iand(x, b.Const(32, 255, 255, 255, 255)) }},
		{"masked less", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Iand(x, b.Const(32, 255, 15, 7, 0)) }},
		{"masked by more", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Iand(x, b.Const(32, 255, 255, 256, 255)) }},
		{"masked by values", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Iand(x, b.Swizzle(x, 1, 2, 3, 0)) }},
		{"some words", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Iadd(x, x) }},
		{"rounded", func(b *ir.Builder, x *ir.Def) *ir.Def { return float(b, x, 255, true) }},
		{"cut", func(b *ir.Builder, x *ir.Def) *ir.Def { return float(b, x, 255, false) }},
		{"rounded too large", func(b *ir.Builder, x *ir.Def) *ir.Def { return float(b, x, 256, true) }},
		{"not saturated", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.F2u32(b.Fmul(b.U2f32(b.Ushr(x, b.Const(32, 24, 24, 24, 24))), all(b, 2)))
		}},
		{"a constant", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Const(32, 1, 255, 128, 3) }},
		{"words of a buffer", func(b *ir.Builder, x *ir.Def) *ir.Def { return x }},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		v := c.make(b, gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.PackUvec4ToUint(v))
		if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(5, 64), OutSize: 256}, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
