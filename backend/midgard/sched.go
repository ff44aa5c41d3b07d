package midgard

import (
	"fmt"
	"math"

	"nirc/backend/midgard/isa"
)

// program is the code in bundles.
type program struct {
	gpu    *GPU
	blocks []pblock
	list   []*bundle // in the order of the code, made by layout
}

// pblock is a block in bundles.
type pblock struct {
	list []*bundle
}

// bundle is a bundle before it is encoded.
type bundle struct {
	units  [isa.NumALUUnits]*inst
	seq    [isa.NumALUUnits]int   // where in its block each was
	cond   [isa.NumALUUnits]*inst // unit makes the condition of this instruction
	branch *inst
	ldst   [2]*inst
	tex    *inst
	consts [4]uint32
	nconst int
	size   int // bytes of an ALU bundle's body
	r31    bool
	// enc and at are made by layout: the encoded form, the position in quadwords.
	enc isa.Bundle
	at  int
	// block is the block that it belongs to.
	block int
}

func (b *bundle) alu() bool { return b.ldst[0] == nil && b.tex == nil }

const maxBody = 48

func newBundle() *bundle { return &bundle{size: 4} }

// newBundle makes the block's next bundle.
func (s *scheduler) newBundle() *bundle {
	if len(s.slab) == 0 {
		s.slab = s.mem.bundles.next()
	}
	b := &s.slab[0]
	s.slab = s.slab[1:]
	*b = bundle{size: 4, block: s.block}
	s.out = append(s.out, b)
	return b
}

// unitSize is what an instruction on a unit takes of an ALU bundle.
func unitSize(u isa.Unit) int {
	if u.Scalar() {
		return 6
	}
	return 8
}

const branchSize = 6

// schedule packs the blocks into bundles. window, if not 0, keeps the order of the
// instructions: a bundle begins with the first and takes others from as far
// behind it.
func schedule(f *function, gpu *GPU, window int) (*program, error) {
	p := &program{gpu: gpu, blocks: make([]pblock, len(f.blocks))}
	s := scheduler{g: newGraph(f), window: window, mem: f.memory()}
	for i := range f.blocks {
		s.block, s.out, s.end = i, nil, math.MaxInt
		p.blocks[i].list = s.run(f.blocks[i].list)
		if s.err != nil {
			return nil, s.err
		}
	}
	return p, nil
}

// scheduler is the state of one block.
type scheduler struct {
	block int
	g     *graph
	out   []*bundle
	// window is that of schedule; the bundle at hand takes what stands before end.
	window, end int
	ready       []*node
	err         error
	mem         *memory
	slab        []bundle // what is left of it
}

func terminator(in *inst) bool {
	return in.kind == kindBranch || in.kind == kindDiscard || in.kind == kindWriteout || in.kind == kindTileWait
}

func (s *scheduler) run(list []*inst) []*bundle {
	var last *inst
	if k := len(list) - 1; k >= 0 && terminator(list[k]) {
		last, list = list[k], list[:k]
	}
	g := s.g
	g.build(list)
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if n := &g.nodes[i]; n.left == 0 {
			s.ready = append(s.ready, n)
		}
	}
	left := len(g.nodes)
	for left > 0 {
		k := s.fill()
		if k == 0 {
			s.err = fmt.Errorf("midgard: no bundle can hold %s", s.ready[0].in)
			return nil
		}
		left -= k
	}
	if last != nil {
		s.terminate(last)
	}
	return s.out
}

// better reports whether a goes before b.
func better(a, b *node) bool {
	if a.height != b.height {
		return a.height > b.height
	}
	return a.order < b.order
}

// pick returns the best ready node that f takes.
func (s *scheduler) pick(f func(n *node) bool) *node {
	var best *node
	for _, n := range s.ready {
		if n.order < s.end && (best == nil || better(n, best)) && f(n) {
			best = n
		}
	}
	return best
}

// placed takes n off the ready list and readies its successors.
func (s *scheduler) placed(n *node, b *bundle) {
	n.at = b
	for i := range s.ready {
		if s.ready[i] == n {
			s.ready[i] = s.ready[len(s.ready)-1]
			s.ready = s.ready[:len(s.ready)-1]
			break
		}
	}
	for _, d := range n.succs {
		to := &s.g.nodes[d.to]
		if to.left--; to.left == 0 {
			s.ready = append(s.ready, to)
		}
	}
}

