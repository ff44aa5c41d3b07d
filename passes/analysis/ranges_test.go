package analysis

import (
	"testing"

	"nirc/ir"
)

// TestPhiRange: what comes from two sides is between the smaller and the larger, and constants of halves are floats too.
func TestPhiRange(t *testing.T) {
	s, err := ir.Parse(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %1:32 = load_const 0x5
      %2:32 = load_const 0x9
      %3:16 = load_const 0xbc00
      %4:32 = load_local_invocation_index
      %5:1 = uge %4, %1
    if %5 {
      b1:
    } else {
      b2:
    }
    b3:
      %6:32 = phi b1: %1, b2: %2
      %7:32 = phi b1: %2, b2: %1
      store_shared %6, %7 write_mask=x align_mul=1
      store_shared %3, %7 write_mask=x align_mul=1
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	r := RequireRanges(s.Entry().Impl)
	phis := 0
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind == ir.KindPhi:
				phis++
				if r.Uint(&in.Def) != (Interval{5, 9}) {
					t.Errorf("a phi of 5 and 9 is in %v", r.Uint(&in.Def))
				}
			case in.Kind == ir.KindLoadConst && in.Def.BitSize == 16:
				if f := r.floats[in.Def.Index]; f != FloatNeg {
					t.Errorf("-1 as a half: %v, want %v", f, FloatNeg)
				}
			}
		}
	}
	if phis != 2 {
		t.Errorf("%d phis", phis)
	}
}

// TestPhiWithoutSources: behind a loop that nothing leaves a phi may be anything.
func TestPhiWithoutSources(t *testing.T) {
	s, err := ir.Parse(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
    loop {
      b1:
    }
    b2:
      %1:32 = phi
      store_shared %1, %1 write_mask=x align_mul=1
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	impl := s.Entry().Impl
	r := RequireRanges(impl)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindPhi {
				if got := r.Uint(&in.Def); got != fullRange(&in.Def) {
					t.Errorf("it is %v", got)
				}
			}
		}
	}
}
