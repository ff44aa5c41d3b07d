package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestNamedHalves: halves of words are read and made by their names, without shifts and conversions, where the word is
// not wanted otherwise.
func TestNamedHalves(t *testing.T) {
	programs.Hold(t)
	low := func(b *ir.Builder, w *ir.Def) *ir.Def { return b.U2u16(w) }
	high := func(b *ir.Builder, w *ir.Def) *ir.Def { return b.U2u16(b.Ushr(w, b.Imm32(16))) }
	word := func(b *ir.Builder, lo, hi *ir.Def) *ir.Def {
		return b.Ior(b.U2u32(lo), b.Ishl(b.U2u32(hi), b.Imm32(16)))
	}
	for _, c := range []struct {
		name  string
		build func(b *ir.Builder, w, other *ir.Def) *ir.Def
		count map[string]int
	}{
		{"swapped", func(b *ir.Builder, w, _ *ir.Def) *ir.Def {
			lo, hi := low(b, w), high(b, w)
			return word(b, b.Iadd(hi, lo), b.Imul(lo, hi))
		}, map[string]int{"cov.u32u16": 0, "cov.u16u32": 0, "shr.b": 0, "shlg": 0}},
		{"operations", func(b *ir.Builder, w, other *ir.Def) *ir.Def {
			lo, hi := b.Unpack32_2x16SplitX(w), b.Unpack32_2x16SplitY(other)
			return word(b, b.Ixor(lo, hi), b.Iand(b.Unpack32_2x16SplitY(w), hi))
		}, map[string]int{"cov.u32u16": 0, "cov.u16u32": 0, "shr.b": 0, "shlg": 0}},
		{"word lives", func(b *ir.Builder, w, _ *ir.Def) *ir.Def {
			return b.Iadd(word(b, b.Iadd(low(b, w), high(b, w)), low(b, w)), w)
		}, map[string]int{"cov.u32u16": 2, "shlg": 0}},
		{"widened halves live", func(b *ir.Builder, w, other *ir.Def) *ir.Def {
			lo, hi := low(b, w), b.Iadd(low(b, other), high(b, w))
			return b.Iadd(b.Ixor(word(b, lo, hi), b.U2u32(b.Iadd(lo, hi))), word(b, hi, lo))
		}, map[string]int{"shlg": 2}},
		{"chosen", func(b *ir.Builder, w, other *ir.Def) *ir.Def {
			i := b.PushIf(b.Ult(w, other))
			x := low(b, w)
			b.PushElse(i)
			y := low(b, other)
			b.PopIf(i)
			return b.U2u32(b.IfPhi(i, x, y))
		}, map[string]int{"mov.u16u16": 0}},
		{"wide", func(b *ir.Builder, w, other *ir.Def) *ir.Def {
			return word(b, low(b, b.Ushr(w, b.Imm32(15))), high(b, b.Ishl(other, b.Imm32(3))))
		}, map[string]int{"cov.u32u16": 0, "shlg": 0}},
	} {
		for _, gpu := range []string{"a630", "a750"} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(3)), 2)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), c.build(b, b.Channel(x, 0), b.Channel(x, 1)))
			bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(7, 64), OutSize: 256}, nil)
			if err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
				continue
			}
			text := disasm(bin)
			for op, n := range c.count {
				if got := strings.Count(text, op+" "); got != n {
					t.Errorf("%s on %s: %d times %s, want %d\n%s", c.name, gpu, got, op, n, text)
				}
			}
		}
	}
}

// TestHalvesInPreamble: what may be in shared registers, few of which have names of halves, is shifted.
func TestHalvesInPreamble(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	groups := &b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def
	sum := id
	for k := range 24 {
		w := b.Imul(b.Iadd(b.Channel(groups, k%3), b.Imm32(uint32(k))), b.Imm32(0x12345))
		lo, hi := b.U2u16(w), b.U2u16(b.Ushr(w, b.Imm32(16)))
		sum = b.Ixor(b.Imul(sum, b.Imm32(3)), b.Ior(b.U2u32(b.Iadd(hi, lo)), b.Ishl(b.U2u32(lo), b.Imm32(16))))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	for _, gpu := range []string{"a630", "a650", "a750"} {
		bin, err := execute(ir.Clone(s), CompileOptions{GPU: gpu}, &gputest.Run{Groups: 2, In: gputest.RandomInput(1, 64), OutSize: 512}, nil)
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		if bin.Stats.Preamble == 0 {
			t.Errorf("%s: nothing is in the preamble", gpu)
		}
	}
}
