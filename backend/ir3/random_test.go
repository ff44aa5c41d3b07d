package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// randomShader makes a scalar shader with control flow.
func randomShader(seed int64, size int) *ir.Shader {
	return gputest.Random{Seed: seed, Size: size, Comps: 1, Halves: true}.Shader()
}

func executeRandom(t *testing.T, s *ir.Shader, seed int64, opts CompileOptions) *Binary {
	t.Helper()
	bin, err := execute(s, opts, &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * gputest.OutBytes}, nil)
	if err != nil {
		t.Fatalf("seed %d on %s: %v\n%s", seed, opts.GPU, err, ir.Print(s))
	}
	return bin
}

func TestRandomShaders(t *testing.T) {
	programs.Hold(t)
	var inst, nops, regs int
	for seed := range gputest.Seeds(300) {
		s := randomShader(seed, 10+int(seed)%60)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		bin := executeRandom(t, s, seed, CompileOptions{GPU: gpus[seed%int64(len(gpus))]})
		inst, nops, regs = inst+bin.Stats.Instrs, nops+bin.Stats.Nops, regs+bin.Meta.MaxRegs
	}
	t.Logf("%d instructions, %d nops, %d vec4 registers", inst, nops, regs)
}

// With few registers values go to private memory and back.
func TestRandomSpilling(t *testing.T) {
	programs.Hold(t)
	stores := 0
	for seed := range gputest.Seeds(80) {
		s := randomShader(1000+seed, 40+int(seed)%60)
		bin := executeRandom(t, s, seed, CompileOptions{GPU: gpus[seed%int64(len(gpus))], Registers: 6})
		if bin.Meta.MaxRegs > 6 {
			t.Errorf("seed %d: %d vec4 registers", seed, bin.Meta.MaxRegs)
		}
		stores += bin.Stats.Stp
	}
	if stores == 0 {
		t.Error("nothing was spilled")
	}
	t.Logf("%d values stored", stores)
}
