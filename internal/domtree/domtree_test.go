package domtree

import (
	"math/rand/v2"
	"testing"
)

// numbered makes a graph of the blocks that a walk of to meets.
func numbered(to [][]int32) (*Graph, [][]int32) {
	num := make([]int32, len(to))
	g := &Graph{}
	preds := [][]int32{}
	var succs [][]int32
	var visit func(b, parent int32)
	visit = func(b, parent int32) {
		n := int32(len(g.Parent))
		num[b] = n + 1
		g.Parent = append(g.Parent, parent)
		preds, succs = append(preds, nil), append(succs, nil)
		for _, s := range to[b] {
			if num[s] == 0 {
				visit(s, n)
			}
			k := num[s] - 1
			preds[k], succs[n] = append(preds[k], n), append(succs[n], k)
		}
	}
	visit(0, -1)
	for _, list := range preds {
		g.Start = append(g.Start, int32(len(g.Preds)))
		g.Preds = append(g.Preds, list...)
	}
	g.Start = append(g.Start, int32(len(g.Preds)))
	return g, succs
}

// reached marks what a walk meets that does not pass through a node.
func reached(succs [][]int32, without int32) []bool {
	seen := make([]bool, len(succs))
	for work := []int32{0}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == without || seen[b] {
			continue
		}
		seen[b] = true
		work = append(work, succs[b]...)
	}
	return seen
}

// TestImmediate compares with the definition: of the nodes without which a node is not
// reached, the one that all others dominate.
func TestImmediate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		n := 2 + r.IntN(14)
		to := make([][]int32, n)
		for b := range to {
			for range r.IntN(4) {
				to[b] = append(to[b], int32(r.IntN(n)))
			}
		}
		g, succs := numbered(to)
		m := len(succs)
		count := make([]int, m) // strict dominators
		dom := make([][]bool, m)
		for d := range m {
			seen := reached(succs, int32(d))
			dom[d] = make([]bool, m)
			for b := range m {
				if b != d && !seen[b] {
					dom[d][b] = true
					count[b]++
				}
			}
		}
		for b, d := range Immediate(g) {
			if b == 0 && d != 0 || b > 0 && (!dom[d][b] || count[d] != count[b]-1) {
				t.Fatalf("%v: the immediate dominator of %d is %d", succs, b, d)
			}
		}
	}
}

// TestImmediateLarge: a long chain of which every node also leads to the last, and one up and down which control goes, take no
// time that grows with the square of their length.
func TestImmediateLarge(t *testing.T) {
	const n = 1 << 20
	g := &Graph{Parent: make([]int32, n), Start: make([]int32, n+1)}
	for v := int32(1); v < n; v++ {
		g.Parent[v] = v - 1
		g.Start[v] = int32(len(g.Preds))
		g.Preds = append(g.Preds, v-1)
		if v+1 < n-1 {
			g.Preds = append(g.Preds, v+1)
		}
		if v == n-1 {
			for p := range v - 1 {
				g.Preds = append(g.Preds, p)
			}
		}
	}
	g.Start[n] = int32(len(g.Preds))
	idom := Immediate(g)
	for v := 1; v < n-1; v++ {
		if idom[v] != int32(v-1) {
			t.Fatalf("the immediate dominator of %d is %d", v, idom[v])
		}
	}
	if idom[n-1] != 0 {
		t.Errorf("the immediate dominator of the last is %d", idom[n-1])
	}
}
