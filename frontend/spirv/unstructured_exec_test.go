package spirv_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
	"nirc/passes"
)

// kernelRuns calls run with a kernel compiled for the interpreter, as the frontend made it and optimized; with all, for the
// targets as well.
func kernelRuns(t *testing.T, text, name string, all bool, run func(emu.Program) error) {
	t.Helper()
	m, err := nirc.Load([]byte(text), name)
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{nirc.IRTarget}
	if all {
		targets = append(targets, "ir3", "agx", "midgard")
	}
	for _, target := range targets {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			p, _, err := exec.Executable(context.Background(), m, nirc.Options{Target: target, Level: level, Stage: ir.StageCompute})
			if err == nil {
				err = run(p)
			}
			if err != nil {
				t.Errorf("%s, %s at %s: %v", name, target, level, err)
			}
		}
	}
}

// TestUnstructured runs kernels of random graphs, reducible and not: each invocation must come to the blocks that a walk of the graph comes to.
func TestUnstructured(t *testing.T) {
	for seed := range uint64(140) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := spirv.NewFlowGraph(r, 4+r.IntN(16))
		kernelRuns(t, g.Kernel(), g.String(), seed%20 == 0, g.Run)
	}
}

//go:embed testdata/asm/gotos.spvasm
var gotos string

// TestGotos runs what a compiler made of Duff's device, states with gotos and loops that are jumped into (testdata/gotos.cl).
func TestGotos(t *testing.T) {
	want := [8][5]uint32{ // of 0, 38, 76 …
		{7, 867117545, 2641901970, 229, 261},
		{118493097, 2357097006, 394688750, 8143, 33861},
		{2401734264, 3192082107, 1772093190, 1095, 396},
		{3957522428, 2352670273, 1336549025, 229, 461},
		{3346328052, 3662952597, 2961960726, 8143, 4421},
		{310275858, 977938438, 3005903628, 1095, 911},
		{3209765435, 2682302304, 924817773, 229, 1156},
		{1006671175, 1378634036, 989692393, 8143, 35661},
	}
	kernelRuns(t, gotos, "gotos", true, func(p emu.Program) error {
		mem := emu.NewMemory()
		buf := mem.Alloc(4 * (16 + 5*8))
		for i := range want {
			binary.LittleEndian.PutUint32(buf.Data[4*i:], uint32(38*i))
		}
		env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: spirv.KernelArgument(buf.Addr)}
		if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
			return err
		}
		for i, row := range want {
			got := make([]uint32, len(row))
			for k := range row {
				got[k] = binary.LittleEndian.Uint32(buf.Data[4*(16+i*len(row)+k):])
			}
			if !slices.Equal(got, row[:]) {
				t.Errorf("of %d: %d, want %d", 38*i, got, row)
			}
		}
		return nil
	})
}
