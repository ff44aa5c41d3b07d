package agx

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/mach"
)

// crowded is a program in which so many words are live from its start to its end, and that meanwhile adds up the first words of so many vectors of four, which it
// loads.
func crowded(words, vectors int) string {
	var w, ends strings.Builder
	next := words + 2
	fmt.Fprintf(&w, "func f target agx\nblock 0\n  v1:wide*2@0!fixed")
	for i := range words {
		fmt.Fprintf(&w, ", v%d:full@%d!fixed", i+2, 4+2*i)
		fmt.Fprintf(&ends, "  device_store v%d, v1 {device_store 0, i32, x, r0, r0_r1, 0, unsigned, 0}\n", i+2)
	}
	fmt.Fprintf(&w, " = inputs\n")
	sum := 2
	for range vectors {
		v := next
		fmt.Fprintf(&w, "  v%d:full*4 = device_load v1 {device_load 0, i32, xyzw, r0_r1_r2_r3, r0_r1, 0, unsigned}\n", v)
		fmt.Fprintf(&w, "  v%d:full, v%d:full, v%d:full, v%d:full = split v%d\n", v+1, v+2, v+3, v+4, v)
		fmt.Fprintf(&w, "  v%d:full = fadd32 v%d, v%d {fadd32 r0, r0, r0}\n", v+5, sum, v+1)
		sum = v + 5
		next += 6
	}
	fmt.Fprintf(&w, "%s  device_store v%d, v1 {device_store 0, i32, x, r0, r0_r1, 0, unsigned, 0}\n  end\n", ends.String(), sum)
	return w.String()
}

// TestFewerThreads: more than two loads stand together in registers that cost a step of threads where two would be waited for at a time otherwise; not where a
// workgroup needs the threads, nor where little is waited for.
func TestFewerThreads(t *testing.T) {
	for _, c := range []struct {
		words, vectors, limit int
		together              bool
	}{{46, 12, gprHalves, true}, {46, 12, halvesFor(1024), false}, {46, 12, 0, false}, {46, 2, gprHalves, false}, {20, 12, halvesFor(1024), true}} {
		f, err := mach.Parse(crowded(c.words, c.vectors), newISA())
		if err != nil {
			t.Fatal(err)
		}
		pressureSchedule(f, c.limit)
		row, most := 0, 0
		for _, in := range f.Blocks[0].Instrs {
			switch {
			case asks(in):
				row++
				most = max(most, row)
			case in.Op != mach.OpSplit:
				row = 0
			}
		}
		if (most > 2) != c.together {
			t.Errorf("%d words, %d vectors, at most %d halves: %d loads stand together\n%s", c.words, c.vectors, c.limit, most, f)
		}
	}
}
