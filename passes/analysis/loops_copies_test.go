package analysis

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// TestCopyCost: what a counter decides of a body is not in its copies: of ifs the larger side stays, comparisons go; what hangs on another value
// stays as a whole.
func TestCopyCost(t *testing.T) {
	for _, c := range []struct {
		value      string
		cost, copy int
	}{
		{"iadd %5, %2", 10, 6}, // the counter's sum, the comparison, the third one and the side of one are gone
		{"imul %4, %2", 10, 9},
		{"imul %5, %5", 10, 6},
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
      %%5:32 = phi b0: %%1, b7: %%7
      %%6:1 = uge %%5, %%4
      if %%6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %%8:32 = %s
      %%9:1 = ieq %%8, %%3
      if %%9 {
        b5:
          %%10:32 = imul %%4, %%4
          %%11:32 = imul %%10, %%4
          %%12:32 = imul %%11, %%4
      } else {
        b6:
          %%13:32 = iadd %%4, %%4
      }
      b7:
      %%7:32 = iadd %%5, %%2
      %%14:32 = load_local_invocation_index
      %%15:32 = ixor %%14, %%5
    }
    b8:
  }
}
`, c.value))
		if err != nil {
			t.Fatal(err)
		}
		l := RequireLoops(s.Entry().Impl).All[0]
		if l.Cost != c.cost || l.CopyCost() != c.copy {
			t.Errorf("%s: costs %d, a copy %d, want %d and %d", c.value, l.Cost, l.CopyCost(), c.cost, c.copy)
		}
	}
}
