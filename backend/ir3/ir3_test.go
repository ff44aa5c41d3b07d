package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
	"nirc/passes"
)

var gpus = []string{"a630", "a650", "a660", "a740"}

func TestStraightLine(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		off := b.Ishl(id, b.Imm32(2))
		x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), off)
		x.Set(ir.IdxAlignMul, 4)
		y := b.Iadd(b.Imul(&x.Def, b.Imm32(100003)), id)
		st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, y, gputest.StorageBuffer(b, 0, 1), off)
		st.Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
		bin, err := held(Compile(s, CompileOptions{GPU: gpu, Verify: true, Lists: gputest.Lists, Run: passes.RunOptions{DumpAfter: []string{"all"}, Dump: func(title, text string) { t.Logf("%s:\n%s", title, text) }}}))
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		for i, l := range isa.Disassemble(bin.Meta.Gen, bin.Code) {
			if l.Err != nil {
				t.Errorf("%s: word %d: %v", gpu, i, l.Err)
			}
		}
		t.Log(bin.Stats)
	}
}
