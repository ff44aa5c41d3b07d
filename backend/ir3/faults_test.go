package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// faultCases run, for each fault, what fails with it and does not without.
var faultCases = []struct {
	fault fault
	name  string
	run   func() error
}{
	{faultShuffle, "shuffle", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		to := b.Iand(b.IAddImm(b.Imul(id, b.Imm32(5)), 12), b.Imm32(63))
		x := lane1(b, ir.IntrShuffle, 32, b.IAddImm(id, 100), to)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), x)
		return differ(s, CompileOptions{GPU: "a740"}, 1, nil, 256, nil)
	}},
}

// TestFaultsAreNoticed: each step that meets an obligation is missed if it is left out.
func TestFaultsAreNoticed(t *testing.T) {
	seen := fault(0)
	for _, c := range faultCases {
		if err := c.run(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		faults = c.fault
		err := c.run()
		faults = 0
		if err == nil {
			t.Errorf("%s: nothing fails where it is left out", c.name)
		}
		seen |= c.fault
	}
	if seen != numFaults-1 {
		t.Errorf("faults %#x have no case", (numFaults-1)&^seen)
	}
}
