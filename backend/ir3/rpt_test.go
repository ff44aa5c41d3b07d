package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// lowerToScalar makes ALU operations scalar, as the pipeline does.
func lowerToScalar(s *ir.Shader) error {
	for _, name := range []string{"lower_alu_to_scalar", "opt_copy_prop", "opt_dce"} {
		if _, err := passes.RunPass(s, name); err != nil {
			return err
		}
	}
	return nil
}

// vec4Shader computes with vectors of four.
func vec4Shader(t *testing.T) *ir.Shader {
	s, b := newStage(ir.StageVertex)
	a, c := inputFrom(b, ir.SlotAttrib0, 0, 4), inputFrom(b, ir.SlotAttrib0+1, 0, 4)
	k := b.Channel(c, 3)
	v := b.Fadd(b.Fmul(a, c), b.Vec(k, k, k, k))
	v = b.Fmax(v, b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32)))
	outputTo(b, b.Fsqrt(v), ir.SlotPos)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRepeatGroups follows a vector operation through the five steps.
func TestRepeatGroups(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s := vec4Shader(t)
		steps := map[string]string{}
		bin, err := compile(s, CompileOptions{GPU: gpu, Run: collect(steps)})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"repeat_groups", "isel", "repeat_runs", "ra", "repeat_merge", "layout"} {
			if steps[step] == "" {
				t.Errorf("%s: no dump of step %s", gpu, step)
			}
		}
		if !strings.Contains(steps["repeat_runs"], "mul.f") || !strings.Contains(steps["repeat_runs"], "sqrt") {
			t.Errorf("%s: groups before allocation:\n%s", gpu, steps["repeat_runs"])
		}
		for _, op := range []string{"(rpt3)mul.f", "(rpt3)add.f", "(rpt3)max.f", "(rpt3)sqrt"} {
			if !strings.Contains(disasm(bin), op) {
				t.Errorf("%s: no %s in\n%s", gpu, op, disasm(bin))
			}
		}
		if r := bin.Stats.Rpt; r.Made != 4 || r.Merged != 4 || r.Saved != 12 || r.Cleaned != 0 || r.Split != 0 {
			t.Errorf("%s: counters %+v", gpu, r)
		}
		plain, err := compile(s, CompileOptions{GPU: gpu, Run: leaveOut("repeat_groups")})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(disasm(plain), "rpt3)mul") || len(plain.Locs) < len(bin.Locs)+12 {
			t.Errorf("%s: without groups:\n%s", gpu, disasm(plain))
		}
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestGroupsThatCannotMerge: members whose sources neither stay nor go on are cut.
func TestGroupsThatCannotMerge(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageVertex)
	a := inputFrom(b, ir.SlotAttrib0, 0, 4)
	v := b.Fadd(a, b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32), b.ImmFloat(2, 32), b.ImmFloat(2, 32)))
	outputTo(b, v, ir.SlotPos)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := bin.Stats.Rpt; r.Made != 1 || r.Cleaned != 1 || r.Merged != 2 || r.Saved != 2 {
		t.Errorf("counters %+v\n%s", r, disasm(bin))
	}
	if err := stageDiffer(s, ""); err != nil {
		t.Error(err)
	}
}

// TestPreamble: what depends on uniform buffers only is computed once, and
// buffers at constant offsets are read as consts.
func TestPreamble(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		x, y := gputest.LoadUBO(b, b.Imm32(16), 1, 32, 16), gputest.LoadUBO(b, b.Imm32(64), 1, 32, 16)
		k := b.Imul(b.Ixor(x, y), b.Iadd(x, b.Imm32(77)))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(k, id))
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		in := make([]byte, 1024)
		for i := range in {
			in[i] = byte(i * 31)
		}
		if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 512, nil); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
		bin, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if strings.Contains(text, "ldc.offset") || strings.Count(text, "ldc.8.k.imm") != 1 || !strings.Contains(text, "shps") || !strings.Contains(text, "stc.u32") || bin.Stats.Preamble == 0 ||
			bin.Meta.Consts.Preamble.Size == 0 {
			t.Errorf("%s: %+v\n%s", gpu, bin.Meta.Consts, text)
		}
	}
}

// TestGroupsTakenApart: of four products of which the last is waited for longest that one goes first, and the others are repetitions.
func TestGroupsTakenApart(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	at := b.Ishl(&b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Imm32(4))
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 4)
	var p [4]*ir.Def
	for k := range p {
		p[k] = b.Fmul(b.U2f32(b.Ushr(b.Channel(v, k), b.Imm32(8))), b.ImmFloat(0.5, 32))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, b.Vec(p[0], p[1], p[2], b.Frcp(p[3])))
	near := func(i int, want, got uint32) bool { return want == got || i%4 == 3 && want-got+2 < 5 }
	for _, gpu := range gpus {
		bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 4*64), OutSize: 16 * 64}, near)
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		text := disasm(bin)
		if one, rest := strings.Index(text, " mul.f"), strings.Index(text, "(rpt2)mul.f"); strings.Contains(text, "(rpt3)mul.f") || rest < 0 || one > rest {
			t.Errorf("%s: the product that is waited for is none by itself:\n%s", gpu, text)
		}
	}
}

// TestSaturatedGroup: special functions of saturated components are repetitions of one instruction, and what reads those.
func TestSaturatedGroup(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageFragment)
	x := inputFrom(b, ir.SlotVar0, 0, 3)
	v := b.Fexp2(b.Fmul(b.Flog2(b.Fsat(b.Fmul(x, b.Vec(b.ImmFloat(3, 32), b.ImmFloat(3, 32), b.ImmFloat(3, 32))))), x))
	outputTo(b, v, ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	for _, gpu := range []string{"a630", "a740"} {
		bin, err := compile(ir.Clone(s), CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if text := disasm(bin); !strings.Contains(text, "(sat)(rpt2)mul.f") || !strings.Contains(text, "(rpt2)log2") || !strings.Contains(text, "(rpt2)exp2") {
			t.Errorf("%s:\n%s", gpu, text)
		}
	}
}

// TestRepeatedOutputs: a const that several components of an output are is moved to each, by one instruction; two outputs of it are one vector.
func TestRepeatedOutputs(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageFragment)
	x := gputest.LoadUBO(b, b.Imm32(0), 1, 32, 16)
	v := b.Vec(x, x, x, b.ImmFloat(1, 32))
	outputTo(b, v, ir.SlotData0)
	outputTo(b, v, ir.SlotData0+1)
	for _, gpu := range []string{"a630", "a740"} {
		bin, err := compile(ir.Clone(s), CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		_, main, _ := strings.Cut(disasm(bin), "shpe")
		if strings.Count(main, "mov") != 2 || !strings.Contains(main, "(rpt2)mov.u32u32 r0.x, c0.x") || strings.Contains(main, "nop)") {
			t.Errorf("%s:\n%s", gpu, main)
		}
	}
}