// first chooses the instruction that a bundle begins with.
func (s *scheduler) first() *node {
	if s.window == 0 {
		return s.pick(func(*node) bool { return true })
	}
	first := s.ready[0]
	for _, n := range s.ready[1:] {
		if n.order < first.order {
			first = n
		}
	}
	s.end = first.order + s.window
	return first
}

// fill makes one bundle and returns the number of instructions in it.
func (s *scheduler) fill() int {
	b := s.newBundle()
	first := s.first()
	switch first.in.kind {
	case kindLdSt:
		return s.fillLdSt(b, first)
	case kindTex:
		b.tex = first.in
		s.placed(first, b)
		return 1
	}
	count := 0
	if s.window != 0 && s.fitALU(b, first, true) {
		s.placed(first, b)
		count++
	}
	for {
		n := s.pick(func(n *node) bool { return n.in.kind == kindALU && s.fitALU(b, n, false) })
		if n == nil {
			return count
		}
		s.fitALU(b, n, true)
		s.placed(n, b)
		count++
	}
}

func (s *scheduler) fillLdSt(b *bundle, first *node) int {
	b.ldst[0] = first.in
	s.placed(first, b)
	vary := isVaryStore(first.in)
	n := s.pick(func(n *node) bool {
		if n.in.kind != kindLdSt || isVaryStore(n.in) != vary {
			return false
		}
		for _, d := range n.preds {
			if s.g.nodes[d.to].at == b {
				return false
			}
		}
		return true
	})
	if n == nil {
		return 1
	}
	b.ldst[1] = n.in
	s.placed(n, b)
	return 2
}

func isVaryStore(in *inst) bool { return in.ld.Op.Info().Kind == isa.KindStVary }

// stages returns the stages of bundle b in which n may stand.
func (s *scheduler) stages(b *bundle, n *node) (one, two bool) {
	one, two = true, true
	for _, d := range n.preds {
		p := &s.g.nodes[d.to]
		if p.at != b {
			continue
		}
		switch d.kind {
		case depApart:
			return false, false
		case depRAW, depWAW:
			one = false
			two = two && p.stage == 1
		case depWAR:
			one = one && p.stage == 1
		}
	}
	return one, two
}

// Orders in which units are tried.
var (
	tryOne = []isa.Unit{isa.UnitSADD, isa.UnitVMUL}
	tryTwo = []isa.Unit{isa.UnitSMUL, isa.UnitLUT, isa.UnitVADD}
)

// fitALU finds a unit of b for n, and with do puts it there.
func (s *scheduler) fitALU(b *bundle, n *node, do bool) bool {
	one, two := s.stages(b, n)
	if !one && !two {
		return false
	}
	if n.in.hasCond {
		// The condition is written in stage 1, the select runs in stage 2.
		return two && s.fitSelect(b, n, do)
	}
	if one {
		for _, u := range tryOne {
			if b.takes(u, n.in) {
				return s.put(b, u, n, do)
			}
		}
	}
	if two {
		for _, u := range tryTwo {
			if b.takes(u, n.in) {
				return s.put(b, u, n, do)
			}
		}
	}
	return false
}

func (s *scheduler) put(b *bundle, u isa.Unit, n *node, do bool) bool {
	var add constPool
	add.from(b)
	if !add.all(n.in) || n.in.fuse != nil && !add.all(n.in.fuse) {
		return false
	}
	if do {
		add.to(b)
		b.units[u], b.seq[u] = n.in, n.order
		b.size += unitSize(u)
		n.stage = u.Stage()
	}
	return true
}

// takes reports whether unit u of the bundle is free and runs the instruction.
func (b *bundle) takes(u isa.Unit, in *inst) bool {
	return b.units[u] == nil && b.cond[u] == nil && b.size+unitSize(u) <= maxBody && runs(u, in)
}

// runs reports whether a unit runs an instruction.
func runs(u isa.Unit, in *inst) bool {
	if !in.op.Info().Units.Has(u) {
		return false
	}
	if u == isa.UnitLUT && !in.op.Is(isa.OneLane) && in.half != partFull {
		return false
	}
	return !u.Scalar() || in.scalar()
}

// scalar reports whether a scalar unit can have the instruction: one lane.
func (in *inst) scalar() bool {
	if in.half >= partBoth || !in.op.Is(isa.FloatDst) && in.out != isa.OutKeepLow {
		return false
	}
	return in.mask&(in.mask-1) == 0 && !in.op.Is(isa.Reduce|isa.SelectVector)
}

