package agx

import (
	"slices"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// pressureSchedule reorders each block so that fewer registers are live at
// once: bottom-up, of the instructions that may come last it takes the one that
// leaves the fewest live halves before it
// (agx.md §13). A block that does not get better keeps its order.
// A thread may use so many halves as limit says.
func pressureSchedule(f *mach.Func, limit int) {
	c := templates(f)
	c.live = mach.LiveBorders(f)
	p := &c.sched
	p.f, p.code, p.limit = f, c, int32(limit)
	p.names.begin(f)
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		first, end := p.region(blk)
		if end-first < 3 {
			continue
		}
		list := blk.Instrs[first:end]
		p.list = list
		p.names.enter(f, list, c.live.Out[b], blk.Instrs[end:])
		if order := p.best(); order != nil {
			p.sorted = p.sorted[:0]
			for _, k := range order {
				p.sorted = append(p.sorted, list[k])
			}
			copy(list, p.sorted)
		}
		p.names.leave()
	}
}

// best is the order for the region, nil if it stays as it is: of most regions in small shaders no order has fewer registers live, and
// nothing in them is waited for.
func (p *scheduler) best() (order []int32) {
	most := p.pressure(nil)
	fewer, waited := most > p.least(), slices.ContainsFunc(p.list, asks)
	if !fewer && !waited {
		return nil
	}
	p.graph()
	if fewer && p.run() {
		if n := p.pressure(p.order); n < most {
			order, most = p.order, n
		}
	}
	if !waited {
		return order
	}
	if late := p.hideLatency(order, most); late != nil {
		return late
	}
	if late := p.delaySplits(order, p.roomBeside(most)); late != nil {
		return late
	}
	return order
}

// maxChoices bounds how often an order weighs an instruction: the choice is quadratic in
// the width of the graph.
const maxChoices = 1 << 23

// scheduler is the state of a block under way.
type scheduler struct {
	f     *mach.Func
	code  *code
	limit int32 // halves
	list  []*mach.Instr
	names regionNames
	// preds[start[i]:start[i+1]] have to come before instruction i; waits[i]
	// counts what has to come after it and is not placed.
	preds []int32
	start []int32
	waits []int32
	def   []int32 // by name: the instruction of the region that defines it, plus 1
	dead  []int32 // by name: its size, and 0 while it is live
	// delta is by instruction the change of the live halves before it against those after it; readers[from[v]:from[v+1]]
	// read the value of name v.
	delta, readers, from []int32

	ready   []int32
	order   []int32
	sorted  []*mach.Instr
	ordered []int32
	loads   [2][]int32
	late    latencyOrder
	splits  splitDelay
}

// region is the part of a block that may be reordered: phis, inputs, results
// and terminators stay.
func (p *scheduler) region(blk *mach.Block) (first, end int) {
	end = len(blk.Instrs)
	for end > 0 && p.f.Props(blk.Instrs[end-1])&mach.PropTerminator != 0 {
		end--
	}
	for k := range end {
		switch blk.Instrs[k].Op {
		case mach.OpPhi, opInputs:
			first = k + 1
		case mach.OpPcopy:
			end = k
			return min(first, end), end
		}
	}
	return first, end
}

// order classes of an instruction: what it must not pass.
const (
	orderLoad = 1 << iota
	orderStore
	orderStackLoad // scratch is memory of its own
	orderStackStore
	orderCoverage
	orderLanes
	orderAll // nothing passes it
)

func (p *scheduler) class(in *mach.Instr) int {
	switch {
	case in.Op == opRefresh || in.Op == opUnwrap || in.Op == opBreak:
		return orderAll
	case in.Op == opShuffle:
		return orderLanes
	case in.Op < mach.FirstTargetOp:
		return 0
	}
	op := isaOp(in.Op)
	t := op.Traits()
	c := 0
	load, store := orderLoad, orderStore
	if op == isa.OpStackLoad || op == isa.OpStackStore {
		load, store = orderStackLoad, orderStackStore
	}
	if t&isa.TraitLoad != 0 || slices.Contains(p.code.aliased, in.Ext) {
		c |= load
	}
	if t&isa.TraitStore != 0 {
		c |= store
	}
	if t&isa.TraitCoverage != 0 {
		c |= orderCoverage
	}
	if t&isa.TraitLanes != 0 {
		c |= orderLanes
	}
	if op == isa.OpGetSR && !invariantSR(p.code.tmpl[in.Ext].Srcs[0].Val) {
		c |= orderCoverage | orderLanes
	}
	if t&(isa.TraitBarrier|isa.TraitExec|isa.TraitBranch|isa.TraitUnknown) != 0 || in.NDefs == 0 && c == 0 {
		return orderAll
	}
	return c
}

// graph finds what must come before what.
func (p *scheduler) graph() {
	list, n := p.list, len(p.list)
	p.preds, p.start = p.preds[:0], p.start[:0]
	p.waits, p.def = slab.Zeroed(p.waits, n), slab.Zeroed(p.def, len(p.names.vals))
	var lastCover, lastAll int32 = -1, -1
	ordered := p.ordered[:0] // since the last barrier
	memory := [2]accesses{{kinds: orderLoad | orderStore, store: orderStore, last: -1, loads: p.loads[0][:0]},
		{kinds: orderStackLoad | orderStackStore, store: orderStackStore, last: -1, loads: p.loads[1][:0]}}
	for i, in := range list {
		p.start = append(p.start, int32(len(p.preds)))
		for _, v := range p.names.reads(int32(i)) {
			if d := p.def[v]; d != 0 {
				p.edge(d - 1)
			}
		}
		c := p.class(in)
		switch {
		case c == orderAll:
			for _, k := range ordered {
				p.edge(k)
			}
			ordered, lastCover = ordered[:0], -1
			for m := range memory {
				memory[m].loads, memory[m].last = memory[m].loads[:0], -1
			}
			p.edge(lastAll)
			lastAll = int32(i)
		case c != 0:
			p.edge(lastAll)
			ordered = append(ordered, int32(i))
		}
		for m := range memory {
			p.access(&memory[m], c, int32(i))
		}
		if c != orderAll && c&orderCoverage != 0 {
			p.edge(lastCover)
			lastCover = int32(i)
		}
		for _, v := range p.names.writes(int32(i)) {
			p.def[v] = int32(i) + 1
		}
	}
	p.start = append(p.start, int32(len(p.preds)))
	p.ordered, p.loads = ordered, [2][]int32{memory[0].loads, memory[1].loads}
}

