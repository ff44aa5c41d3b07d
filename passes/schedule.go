package passes

import (
	"slices"

	"nirc/ir"
	"nirc/ir/optab"
)

var schedulePass = &Pass{
	Name: "schedule", Class: "B", Run: runSchedule, Optional: true,
	Instead: "registers: each code generator orders machine instructions, whose latencies and registers it knows (presched, sched); it stays for targets without",
	Doc: "Orders the instructions of each block by a list scheduler: far from the limit of live components what the longest chain waits for comes first, near it what frees the most " +
		"(after Goodman and Hsu). The order of effects stays, loads do not pass writes; phis and constants stay at the start, the jump at the end. For targets without a scheduler of their own.",
	Options: []Option{
		{"threshold", "live 32-bit components at which freeing them comes first", 48},
		{"load_delay", "cycles that a load takes", 20},
		{"tex_delay", "cycles that a texture operation takes", 30},
		{"alu_delay", "cycles that an ALU operation takes", 3},
	},
}

func runSchedule(c *Context, s *ir.Shader) (bool, error) {
	sc := &scheduler{threshold: c.Int("threshold"), load: c.Int("load_delay"), tex: c.Int("tex_delay"), alu: c.Int("alu_delay")}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			progress = sc.block(blk) || progress
		}
		return progress
	}), nil
}

// The ready instructions that are weighed at a time: those that stood first,
// and the last that became ready, which often free what they waited for.
const (
	scheduleWindow = 24
	scheduleFresh  = 16
)

// scheduler orders one block at a time. Instructions are numbered in the old
// order; Instr.Flags is that number plus one while the block is looked at.
type scheduler struct {
	threshold, load, tex, alu int

	list  []*ir.Instr
	nodes []schedNode
	edges []schedEdge
	// Ready instructions: the last that became so, oldest first; of the others the
	// first in the old order, sorted; the rest in a heap.
	fresh   []int32
	window  []int32
	heap    []int32
	live    int
	pending []int32 // loads since the last write
}

type schedNode struct {
	firstEdge int32 // to what waits for it; -1 none
	waits     int32 // how many it waits for
	path      int32 // cycles from its start to the block's end
	start     int32 // cycle at which its operands are there
	left      int32 // uses of its value in this block that are not scheduled yet
	outside   bool  // its value is used elsewhere
}

type schedEdge struct{ to, next int32 }

func (sc *scheduler) block(blk *ir.Block) bool {
	sc.list = sc.list[:0]
	for in := range blk.Instrs() {
		if scheduled(in) {
			sc.list = append(sc.list, in)
		}
	}
	if len(sc.list) < 3 {
		return false
	}
	sc.build(blk)
	order := sc.order()
	changed := false
	for i, k := range order {
		changed = changed || int(k) != i
	}
	if changed {
		for _, k := range order {
			sc.list[k].MoveTo(ir.BeforeJump(blk))
		}
	}
	return changed
}

// scheduled tells what is put into order; the rest stays in front or at the end.
func scheduled(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindPhi, ir.KindJump, ir.KindLoadConst, ir.KindUndef:
		return false
	}
	return true
}

