package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// executeRandom runs a random shader of vectors.
func executeRandom(t *testing.T, seed int64, size int, opts CompileOptions) *Binary {
	t.Helper()
	s := gputest.Random{Seed: seed, Size: size, Comps: 4}.Shader()
	if err := ir.Validate(s); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
	}
	bin, err := execute(s, opts, &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 64), OutSize: 64 * gputest.OutBytes}, nil)
	if err != nil {
		t.Fatalf("seed %d on %s: %v\n%s", seed, opts.GPU, err, ir.Print(s))
	}
	return bin
}

func TestRandomShaders(t *testing.T) {
	programs.Hold(t)
	var bundles, inst, regs int
	for seed := range gputest.Seeds(150) {
		bin := executeRandom(t, seed, 10+int(seed)%60, CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name})
		inst, bundles, regs = inst+bin.Stats.Instrs, bundles+bin.Stats.Bundles, regs+bin.Stats.Regs
	}
	t.Logf("%d instructions in %d bundles, %d work registers", inst, bundles, regs)
}

// Two registers hold the operands of every instruction: selects, which read four vectors with their conditions, are taken apart.
func TestRandomSelects(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(20) {
		executeRandom(t, 3000+seed, 40+int(seed)%60, CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name, Registers: 2})
	}
}

// With few registers values go to the thread's storage and back.
func TestRandomSpilling(t *testing.T) {
	programs.Hold(t)
	stores := 0
	for seed := range gputest.Seeds(50) {
		bin := executeRandom(t, 1000+seed, 40+int(seed)%60, CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name, Registers: 4})
		if bin.Meta.WorkRegs > 4 {
			t.Errorf("seed %d: %d work registers", seed, bin.Meta.WorkRegs)
		}
		stores += bin.Stats.Spills
	}
	if stores == 0 {
		t.Error("nothing was spilled")
	}
	t.Logf("%d values stored", stores)
}
