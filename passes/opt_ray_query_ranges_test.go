package passes

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// queryLives are all orders in which three queries begin and are used last: in each a query's number stands twice.
func queryLives() (all []string) {
	var add func(order string, left [3]int)
	add = func(order string, left [3]int) {
		if len(order) == 6 {
			all = append(all, order)
		}
		for q := range left {
			if left[q] > 0 {
				rest := left
				rest[q]--
				add(order+string(rune('0'+q)), rest)
			}
		}
	}
	add("", [3]int{2, 2, 2})
	return all
}

// queryShader begins queries and asks them once, in an order.
func queryShader(order string) string {
	var b strings.Builder
	begun := make(map[rune]bool)
	for i, q := range order {
		if !begun[q] {
			begun[q] = true
			fmt.Fprintf(&b, "      rq_initialize %%1%c, %%3, %%0, %%0, %%1, %%0, %%1, %%0\n", q)
			continue
		}
		fmt.Fprintf(&b, "      %%2%d:1 = rq_proceed %%1%c\n      use %%2%[1]d\n", i, q)
	}
	return `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform accel_struct "scene" { binding=0 }
  fn f0 "main" entry() {
    local @2 function_temp ray_query "q0"
    local @3 function_temp ray_query "q1"
    local @4 function_temp ray_query "q2"
    b0:
      %0:32 = load_const 0x1
      %1:32x3 = load_const (0x0, 0x0, 0x3f800000)
      %2:32 = deref_var @1
      %3:64 = load_accel_struct %2
      %10:32 = deref_var @2
      %11:32 = deref_var @3
      %12:32 = deref_var @4
` + b.String() + `  }
}
`
}

// TestQueryLives: of three queries each takes the variable of the first one that lives beside none of those that have it, in whatever
// order they begin and end.
func TestQueryLives(t *testing.T) {
	for _, order := range queryLives() {
		s := parseShader(t, queryShader(order))
		var derefs [3]*ir.Instr
		for in := range s.Entry().Impl.Instrs() {
			if in.Kind == ir.KindDeref && in.DerefInfo().Var.Mode == ir.ModeFunctionTemp {
				derefs[in.DerefInfo().Var.Name[1]-'0'] = in
			}
		}
		beside := func(a, b int) bool {
			x, y := string(rune('0'+a)), string(rune('0'+b))
			return strings.Index(order, x) < strings.LastIndex(order, y) && strings.Index(order, y) < strings.LastIndex(order, x)
		}
		var holds [3][]int // who has the variable of a query
		runPasses(t, s, "opt_ray_query_ranges")
		for q := range 3 {
			want := 0
			for ; want < q; want++ {
				free := len(holds[want]) > 0
				for _, o := range holds[want] {
					free = free && !beside(o, q)
				}
				if free {
					break
				}
			}
			holds[want] = append(holds[want], q)
			if name := fmt.Sprint("q", want); derefs[q].DerefInfo().Var.Name != name {
				t.Errorf("%s: query %d has variable %s, want %s", order, q, derefs[q].DerefInfo().Var.Name, name)
			}
		}
	}
}
