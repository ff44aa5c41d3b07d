package isa

import "testing"

// TestBeyondOps: a number that is no instruction has no operands, flags or targets, from the first on.
func TestBeyondOps(t *testing.T) {
	for _, o := range []Op{NumOps, NumOps + 1, ^Op(0)} {
		if o.HasDst() || o.NumSrcs() != 0 || o.DstAllow() != 0 || o.SrcAllow(0) != 0 || o.HasTarget() || o.Can(1) || o.Traits() != 0 || o.String() == "" {
			t.Errorf("%d, of %d instructions, is taken for one", o, NumOps)
		}
	}
}
