package isa

import "testing"

// TestBeyondOps: a number that is no instruction has no fields, category or generation, from the first on.
func TestBeyondOps(t *testing.T) {
	for _, o := range []Op{NumOps, NumOps + 1, ^Op(0)} {
		if o.Can(1) || o.CanRepeat() || o.CanNop() || o.HasTarget() || o.OnGen(A6xx) || o.OnGen(A7xx) || o.Category() != -1 || o.IsAtomic() || o.String() == "" {
			t.Errorf("%d, of %d instructions, is taken for one", o, NumOps)
		}
	}
}
