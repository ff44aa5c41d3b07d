package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
)

// stageUnits are the units of the two stages.
var stageUnits = [2]unitList{{isa.UnitVMUL, isa.UnitSADD}, {isa.UnitVADD, isa.UnitSMUL, isa.UnitLUT}}

// instructions are those of a bundle in an order in which nothing that runs at
// once with something, or after it, takes away what that reads: allocation and
// liveness look at them one after the other.
func (b *bundle) instructions(list []*inst) []*inst {
	add := func(in *inst) {
		if in != nil {
			list = append(list, in)
		}
	}
	add(b.ldst[0])
	add(b.ldst[1])
	add(b.tex)
	// In a stage what comes later in the program may write what others read.
	for _, units := range stageUnits {
		var stage [3]*inst
		var seq [3]int
		n := 0
		for _, u := range units {
			if b.units[u] == nil {
				continue
			}
			k := n
			for ; k > 0 && seq[k-1] > b.seq[u]; k-- {
				stage[k], seq[k] = stage[k-1], seq[k-1]
			}
			stage[k], seq[k] = b.units[u], b.seq[u]
			n++
		}
		list = append(list, stage[:n]...)
	}
	add(b.branch)
	return list
}

// listBundles gives the blocks of f the order of the bundles.
func (p *program) listBundles(f *function) {
	for i := range p.blocks {
		list := f.blocks[i].list[:0]
		for _, b := range p.blocks[i].list {
			list = b.instructions(list)
		}
		f.blocks[i].list = list
	}
}

// pipeRegisters gives the values that live in one bundle only a pipeline register
// (rule 3 of midgard.md §8.1): made in stage 1, read in stage 2, and nowhere else.
func (p *program) pipeRegisters(f *function) {
	p.listBundles(f)
	l := f.liveness()
	var ins []*inst
	for i := range p.blocks {
		live := l.at(i)
		list := p.blocks[i].list
		for k := len(list) - 1; k >= 0; k-- {
			b := list[k]
			if b.alu() && (b.branch == nil || b.branch.kind != kindWriteout) {
				b.pipeRegisters(live)
			}
			ins = b.instructions(ins[:0])
			for n := len(ins) - 1; n >= 0; n-- {
				live.step(ins[n])
			}
		}
	}
}

// pipeRegisters is that of one bundle; live is what is live behind it.
func (b *bundle) pipeRegisters(live compSet) {
	free := reg(isa.RegPipe0)
	for _, u := range tryOne {
		w := b.units[u]
		if w == nil || free > isa.RegPipe1 || !w.dst.virtual() && w.dst >= 16 || w.half != partFull || live.get(w.dst)&w.mask != 0 {
			continue
		}
		var readers [8]*source
		if n := b.pipeReaders(w, &readers); n > 0 {
			for _, s := range readers[:n] {
				s.reg = free
			}
			w.dst = free
			free++
		}
	}
}

// pipeReaders collects the sources that read the result of w in stage 2; 0 if
// something else in the bundle needs it, or needs more than it.
func (b *bundle) pipeReaders(w *inst, readers *[8]*source) int {
	n, ok := 0, true
	reads := func(s *source, lanes uint8) bool { return s.reg == w.dst && s.components(lanes)&w.mask != 0 }
	for u := range isa.NumALUUnits {
		if c := b.cond[u]; c != nil {
			c.conditionMove().eachSource(func(s *source, lanes uint8) { ok = ok && !(u.Stage() == 2 && reads(s, lanes)) })
		}
		in := b.units[u]
		if in == nil || u.Stage() == 1 {
			continue
		}
		ok = ok && (in.dst != w.dst || in.half == partFull)
		for i := range in.src {
			s := &in.src[i]
			if !in.usesSource(i) || !reads(s, in.lanesRead(i)) {
				continue
			}
			ok = ok && s.half == partFull && s.components(in.lanesRead(i))&^w.mask == 0 && n < len(readers)
			if ok {
				readers[n] = s
				n++
			}
		}
	}
	if !ok {
		return 0
	}
	return n
}

// allocate gives the virtual registers of scheduled code their places; false if
// there are too few.
func (p *program) allocate(f *function, floor, limit int) (used int, ok bool, err error) {
	p.listBundles(f)
	a := newAllocator(f, floor, limit)
	if !a.build() {
		return 0, false, nil
	}
	if ok, _ := a.allocate(); !ok {
		return 0, false, nil // nothing can be spilled here; another plan can
	}
	if err := a.check(); err != nil {
		return 0, false, err
	}
	if !a.pairsApart(p) {
		return 0, false, nil
	}
	a.apply()
	p.dropMoves()
	return a.used, true, nil
}

// pairsApart reports whether no two accesses of a bundle load to the same components:
// those of atomics whose results nothing reads could.
func (a *allocator) pairsApart(p *program) bool {
	lanes := func(in *inst) (reg, uint8) {
		if in == nil || !in.dst.virtual() || a.place[index(in.dst)] < 0 {
			return regNone, 0
		}
		at := a.place[index(in.dst)]
		return reg(at >> 2), in.mask << (at & 3)
	}
	for i := range p.blocks {
		for _, b := range p.blocks[i].list {
			r, m := lanes(b.ldst[0])
			if s, k := lanes(b.ldst[1]); r == s && m&k != 0 {
				return false
			}
		}
	}
	return true
}

// dropMoves removes moves to where the value already is, and bundles that
// held nothing else.
func (p *program) dropMoves() {
	for i := range p.blocks {
		p.blocks[i].list = slices.DeleteFunc(p.blocks[i].list, func(b *bundle) bool {
			if !b.alu() {
				return false
			}
			for u := range isa.NumALUUnits {
				if in := b.units[u]; in != nil && in.isMove() && in.selfMove() {
					b.units[u] = nil
					b.size -= unitSize(u)
				}
			}
			return b.size == 4
		})
	}
}
