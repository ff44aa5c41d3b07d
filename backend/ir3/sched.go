package ir3

import "nirc/backend/ir3/isa"

// scheduler orders the instructions of a block after register allocation, so
// that fewer delay slots and waits are left (ir3.md §9.4). It
// works on a graph of dependences between registers and memory; nothing moves
// between blocks.
type scheduler struct {
	p     *phys
	nodes []schedNode
	edges []schedEdge
	// By unit: the node that wrote it last, and the first of a list of readers since.
	writer  [numUnits]int32
	readers [numUnits]int32
	links   []readerLink
	memory  [memClasses]memOrder
	fence   int32 // the last node that nothing crosses, -1 none
	ready   []int32
	t       touch
	ins     []pinstr // of the block under way
	group   int32    // of the last node that went
	clock
}

// clock is how far the block has come: in slots, which delays are counted in,
// and in time, in which waits for results pass too. A wait for one result by a flag is one for all of its kind that
// are under way.
type clock struct {
	slot, time int32
	flags      [numFlags]flagTime
}

// flagTime is what is known of a flag.
type flagTime struct {
	arrived int32 // when all results that were asked for are there
	waited  int32 // the time of the last wait for all, plus 1
}

// schedFlag is the flag that a result is waited for by.
type schedFlag uint8

const (
	flagSS schedFlag = iota
	flagSY
	numFlags
	flagNone
)

// issue moves the clock over a node.
func (c *clock) issue(n *schedNode) {
	start := max(c.slot, n.earliest)
	c.time = max(c.time+start-c.slot, n.soft)
	for k := range c.flags {
		if f := &c.flags[k]; n.waits[k] > f.waited {
			c.time = max(c.time, f.arrived)
			f.waited = c.time + 1
		}
	}
	c.slot = start + n.slots
	c.time += n.slots
}

// stall is how long a node would have to wait.
func (c *clock) stall(n *schedNode) (slots, time int32) {
	slots, time = max(0, n.earliest-c.slot), max(0, n.soft-c.time)
	for k := range c.flags {
		if f := &c.flags[k]; n.waits[k] > f.waited { // else its results came with the others
			time = max(time, f.arrived-c.time)
		}
	}
	return slots, max(slots, time)
}

type schedNode struct {
	first, n int32           // instructions of the block that stay together
	succs    int32           // first edge, -1 none
	preds    int32           // not yet scheduled
	earliest int32           // slot at which all sources are there
	soft     int32           // time at which those are that need no flag
	waits    [numFlags]int32 // time at which the last of the sources that need a flag was asked for, plus 1
	critical int32           // slots from here to the block's end, and what the blocks after it would wait for its results
	slots    int32
	group    int32 // repeat group, 0 none
	class    uint8
}

// Classes of nodes by how early they should go.
const (
	schedPlain    uint8 = iota
	schedProducer       // something will have to wait for its result
	schedLast           // branches, end
)

type schedEdge struct {
	to, next   int32
	hard, soft int32
	flag       schedFlag
}

type readerLink struct{ node, next int32 }

// Memory that accesses are ordered in.
const (
	memBuffer = iota
	memLocal
	memPrivate
	memKill // kills, and what must not cross them
	memClasses
)

type memOrder struct {
	lastWrite int32
	reads     []int32
}

// schedule orders every block.
func (p *phys) schedule() {
	m := p.memory()
	s := &m.sched
	s.p = p
	m.turnOver()
	for b := range p.blocks {
		ins := p.blocks[b].ins
		out := m.room(len(ins))
		if len(ins) > 2 {
			p.blocks[b].ins = s.block(b, out)
		} else {
			p.blocks[b].ins = append(out, ins...)
		}
	}
}

func (s *scheduler) reset() {
	s.nodes, s.edges, s.links, s.ready = s.nodes[:0], s.edges[:0], s.links[:0], s.ready[:0]
	s.fence = -1
	for i := range s.writer {
		s.writer[i], s.readers[i] = -1, -1
	}
	for i := range s.memory {
		s.memory[i].lastWrite = -1
		s.memory[i].reads = s.memory[i].reads[:0]
	}
}

