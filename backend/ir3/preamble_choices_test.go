package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// TestPreambleChoices: what ifs choose by what is the same for a dispatch, ifs in ifs and booleans among it, is computed in
// the preamble, and the program has no branch left for it.
func TestPreambleChoices(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	push := func(k uint32) *ir.Def { return gputest.LoadPush(b, b.Imm32(4*k), 1, 32, 0, 16) }
	x := push(1)
	outer := b.PushIf(b.Ieq(push(0), b.Imm32(1)))
	inner := b.PushIf(b.Ult(x, b.Imm32(100)))
	small := b.Imul(x, b.Imm32(77))
	b.PushElse(inner)
	large := b.Imul(b.Ixor(x, b.Imm32(9)), x)
	b.PopIf(inner)
	y := b.IfPhi(inner, small, large)
	odd := b.Ine(b.Iand(y, b.Imm32(1)), b.Imm32(0))
	b.PushElse(outer)
	other := b.Imul(x, push(2))
	never := b.ImmBool(false)
	b.PopIf(outer)
	r, flag := b.IfPhi(outer, y, other), b.IfPhi(outer, odd, never)
	v := b.Iadd(id, b.Bcsel(flag, b.Imul(r, r), r))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
	for _, gpu := range []string{"a630", "a740", "a750"} {
		for _, c := range [][3]byte{{1, 5, 3}, {1, 200, 3}, {0, 7, 11}, {1, 6, 0}} {
			in := []byte{c[0], 0, 0, 0, c[1], 0, 0, 0, c[2], 0, 0, 0, 0, 0, 0, 0}
			bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256, Push: in}, nil)
			if err != nil {
				t.Errorf("%s, %d: %v", gpu, c, err)
				continue
			}
			_, main, _ := strings.Cut(disasm(bin), "shpe")
			if main == "" || strings.Contains(main, "\tbr ") || strings.Contains(main, "mul") || strings.Contains(main, "sel.") {
				t.Errorf("%s:\n%s", gpu, disasm(bin))
			}
		}
	}
}

// TestPreambleBooleanOfWords: a boolean that an if chooses in the preamble, by a comparison that only selects of words read else
// and so stands in a full register, is selected by a half.
func TestPreambleBooleanOfWords(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	push := func(k uint32) *ir.Def { return gputest.LoadPush(b, b.Imm32(4*k), 1, 32, 0, 16) }
	x, cond := push(1), b.Ieq(push(0), b.Imm32(1))
	word := b.Bcsel(cond, x, b.Imul(x, push(2)))
	i := b.PushIf(cond)
	odd := b.Ine(b.Iand(word, b.Imm32(1)), b.Imm32(0))
	b.PushElse(i)
	never := b.ImmBool(false)
	b.PopIf(i)
	flag := b.IfPhi(i, odd, never)
	v := b.Iadd(id, b.Bcsel(flag, b.Imul(word, word), word))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
	for _, gpu := range []string{"a630", "a740", "a750"} {
		for _, c := range [][3]byte{{1, 5, 3}, {1, 6, 3}, {0, 7, 11}} {
			in := []byte{c[0], 0, 0, 0, c[1], 0, 0, 0, c[2], 0, 0, 0, 0, 0, 0, 0}
			if _, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256, Push: in}, nil); err != nil {
				t.Errorf("%s, %d: %v", gpu, c, err)
			}
		}
	}
}

// TestPreambleSubgroupSize: what is divided by the size of the subgroup is shifted by a number that the preamble makes of it.
func TestPreambleSubgroupSize(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	size := &b.Intrinsic(ir.IntrLoadSubgroupSize, 1, 32).Def
	x := b.Imul(id, b.Imm32(0x12345))
	v := b.Ixor(b.Udiv(x, size), b.Ishl(b.Umod(x, size), b.Imm32(20)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
	if _, err := passes.RunPass(s, "lower_idiv"); err != nil {
		t.Fatal(err)
	}
	for _, gpu := range []string{"a630", "a740", "a750"} {
		bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, OutSize: 256}, nil)
		if err != nil {
			t.Errorf("%s: %v", gpu, err)
			continue
		}
		early, main, _ := strings.Cut(disasm(bin), "shpe")
		if !strings.Contains(early, "clz.b") || strings.Contains(main, "clz.b") || strings.Contains(main, "rcp") {
			t.Errorf("%s:\n%s", gpu, disasm(bin))
		}
	}
}
