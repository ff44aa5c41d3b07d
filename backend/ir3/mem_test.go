package ir3

import (
	"fmt"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestMemory runs what the code generators share on each chip.
func TestMemory(t *testing.T) {
	gputest.TestMemory(t, func(name string, s *ir.Shader, r *gputest.Run) error {
		list := gpus
		if name == "64-bit atomics" {
			list = []string{"a740", "a750"}
		}
		for _, gpu := range list {
			if _, err := execute(s, CompileOptions{GPU: gpu}, r, nil); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	})
}

// A workgroup whose waves must all fit at once, because they meet at a
// barrier, gets fewer registers.
func TestBarrierLimitsRegisters(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.Info.WorkgroupSize = [3]uint32{1024, 1, 1}
	s.SharedSize = 4096
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var live []*ir.Def
	for k := range 80 {
		live = append(live, b.Imul(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(uint32(4*k)), 1), id))
	}
	gputest.Barrier(b)
	sum := id
	for _, v := range live {
		sum = b.Ixor(b.Iadd(sum, v), b.Imm32(99))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	if err := differ(s, CompileOptions{}, 1, make([]byte, 512), 4096, nil); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if bin.Meta.MaxRegs > 12 || bin.Stats.Stp == 0 {
		t.Errorf("%d vec4 registers, %d stored values: at most 12 registers let 16 waves fit", bin.Meta.MaxRegs, bin.Stats.Stp)
	}
}
