package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

// byteLimit is a limit made of a byte that nobody knows and a constant: as the IR has it, and as a function.
type byteLimit struct {
	op string
	of func(v, c uint8) uint8
}

var byteLimits = []byteLimit{
	{"iand", func(v, c uint8) uint8 { return v & c }},
	{"umin", func(v, c uint8) uint8 { return min(v, c) }},
	{"imin", func(v, c uint8) uint8 { return uint8(min(int8(v), int8(c))) }},
	{"umax", func(v, c uint8) uint8 { return max(v, c) }},
	{"iadd", func(v, c uint8) uint8 { return v + c }},
}

// byteCompares are the compares of counters with limits.
var byteCompares = map[string]func(a, b uint8) bool{
	"ilt": func(a, b uint8) bool { return int8(a) < int8(b) },
	"ige": func(a, b uint8) bool { return int8(a) >= int8(b) },
	"ult": func(a, b uint8) bool { return a < b },
	"uge": func(a, b uint8) bool { return a >= b },
}

// TestLatest: a loop whose limit nobody knows ends in the iteration that is told at the latest, whatever byte the limit is made of, and
// for one of them in that if the limit is bounded.
func TestLatest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ends := []uint8{0, 1, 3, 100, 127, 128, 129, 200, 254, 255}
	number := func() uint8 { return ends[r.IntN(len(ends))] }
	ops := []string{"ilt", "ige", "ult", "uge"}
	known := make(map[string]int)
	for range 4000 {
		limit, op := byteLimits[r.IntN(len(byteLimits))], ops[r.IntN(len(ops))]
		first, step, c, swap, leaves := number(), number(), number(), r.IntN(2) == 0, r.IntN(2) == 0
		a, b, exit1, exit2 := "%5", "%10", "", "break"
		if swap {
			a, b = b, a
		}
		if leaves {
			exit1, exit2 = exit2, exit1
		}
		text := fmt.Sprintf(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0x0
      %%1:8 = load_const %#x
      %%2:8 = load_const %#x
      %%3:8 = load_const %#x
      %%4:8 = load_ssbo %%0, %%0 align_mul=4
      %%10:8 = %s %%4, %%3
    loop {
      b1:
      %%5:8 = phi b0: %%1, b4: %%7
      %%7:8 = iadd %%5, %%2
      %%6:1 = %s %s, %s
      if %%6 {
        b2:
          %s
      } else {
        b3:
          %s
      }
      b4:
    }
    b5:
  }
}
`, first, step, c, limit.op, op, a, b, exit1, exit2)
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l := RequireLoops(s.Entry().Impl).All[0]
		if len(l.Terminators) != 1 || !l.Terminators[0].AtMost {
			continue
		}
		most := uint32(0)
		for v := range 256 {
			trips := uint32(0)
			for counter, bound := first, limit.of(uint8(v), c); trips < 300; trips, counter = trips+1, counter+step {
				x, y := counter, bound
				if swap {
					x, y = y, x
				}
				if byteCompares[op](x, y) == leaves {
					break
				}
			}
			most = max(most, trips)
		}
		told := l.Terminators[0].Trips
		tight := limit.op == "iand" || limit.op == "umin" || limit.op == "imin" && op[0] == 'i' // the others may be any byte
		if most > told || tight && most < told {
			t.Fatalf("it ends after %d iterations at the latest, told is %d:\n%s", most, told, text)
		}
		known[limit.op+" "+op]++
	}
	for _, limit := range byteLimits[:3] {
		for _, op := range ops {
			if known[limit.op+" "+op] == 0 && !(limit.op == "imin" && op[0] == 'u') {
				t.Errorf("no loop of %s and %s is known to end", limit.op, op)
			}
		}
	}
}