// accesses are what a region did to a memory so far.
type accesses struct {
	kinds, store int     // classes of its instructions, and of those that write
	last         int32   // store, or -1
	loads        []int32 // since that
}

// access orders instruction i of some class among the accesses of a memory.
func (p *scheduler) access(a *accesses, class int, i int32) {
	if class == orderAll || class&a.kinds == 0 {
		return
	}
	p.edge(a.last)
	if class&a.store == 0 {
		a.loads = append(a.loads, i)
		return
	}
	for _, k := range a.loads {
		p.edge(k)
	}
	a.loads, a.last = a.loads[:0], i
}

// edge says that the instruction under way comes after instruction k.
func (p *scheduler) edge(k int32) {
	if k < 0 {
		return
	}
	for _, have := range p.preds[p.start[len(p.start)-1]:] {
		if have == k {
			return
		}
	}
	p.preds = append(p.preds, k)
	p.waits[k]++
}

// run makes the order, last instruction first, then turns it round. It is false
// if there were too many choices.
func (p *scheduler) run() bool {
	p.atEnd()
	p.weigh()
	p.ready, p.order = p.ready[:0], p.order[:0]
	for i := range p.list {
		if p.waits[i] == 0 {
			p.ready = append(p.ready, int32(i))
		}
	}
	for choices := 0; len(p.ready) > 0; {
		if choices += len(p.ready); choices > maxChoices {
			return false
		}
		best := 0
		gain := p.delta[p.ready[0]]
		for k, i := range p.ready {
			if d := p.delta[i]; d < gain || d == gain && i > p.ready[best] {
				best, gain = k, d
			}
		}
		i := p.ready[best]
		p.ready[best] = p.ready[len(p.ready)-1]
		p.ready = p.ready[:len(p.ready)-1]
		p.place(i)
		p.order = append(p.order, i)
		for _, k := range p.preds[p.start[i]:p.start[i+1]] {
			if p.waits[k]--; p.waits[k] == 0 {
				p.ready = append(p.ready, k)
			}
		}
	}
	slices.Reverse(p.order)
	return true
}

// weigh finds the change of the live halves before each instruction against those after it, with what is live after the
// region, and what reads each value.
func (p *scheduler) weigh() {
	n := &p.names
	p.delta, p.from = slab.Resized(p.delta, len(p.list)), slab.Zeroed(p.from, len(n.vals)+2)
	for i := range int32(len(p.list)) {
		d := int32(0)
		writes, reads := n.both(i)
		for _, v := range writes {
			d += p.dead[v] - n.size[v]
		}
		for _, v := range reads {
			d += p.dead[v]
			p.from[v+2]++
		}
		p.delta[i] = d
	}
	for v := 2; v < len(p.from); v++ {
		p.from[v] += p.from[v-1]
	}
	p.readers = slab.Resized(p.readers, int(p.from[len(p.from)-1]))
	for i := range int32(len(p.list)) {
		for _, v := range n.reads(i) {
			p.readers[p.from[v+1]] = i
			p.from[v+1]++
		}
	}
}

// place makes live what is live before an instruction: whoever else reads it, or writes it, adds that much less.
func (p *scheduler) place(i int32) {
	for _, v := range p.names.reads(i) {
		size := p.dead[v]
		if size == 0 {
			continue
		}
		p.dead[v] = 0
		for _, k := range p.readers[p.from[v]:p.from[v+1]] {
			p.delta[k] -= size
		}
		if d := p.def[v]; d != 0 {
			p.delta[d-1] -= size
		}
	}
}

// atEnd makes live what is live after the region.
func (p *scheduler) atEnd() {
	p.dead = append(p.dead[:0], p.names.size...)
	for v, after := range p.names.after {
		if after {
			p.dead[v] = 0
		}
	}
}

// least is what no order of the instructions can have fewer live halves than: what is live after them, or what one of them
// writes or reads at once. In small shaders the order as it stands often has no more, and another need not be looked for.
func (p *scheduler) least() int32 {
	most := p.names.halves
	for i := range p.list {
		n := int32(0)
		for _, v := range p.names.reads(int32(i)) {
			n += p.names.size[v]
		}
		most = max(most, n)
	}
	return most
}

// pressure is the largest number of halves live at once with the instructions
// in an order, nil being as they stand.
func (p *scheduler) pressure(order []int32) int32 {
	p.atEnd()
	now := p.names.halves
	most := now
	for k := len(p.list) - 1; k >= 0; k-- {
		i := int32(k)
		if order != nil {
			i = order[k]
		}
		writes, reads := p.names.both(i)
		after := now
		for _, v := range writes {
			most = max(most, after+p.dead[v]) // written all the same
			now += p.dead[v] - p.names.size[v]
			p.dead[v] = p.names.size[v]
		}
		for _, v := range reads {
			now += p.dead[v]
			p.dead[v] = 0
		}
		most = max(most, now)
	}
	return most
}
