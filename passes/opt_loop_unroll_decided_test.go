package passes

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// rungLoop is a shader with a loop of up to six rounds, each of which does one of so many chains of 30 products, which value chooses; the limit of
// the rounds is a constant if it says so.
func rungLoop(rungs int, value string, exact bool) string {
	limit := "umin %904, %6"
	if exact {
		limit = "mov %6"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0x0
      %%1:32 = load_const 0x1
      %%6:32 = load_const 0x6
      %%2:32 = load_const 0x2
      %%8:32 = load_const 0x8
      %%903:32x3 = load_workgroup_id
      %%904:32 = mov %%903.x
      %%905:32 = ishl %%904, %%8
      %%906:32 = %s
    loop {
      b1:
      %%10:32 = phi b0: %%0, b9: %%13
      %%11:32 = phi b0: %%904, b9: %%12
      %%14:1 = uge %%10, %%906
      if %%14 {
        b2:
          break
      } else {
        b3:
      }
      b4:
`, limit)
	for k := range rungs { // each in the other side of the one before
		at := 1000 + 40*k
		fmt.Fprintf(&b, "%%%d:32 = load_const %#x\n%%%d:1 = ieq %s, %%%d\nif %%%d {\nb%d:\n", at, k, at+1, value, at, at+1, at+2)
		for i := range 30 {
			from := at + 1 + i
			if i == 0 {
				from = 11
			}
			fmt.Fprintf(&b, "%%%d:32 = imul %%%d, %%11\n", at+2+i, from)
		}
		fmt.Fprintf(&b, "store_ssbo %%%d, %%2, %%905 write_mask=x align_mul=4\n} else {\nb%d:\n", at+31, at+3)
	}
	for k := rungs - 1; k > 0; k-- {
		fmt.Fprintf(&b, "}\nb%d:\n", 1000+40*k+4)
	}
	b.WriteString("}\nb9:\n")
	b.WriteString(`%12:32 = imul %11, %6
      %13:32 = iadd %10, %1
    }
    b10:
  }
}
`)
	return b.String()
}

// TestUnrollDecided: a loop whose counter chooses one of many sides is as large as its copies will be, of which one side is left, and
// unrolled; not where something else chooses, and not where the copies are too large before.
func TestUnrollDecided(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		stays bool
	}{
		{"of one round in six", rungLoop(12, "%10", false), false},
		{"of one round in six, exactly six", rungLoop(12, "%10", true), false},
		{"by another value", rungLoop(12, "%904", false), true},
		{"of too many", rungLoop(40, "%10", false), true},
		{"of too many, exactly six", rungLoop(40, "%10", true), true},
	} {
		s, err := ir.Parse(c.text)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.text)
		}
		s.Options = &ir.Options{}
		p, err := ParsePassList("opt_loop_unroll(bounded=true),opt_dead_cf,opt_constant_folding,opt_dead_cf,opt_remove_phis,opt_dce")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(ir.Print(s), "store_ssbo"); (n > 7) != c.stays {
			t.Errorf("%s: %d stores are left", c.name, n)
		}
	}
}
