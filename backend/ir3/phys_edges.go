package ir3

import "nirc/backend/mach"

// Where fibers part, those of one way run first and the others wait (the
// ir3.md §5.1 and 5.3): control then drops from the end of the one way
// to where the others are, along an edge that no fiber goes. For what each fiber
// has for itself that does not matter. A shared register or a1.x, and what is under way to it or reads it, is as the way
// that ran before has left it.

// flow is the control flow of a program whose blocks stand in order.
type flow struct {
	succs     [][]int32
	divergent []bool // by block: fibers may part at its end
	// since[t] is the first block from which on fibers can wait for block t, -1 none.
	since []int32
	loops [][2]int32 // first and last block
}

func newFlow(blocks int) *flow {
	f := &flow{succs: make([][]int32, blocks), divergent: make([]bool, blocks), since: make([]int32, blocks)}
	for b := range f.since {
		f.since[b] = -1
	}
	return f
}

// wait notes that fibers may wait for block t from block b on, and reports whether that is news.
func (f *flow) wait(t, b int32) bool {
	if f.since[t] >= 0 && f.since[t] <= b {
		return false
	}
	f.since[t] = b
	return true
}

// solve finds where fibers can wait. It reports whether they do at all.
func (f *flow) solve() bool {
	any := false
	for b, succs := range f.succs {
		later := int32(-1)
		for _, s := range succs {
			if s <= int32(b) {
				f.loops = append(f.loops, [2]int32{s, int32(b)})
			}
			later = max(later, s)
		}
		if f.divergent[b] && len(succs) == 2 && succs[0] != succs[1] && later > int32(b) {
			any = f.wait(later, int32(b)) || any
		}
	}
	for again := any; again; {
		again = false
		// Who waits after a loop does so through its later iterations.
		for _, l := range f.loops {
			for t := l[1] + 1; t < int32(len(f.since)); t++ {
				if s := f.since[t]; s > l[0] && s <= l[1] {
					again = f.wait(t, l[0]) || again
				}
			}
		}
		// Who jumps over a place where others wait waits too.
		f.drops(func(b, _, to int32) { again = f.wait(to, b) || again })
	}
	return any
}

// drops calls drop for each place t where fibers can wait that an edge from b
// to a block after jumps over.
func (f *flow) drops(drop func(b, t, to int32)) {
	for b, succs := range f.succs {
		for _, to := range succs {
			for t := int32(b) + 1; t < to; t++ {
				if s := f.since[t]; s >= 0 && s <= int32(b) {
					drop(int32(b), t, to)
				}
			}
		}
	}
}

// physicalEdges gives f the edges along which control drops to waiting fibers.
func physicalEdges(f *mach.Func) {
	g := newFlow(len(f.Blocks))
	store := make([]int32, 0, 2*len(f.Blocks))
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		at := len(store)
		for _, s := range blk.Succs {
			store = append(store, int32(s))
		}
		g.succs[b] = store[at:]
		g.divergent[b] = len(blk.Succs) > 1 && blk.Instrs[len(blk.Instrs)-1].Flags&brUniform == 0
	}
	if !g.solve() {
		return
	}
	last := [2]int32{-1, -1}
	g.drops(func(b, t, _ int32) {
		if e := [2]int32{b, t}; e != last {
			f.AddPhysEdge(mach.BlockID(b), mach.BlockID(t))
			last = e
		}
	})
}

// physicalEdges gives the blocks of p their physical predecessors.
func (p *phys) physicalEdges() {
	g := newFlow(len(p.blocks))
	for b := range p.blocks {
		blk := &p.blocks[b]
		g.succs[b], g.divergent[b] = blk.succs, blk.divergent && !blk.uniform
	}
	if !g.solve() {
		return
	}
	g.drops(func(b, t, _ int32) { p.blocks[t].physPreds = append(p.blocks[t].physPreds, b) })
}
