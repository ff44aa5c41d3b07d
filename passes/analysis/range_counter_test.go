package analysis

import (
	"strings"
	"testing"

	"nirc/ir"
)

// counterText is a loop whose counter begins at FIRST, takes STEP and goes on while TEST holds of a workgroup's index (%20), its bit
// of 8 (%21), the counter (%10) and the sum (%11).
const counterText = `shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %1:32 = load_const FIRST
      %2:32 = load_const STEP
      %3:32 = load_const 0x8
      %20:32 = load_ubo %3, %3 align_mul=4
      %21:32 = iand %20, %3
    loop {
      b1:
        %10:32 = phi b0: %1, b3: %11
        %11:32 = iadd %10, %2
        %12:1 = TEST
      if %12 {
        b2:
      } else {
        b4:
          break
      }
      b3:
        store_shared %10, %3 write_mask=x align_mul=4
    }
    b5:
  }
}
`

// TestGuardedCounterRange: what counts up from a constant is not negative as long as its loop's exit keeps it below something, and the last sum has not wrapped.
func TestGuardedCounterRange(t *testing.T) {
	const most = 1<<31 - 1
	full := Interval{0, 1<<32 - 1}
	for _, c := range []struct {
		first, step, test string
		want              Interval
	}{
		{"0x0", "0x1", "ilt %10, %20", Interval{0, most}},
		{"0x3", "0x1", "ilt %10, %20", Interval{3, most}},
		{"0x0", "0x1", "ilt %11, %20", Interval{0, most}},
		{"0x0", "0x4", "ilt %10, %21", Interval{0, 11}},
		{"0x0", "0x4", "ult %10, %21", Interval{0, 11}},
		{"0x20", "0x4", "ult %10, %21", Interval{32, 32}},
		// The sum may wrap, or is not below anything.
		{"0x0", "0x2", "ilt %10, %20", full},
		{"0x0", "0x1", "ult %10, %20", full},
		{"0x0", "0x1", "ine %10, %20", full},
		{"0x0", "0x1", "ilt %20, %10", full},
		{"0x0", "0x1", "ige %20, %10", full},
		{"0xffffffff", "0x1", "ilt %10, %20", full},
		{"0x0", "0xffffffff", "ilt %10, %20", full},
		{"0x7fffffff", "0x1", "ilt %11, %20", full},
	} {
		text := strings.NewReplacer("FIRST", c.first, "STEP", c.step, "TEST", c.test).Replace(counterText)
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for b := range s.Entry().Impl.Blocks() {
			for phi := range b.Phis() {
				got := uintRange(&phi.Def, 0, rangeDepth)
				if got != c.want {
					t.Errorf("from %s by %s while %s: %#x, want %#x", c.first, c.step, c.test, got, c.want)
				}
			}
		}
	}
}
