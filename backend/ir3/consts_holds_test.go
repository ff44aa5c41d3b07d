package ir3

import (
	"testing"

	"nirc/ir"
)

// TestUBOHolds: a load reads the const file alone if its buffer and its place are known and stand there, whatever else does.
func TestUBOHolds(t *testing.T) {
	u := &uboPush{ranges: []uboRange{{set: 0, slot: 0, first: 2, n: 3}, {set: 1, slot: 5, first: 0, n: 1}}}
	_, b := newStage(ir.StageCompute)
	unknown := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	bindless := func(set uint64, slot *ir.Def) *ir.Def {
		return &b.Intrinsic(ir.IntrBindlessResourceIr3, 1, 32, slot).Set(ir.IdxDescSet, set).Def
	}
	for _, c := range []struct {
		name   string
		handle *ir.Def
		unit   *ir.Def
		base   uint64
		want   bool
	}{
		{"the first", bindless(0, b.Imm32(0)), b.Imm32(2), 0, true}, {"the last, by its base", bindless(0, b.Imm32(0)), b.Imm32(1), 3, true},
		{"one beyond", bindless(0, b.Imm32(0)), b.Imm32(5), 0, false}, {"one before", bindless(0, b.Imm32(0)), b.Imm32(1), 0, false},
		{"another buffer", bindless(1, b.Imm32(5)), b.Imm32(0), 0, true}, {"its place in another set", bindless(0, b.Imm32(5)), b.Imm32(0), 0, false},
		{"an unknown place", bindless(0, b.Imm32(0)), unknown, 2, false}, {"an unknown buffer of the set", bindless(0, unknown), b.Imm32(2), 0, false},
		{"a handle of another kind", unknown, b.Imm32(2), 0, false}, {"nothing known", unknown, unknown, 2, false},
	} {
		load := b.Intrinsic(ir.IntrLoadUboVec4, 4, 32, c.handle, c.unit).Set(ir.IdxBase, c.base)
		if got := u.holds(load); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
