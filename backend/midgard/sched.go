package midgard

import (
	"fmt"
	"slices"

	"nirc/backend/midgard/isa"
)

// newBundle makes the block's next bundle.
func (s *scheduler) newBundle() *bundle {
	if len(s.slab) == 0 {
		s.slab = s.mem.bundles.next()
	}
	b := &s.slab[0]
	s.slab = s.slab[1:]
	b.contents = contents{size: 4, block: s.block}
	s.out = append(s.out, b)
	return b
}

// schedule packs the blocks into bundles; pairs: loads wait for others, and waited reports whether one did; room is how many
// components should be live at a time, 0 if that is no matter.
func schedule(f *function, gpu *GPU, pairs bool, room int) (p *program, waited bool, err error) {
	m := f.memory()
	p = m.programs.New()
	*p = program{gpu: gpu, blocks: m.places.Slice(len(f.blocks))}
	s := &m.sched
	*s = scheduler{g: newGraph(f), mem: m, alu: s.alu[:0], ldst: s.ldst[:0], tex: s.tex[:0], pairs: pairs, room: room}
	var l *liveness
	if room > 0 {
		l = f.liveness()
	}
	for i := range f.blocks {
		s.block, s.out = i, s.mem.packed.Slice(len(f.blocks[i].list) + 1)[:0]
		if room > 0 {
			s.start(l.at(i))
		}
		p.blocks[i].list = s.run(f.blocks[i].list)
		if s.err != nil {
			return nil, false, s.err
		}
	}
	return p, s.waited, nil
}

// scheduler is the state of one block, which is packed from its end: what an instruction reads is made as late as
// bundles have room, so that fewer registers hold it than if it were made as soon as it can be.
type scheduler struct {
	block int
	g     *graph
	out   []*bundle // the last first, until the block is done
	// ready are the nodes that nothing holds back, by kind.
	alu, ldst, tex readyList
	busy           isa.Units // of the ALU bundle at hand
	err            error
	mem            *memory
	slab           []bundle // what is left of it
	// pairs: loads that read nothing wait for others, of which accesses of the block are left, and one that waited notes it.
	pairs, waited bool
	accesses      int
	// Where room is not 0: what is live, and the last node that may not be placed.
	pressure
	room int
	last int
}

func (s *scheduler) run(list []*inst) []*bundle {
	var last *inst
	if k := len(list) - 1; k >= 0 && terminator(list[k]) {
		last, list = list[k], list[:k]
	}
	g := s.g
	g.build(list)
	s.begin()
	s.last = len(g.nodes) - 1
	left := len(g.nodes)
	if last != nil {
		left -= s.terminate(last)
	}
	for left > 0 {
		k := s.fill()
		if k == 0 {
			s.err = fmt.Errorf("midgard: no bundle can hold %s", g.nodes[s.alu[0]].in)
			return nil
		}
		left -= k
	}
	slices.Reverse(s.out)
	return s.out
}

// begin readies the nodes that nothing comes after.
func (s *scheduler) begin() {
	g := s.g
	s.alu, s.ldst, s.tex, s.accesses = s.alu[:0], s.ldst[:0], s.tex[:0], 0
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.in.kind == kindALU {
			n.units = unitsFor(n.in)
		}
		if n.in.kind == kindLdSt {
			s.accesses++
		}
		if n.after == 0 {
			l := s.listOf(n)
			*l = append(*l, int32(i))
		}
	}
	for _, l := range [...]readyList{s.alu, s.ldst, s.tex} {
		l.sort(g)
	}
}

// listOf is the ready list that a node belongs on.
func (s *scheduler) listOf(n *node) *readyList {
	switch n.in.kind {
	case kindLdSt:
		return &s.ldst
	case kindTex:
		return &s.tex
	}
	return &s.alu
}

// place puts the node into a bundle and readies its predecessors; those that are of the ALU come after the
// first from of its list.
func (s *scheduler) place(n *node, b *bundle, from int) {
	n.at = b
	if s.room > 0 {
		s.pass(n.in)
	}
	for _, d := range s.g.preds(n) {
		to := &s.g.nodes[d.to]
		if to.after--; to.after > 0 {
			continue
		}
		if l := s.listOf(to); l == &s.alu {
			l.insert(s.g, d.to, from)
		} else {
			l.insert(s.g, d.to, 0)
		}
	}
}

// terminate makes the bundle of a block's branch, which other instructions may share, and returns how many do.
func (s *scheduler) terminate(in *inst) int {
	b := s.newBundle()
	s.putBranch(b, in)
	if s.room > 0 {
		s.pass(in)
	}
	if in.kind == kindWriteout || in.kind == kindTileWait {
		return 0
	}
	return s.fillALU(b)
}

