package ir3_test

import (
	"testing"

	"nirc"
	"nirc/backend/ir3"
	"nirc/passes"
)

// TestCrowdedHalves compiles a shader with more halves alive at once than registers have names for: what of them is not spilled leaves
// the allocator room to bring them into line.
func TestCrowdedHalves(t *testing.T) {
	ir3.Programs.Hold(t)
	m, err := nirc.LoadFile(t.Context(), "../../internal/prove/code/testdata/forms/crowded_float16_t_many.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, gpu := range []string{"a630", "a660", "a740"} {
		o, err := m.Compile(t.Context(), nirc.Options{Target: "ir3", GPU: gpu, Level: passes.O2, Run: passes.RunOptions{VerifyEach: true}})
		if err != nil {
			t.Errorf("%s: %v", gpu, err)
			continue
		}
		ir3.Programs.Add(o.Code, o.ABI, o.Stats, o.Lines)
	}
}