// fitSelect places a select and the move of its condition.
func (s *scheduler) fitSelect(b *bundle, n *node, do bool) bool {
	if b.r31 {
		return false
	}
	// What the condition reads must be there before stage 1.
	for _, d := range n.preds {
		if p := &s.g.nodes[d.to]; p.at == b && d.kind != depWAR && p.stage == 1 && b.readsCond(n.in, p.in) {
			return false
		}
	}
	cu, found := b.condUnit(n.in)
	if !found {
		return false
	}
	for _, u := range selectUnits {
		if b.units[u] != nil || b.cond[u] != nil || b.size+unitSize(u)+unitSize(cu) > maxBody || !runs(u, n.in) {
			continue
		}
		if !s.put(b, u, n, do) {
			return false
		}
		if do {
			b.cond[cu] = n.in
			b.size += unitSize(cu)
			b.r31 = true
		}
		return true
	}
	return false
}

// selectUnits are tried in this order.
var selectUnits = unitList{isa.UnitSMUL, isa.UnitVADD}

// condUnit finds a free unit that can make the condition of in.
func (b *bundle) condUnit(in *inst) (isa.Unit, bool) {
	mv := in.conditionMove()
	for _, u := range conditionUnits(in) {
		if b.units[u] == nil && b.cond[u] == nil && runs(u, mv) && !(in.kind != kindALU && b.writesLate(in, u)) {
			return u, true
		}
	}
	return 0, false
}

// readsCond reports whether w writes what the condition of in is made of.
func (b *bundle) readsCond(in, w *inst) bool {
	hit := false
	in.conditionMove().eachSource(func(s *source, lanes uint8) {
		hit = hit || s.reg == w.dst && s.components(lanes)&w.mask != 0
	})
	return hit
}

// terminate ends the block with a branch, in its last bundle where that has room.
func (s *scheduler) terminate(in *inst) {
	var b *bundle
	if k := len(s.out) - 1; k >= 0 && s.out[k].alu() && in.kind != kindWriteout && in.kind != kindTileWait {
		b = s.out[k]
	}
	if b == nil || !s.putBranch(b, in) {
		b = s.newBundle()
		s.putBranch(b, in)
	}
}

// putBranch puts a branch with its condition into a bundle, if they fit.
func (s *scheduler) putBranch(b *bundle, in *inst) bool {
	need := branchSize
	var add constPool
	add.from(b)
	if in.hasCond {
		u, found := b.condUnit(in)
		if !found || b.r31 || !add.all(in.conditionMove()) {
			return false
		}
		need += unitSize(u)
		if b.size+need > maxBody {
			return false
		}
		b.cond[u] = in
		b.r31 = true
		add.to(b)
	} else if b.size+need > maxBody {
		return false
	}
	b.branch = in
	b.size += need
	return true
}

// writesLate reports whether the bundle writes what the condition of in is made
// of too late for unit u.
func (b *bundle) writesLate(in *inst, u isa.Unit) bool {
	for k, w := range b.units {
		if w != nil && isa.Unit(k).Stage() >= u.Stage() && b.readsCond(in, w) {
			return true
		}
		if c := b.cond[k]; c != nil && c != in && isa.Unit(k).Stage() >= u.Stage() && b.readsCond(in, c.conditionMove()) {
			return true
		}
	}
	return false
}

// constPool collects the constants of a bundle.
type constPool struct {
	words [4]uint32
	n     int
}

func (p *constPool) from(b *bundle) { p.words, p.n = b.consts, b.nconst }
func (p *constPool) to(b *bundle)   { b.consts, b.nconst = p.words, p.n }

// all adds the constants of an instruction; false if there is no room.
func (p *constPool) all(in *inst) bool {
	for i := range in.src {
		s := &in.src[i]
		if s.reg != regConst || i == 1 && in.imm {
			continue
		}
		lanes := in.lanesRead(i)
		for k := range 4 {
			if lanes>>k&1 != 0 && p.slot(s.con[k]) < 0 {
				return false
			}
		}
	}
	return true
}

// slot finds or makes the place of a word, -1 if there is none.
func (p *constPool) slot(v uint32) int {
	for i, w := range p.words[:p.n] {
		if w == v {
			return i
		}
	}
	if p.n == len(p.words) {
		return -1
	}
	p.words[p.n] = v
	p.n++
	return p.n - 1
}
