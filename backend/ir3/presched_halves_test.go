package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPreScheduleHalves: what is loaded in halves is not all asked for at once where other registers are free, but not
// those that have names as halves, and not so much that vectors find no room in line.
func TestPreScheduleHalves(t *testing.T) {
	programs.Hold(t)
	const held, loads = 36, 24 // of 4 halves each
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	load := func(k int) *ir.Def {
		at := b.IAddImm(b.Ishl(id, b.Imm32(3)), int64(512*k))
		return &b.Intrinsic(ir.IntrLoadSsbo, 4, 16, gputest.StorageBuffer(b, 0, 0), at).Set(ir.IdxAlignMul, 8).Def
	}
	sum := b.U2u16(id)
	take := func(x *ir.Def) {
		for c := range 4 {
			sum = b.Ixor(b.Iadd(sum, sum), b.Channel(x, c))
		}
	}
	// What lives all the time takes most of the halves.
	var live [held]*ir.Def
	for k := range live {
		live[k] = load(k)
		take(live[k])
	}
	for k := range loads {
		take(load(held + k))
	}
	for k := range live {
		take(live[k])
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.U2u32(sum))
	bin, err := execute(s, CompileOptions{GPU: "a750"}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, (held+loads)*32), OutSize: 256}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bin.Stats.Stp > 0 {
		t.Errorf("%d stores of spilled halves\n%s", bin.Stats.Stp, disasm(bin))
	}
	if bin.Stats.Mov > 240 {
		t.Errorf("%d moves: the vectors under way find no halves in line\n%s", bin.Stats.Mov, disasm(bin))
	}
}
