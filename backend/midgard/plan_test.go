package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Every way to code computes the same, also where bundles come first and with
// few registers.
func TestPlans(t *testing.T) {
	early, pipes := 0, 0
	for _, pl := range plans {
		for seed := range int64(24) {
			opts := CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name, plan: pl.name, Registers: 16 - int(seed)%3*5}
			bin := executeRandom(t, 3000+seed, 10+int(seed)%50, opts)
			if pl.name == "bundles_first" && bin.Stats.Spills == 0 {
				early++
			}
			text, err := Target{}.Disassemble(opts.GPU, bin.Code)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range text {
				pipes += strings.Count(l.Text, " TMP1.")
			}
		}
	}
	if early == 0 || pipes == 0 {
		t.Errorf("%d shaders went into bundles first, %d operands were in the second pipeline register", early, pipes)
	}
}

// What one bundle makes and reads takes no work register.
func TestPipeRegisters(t *testing.T) {
	for _, pl := range plans {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := gputest.LoadWords(b, in, b.Imm32(0), 4)
		gputest.StoreWords(b, out, b.Imm32(0), b.Fadd(b.Fmul(x, x), x))
		_, text := listing(t, s, CompileOptions{plan: pl.name})
		expect(t, text, "vmul.FMUL.f32 TMP0", "vadd.FADD.f32 AL0, TMP0")
	}
}
