package analysis

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// TestInductions: a counter goes on from itself by a constant; what goes on from another value, or by one, is none, and
// neither is a constant less the counter.
func TestInductions(t *testing.T) {
	for _, c := range []struct {
		next string
		op   ir.Op
		step uint64
	}{
		{"iadd %5, %2", ir.OpIadd, 4},
		{"iadd %2, %5", ir.OpIadd, 4},
		{"isub %5, %2", ir.OpIsub, 4},
		{"ishl %5, %2", ir.OpIshl, 4},
		{"isub %2, %5", 0, 0},
		{"ishl %2, %5", 0, 0},
		{"iadd %4, %2", 0, 0},
		{"iadd %2, %4", 0, 0},
		{"iadd %5, %4", 0, 0},
		{"iadd %5, %5", 0, 0},
	} {
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %%1:32 = load_const 0x1
      %%2:32 = load_const 0x4
      %%3:32 = load_const 0x20
      %%4:32 = load_local_invocation_index
    loop {
      b1:
      %%5:32 = phi b0: %%1, b4: %%7
      %%6:1 = uge %%5, %%3
      if %%6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %%7:32 = %s
    }
    b5:
  }
}
`, c.next))
		if err != nil {
			t.Fatal(err)
		}
		l := RequireLoops(s.Entry().Impl).All[0]
		switch n := len(l.Inductions); {
		case c.step == 0 && n != 0, c.step != 0 && n != 1:
			t.Errorf("%s: %d counters", c.next, n)
		case n == 1 && (l.Inductions[0].Op != c.op || l.Inductions[0].Step != c.step || l.Inductions[0].Init != 1):
			t.Errorf("%s: %+v", c.next, l.Inductions[0])
		}
	}
}

// TestTrips: a counter from a constant is followed to the exit, one from a value that is
// not known, or by one, or up to one, is not.
func TestTrips(t *testing.T) {
	for _, c := range []struct {
		init, next, test string
		trips            uint32
		known            bool
	}{
		{init: "%1", next: "iadd %5, %2", test: "uge %5, %3", trips: 8, known: true},
		{init: "%3", next: "iadd %5, %2", test: "uge %5, %3", trips: 0, known: true},
		{init: "%2", next: "imul %5, %5", test: "uge %5, %3", trips: 2, known: true},
		{init: "%1", next: "iadd %1, %2", test: "uge %5, %3"},
		{init: "%4", next: "iadd %5, %2", test: "uge %5, %3"},
		{init: "%1", next: "iadd %5, %4", test: "uge %5, %3"},
		{init: "%1", next: "iadd %5, %2", test: "uge %5, %4"},
	} {
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %%1:32 = load_const 0x1
      %%2:32 = load_const 0x4
      %%3:32 = load_const 0x20
      %%4:32 = load_local_invocation_index
    loop {
      b1:
      %%5:32 = phi b0: %s, b4: %%7
      %%6:1 = %s
      if %%6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %%7:32 = %s
    }
    b5:
  }
}
`, c.init, c.test, c.next))
		if err != nil {
			t.Fatal(err)
		}
		l := RequireLoops(s.Entry().Impl).All[0]
		if len(l.Terminators) != 1 {
			t.Fatalf("%+v: %d exits", c, len(l.Terminators))
		}
		if x := l.Terminators[0]; x.Known != c.known || c.known && x.Trips != c.trips {
			t.Errorf("%+v: %d trips, known %v", c, x.Trips, x.Known)
		}
	}
}
