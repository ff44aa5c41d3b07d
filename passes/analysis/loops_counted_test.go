package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

// TestCounted: a counter's exit is found where following the loop finds it, at the ends of its numbers too.
func TestCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func(bits int) uint64 {
		ends := []uint64{0, 1, 3, 100, 5000, 1<<(bits-1) - 1, 1 << (bits - 1), 1<<bits - 1, 1<<bits - 4, 1<<bits - 100}
		return ends[r.IntN(len(ends))] & (1<<bits - 1)
	}
	found, decided := 0, 0
	for range 3000 {
		bits := []int{8, 16, 32}[r.IntN(3)]
		value := "%5"
		if r.IntN(2) == 0 {
			value = "%7"
		}
		a, b := value, "%3"
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		op := []string{"ilt", "ige", "ult", "uge"}[r.IntN(4)]
		break1, break2 := "break", ""
		if r.IntN(2) == 0 {
			break1, break2 = break2, break1
		}
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" {
  fn f0 "main" entry() {
    b0:
      %%1:%[1]d = load_const %#[2]x
      %%2:%[1]d = load_const %#[3]x
      %%3:%[1]d = load_const %#[4]x
    loop {
      b1:
      %%5:%[1]d = phi b0: %%1, b4: %%7
      %%7:%[1]d = iadd %%5, %%2
      %%6:1 = %[5]s %[6]s
      if %%6 {
        b2:
          %[7]s
      } else {
        b3:
          %[8]s
      }
      b4:
    }
    b5:
  }
}
`, bits, number(bits), number(bits), number(bits), op, a+", "+b, break1, break2))
		if err != nil {
			t.Fatal(err)
		}
		l := RequireLoops(s.Entry().Impl).All[0]
		if len(l.Terminators) != 1 {
			continue // steps of 0 and the like stay all the same
		}
		x := &l.Terminators[0]
		sim := simulator{head: l.Loop.Body.FirstBlock(), pre: ir.Prev(l.Loop).(*ir.Block)}
		test := exitTest{exit: x.ExitThen}
		sim.trips(x.If.Cond.Def, 0, test)
		test.key = len(sim.keys)
		for i := range sim.keys {
			if sim.keys[i].def == x.If.Cond.Def {
				test.key = i
			}
		}
		want, known := sim.follow(&test)
		c, ok := sim.counter(&test)
		if !ok {
			continue
		}
		got, knows, sure := c.trips()
		if !sure {
			continue
		}
		decided++
		if found += int(min(got, 1)); got != want || knows != known {
			t.Fatalf("%d, %v trips, want %d, %v:\n%s", got, knows, want, known, ir.Print(s))
		}
	}
	if found < 300 || decided < 1500 {
		t.Errorf("%d of %d decided end after the first iteration", found, decided)
	}
}
