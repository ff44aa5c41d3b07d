package ir3

import (
	"regexp"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestImmediateVectors: a table of vectors of immediates, of which few are different, goes to memory without copies of immediates, and
// with few vectors in registers at once, one a store that is under way.
func TestImmediateVectors(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.SharedSize = 64 * 16
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	words := [4]uint32{0x08080808, 0x19080819, 0x2b081908, 0x082b2b19}
	live := id
	var held []*ir.Def // what takes registers all the while
	for k := range uint32(16) {
		live = b.Imul(live, b.Imm32(2*k+3))
		held = append(held, live)
	}
	for k := range uint32(64) {
		w := func(c uint32) *ir.Def { return b.Imm32(words[(k>>(2*c)+c)%4]) }
		gputest.StoreTo(b, ir.IntrStoreShared, b.Vec(w(0), w(1), w(2), w(0)), b.Imm32(16*k), 15, 0)
	}
	gputest.Barrier(b)
	sum := gputest.LoadShared(b, b.Ishl(id, b.Imm32(4)), 1, 32, 0)
	for _, x := range held {
		sum = b.Ixor(b.Imul(sum, b.Imm32(5)), x)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	bin, err := execute(s, CompileOptions{GPU: "a630"}, &gputest.Run{Groups: 1, OutSize: 256}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	copies := regexp.MustCompile(`mov\.u32u32 r\d+\.[xyzw], r`).FindAllString(text, -1)
	if len(copies) > 4 || bin.Meta.MaxRegs > 24 {
		t.Errorf("%d copies, %d registers:\n%s", len(copies), bin.Meta.MaxRegs, text)
	}
}
