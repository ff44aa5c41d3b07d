package spirv

// graph is the control flow of the blocks that control reaches, in arrays by block. An
// edge stands in it once, however many cases of an OpSwitch it is.
type graph struct {
	first, last []int32 // of succ
	succ        []int32
	into, pred  []int32 // the predecessors of b are pred[into[b]:into[b+1]]
	edges       []int32 // how many branches lead to each block, each case counted
	// The depth-first walk: blocks as they are met and in reverse post-order, the place of
	// each in that order (-1: control does not reach it), and the block that each was met from.
	met, rpo, order, parent []int32
}

func (g *graph) succs(b int32) []int32 { return g.succ[g.first[b]:g.last[b]] }

func (g *graph) preds(b int32) []int32 { return g.pred[g.into[b]:g.into[b+1]] }

// flowGraph makes the function's graph.
func (t *translator) flowGraph() *graph {
	f := t.f
	if f.graph != nil {
		return f.graph
	}
	n := len(f.blocks)
	g := &graph{first: make([]int32, n), last: make([]int32, n), into: make([]int32, n+2), edges: make([]int32, n), order: make([]int32, n), parent: make([]int32, n)}
	t.walkGraph(g)
	for i, j := 0, len(g.rpo)-1; i < j; i, j = i+1, j-1 {
		g.rpo[i], g.rpo[j] = g.rpo[j], g.rpo[i]
	}
	for i := range g.order {
		g.order[i] = -1
	}
	for i, b := range g.rpo {
		g.order[b] = int32(i)
	}
	for _, s := range g.succ {
		g.into[s+2]++
	}
	for b := range n {
		g.into[b+2] += g.into[b+1]
	}
	g.pred = make([]int32, len(g.succ))
	for _, b := range g.rpo {
		for _, s := range g.succs(b) {
			g.pred[g.into[s+1]] = b
			g.into[s+1]++
		}
	}
	f.graph = g
	return g
}

// walkGraph walks from the entry block, later targets of a branch first.
func (t *translator) walkGraph(g *graph) {
	f := t.f
	from := make([]int32, len(f.blocks)) // the last block, + 1, that was seen to lead to each
	left := make([]int32, len(f.blocks))
	seen := make([]bool, len(f.blocks))
	var stack []int32
	push := func(b int32) {
		seen[b] = true
		g.met = append(g.met, b)
		g.first[b] = int32(len(g.succ))
		t.successors(&f.blocks[b], func(s int32) {
			g.edges[s]++
			if from[s] != b+1 {
				from[s] = b + 1
				g.succ = append(g.succ, s)
			}
		})
		g.last[b] = int32(len(g.succ))
		left[b] = g.last[b]
		stack = append(stack, b)
	}
	push(0)
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		if left[b] > g.first[b] {
			left[b]--
			if s := g.succ[left[b]]; !seen[s] {
				g.parent[s] = b
				push(s)
			}
			continue
		}
		g.rpo = append(g.rpo, b)
		stack = stack[:len(stack)-1]
	}
}
