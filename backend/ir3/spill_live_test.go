package ir3

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
)

// TestSpillLeavesLiveness: where spill has looked at what is live and changed nothing, allocation has no need to look again; presched
// leaves nothing of what was known before it.
func TestSpillLeavesLiveness(t *testing.T) {
	text := func(values, together int) string {
		var b strings.Builder
		b.WriteString("func main target ir3\nblock 0\n  v1:full = inputs\n")
		for v := 2; v < 2+values; v += together {
			for k := range together {
				fmt.Fprintf(&b, "  v%d:full = ldib.b v1 {ldib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x+%d, 0}\n", v+k, 4*(v+k))
			}
			for k := range together {
				fmt.Fprintf(&b, "  stib.b v%d, v1 {stib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x+%d, 1}\n", v+k, 4*(v+k))
			}
		}
		b.WriteString("  end {end}\n")
		return b.String()
	}
	for _, c := range []struct {
		name  string
		text  string
		known bool
	}{{"few values", text(4, 1), false}, {"many values, few at once", text(40, 1), true}, {"many at once", text(40, 40), false}} {
		k, err := stepState(gputest.StepOptions{"gpu": "a630", "registers": "4"}, c.text)
		if err != nil {
			t.Fatal(err)
		}
		run := func(f func() error) {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
		run(k.budgetRegisters)
		run(k.preSchedule)
		if k.live != nil {
			t.Errorf("%s: something is known after presched", c.name)
		}
		run(k.spill)
		live := k.live
		if (live != nil) != c.known {
			t.Errorf("%s: known after spill %v, not %v", c.name, live != nil, c.known)
		}
		run(k.planRuns)
		run(k.allocate)
		if c.known && k.live != live {
			t.Errorf("%s: allocation looked again", c.name)
		}
	}
}
