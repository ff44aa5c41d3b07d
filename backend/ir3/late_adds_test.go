package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestLateAdds: of the sums of a chain the last wait a slot for the one before, not three, where the other addend may be a factor: floats of
// both sizes, and integers below 2^24. The sums are those of the interpreter, to the bit.
func TestLateAdds(t *testing.T) {
	programs.Hold(t)
	word := func(_ *ir.Builder, d *ir.Def) *ir.Def { return d }
	for _, c := range []struct {
		name string
		to   func(*ir.Builder, *ir.Def) *ir.Def
		add  func(b *ir.Builder, sum, x *ir.Def) *ir.Def
		back func(*ir.Builder, *ir.Def) *ir.Def
		mad  string
		late bool // the additions are multiply-adds
	}{
		{"floats", (*ir.Builder).U2f32, (*ir.Builder).Fadd, word, "mad.f32", true},
		{"negative addends", func(b *ir.Builder, d *ir.Def) *ir.Def { return b.Fneg(b.U2f32(d)) }, (*ir.Builder).Fadd, word, "mad.f32", true},
		{"absolute addends", func(b *ir.Builder, d *ir.Def) *ir.Def { return b.Fabs(b.I2f32(d)) }, (*ir.Builder).Fadd, word, "mad.f32", false},
		{"halves", func(b *ir.Builder, d *ir.Def) *ir.Def { return b.U2f16(b.Ushr(d, b.Imm32(20))) }, (*ir.Builder).Fadd, (*ir.Builder).F2f32, "mad.f16", true},
		{"integers of 24 bits", func(b *ir.Builder, d *ir.Def) *ir.Def { return b.Ushr(d, b.Imm32(8)) }, (*ir.Builder).Iadd, word, "mad.u24", true},
		{"integers of 25 bits", func(b *ir.Builder, d *ir.Def) *ir.Def { return b.Ushr(d, b.Imm32(7)) }, (*ir.Builder).Iadd, word, "mad.u24", false},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(2))
		var x [6]*ir.Def
		for k := range x {
			x[k] = gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(at, int64(256*k)), 1)
		}
		sum := c.to(b, x[0])
		b.Exact = true
		for _, d := range x[1:] {
			sum = c.add(b, sum, c.to(b, d))
		}
		b.Exact = false
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, c.back(b, sum))
		bin, err := execute(s, CompileOptions{GPU: "a630"}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 6*64), OutSize: 256}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text := disasm(bin)
		if late := strings.Count(text, "(nop1) "+c.mad); late < 2 && c.late || strings.Contains(text, c.mad) && !c.late {
			t.Errorf("%s: %d sums that a slot follows:\n%s", c.name, late, text)
		}
	}
}

// TestMultiplyAdd24: a sum with a product or a shift of what has 24 bits is one instruction; a product that others read, and one of
// more bits, is not.
func TestMultiplyAdd24(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name  string
		shift uint32 // what is left of the factors' 32 bits
		build func(b *ir.Builder, x, y, z *ir.Def) *ir.Def
		mads  int
	}{
		{"product", 8, func(b *ir.Builder, x, y, z *ir.Def) *ir.Def { return b.Iadd(z, b.Imul(x, y)) }, 1},
		{"product of 25 bits", 7, func(b *ir.Builder, x, y, z *ir.Def) *ir.Def { return b.Iadd(z, b.Imul(x, y)) }, 0},
		{"product that is read again", 8, func(b *ir.Builder, x, y, z *ir.Def) *ir.Def {
			p := b.Imul(x, y)
			return b.Ixor(b.Iadd(z, p), p)
		}, 0},
		{"shift", 8, func(b *ir.Builder, x, _, z *ir.Def) *ir.Def { return b.Iadd(b.Ishl(x, b.Imm32(23)), z) }, 1},
		{"shift by 24", 8, func(b *ir.Builder, x, _, z *ir.Def) *ir.Def { return b.Iadd(b.Ishl(x, b.Imm32(24)), z) }, 0},
		{"shift of 25 bits", 7, func(b *ir.Builder, x, _, z *ir.Def) *ir.Def { return b.Iadd(b.Ishl(x, b.Imm32(3)), z) }, 0},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(2))
		load := func(k int64) *ir.Def {
			return gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.IAddImm(at, 256*k), 1)
		}
		x, y, z := b.Ushr(load(0), b.Imm32(c.shift)), b.Ushr(load(1), b.Imm32(c.shift)), load(2)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, c.build(b, x, y, z))
		bin, err := execute(s, CompileOptions{GPU: "a630"}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 3*64), OutSize: 256}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if text := disasm(bin); strings.Count(text, "mad.u24") != c.mads {
			t.Errorf("%s: %d mad.u24, want %d:\n%s", c.name, strings.Count(text, "mad.u24"), c.mads, text)
		}
	}
}
