package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

const (
	// latencyHalves is how many registers the order for latency may use: as many cost no thread
	// (agx.md §1.3), with some room for values that need neighbours.
	latencyHalves = 80
	// neighbourHalves is the room for values that need neighbours where that is not enough, of what costs no thread.
	neighbourHalves = 8
	// fillHalves is how many registers may be live with what only fills the time of results, unless the order of few
	// registers has more: with latencyHalves a row of moves to outputs took 80, and no wait was shorter for the last of them.
	fillHalves = 32
	// waitShare is the part of the time that instructions take that waits must have before more registers are tried for them.
	waitShare = 0.25
	// sameThreadsGain and fewerThreadsGain are to how much of its time an order with more registers must bring a region.
	sameThreadsGain, fewerThreadsGain = 0.9, 0.75
	// maxLate is how often an order is made.
	maxLate = 3
	// maxInFlight is how many results may be pending: more, and something waits for the first of them.
	maxInFlight = 2 * maxOutstanding
	// resultTime is how long a result takes, in instructions.
	resultTime = latencyMemory
)

// latencyOrder is the state of a region that is put in order from its first instruction on. Nothing but loads
// and what leads to them goes up: what waits for nothing follows in the order that keeps few registers live.
type latencyOrder struct {
	left []int32 // by name: uses that are to come in the region; more if it is live after it
	// growth and peak are by instruction how many registers more are live after it and while it runs, readers by name the
	// instructions that read the value and are not placed, all in one by exclusive or.
	growth, peak, readers []int32

	rank  []int32 // by instruction: its place in the order of few registers
	early []bool  // by instruction: it asks for a result, or one that does needs it
	due   []int32 // by instruction: when its sources are there
	preds []int32 // by instruction: what must come before it and is not placed
	succs []int32 // succs[from[i]:from[i+1]] come after instruction i
	from  []int32
	// queues hold what is ready and waits for nothing, waiting the rest, by when it is there: of each the next stands last.
	queues  [queueKinds][]int32
	waiting []int32
	order   []int32
	kept    []int32 // the best order
	now     int32
	live    int32
	most    int32
	room    int32 // halves that may be live
	fill    int32 // halves that may be live where something that asks for no result begins
	// pending counts the results under way that were asked for after the last wait.
	pending int
}

// liveAfter marks a value that is live after the region.
const liveAfter = 1 << 20

// asks reports whether an instruction asks for a result that has to be waited for.
func asks(in *mach.Instr) bool {
	return in.Op >= mach.FirstTargetOp && in.NDefs > 0 && in.Op < opInputs && isaOp(in.Op).Traits()&isa.TraitAsync != 0
}

// hideLatency orders the region for latency, base being its order of few registers, of which most are live at once, and nil
// its own: with latencyHalves if that will do, else with as many as that order has, and with more where waits are long and so much shorter
// then. It returns nil where too many registers would be live, or there were too many choices.
func (p *scheduler) hideLatency(base []int32, most int32) []int32 {
	p.late.find(p, p.list)
	room := int32(latencyHalves)
	order, late := p.lateWithin(base, min(latencyHalves, max(fillHalves, most)), room)
	if order == nil || late > latencyHalves {
		room = p.roomBeside(most)
		order = p.lateOrder(base, max(fillHalves, most), room)
	}
	return p.wider(base, order, most, room)
}

// wider is an order with more registers than the room that order has, base if it is nil: as many as cost no thread, then a step of threads
// less. Fewer threads hide less of all waits of the program, so they have to save a good part.
func (p *scheduler) wider(base, order []int32, most, room int32) []int32 {
	l := &p.late
	threads := threadsFor(int(room))
	issue, wait := p.timeOf(order, base)
	for _, less := range [...]int{threads, threadsFor(halvesFor(threads) + 1)} {
		next := int32(halvesFor(less)) - neighbourHalves
		hidden := 32 * schedulers / float64(threads)
		if next <= room || next > p.limit || wait*hidden < issue*waitShare {
			continue
		}
		if order != nil {
			l.kept = append(l.kept[:0], order...) // the next one is made where it stands
			order = l.kept
		}
		wide := p.lateOrder(base, max(fillHalves, most), next)
		if wide == nil {
			continue
		}
		gain := sameThreadsGain
		if less < threads {
			gain = fewerThreadsGain
		}
		if _, w := p.timeOf(wide, nil); issue+w*32*schedulers/float64(less) <= gain*(issue+wait*hidden) {
			l.kept = append(l.kept[:0], wide...)
			order, wait, room, threads = l.kept, w, next, less
		}
	}
	return order
}

// timeOf is about how long a wave issues the instructions of an order, and how long it waits; base stands for one that is nil, and the list
// as it is for both.
func (p *scheduler) timeOf(order, base []int32) (issue, wait float64) {
	if order == nil {
		order = base
	}
	l := &p.late
	l.due = slab.Zeroed(l.due, len(p.list))
	now := int32(0)
	for k := range p.list {
		i := int32(k)
		if order != nil {
			i = order[k]
		}
		for _, d := range p.preds[p.start[i]:p.start[i+1]] {
			now = max(now, l.due[d])
		}
		now++
		l.due[i] = now
		if asks(p.list[i]) {
			l.due[i] += resultTime
		}
	}
	issue = float64(len(p.list))
	return issue, float64(now) - issue
}

// roomBeside is how many halves may be live where an order has most of them, and cost no thread.
func (p *scheduler) roomBeside(most int32) int32 {
	return max(most, int32(halvesFor(threadsFor(int(most))))-neighbourHalves)
}

