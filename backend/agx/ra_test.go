package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestSetsOfPhis: sums that sides of an if leave behind for a vector to be stored are in its registers from the start.
func TestSetsOfPhis(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	off := b.Ishl(id, b.Imm32(4))
	in := gputest.StorageBuffer(b, 0, 0)
	v, w := gputest.LoadWords(b, in, off, 4), gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 2), off, 4)
	var sums [4]*ir.Def
	for k := range sums {
		sums[k] = b.Channel(w, k)
	}
	for round := range 3 {
		i := b.PushIf(b.Ult(b.Imm32(uint32(round)), id))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 3), off, b.Vec(sums[0], sums[2]))
		var then [4]*ir.Def
		for k := range then {
			then[k] = b.Ffma(b.Channel(v, (k+round)&3), sums[(k+round+1)&3], sums[k])
		}
		b.PushElse(i)
		b.PopIf(i)
		for k := range sums {
			sums[k] = b.IfPhi(i, then[k], sums[k])
		}
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, b.Vec(sums[3], sums[1], sums[2], sums[0]))
	_, text := build(t, s, CompileOptions{})
	if n := strings.Count(text, " mov "); n > 13 {
		t.Errorf("%d moves\n%s", n, text)
	}
}
