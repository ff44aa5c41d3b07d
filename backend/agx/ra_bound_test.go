package agx

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/mach"
)

// scattered is a program that loads vectors of four words whose last words stay, and then makes more vectors: loads too, each of which is
// waited for, or collects of values that are there.
func scattered(more int, waits bool) string {
	var w strings.Builder
	next := 2
	value := func(shape string) int {
		next++
		fmt.Fprintf(&w, "  v%d:%s", next-1, shape)
		return next - 1
	}
	load := func() (parts [4]int) {
		v := value("full*4")
		fmt.Fprintf(&w, " = device_load v1 {device_load 0, i32, xyzw, r0_r1_r2_r3, r0_r1, 0, unsigned}\n")
		for k := range parts {
			parts[k] = next + k
		}
		next += 4
		fmt.Fprintf(&w, "  v%d:full, v%d:full, v%d:full, v%d:full = split v%d\n", parts[0], parts[1], parts[2], parts[3], v)
		return parts
	}
	store := func(v int) {
		fmt.Fprintf(&w, "  device_store v%d, v1 {device_store 0, i32, x, r0, r0_r1, 0, unsigned, 0}\n", v)
	}
	fmt.Fprintf(&w, "func f target agx\nblock 0\n  v1:wide*2@4!fixed = inputs\n")
	var first [][4]int
	for range 11 {
		first = append(first, load())
	}
	for _, p := range first {
		for _, v := range p[:3] {
			store(v)
		}
	}
	var second [][4]int
	for range more {
		if waits {
			p := load()
			for _, v := range p[:3] {
				store(v)
			}
			second = append(second, p)
			continue
		}
		v := value("full*4")
		fmt.Fprintf(&w, " = collect v%d, v%d, v%d, v%d\n", first[0][3], first[1][3], first[2][3], first[3][3])
		second = append(second, [4]int{v, v, v, v})
	}
	for _, p := range second {
		if waits {
			store(p[3])
		} else {
			fmt.Fprintf(&w, "  device_store v%d, v1 {device_store 0, i32, xyzw, r0_r1_r2_r3, r0_r1, 0, unsigned, 0}\n", p[0])
		}
	}
	for _, p := range first {
		store(p[3])
	}
	w.WriteString("  end\n")
	return w.String()
}

// TestBoundThreads: values move out of the way of vectors where the threads that this lets run hide more than the moves take, and
// stay where there is little to hide.
func TestBoundThreads(t *testing.T) {
	for _, c := range []struct {
		more  int
		waits bool
		moves bool
	}{{4, true, true}, {4, false, false}} {
		f, err := mach.Parse(scattered(c.more, c.waits), newISA())
		if err != nil {
			t.Fatal(err)
		}
		pt := &part{f: f, meta: new(abi.Meta)}
		pt.findPressure()
		if err := pt.allocate(); err != nil {
			t.Fatal(err)
		}
		used, moves := 0, 0
		for _, in := range f.Blocks[0].Instrs {
			for _, d := range in.Defs() {
				used = max(used, int(d.Reg)+f.Size(d.Val))
			}
			if in.Op == mach.OpPcopy {
				moves += int(in.NDefs)
			}
		}
		if c.moves != (moves > 0) || c.moves != (used <= halvesFor(threadsFor(pt.pressure))) {
			t.Errorf("%d vectors, waits %t: %d halves live at once, %d are used, %d values move\n%s", c.more, c.waits, pt.pressure, used, moves, f)
		}
	}
}
