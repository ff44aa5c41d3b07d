package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// preScheduler orders the instructions of blocks before register allocation
// (ir3.md §9.4): results that take long are asked for
// early, as long as the values that live at once fit the registers that cost no
// wave. Members of a repeat group, and a vector with its split, stay together; a split that
// comes first goes first: it costs nothing, and components that nothing reads are free from there on. Nothing moves
// across barriers, kills, votes and instructions with address registers.
type preScheduler struct {
	f      *mach.Func
	code   *code
	gpu    *GPU
	double bool
	lv     *mach.Liveness
	budget int
	branch []bool // by value: the predicate of a branch

	left    []int32 // by value: uses in the block that are still to come; more if it is live at the end
	units   []preUnit
	edges   []preEdge
	defUnit []int32 // by value: its unit in the segment, plus 1
	ready   readyUnits
	memory  [memClasses]memOrder
	placed  [memClasses][]placedAccess // of private and workgroup memory
	live    int                        // units of general registers in use
	peak    int                        // the most of them in the block
	halves  int                        // units of halves among them, which have names in half of the registers only
	crowd   int                        // the most of these in the block
	inOrder bool                       // what has no room goes in the order of the program
	waiting int                        // results under way that (sy) would wait for
	flags   [preWaits]flagClock
	issued  int32 // units that are out, over the whole block
	now     int32 // slots that have passed in it
	time    preTime
	spare   [][]*mach.Instr // by block, for orders that are not in use
	rooms   []preRoom
	waves   int // on a scheduler, that the order is for
}

type preUnit struct {
	first, n int32
	preds    int32
	succs    int32 // first edge, -1 none
	critical int32
	earliest int32 // slot at which the results that come without a flag are there
	slots    int32
	most     int32           // register units of its results: growth is no more
	halves   int32           // those of them that are halves
	asked    [preWaits]int32 // number of the last unit whose result it must wait for by a flag, 0 none
	long     bool            // (sy) waits for its result
	vector   bool            // it is a vector of immediates, and what makes them
}

type preEdge struct {
	to, next, latency int32
	wait              preWait
}

// preWait is how a result is waited for.
type preWait int8

// The flags wait for all results of their kind that are under way.
const (
	waitSS preWait = iota
	waitSY
	preWaits
	waitSlots // no flag: for so many slots
)

// flagClock is what is known of a flag in a block.
type flagClock struct {
	arrives int32 // slot at which all that is under way is there
	waited  int32 // number of the last unit that was out when it was waited for
}

// maxWaiting bounds the results of textures and memory that are under way at once.
const (
	maxWaiting = 16
	liveAtEnd  = 1 << 20
)

// run orders all blocks of f, whose liveness is lv, within the room that leaves the least time.
func (p *preScheduler) run(f *mach.Func, lv *mach.Liveness, g *GPU, double bool, rooms []preRoom) {
	n := f.NumValues()
	*p = preScheduler{f: f, code: templates(f), gpu: g, double: double, lv: lv, branch: p.branch, left: slab.Zeroed(p.left, n),
		defUnit: slab.Zeroed(p.defUnit, n), units: p.units[:0], edges: p.edges[:0], ready: p.ready, memory: p.memory, placed: p.placed, spare: p.spare, rooms: p.rooms}
	p.branchPreds()
	best := p.bestOrder(rooms)
	for b, ins := range best {
		f.Blocks[b].Instrs = ins
	}
	clear(best)
	p.spare = best
}

func (p *preScheduler) size(v mach.Value) int {
	if p.f.File(v) != fileGPR {
		return 0
	}
	return p.f.Size(v)
}

// block returns the instructions of a block in their new order.
func (p *preScheduler) block(b mach.BlockID) []*mach.Instr {
	blk := &p.f.Blocks[b]
	p.live, p.halves, p.waiting, p.issued, p.now, p.flags = 0, 0, 0, 0, 0, [preWaits]flagClock{}
	p.lv.In[b].Each(func(v mach.Value) { p.hold(v, p.size(v)) })
	p.peak, p.crowd = p.live, p.halves
	for _, in := range blk.Instrs {
		if in.Op == mach.OpPhi {
			continue
		}
		for _, u := range in.Uses() {
			p.left[u.Val]++
		}
	}
	p.lv.Out[b].Each(func(v mach.Value) { p.left[v] += liveAtEnd })
	out := p.f.InstrList(len(blk.Instrs))
	start := 0
	for i, in := range blk.Instrs {
		if !p.fixed(in) && !(i == start && in.Op == mach.OpSplit) {
			continue
		}
		out = p.segment(blk.Instrs[start:i], out)
		out = append(out, in)
		p.account(in)
		start = i + 1
	}
	out = p.segment(blk.Instrs[start:], out)
	p.lv.Out[b].Each(func(v mach.Value) { p.left[v] = 0 })
	return out
}

