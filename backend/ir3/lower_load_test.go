package ir3

import (
	"fmt"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestOneNarrowLoad: a shader with a single load that is taken out of words keeps nothing of what was known of its instructions; one
// without keeps all.
func TestOneNarrowLoad(t *testing.T) {
	g, err := FindGPU("a630")
	if err != nil {
		t.Fatal(err)
	}
	for bits, kept := range map[uint8]bool{8: false, 16: false, 32: true} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		x := &b.Intrinsic(ir.IntrLoadSsbo, 1, bits, gputest.StorageBuffer(b, 0, 0), b.Imm32(0)).Set(ir.IdxAlignMul, uint64(bits/8)).Def
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), gputest.Widen(b, x, ir.ClassUint))
		impl := s.Entry().Impl
		impl.Require(ir.MetaDominance | ir.MetaInstrIndex)
		lowerNarrowLoads(impl, g)
		if v := impl.Valid(); v&ir.MetaDominance == 0 || (v&ir.MetaInstrIndex != 0) != kept {
			t.Errorf("a load of %d bits: %v is known", bits, v)
		}
	}
}

// TestNarrowPlaces runs what the code generators share on devices without views of halves and with them.
func TestNarrowPlaces(t *testing.T) {
	programs.Hold(t)
	gputest.TestNarrowPlaces(t, func(_ string, s *ir.Shader, r *gputest.Run) error {
		for _, gpu := range []string{"a630", "a660", "a740"} {
			if _, err := execute(ir.Clone(s), CompileOptions{GPU: gpu}, r, nil); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	})
}