// lateOrder is hideLatency with so many registers, and so many where something begins that only fills time. Where nothing has room
// and something must be taken all the same, more are live than were to be: then it is made again with so much less.
func (p *scheduler) lateOrder(base []int32, fill, room int32) []int32 {
	for least, try := room, 0; try < maxLate && least > 0; try++ {
		order, most := p.lateWithin(base, min(fill, least), least)
		if order == nil || most <= room {
			return order
		}
		least -= most - room
	}
	return nil
}

// lateWithin is an order that has room for so many live registers, and how many are; nil after too many choices.
func (p *scheduler) lateWithin(base []int32, fill, room int32) (order []int32, most int32) {
	l := &p.late
	l.prepare(p, p.list, base)
	l.count(&p.names, len(p.list))
	l.weigh(&p.names, len(p.list))
	l.room, l.fill = room, fill
	for choices, ready := 0, l.ready(); ready > 0 && choices <= maxChoices; choices += ready {
		l.place(p, l.choose(p))
		ready = l.ready()
	}
	if len(l.order) < len(p.list) {
		return nil, 0
	}
	return l.order, l.most
}

// find finds what goes up.
func (l *latencyOrder) find(p *scheduler, list []*mach.Instr) {
	n := len(list)
	l.early = slab.Zeroed(l.early, n)
	for i := n - 1; i >= 0; i-- {
		if l.early[i] = l.early[i] || asks(list[i]); !l.early[i] {
			continue
		}
		for _, k := range p.preds[p.start[i]:p.start[i+1]] {
			l.early[k] = true
		}
	}
}

// prepare makes the graph from the first instruction on.
func (l *latencyOrder) prepare(p *scheduler, list []*mach.Instr, base []int32) {
	n := len(list)
	l.rank, l.due, l.preds = slab.Resized(l.rank, n), slab.Zeroed(l.due, n), slab.Resized(l.preds, n)
	for i := range l.rank {
		if base == nil {
			l.rank[i] = int32(i)
		} else {
			l.rank[base[i]] = int32(i)
		}
	}
	l.from = slab.Zeroed(l.from, n+2)
	for _, k := range p.preds {
		l.from[k+2]++
	}
	for i := 2; i < len(l.from); i++ {
		l.from[i] += l.from[i-1]
	}
	l.succs = slab.Resized(l.succs, len(p.preds))
	l.waiting, l.order = l.waiting[:0], l.order[:0]
	for k := range l.queues {
		l.queues[k] = l.queues[k][:0]
	}
	l.now, l.pending = 0, 0
	for i := range list {
		preds := p.preds[p.start[i]:p.start[i+1]]
		for _, k := range preds {
			l.succs[l.from[k+1]] = int32(i)
			l.from[k+1]++
		}
		l.preds[i] = int32(len(preds))
	}
	for i := range list {
		if l.preds[i] == 0 {
			l.enter(p, int32(i))
		}
	}
}

// count finds the uses of each value, and what is live before the region of n instructions.
func (l *latencyOrder) count(names *regionNames, n int) {
	l.left, l.live = slab.Zeroed(l.left, len(names.vals)), names.halves
	for v, after := range names.after {
		if after {
			l.left[v] = liveAfter
		}
	}
	for i := range int32(n) {
		for _, v := range names.reads(i) {
			if l.left[v]++; l.left[v] == 1 {
				l.live += names.size[v]
			}
		}
	}
	for i := range int32(n) {
		for _, v := range names.writes(i) {
			if l.left[v] > 0 {
				l.live -= names.size[v]
			}
		}
	}
	l.most = l.live
}

// weigh finds how many registers more are live after each instruction, and how many while it runs. Both hold until
// something else that reads the same values is placed.
func (l *latencyOrder) weigh(names *regionNames, n int) {
	l.growth, l.peak, l.readers = slab.Resized(l.growth, n), slab.Resized(l.peak, n), slab.Zeroed(l.readers, len(names.vals))
	for i := range int32(n) {
		var grown, peak int32
		writes, reads := names.both(i)
		for _, v := range writes {
			if peak += names.size[v]; l.left[v] > 0 {
				grown += names.size[v]
			}
		}
		for _, v := range reads {
			if l.readers[v] ^= i; l.left[v] == 1 {
				grown -= names.size[v]
				peak -= names.size[v]
			}
		}
		l.growth[i], l.peak[i] = grown, peak
	}
}

// read takes a reader, i, from a value. The one that is left, if it is the last, ends it.
func (l *latencyOrder) read(names *regionNames, v, i int32) {
	l.readers[v] ^= i
	if l.left[v]--; l.left[v] == 1 {
		last := l.readers[v]
		l.growth[last] -= names.size[v]
		l.peak[last] -= names.size[v]
	}
}

// fits reports whether there is room for an instruction, in registers and among the results that are pending.
func (l *latencyOrder) fits(p *scheduler, i int32) bool {
	n := l.growth[i]
	room := l.fill
	if l.early[i] {
		room = l.room
	}
	return (n <= 0 || l.live+max(n, l.peak[i]) <= room) && (l.pending < maxInFlight || !asks(p.list[i]))
}

// place puts an instruction next.
func (l *latencyOrder) place(p *scheduler, i int32) {
	if l.due[i] > l.now {
		l.now, l.pending = l.due[i], 0
	}
	l.most = max(l.most, l.live+max(l.growth[i], l.peak[i]))
	l.live += l.growth[i]
	for _, v := range p.names.reads(i) {
		l.read(&p.names, v, i)
	}
	l.order = append(l.order, i)
	l.now++
	due := l.now
	if asks(p.list[i]) {
		due += resultTime
		l.pending++
	}
	for _, s := range l.succs[l.from[i]:l.from[i+1]] {
		l.due[s] = max(l.due[s], due)
		if l.preds[s]--; l.preds[s] == 0 {
			l.enter(p, s)
		}
	}
}
