// Package domtree computes immediate dominators of any flow graph in time that grows with its edges times a
// logarithm: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), in
// its simpler form. The frontend asks it about functions of SPIR-V, and package ir about functions for which its own way,
// faster on most, takes too long.
package domtree

// Graph is a flow graph. Nodes are numbered in the order in which a depth-first walk from node 0 meets
// them; what the walk does not meet is not in it.
type Graph struct {
	Parent []int32 // by node: the one that the walk met it from; of node 0 anything
	// The predecessors of node v are Preds[Start[v]:Start[v+1]].
	Start, Preds []int32
}

// Immediate returns the immediate dominator of each node, 0 for node 0.
func Immediate(g *Graph) []int32 {
	n := len(g.Parent)
	f := forest{semi: make([]int32, n), label: make([]int32, n), above: make([]int32, n)}
	for v := range f.semi {
		f.semi[v], f.label[v], f.above[v] = int32(v), int32(v), -1
	}
	idom := make([]int32, n)
	first, next := make([]int32, n), make([]int32, n) // lists of nodes with the same semidominator, + 1
	for w := int32(n - 1); w > 0; w-- {
		for _, p := range g.Preds[g.Start[w]:g.Start[w+1]] {
			f.semi[w] = min(f.semi[w], f.semi[f.eval(p)])
		}
		s, up := f.semi[w], g.Parent[w]
		next[w], first[s] = first[s], w+1
		f.above[w] = up
		for v := first[up] - 1; v >= 0; v = next[v] - 1 {
			idom[v] = up
			if u := f.eval(v); f.semi[u] < f.semi[v] {
				idom[v] = u
			}
		}
		first[up] = 0
	}
	for w := 1; w < n; w++ {
		if idom[w] != f.semi[w] {
			idom[w] = idom[idom[w]]
		}
	}
	return idom
}

// forest is the edges of the walk that were looked at so far, with paths compressed.
type forest struct {
	semi, label []int32
	above       []int32 // towards the root, -1 at one
	path        []int32
}

// eval returns the node with the least semidominator on the path from v up to its root, the root left out.
func (f *forest) eval(v int32) int32 {
	if f.above[v] < 0 {
		return v
	}
	f.path = f.path[:0]
	for u := v; f.above[f.above[u]] >= 0; u = f.above[u] {
		f.path = append(f.path, u)
	}
	for i := len(f.path) - 1; i >= 0; i-- {
		u := f.path[i]
		up := f.above[u]
		if f.semi[f.label[up]] < f.semi[f.label[u]] {
			f.label[u] = f.label[up]
		}
		f.above[u] = f.above[up]
	}
	return f.label[v]
}