// build makes the graph of what waits for what.
func (sc *scheduler) build(blk *ir.Block) {
	n := len(sc.list)
	if cap(sc.nodes) < n {
		sc.nodes = make([]schedNode, n)
	}
	sc.nodes = sc.nodes[:n]
	sc.edges, sc.pending = sc.edges[:0], sc.pending[:0]
	for i, in := range sc.list {
		in.Flags = uint32(i) + 1
		sc.nodes[i] = schedNode{firstEdge: -1}
	}
	lastWrite := int32(-1)
	for i, in := range sc.list {
		k := int32(i)
		for j := range in.Srcs {
			if d := in.Srcs[j].Def.Instr; d.Block == blk && scheduled(d) {
				sc.edge(int32(d.Flags)-1, k)
				sc.nodes[d.Flags-1].left++
			}
		}
		switch {
		case orderedEffect(in):
			if lastWrite >= 0 {
				sc.edge(lastWrite, k)
			}
			for _, p := range sc.pending {
				sc.edge(p, k)
			}
			sc.pending, lastWrite = sc.pending[:0], k
		case seesEffects(in):
			if lastWrite >= 0 {
				sc.edge(lastWrite, k)
			}
			sc.pending = append(sc.pending, k)
		}
		for u := range in.Def.Uses() {
			if u.Instr == nil || u.Instr.Block != blk || u.Instr.Kind == ir.KindPhi || u.Instr.Kind == ir.KindJump {
				sc.nodes[i].outside = true
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		longest := int32(0)
		for e := sc.nodes[i].firstEdge; e >= 0; e = sc.edges[e].next {
			longest = max(longest, sc.nodes[sc.edges[e].to].path)
		}
		sc.nodes[i].path = longest + int32(sc.delay(sc.list[i]))
	}
}

func (sc *scheduler) edge(from, to int32) {
	sc.edges = append(sc.edges, schedEdge{to, sc.nodes[from].firstEdge})
	sc.nodes[from].firstEdge = int32(len(sc.edges) - 1)
	sc.nodes[to].waits++
}

// orderedEffect tells what keeps its place among its kind.
func orderedEffect(in *ir.Instr) bool {
	if in.Kind == ir.KindIntrinsic && (in.Intr == ir.IntrDeclReg || in.Intr == ir.IntrLoadParam) {
		return true
	}
	return hasSideEffects(in)
}

// seesEffects reports whether what an instruction makes may change where an
// effect stands on its other side: loads of what may be written, and what
// looks at other lanes.
func seesEffects(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return needsNeighbours(in) || in.TexInfo().Aliased
	case ir.KindIntrinsic:
		return in.Intr.Info().Flags&optab.CanReorder == 0 && !canReorder(in)
	}
	return false
}

func (sc *scheduler) delay(in *ir.Instr) int {
	switch in.Kind {
	case ir.KindALU:
		return sc.alu
	case ir.KindTex:
		return sc.tex
	case ir.KindIntrinsic:
		if _, store, mem := memOffsetSrc(in.Intr); mem && !store {
			return sc.load
		}
		return 1
	}
	return 0
}

// order returns the numbers of the instructions in their new order.
func (sc *scheduler) order() []int32 {
	n := len(sc.list)
	out := make([]int32, 0, n)
	sc.fresh, sc.window, sc.heap, sc.live = sc.fresh[:0], sc.window[:0], sc.heap[:0], 0
	for i := range sc.nodes {
		if sc.nodes[i].waits == 0 {
			sc.insert(int32(i))
		}
	}
	cycle := int32(0)
	for len(sc.window)+len(sc.fresh) > 0 {
		k := sc.take(cycle)
		out = append(out, k)
		cycle = max(cycle+1, sc.nodes[k].start)
		sc.done(k, cycle)
	}
	return out
}

// take removes the best of the instructions that are weighed.
func (sc *scheduler) take(cycle int32) int32 {
	tight := sc.live >= sc.threshold
	best := int32(-1)
	for _, l := range [][]int32{sc.window, sc.fresh} {
		for _, k := range l {
			if best < 0 || sc.better(k, best, cycle, tight) {
				best = k
			}
		}
	}
	if i := slices.Index(sc.fresh, best); i >= 0 {
		sc.fresh = append(sc.fresh[:i], sc.fresh[i+1:]...)
		return best
	}
	i := slices.Index(sc.window, best)
	sc.window = append(sc.window[:i], sc.window[i+1:]...)
	if len(sc.heap) > 0 {
		sc.window = append(sc.window, sc.pop()) // the last of the window
	}
	return best
}

// better reports whether x should come before y.
func (sc *scheduler) better(x, y int32, cycle int32, tight bool) bool {
	if tight {
		if gx, gy := sc.growth(x), sc.growth(y); gx != gy {
			return gx < gy
		}
	}
	a, b := &sc.nodes[x], &sc.nodes[y]
	if wx, wy := a.start > cycle, b.start > cycle; wx != wy {
		return wy
	}
	if a.path != b.path {
		return a.path > b.path
	}
	return x < y
}

// width is a value's share of the registers, in 32-bit components.
func width(d *ir.Def) int {
	return (int(d.NumComponents)*max(int(d.BitSize), 8) + 31) / 32
}

// growth is how many components live longer for an instruction than before it.
func (sc *scheduler) growth(k int32) int {
	in := sc.list[k]
	g := 0
	if in.HasDef() {
		g = width(&in.Def)
	}
	for i := range in.Srcs {
		if d := in.Srcs[i].Def; sc.lastUse(d, in, i) {
			g -= width(d)
		}
	}
	return g
}

// lastUse reports whether nothing else reads a value of the block after in;
// of equal sources the first counts.
func (sc *scheduler) lastUse(d *ir.Def, in *ir.Instr, i int) bool {
	if d.Instr.Block != in.Block || !scheduled(d.Instr) {
		return false
	}
	node := &sc.nodes[d.Instr.Flags-1]
	own := int32(0)
	for k := range in.Srcs {
		if in.Srcs[k].Def != d {
			continue
		}
		if k < i {
			return false
		}
		own++
	}
	return !node.outside && node.left == own
}

// done takes note that an instruction has been scheduled.
func (sc *scheduler) done(k, cycle int32) {
	in := sc.list[k]
	sc.live += sc.growth(k)
	for i := range in.Srcs {
		if d := in.Srcs[i].Def.Instr; d.Block == in.Block && scheduled(d) {
			sc.nodes[d.Flags-1].left--
		}
	}
	at := cycle - 1 + int32(sc.delay(in))
	for e := sc.nodes[k].firstEdge; e >= 0; e = sc.edges[e].next {
		to := &sc.nodes[sc.edges[e].to]
		to.start = max(to.start, at)
		if to.waits--; to.waits == 0 {
			sc.freshen(sc.edges[e].to)
		}
	}
}

// freshen adds an instruction that has become ready.
func (sc *scheduler) freshen(k int32) {
	if len(sc.fresh) == scheduleFresh {
		sc.insert(sc.fresh[0])
		sc.fresh = append(sc.fresh[:0], sc.fresh[1:]...)
	}
	sc.fresh = append(sc.fresh, k)
}

// insert adds an instruction that is ready to the others: the window holds those that stood first.
func (sc *scheduler) insert(k int32) {
	i := len(sc.window)
	if i == scheduleWindow {
		if k > sc.window[i-1] {
			sc.push(k)
			return
		}
		sc.push(sc.window[i-1])
		i--
	} else {
		sc.window = append(sc.window, 0)
	}
	for ; i > 0 && sc.window[i-1] > k; i-- {
		sc.window[i] = sc.window[i-1]
	}
	sc.window[i] = k
}

func (sc *scheduler) push(k int32) {
	sc.heap = append(sc.heap, k)
	for i := len(sc.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if sc.heap[up] <= sc.heap[i] {
			return
		}
		sc.heap[up], sc.heap[i] = sc.heap[i], sc.heap[up]
		i = up
	}
}

func (sc *scheduler) pop() int32 {
	h := sc.heap
	top, n := h[0], len(h)-1
	h[0] = h[n]
	sc.heap = h[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			return top
		}
		if k+1 < n && h[k+1] < h[k] {
			k++
		}
		if h[i] <= h[k] {
			return top
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