// fixed reports whether nothing moves across in.
func (p *preScheduler) fixed(in *mach.Instr) bool {
	switch {
	case in.Op == mach.OpPhi:
		return true
	case in.Op < mach.FirstTargetOp:
		return false
	case in.Op == opFineDsx || in.Op == opFineDsy:
		return false
	case in.Op >= opInputs:
		return true
	}
	t := &p.code.tmpl[in.Ext]
	switch c := t.Op.Category(); {
	case c == 0, c == 7, t.Op == isa.OpMova, t.Op == isa.OpMova1, t.Dst.Kind == isa.RelReg:
		return true
	}
	switch t.Mode {
	case isa.TexBindlessA1, isa.TexBindlessA1Nonu, isa.TexBindlessA1Imm:
		return true
	}
	for _, o := range t.Srcs {
		if o.Kind == isa.RelConst || o.Kind == isa.RelReg {
			return true
		}
	}
	// A predicate for a kill or a vote stays with it, as there are few.
	return in.NDefs == 1 && p.f.File(in.Ops[0].Val) == filePred && p.left[in.Ops[0].Val] > 0 && !p.branch[in.Ops[0].Val]
}

// branchPreds marks the predicates that end blocks.
func (p *preScheduler) branchPreds() {
	p.branch = slab.Zeroed(p.branch, p.f.NumValues())
	for b := range p.f.Blocks {
		l := p.f.Blocks[b].Instrs
		if len(l) == 0 || !isBranch(l[len(l)-1].Op) {
			continue
		}
		for _, u := range l[len(l)-1].Uses() {
			p.branch[u.Val] = true
		}
	}
}

// account follows the live values over an instruction.
func (p *preScheduler) account(in *mach.Instr) {
	if in.Op != mach.OpPhi {
		for _, u := range in.Uses() {
			if p.left[u.Val]--; p.left[u.Val] == 0 {
				p.hold(u.Val, -p.size(u.Val))
			}
		}
	}
	for _, d := range in.Defs() {
		if p.left[d.Val] > 0 {
			p.hold(d.Val, p.size(d.Val))
		}
	}
	p.peak, p.crowd = max(p.peak, p.live), max(p.crowd, p.halves)
}

// hold counts so many units of v as in use, or no more.
func (p *preScheduler) hold(v mach.Value, units int) {
	p.live += units
	if p.f.Class(v) == classHalf {
		p.halves += units
	}
}

// segment appends ins in their new order.
func (p *preScheduler) segment(ins, out []*mach.Instr) []*mach.Instr {
	if len(ins) < 3 {
		for _, in := range ins {
			p.account(in)
		}
		return append(out, ins...)
	}
	p.makeUnits(ins)
	p.makeEdges(ins)
	p.ready.begin(len(p.units))
	for i := range p.units {
		if p.units[i].preds == 0 {
			p.ready.add(int32(i))
		}
	}
	for len(p.ready.first) > 0 {
		i := p.ready.take(p.choose(ins))
		u := &p.units[i]
		p.arrive(u)
		if u.long {
			p.waiting++
		}
		for _, in := range ins[u.first : u.first+u.n] {
			p.account(in)
		}
		out = append(out, ins[u.first:u.first+u.n]...)
		p.now += u.slots
		p.time.issue += int64(u.slots)
		p.issued++
		for e := u.succs; e >= 0; e = p.edges[e].next {
			to := &p.units[p.edges[e].to]
			p.result(to, &p.edges[e])
			if to.preds--; to.preds == 0 {
				p.ready.add(p.edges[e].to)
			}
		}
	}
	for _, in := range ins {
		for _, d := range in.Defs() {
			p.defUnit[d.Val] = 0
		}
	}
	return out
}

// arrive moves the time to where a unit's sources are there.
func (p *preScheduler) arrive(u *preUnit) {
	if u.earliest > p.now {
		p.time.nops += int64(u.earliest - p.now)
		p.time.issue += int64(u.earliest - p.now)
		p.now = u.earliest
	}
	for k := range p.flags {
		f := &p.flags[k]
		if u.asked[k] <= f.waited {
			continue
		}
		if f.waited = p.issued; f.arrives > p.now {
			p.time.stall += int64(f.arrives - p.now)
			p.now = f.arrives
		}
		if preWait(k) == waitSY {
			p.waiting = 0
		}
	}
}

// result notes that a unit reads what the one that was just issued has made.
func (p *preScheduler) result(to *preUnit, e *preEdge) {
	if e.wait == waitSlots {
		to.earliest = max(to.earliest, p.now+e.latency)
		return
	}
	to.asked[e.wait] = p.issued
	f := &p.flags[e.wait]
	f.arrives = max(f.arrives, p.now+e.latency)
}

