package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// ifShader stores a value that both sides of an if write; without says that there is no else side.
func ifShader(without bool) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	out := gputest.StorageBuffer(b, 0, 1)
	off := b.Ishl(id, b.Imm32(3))
	v := b.Channel(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 1), 0)
	cf := b.PushIf(b.Ilt(v, id))
	gputest.StoreWords(b, out, off, b.Imul(b.Iadd(v, id), v))
	if !without {
		b.PushElse(cf)
		gputest.StoreWords(b, out, b.Iadd(off, b.Imm32(4)), b.Iadd(b.Imul(v, v), id))
	}
	b.PopIf(cf)
	return s
}

// TestPredication: sides are masked on all devices in the form that they
// need, whichever condition it is, and leave no fiber waiting.
func TestPredication(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range append([]string{"a750"}, gpus...) {
		for _, without := range []bool{false, true} {
			s := ifShader(without)
			in := gputest.RandomInput(5, 128)
			bin, err := execute(s, CompileOptions{GPU: gpu, maskAll: true}, &gputest.Run{Groups: 2, In: in, OutSize: 128 * 8}, nil)
			if err != nil {
				t.Errorf("%s: %v", gpu, err)
				continue
			}
			text := disasm(bin)
			g, _ := FindGPU(gpu)
			if !strings.Contains(text, "\tpredt\n") || !strings.Contains(text, "\tprede\n") || strings.Contains(text, "\tpredf\n") == without ||
				strings.Contains(text, "\tbr ") || bin.Meta.BranchStack != 0 {
				t.Errorf("%s: branch stack %d\n%s", gpu, bin.Meta.BranchStack, text)
			}
			if strings.Contains(text, "prede\n\t(rpt6)nop") != g.PredeNops || !without && strings.Contains(text, "predf\n\t(rpt4)nop") != g.PredtNops {
				t.Errorf("%s: idle slots:\n%s", gpu, text)
			}
			never, err := compile(s, CompileOptions{GPU: gpu, Run: leaveOut("predicate_branches")})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(disasm(never), "pred") {
				t.Errorf("%s: predicated though it is off:\n%s", gpu, disasm(never))
			}
			cheap, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if cheap.Stats.Instrs > never.Stats.Instrs {
				t.Errorf("%s: %d instructions, %d with branches\n%s", gpu, cheap.Stats.Instrs, never.Stats.Instrs, disasm(cheap))
			}
		}
	}
}

// TestPredicationChosen: where the then side's results arrive during the else
// side, masks cost nothing; uniform conditions keep their branch.
func TestPredicationChosen(t *testing.T) {
	programs.Hold(t)
	for _, uniform := range []bool{false, true} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		out := gputest.StorageBuffer(b, 0, 1)
		v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4)), 4)
		cond := b.Ilt(b.Channel(v, 0), id)
		if uniform {
			wg := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
			cond = b.Ieq(wg, b.Imm32(1))
		}
		cf := b.PushIf(cond)
		x := b.Fmul(b.Fadd(b.Channel(v, 1), b.Channel(v, 2)), b.Channel(v, 3))
		b.PushElse(cf)
		y := b.Fadd(b.Fmul(b.Channel(v, 1), b.Channel(v, 2)), b.Channel(v, 0))
		b.PopIf(cf)
		phi := b.IfPhi(cf, x, y)
		gputest.StoreWords(b, out, b.Ishl(id, b.Imm32(2)), phi)
		in := gputest.RandomInput(9, 128)
		bin, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 2, In: in, OutSize: 128 * 4}, func(_ int, w, g uint32) bool { return gputest.Close32(w, g) })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(disasm(bin), "prede"); got == uniform {
			t.Errorf("uniform %v: predicated %v\n%s", uniform, got, disasm(bin))
		}
	}
}

// TestRandomPredication masks all that may be masked, and nothing is more with masks by choice.
func TestRandomPredication(t *testing.T) {
	programs.Hold(t)
	masked := 0
	for seed := range gputest.Seeds(40) {
		s := randomShader(7000+seed, 10+int(seed)%60)
		gpu := gpus[seed%int64(len(gpus))]
		bin := executeRandom(t, s, seed, CompileOptions{GPU: gpu, maskAll: true})
		masked += strings.Count(disasm(bin), "\tprede\n")
		never, err := compile(s, CompileOptions{GPU: gpu, Run: leaveOut("predicate_branches")})
		if err != nil {
			t.Fatal(err)
		}
		cheap, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if cheap.Stats.Instrs > never.Stats.Instrs || cheap.Meta.BranchStack > never.Meta.BranchStack {
			t.Errorf("seed %d on %s: %d instructions, branch stack %d; %d, %d with branches", seed, gpu, cheap.Stats.Instrs, cheap.Meta.BranchStack, never.Stats.Instrs, never.Meta.BranchStack)
		}
	}
	if masked == 0 {
		t.Error("nothing was masked")
	}
	t.Logf("%d ifs masked", masked)
}
