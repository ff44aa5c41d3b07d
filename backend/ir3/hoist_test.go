package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestHoistDepth: chains of more than hoistDepth instructions stay, and none is followed through what cannot move.
func TestHoistDepth(t *testing.T) {
	for n := hoistDepth - 2; n <= hoistDepth+2; n++ {
		for _, loads := range []bool{false, true} {
			s, b := gputest.NewShader(ir.StageCompute, 1)
			v := b.Imm32(1)
			if loads {
				v = &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), b.Imm32(0)).Set(ir.IdxAccess, uint64(ir.AccessVolatile)).Set(ir.IdxAlignMul, 4).Def
			}
			for range n {
				v = b.Ineg(v)
			}
			impl := s.Entry().Impl
			impl.ReindexDefs()
			h := hoister{start: impl.Start(), discard: true, state: make([]uint8, impl.NumDefs)}
			if got, want := h.can(v.Instr, 0), n <= hoistDepth && !loads; got != want {
				t.Errorf("a chain of %d, volatile load %v: %v, want %v", n, loads, got, want)
			}
		}
	}
}
