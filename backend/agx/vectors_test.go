package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// A vector of constants that is stored again and again is made once a block.
func TestSameVectors(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	out, off := gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(6))
	one, two := b.Vec(b.Imm32(7), b.Imm32(8), b.Imm32(9), b.Imm32(7)), b.Vec(b.Imm32(7), b.Imm32(8), b.Imm32(9), b.Imm32(10))
	for i, v := range []*ir.Def{one, two, one, two} {
		gputest.StoreWords(b, out, b.Iadd(off, b.Imm32(uint32(16*i))), v)
	}
	r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 64 * 64}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Fatal(err)
	}
	_, text, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "mov_imm r"); n != 8 {
		t.Errorf("%d constants are made:\n%s", n, text)
	}
}

// A vector of a value and constants that is stored to many places is made once a block too.
func TestSameMixedVectors(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	out, off := gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(6))
	v := b.Vec(lane, b.Imm32(7), b.Imm32(8), b.Imm32(9))
	for i := range 4 {
		gputest.StoreWords(b, out, b.Iadd(off, b.Imm32(uint32(16*i))), v)
	}
	r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 64 * 64}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Fatal(err)
	}
	_, text, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "mov_imm r"); n != 3 {
		t.Errorf("%d constants are made:\n%s", n, text)
	}
}