// stall is how long a unit has to wait.
func (p *preScheduler) stall(u *preUnit) int32 {
	wait := max(0, u.earliest-p.now)
	for k := range p.flags {
		if f := &p.flags[k]; u.asked[k] > f.waited {
			wait = max(wait, f.arrives-p.now)
		}
	}
	return wait
}

// makeUnits cuts the segment into pieces that stay whole.
func (p *preScheduler) makeUnits(ins []*mach.Instr) {
	p.units = p.units[:0]
	for i := 0; i < len(ins); {
		n := 1
		in := ins[i]
		if in.Op >= mach.FirstTargetOp && in.Aux != 0 {
			for i+n < len(ins) && ins[i+n].Op == in.Op && ins[i+n].Aux == in.Aux {
				n++
			}
		}
		if i+n < len(ins) && ins[i+n].Op == mach.OpSplit && n == 1 && in.NDefs > 0 && ins[i+n].Uses()[0].Val == in.Ops[0].Val {
			n++
		}
		u := preUnit{first: int32(i), n: int32(n), succs: -1}
		if v := p.immVector(ins[i:]); v > 0 {
			u.n, u.vector, n = int32(v), true, v
		}
		for k := range n {
			p.describe(&u, ins[i+k])
			for _, d := range ins[i+k].Defs() {
				p.defUnit[d.Val] = int32(len(p.units) + 1)
				if u.vector && k < n-1 {
					continue // it is in the vector
				}
				n := int32(p.size(d.Val))
				u.most += n
				if p.f.Class(d.Val) == classHalf {
					u.halves += n
				}
			}
		}
		p.units = append(p.units, u)
		i += n
	}
}

// immVector is how many instructions a vector of immediates is that starts with ins[0], 0 if none does. Apart its elements could take
// all room with vectors that are begun.
func (p *preScheduler) immVector(ins []*mach.Instr) int {
	n := 0
	for n < len(ins) && ins[n].Op == machOp(isa.OpMov) && p.code.tmpl[ins[n].Ext].Srcs[0].Kind == isa.Imm && p.left[ins[n].Ops[0].Val] == 1 {
		n++
	}
	if n == 0 || n == len(ins) || ins[n].Op != mach.OpCollect || len(ins[n].Uses()) != n {
		return 0
	}
	for _, in := range ins[:n] {
		if usesOf(in.Ops[0].Val, ins[n].Uses()) == 0 {
			return 0
		}
	}
	return n + 1
}

func (p *preScheduler) describe(u *preUnit, in *mach.Instr) {
	if in.Op < mach.FirstTargetOp {
		return
	}
	if in.Op >= opInputs {
		u.long = true
		return
	}
	t := &p.code.tmpl[in.Ext]
	u.slots += int32(p.gpu.slots(t))
	u.long = u.long || t.Op.Category() >= 5 && syncOf(t).sy
}

// makeEdges finds what depends on what; definitions come before uses in the list.
func (p *preScheduler) makeEdges(ins []*mach.Instr) {
	p.edges = p.edges[:0]
	for i := range p.memory {
		p.memory[i].lastWrite, p.memory[i].reads = -1, p.memory[i].reads[:0]
		p.placed[i] = p.placed[i][:0]
	}
	for i := range p.units {
		u := &p.units[i]
		for _, in := range ins[u.first : u.first+u.n] {
			for _, o := range in.Uses() {
				if d := p.defUnit[o.Val] - 1; d >= 0 && d != int32(i) {
					latency, wait := p.latency(ins, d, in)
					p.edge(d, int32(i), latency, wait)
				}
			}
			if in.Op >= mach.FirstTargetOp && in.Op < opInputs {
				p.order(int32(i), in)
			}
		}
	}
	for i := len(p.units) - 1; i >= 0; i-- {
		u := &p.units[i]
		for e := u.succs; e >= 0; e = p.edges[e].next {
			u.critical = max(u.critical, p.edges[e].latency+p.units[p.edges[e].to].critical)
		}
		u.critical += u.slots
	}
}

func (p *preScheduler) edge(from, to, latency int32, wait preWait) {
	if from < 0 || from == to {
		return
	}
	p.edges = append(p.edges, preEdge{to, p.units[from].succs, latency, wait})
	p.units[from].succs = int32(len(p.edges) - 1)
	p.units[to].preds++
}

