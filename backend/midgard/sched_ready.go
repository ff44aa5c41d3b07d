package midgard

import "slices"

// readyList is the nodes of a kind that may be placed, the best first.
type readyList []int32

// better reports whether a is placed before b, and so runs after it: the one with the longer way to it, of two the one that more comes
// before.
func better(a, b *node) bool {
	if a.depth != b.depth {
		return a.depth > b.depth
	}
	if x, y := a.pastPred-a.firstPred, b.pastPred-b.firstPred; x != y {
		return x > y
	}
	return a.order > b.order
}

func (l readyList) sort(g *graph) {
	slices.SortFunc(l, func(a, b int32) int {
		if better(&g.nodes[a], &g.nodes[b]) {
			return -1
		}
		return 1
	})
}

// insert puts node k, which is not better than the first from of the list, where it belongs.
func (l *readyList) insert(g *graph, k int32, from int) {
	n, low, high := &g.nodes[k], from, len(*l)
	for low < high {
		if mid := (low + high) / 2; better(n, &g.nodes[(*l)[mid]]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	*l = slices.Insert(*l, low, k)
}

// take removes the i-th and returns it.
func (l *readyList) take(i int) int32 {
	k := (*l)[i]
	*l = append((*l)[:i], (*l)[i+1:]...)
	return k
}