// block appends the instructions of block b to out, in their new order.
func (s *scheduler) block(b int, out []pinstr) []pinstr {
	ins := s.p.blocks[b].ins
	s.reset()
	for i := 0; i < len(ins); {
		n := 1
		if op := ins[i].Op; (op == isa.OpDsxpp1 || op == isa.OpDsypp1) && i+1 < len(ins) && ins[i+1].Op == op {
			n = 2
		}
		s.node(ins, i, n)
		i += n
	}
	s.lateReads(b, ins)
	s.criticalPaths()
	for i := range s.nodes {
		if s.nodes[i].preds == 0 {
			s.ready = append(s.ready, int32(i))
		}
	}
	s.clock, s.group = clock{}, 0
	for len(s.ready) > 0 {
		k := s.choose()
		i := s.ready[k]
		s.ready[k] = s.ready[len(s.ready)-1]
		s.ready = s.ready[:len(s.ready)-1]
		nd := &s.nodes[i]
		out = append(out, ins[nd.first:nd.first+nd.n]...)
		s.group = nd.group
		s.issue(nd)
		for e := nd.succs; e >= 0; e = s.edges[e].next {
			to := &s.nodes[s.edges[e].to]
			to.earliest = max(to.earliest, s.slot+s.edges[e].hard)
			s.result(to, &s.edges[e])
			to.preds--
			if to.preds == 0 {
				s.ready = append(s.ready, s.edges[e].to)
			}
		}
	}
	return out
}

// node adds instructions [i, i+n) of the block as one node, with its dependences.
func (s *scheduler) node(ins []pinstr, i, n int) {
	id := int32(len(s.nodes))
	s.nodes = append(s.nodes, schedNode{first: int32(i), n: int32(n), succs: -1, group: ins[i].group})
	for k := i; k < i+n; k++ {
		in := &ins[k].Instr
		s.nodes[id].slots += int32(s.p.gpu.slots(in))
		s.nodes[id].class = max(s.nodes[id].class, schedClass(&ins[k]))
		s.t.ofAliased(&ins[k])
		for _, r := range s.t.reads {
			s.read(id, in, r, ins)
		}
		for _, w := range s.t.writes {
			s.write(id, w)
		}
		s.memoryOrder(id, in)
	}
	from := max(s.fence, 0)
	switch {
	case s.nodes[id].class == schedLast:
		for k := from; k < id; k++ {
			s.edge(k, id, 0, 0, flagNone)
		}
		s.fence = id
	case s.fence >= 0:
		s.edge(s.fence, id, 0, 0, flagNone)
	}
}

func schedClass(in *pinstr) uint8 {
	k := syncOf(&in.Instr)
	switch op := in.Op; {
	case op.Category() == 0 && op != isa.OpNop && op != isa.OpKill, op.Category() == 7, in.to >= 0, op == isa.OpLdcK, op == isa.OpStsc:
		return schedLast
	case k.ss || k.sy:
		return schedProducer
	}
	return schedPlain
}

// result notes when a node has what the one that was just issued makes.
func (s *scheduler) result(to *schedNode, e *schedEdge) {
	if e.flag == flagNone {
		to.soft = max(to.soft, s.time+e.soft)
		return
	}
	to.waits[e.flag] = max(to.waits[e.flag], s.time+1)
	f := &s.flags[e.flag]
	f.arrived = max(f.arrived, s.time+e.soft)
}

func (s *scheduler) edge(from, to, hard, soft int32, flag schedFlag) {
	if from < 0 || from == to {
		return
	}
	s.edges = append(s.edges, schedEdge{to, s.nodes[from].succs, hard, max(hard, soft), flag})
	s.nodes[from].succs = int32(len(s.edges) - 1)
	s.nodes[to].preds++
}

// read notes that node id reads r: it follows the writers.
func (s *scheduler) read(id int32, in *isa.Instr, r span, ins []pinstr) {
	last := int32(-1)
	for u := r.unit; u < r.unit+r.n; u++ {
		if w := s.writer[u]; w >= 0 && w != last && w != id {
			from := &ins[s.nodes[w].first+s.nodes[w].n-1].Instr
			hard, soft, flag := s.latency(from, in, r)
			s.edge(w, id, hard, soft, flag)
			last = w
		}
		s.links = append(s.links, readerLink{id, s.readers[u]})
		s.readers[u] = int32(len(s.links) - 1)
	}
}

func (s *scheduler) write(id int32, w span) {
	last := int32(-1)
	for u := w.unit; u < w.unit+w.n; u++ {
		for l := s.readers[u]; l >= 0; l = s.links[l].next {
			if n := s.links[l].node; n != last {
				s.edge(n, id, 0, 0, flagNone)
				last = n
			}
		}
		if s.writer[u] != last {
			s.edge(s.writer[u], id, 0, 0, flagNone)
			last = s.writer[u]
		}
		s.writer[u], s.readers[u] = id, -1
	}
}

