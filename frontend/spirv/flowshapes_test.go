package spirv

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// graphText is a kernel with the given targets by block.
func graphText(to [][]int) string {
	var w strings.Builder
	w.WriteString(flowHead + "%c1 = OpConstant %uint 1\n%main = OpFunction %void None %fn\n%x = OpFunctionParameter %word\n")
	for i, s := range to {
		fmt.Fprintf(&w, "%%b%d = OpLabel\n%%v%d = OpLoad %%uint %%x Aligned 4\n%%n%d = OpIAdd %%uint %%v%d %%c1\nOpStore %%x %%n%d Aligned 4\n", i, i, i, i, i)
		switch len(s) {
		case 0:
			w.WriteString("OpReturn\n")
		case 1:
			fmt.Fprintf(&w, "OpBranch %%b%d\n", s[0])
		case 2:
			fmt.Fprintf(&w, "%%l%d = OpULessThan %%bool %%v%d %%c1\nOpBranchConditional %%l%d %%b%d %%b%d\n", i, i, i, s[0], s[1])
		default:
			fmt.Fprintf(&w, "OpSwitch %%v%d %%b%d", i, s[0])
			for k, x := range s[1:] {
				fmt.Fprintf(&w, " %d %%b%d", k, x)
			}
			w.WriteString("\n")
		}
	}
	w.WriteString("OpFunctionEnd\n")
	return w.String()
}

// flowShapes are graphs of about n blocks that are hard in one way each.
func flowShapes(n int) map[string][][]int {
	m := map[string][][]int{}
	r := rand.New(rand.NewPCG(1, 2))
	each := func(name string, f func(i int) []int) {
		g := make([][]int, n)
		for i := range n - 1 {
			g[i] = f(i)
			for k := range g[i] {
				g[i][k] = max(1, min(g[i][k], n-1))
			}
		}
		m[name] = g
	}
	each("chain", func(i int) []int { return []int{i + 1} })
	each("early exits", func(i int) []int { return []int{n - 1, i + 1} })
	each("skips", func(i int) []int { return []int{i + 1, i + 2} })
	each("diamonds", func(i int) []int {
		if i%3 == 0 {
			return []int{i + 1, i + 2}
		}
		return []int{i - i%3 + 3}
	})
	each("nested loops", func(i int) []int {
		if i < n/2 {
			return []int{i + 1}
		}
		return []int{n - i, i + 1}
	})
	each("ladder", func(i int) []int { // irreducible at each step
		return []int{i - 1, i + 1}
	})
	each("two ladders", func(i int) []int { return []int{i - 1, i + 2} })
	each("random", func(i int) []int { return []int{r.IntN(n), r.IntN(n)} })
	each("random forward", func(i int) []int { return []int{i + 1 + r.IntN(n), i + 1} })
	each("near", func(i int) []int { return []int{i - 10 + r.IntN(20), i + 1} })
	each("near far", func(i int) []int { return []int{i - 1000 + r.IntN(2000), i + 1} })
	each("self loops", func(i int) []int { return []int{i, i + 1} })
	each("else if", func(i int) []int {
		if i%2 == 1 {
			return []int{n - 1}
		}
		return []int{i + 1, i + 2}
	})
	each("tree", func(i int) []int {
		if 2*i+2 >= n {
			return nil
		}
		return []int{2*i + 1, 2*i + 2}
	})
	each("switch", func(i int) []int {
		if i == 0 {
			s := make([]int, n/2)
			for k := range s {
				s[k] = k + 1
			}
			return s
		}
		return []int{i + 1}
	})
	each("switches", func(i int) []int { return []int{i + 1, i + 1 + r.IntN(30), i + 1 + r.IntN(30), i - 3} })
	each("loops to every level", func(i int) []int {
		if i < n/2 {
			return []int{i + 1}
		}
		return []int{n - i, n - 1 - r.IntN(n-i), i + 1}
	})
	each("deep switches", func(i int) []int { return []int{n - 1, i + 1, n - 1, n - 2} })
	return m
}
