package midgard

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// passed has each thread of a workgroup read what its neighbour wrote.
//
//go:embed testdata/ir/passed.nir
var passed string

const wholeBarrier = "barrier execution_scope=workgroup memory_scope=workgroup memory_semantics=3 memory_modes=mem_ssbo|mem_shared"

// onlyMemory orders memory, and nobody waits at it.
const onlyMemory = "barrier memory_scope=device memory_semantics=3 memory_modes=mem_ssbo"

var (
	passedShared = strings.NewReplacer("STORE", "store_shared %12, %6 write_mask=x align_mul=4", "LOAD", "%9:32 = load_shared %8 align_mul=4\n      %11:32 = load_const 0x20")
	passedBuffer = strings.NewReplacer("STORE", "store_ssbo %7, %2, %6 write_mask=x align_mul=4", "LOAD", "%9:32 = load_ssbo %2, %8 align_mul=4\n      %11:32 = load_const 0x20")
	passedSwap   = strings.NewReplacer("STORE", "%13:32 = ssbo_atomic_swap %2, %8, %12, %6 atomic_op=cmpxchg", "LOAD", "%9:32 = ssbo_atomic_swap %2, %6, %6, %12 atomic_op=cmpxchg\n      %11:32 = load_const 0x20")
)

// runPassed runs passed, through a memory and with a barrier.
func runPassed(memory *strings.Replacer, barrier string) error {
	_, p, err := loadText(strings.Replace(memory.Replace(passed), "BARRIER", barrier, 1), CompileOptions{})
	if err != nil {
		return err
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	buf := env.Mem.Alloc(64)
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 64}})
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Check = true
	return emu.Dispatch(context.Background(), p, env, params)
}

// Threads of a workgroup that read what others write race unless a barrier stands between, in
// its memory and in buffers.
func TestRaces(t *testing.T) {
	programs.Hold(t)
	for name, memory := range map[string]*strings.Replacer{"workgroup memory": passedShared, "the device's memory": passedBuffer} {
		for barrier, want := range map[string]string{
			wholeBarrier: "", "": "race on " + name,
		} {
			err := runPassed(memory, barrier)
			if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Count(err.Error(), "bundle at byte") != 2) {
				t.Errorf("%s, %q: %v, want %q", name, barrier, err, want)
			}
		}
	}
}

// TestBarrierFlag: the metadata has a flag for barriers of the workgroup and for memory barriers, which leave no instruction.
func TestBarrierFlag(t *testing.T) {
	programs.Hold(t)
	for barrier, want := range map[string]bool{wholeBarrier: true, onlyMemory: true, "": false} {
		s, err := ir.Parse(strings.Replace(passedBuffer.Replace(passed), "BARRIER", barrier, 1))
		if err != nil {
			t.Fatal(err)
		}
		bin, err := held(Compile(s, CompileOptions{Job: verifying()}))
		if err != nil {
			t.Fatal(err)
		}
		if bin.Meta.UsesBarrier != want {
			t.Errorf("%q: uses_barrier is %v", barrier, bin.Meta.UsesBarrier)
		}
	}
}