// latency is the number of slots between a producer and a consumer: those
// that nops would fill, and those that a wait by a flag usually takes.
func (s *scheduler) latency(from, to *isa.Instr, r span) (hard, soft int32, flag schedFlag) {
	k := syncOf(from)
	switch {
	case s.p.gpu.isScalar(from) && s.p.gpu.isScalar(to) && from.Dst.IsHalf() == r.half:
		return 0, 0, flagNone
	case k.sy && from.Op == isa.OpLdc:
		return 0, int32(21+8*int(from.Size)) / 2, flagSY
	case k.sy && from.Op.Category() == 5:
		return 0, 29, flagSY
	case k.sy:
		return 0, 86, flagSY
	case k.ss && (from.Op.Category() == 4 || from.Op == isa.OpLdl || from.Op == isa.OpLdlw):
		return 0, 10, flagSS
	case k.ss:
		return 0, 6, flagSS
	}
	size := uint8(wroteFull)
	if from.Dst.IsHalf() {
		size = wroteHalf
	}
	hard = int32(max(0, s.p.delay(size, to, r)-overlapSlots(from, r)))
	return hard, hard, flagNone
}

// overlapSlots is what repeats take off the delay: slots that pass between the
// write of the first common register and the end of its instruction, and until it is read (the
// ir3.md §4.2).
func overlapSlots(from *isa.Instr, r span) int {
	w, ok := operandSpan(from.Dst, 1+int(from.Repeat))
	if !ok || from.Op.Category() == 0 || from.Op.Category() > 4 {
		return 0
	}
	first := max(r.unit, w.unit)
	n := 0
	if from.Repeat > 0 {
		n = int(from.Repeat) - (first-w.unit)/(w.n/(1+int(from.Repeat)))
	}
	if r.step > 0 {
		n += (first - r.unit) / r.step
	}
	return n
}

// memoryOrder keeps accesses to memory in order where one of them writes.
func (s *scheduler) memoryOrder(id int32, in *isa.Instr) {
	reads, writes := memoryOf(in)
	for c := range s.memory {
		m := &s.memory[c]
		switch {
		case writes>>c&1 != 0:
			for _, r := range m.reads {
				s.edge(r, id, 0, 0, flagNone)
			}
			s.edge(m.lastWrite, id, 0, 0, flagNone)
			m.lastWrite, m.reads = id, m.reads[:0]
		case reads>>c&1 != 0:
			s.edge(m.lastWrite, id, 0, 0, flagNone)
			m.reads = append(m.reads, id)
		}
	}
}

// memoryOf returns the memories that an instruction reads and writes, as sets.
func memoryOf(in *isa.Instr) (reads, writes uint8) {
	const buffer, local, private, kill = 1 << memBuffer, 1 << memLocal, 1 << memPrivate, 1 << memKill
	op := in.Op
	switch {
	case in.Flags&inOrder != 0:
		return 0, buffer
	case op == isa.OpKill:
		return 0, kill
	case op == isa.OpBaryF, op == isa.OpFlatB:
		return kill, 0
	case op == isa.OpLdib, op == isa.OpLdg, op == isa.OpLdgA6, op == isa.OpLdgA7:
		return buffer, 0
	case op == isa.OpStib, op == isa.OpStg, op == isa.OpStgA6, op == isa.OpStgA7, op >= isa.OpAtomicGAdd && op <= isa.OpAtomicGXor, op >= isa.OpAtomicBAdd && op <= isa.OpAtomicBXor:
		return kill, buffer
	case op == isa.OpLdl, op == isa.OpLdlw:
		return local, 0
	case op == isa.OpStl, op == isa.OpStlw, op >= isa.OpAtomicLAdd && op <= isa.OpAtomicLXor:
		return 0, local
	case op == isa.OpLdp:
		return private, 0
	case op == isa.OpStp:
		return 0, private
	}
	return 0, 0
}

// criticalPaths computes the longest way to the block's end; successors have
// higher numbers.
func (s *scheduler) criticalPaths() {
	for i := len(s.nodes) - 1; i >= 0; i-- {
		n := &s.nodes[i]
		for e := n.succs; e >= 0; e = s.edges[e].next {
			n.critical = max(n.critical, s.edges[e].soft+s.nodes[s.edges[e].to].critical)
		}
		n.critical += n.slots
	}
}

// groupSlots is how many slots further from the block's end a node seems that can be a repetition of the one before it.
const groupSlots = 2

// choose picks from the ready list: what waits for nothing, producers before
// others, longest way to the end first; else what waits least. Fetches of varyings
// are no exception: they fill slots, and memoryOrder keeps them before kills.
func (s *scheduler) choose() int {
	best, bestKey := 0, int64(-1<<62)
	for k, i := range s.ready {
		n := &s.nodes[i]
		hard, soft := s.stall(n)
		key := int64(n.critical)<<20 - int64(i)
		if n.group != 0 && n.group == s.group {
			key += groupSlots << 20
		}
		switch {
		case soft == 0 && n.class == schedProducer:
			key += 1 << 60
		case hard == 0: // and so is soft where nothing is waited for
			key -= int64(soft) << 50
		default:
			key -= int64(hard+soft) << 50
		}
		if key > bestKey {
			best, bestKey = k, key
		}
	}
	return best
}