// fill makes one bundle and returns the number of instructions in it.
func (s *scheduler) fill() int {
	b := s.newBundle()
	if s.tight() {
		return s.fillTight(b)
	}
	switch {
	// Two loads or stores share a bundle, so one waits for another, but not beyond where it would hold others up.
	case len(s.ldst) > 1 || s.precedes(s.ldst, s.alu) && !s.waits():
		return s.fillLdSt(b)
	case s.precedes(s.tex, s.alu):
		return s.fillTex(b, 0)
	}
	return s.fillALU(b)
}

// fillTex takes the i-th texture operation.
func (s *scheduler) fillTex(b *bundle, i int) int {
	n := &s.g.nodes[s.tex.take(i)]
	b.tex = n.in
	s.place(n, b, 0)
	return 1
}

// waits reports whether the one access that is ready can wait for another: nothing comes before it that it would hold up, and there is
// other work.
func (s *scheduler) waits() bool {
	if !s.pairs || s.accesses < 2 || len(s.alu) == 0 && len(s.tex) == 0 {
		return false
	}
	n := &s.g.nodes[s.ldst[0]]
	wait := n.firstPred == n.pastPred && !n.in.effects()
	s.waited = s.waited || wait
	return wait
}

// precedes reports whether the best of l is to be placed before the best of o.
func (s *scheduler) precedes(l, o readyList) bool {
	return len(l) > 0 && (len(o) == 0 || better(&s.g.nodes[l[0]], &s.g.nodes[o[0]]))
}

// fillALU looks at each ready node once: a bundle that has no room for one has none for it later, and what a
// node readies comes after it in the list.
func (s *scheduler) fillALU(b *bundle) (count int) {
	s.busy = 0
	for u := range isa.NumALUUnits {
		if b.cond[u] != nil {
			s.busy |= u.In()
		}
	}
	count = s.fillLookup(b)
	kept, i := 0, 0
	for ; i < len(s.alu) && s.busy != allUnits; i++ {
		k := s.alu[i]
		if n := &s.g.nodes[k]; s.suits(n) && s.fitALU(b, n) {
			s.place(n, b, i+1)
			count++
			continue
		}
		s.alu[kept] = k
		kept++
	}
	kept += copy(s.alu[kept:], s.alu[i:])
	s.alu = s.alu[:kept]
	return count
}

// fillLookup gives the unit of the tables, which others can do without, to the best node that no other runs.
func (s *scheduler) fillLookup(b *bundle) int {
	for i, k := range s.alu {
		if n := &s.g.nodes[k]; n.units == isa.UnitLUT.In() && s.suits(n) && s.fitALU(b, n) {
			s.alu.take(i)
			s.place(n, b, i)
			return 1 + s.fillSum(b, n)
		}
	}
	return 0
}

// fillSum puts the reduction that node n of the bundle reads beside it: of the units of stage 1 the vector multiplier alone runs that, and
// what else would take it finds another.
func (s *scheduler) fillSum(b *bundle, n *node) int {
	for _, d := range s.g.preds(n) {
		m := &s.g.nodes[d.to]
		if d.kind != depRAW || m.units != isa.UnitVMUL.In() || m.after > 0 || m.at != nil || !s.suits(m) || !s.fitALU(b, m) {
			continue
		}
		i := slices.Index(s.alu, d.to)
		s.alu.take(i)
		s.place(m, b, i)
		return 1
	}
	return 0
}

// fillLdSt takes the best load or store, and the best other one that may stand beside it.
func (s *scheduler) fillLdSt(b *bundle) int { return s.fillLdStFrom(b, 0) }

// fillLdStFrom takes the i-th load or store, and the best other one.
func (s *scheduler) fillLdStFrom(b *bundle, i int) int {
	s.accesses--
	last := &s.g.nodes[s.ldst.take(i)]
	b.ldst[0] = last.in
	s.place(last, b, 0)
	vary := isVaryStore(last.in)
	for i, k := range s.ldst {
		n := &s.g.nodes[k]
		if isVaryStore(n.in) != vary && !faults.has(faultVaryPairs) || s.feeds(n, b) {
			continue
		}
		s.ldst.take(i)
		s.accesses--
		b.ldst[0], b.ldst[1] = n.in, last.in
		s.place(n, b, 0)
		return 2
	}
	return 1
}

// feeds reports whether something in the bundle comes after the node.
func (s *scheduler) feeds(n *node, b *bundle) bool {
	for _, d := range s.g.succs(n) {
		if s.g.nodes[d.to].at == b {
			return true
		}
	}
	return false
}
