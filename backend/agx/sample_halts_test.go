package agx

import (
	"fmt"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// haltingSample is a main part that runs once a sample and ends inside levels of control flow, where others count the lanes that are
// left: an if or a loop each, the loops with another way to their next turn or without. It ends by a jump or on a condition.
func haltingSample(levels string, jump bool) *ir.Shader {
	s, b := gputest.NewShader(ir.StageFragment, 64)
	s.Info.UsesDiscard = true
	id := &b.Intrinsic(ir.IntrLoadSampleId, 1, 32).Def
	x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
	var ifs []*ir.If
	var loops []*ir.Loop
	for k, kind := range levels {
		at := b.Iadd(x, b.Imm32(uint32(k)))
		if kind == 'i' {
			ifs = append(ifs, b.PushIf(b.Ult(at, b.Imm32(9))))
			continue
		}
		loops = append(loops, b.PushLoop())
		if kind == 'c' {
			again := b.PushIf(b.Ieq(at, id))
			b.Jump(ir.JumpContinue)
			b.PopIf(again)
		}
	}
	cond := b.Ine(x, b.Imm32(3))
	if jump {
		i := b.PushIf(cond)
		b.Jump(ir.JumpHalt)
		b.PopIf(i)
	} else {
		b.Intrinsic(ir.IntrTerminateIf, 0, 0, cond)
	}
	count := b.Intrinsic(ir.IntrBallot, 4, 32, b.Ult(x, b.Imm32(100)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(4), b.Channel(&count.Def, 0))
	for k := len(levels) - 1; k >= 0; k-- {
		if levels[k] == 'i' {
			b.PopIf(ifs[len(ifs)-1])
			ifs = ifs[:len(ifs)-1]
			continue
		}
		b.Jump(ir.JumpBreak)
		b.PopLoop(loops[len(loops)-1])
		loops = loops[:len(loops)-1]
	}
	storeOutput(b, ir.SlotData0, b.Const(32, 1, 2, 3, 4))
	return s
}

// TestSampleHalts holds programs of samples that end inside control flow: a lane that ends waits for as many levels as are open, for it comes
// back with the next sample.
func TestSampleHalts(t *testing.T) {
	programs.Hold(t)
	for _, levels := range []string{"", "i", "l", "c", "ii", "il", "li", "ci", "ic", "lc", "cll", "iclil"} {
		for _, jump := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", levels, jump), func(t *testing.T) {
				s := haltingSample(levels, jump)
				if err := ir.Validate(s); err != nil {
					t.Fatal(err)
				}
				build(t, s, CompileOptions{Part: abi.PartMain})
			})
		}
	}
}