// order keeps accesses to memory in order where one of them writes what the other may touch.
func (p *preScheduler) order(i int32, in *mach.Instr) {
	t := &p.code.tmpl[in.Ext]
	reads, writes := memoryOf(t)
	for c := range p.memory {
		m := &p.memory[c]
		switch {
		case (c == memLocal || c == memPrivate) && (reads|writes)>>c&1 != 0:
			p.placed[c] = p.orderPlaced(p.placed[c], placeOf(i, in, t, writes>>c&1 != 0))
		case writes>>c&1 != 0:
			for _, r := range m.reads {
				p.edge(r, i, 0, waitSlots)
			}
			p.edge(m.lastWrite, i, 0, waitSlots)
			m.lastWrite, m.reads = i, m.reads[:0]
		case reads>>c&1 != 0:
			p.edge(m.lastWrite, i, 0, waitSlots)
			m.reads = append(m.reads, i)
		}
	}
}

// latency is the usual time from the end of unit d to its reader, and how that waits.
func (p *preScheduler) latency(ins []*mach.Instr, d int32, to *mach.Instr) (int32, preWait) {
	u := &p.units[d]
	from := ins[u.first]
	if from.Op < mach.FirstTargetOp {
		return 0, waitSlots
	}
	if from.Op >= opInputs {
		return 30, waitSY
	}
	t := &p.code.tmpl[from.Ext]
	k := syncOf(t)
	switch {
	case k.sy && t.Op == isa.OpLdc:
		return int32(21+8*int(t.Size)) / 2, waitSY
	case k.sy && t.Op.Category() == 5:
		return 36, waitSY
	case k.sy:
		return 86, waitSY
	case p.gpu.isScalar(t):
		if to.Op >= mach.FirstTargetOp && to.Op < opInputs && p.gpu.isScalar(&p.code.tmpl[to.Ext]) {
			return 0, waitSlots
		}
		return 6, waitSS
	case k.ss:
		return 10, waitSS
	}
	alu, far := int32(3), int32(6)
	if p.gpu.Gen == isa.A7xx {
		alu, far = 2, 5
	}
	if to.Op < mach.FirstTargetOp || to.Op >= opInputs || p.code.tmpl[to.Ext].Op.Category() > 3 {
		return far, waitSlots
	}
	return max(0, alu-u.slots+1), waitSlots
}

// growth is how many register units more are in use after a unit.
func (p *preScheduler) growth(ins []*mach.Instr, i int32) int {
	u := &p.units[i]
	if u.vector {
		return int(u.most)
	}
	g := 0
	for k, in := range ins[u.first : u.first+u.n] {
		uses := in.Uses()
		for j, o := range uses {
			if p.defUnit[o.Val] == i+1 {
				continue
			}
			n := 1 + usesOf(o.Val, uses[:j])
			for _, before := range ins[u.first : u.first+int32(k)] {
				n += usesOf(o.Val, before.Uses())
			}
			if p.left[o.Val] == n {
				g -= p.size(o.Val)
			}
		}
		for _, d := range in.Defs() {
			if p.left[d.Val] > 0 && (u.n == 1 || in.Aux != 0 || in.Op == mach.OpSplit) {
				g += p.size(d.Val)
			}
		}
	}
	return g
}

// usesOf counts the operands that are the value.
func usesOf(v mach.Value, ops []mach.Operand) int32 {
	n := int32(0)
	for _, o := range ops {
		if o.Val == v {
			n++
		}
	}
	return n
}

// choose picks from the ready list: where there is room, or none is taken, what waits for nothing
// with the longest way to the end; else what takes least room, or is first in the program.
func (p *preScheduler) choose(ins []*mach.Instr) int {
	best, bestKey := 0, int64(-1<<62)
	for k, i := range p.ready.first {
		u := &p.units[i]
		var key int64
		if u.long && p.waiting >= maxWaiting {
			key = -1 << 50
		} else if wait := p.stall(u); wait > 0 {
			key = -int64(wait) << 30
		} else {
			key = int64(u.critical) << 20
		}
		// Without room it is less still. What a unit takes is dear to know: most have room whatever it is, or are not the best anyway.
		key -= int64(i)
		if key > bestKey && (p.live+int(u.most) > p.budget || u.halves > 0 && p.halves+int(u.halves) > halfRoom) {
			key = p.withoutRoom(ins, i, key)
		}
		if key > bestKey {
			best, bestKey = k, key
		}
	}
	return best
}

// withoutRoom is what choose goes by of a unit that has the given key where there is room: that, if there is.
func (p *preScheduler) withoutRoom(ins []*mach.Instr, i int32, key int64) int64 {
	g := p.growth(ins, i)
	if g <= 0 || p.live+g <= p.budget && p.halves+min(g, int(p.units[i].halves)) <= halfRoom {
		return key
	}
	key = -1<<60 - int64(i)
	if !p.inOrder {
		key -= int64(g) << 40
	}
	return key
}
