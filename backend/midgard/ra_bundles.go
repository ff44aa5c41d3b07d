package midgard

import (
	"slices"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// allocate gives the virtual registers of scheduled code their places; false if
// there are too few.
func (p *program) allocate(f *function, floor, limit int) (used int, ok bool, err error) {
	p.listBundles(f)
	a := newAllocator(f, floor, limit)
	if !a.build() {
		return 0, false, nil
	}
	if !a.fit() {
		return 0, false, nil // nothing can be spilled here; another plan can
	}
	if err := a.check(); err != nil {
		return 0, false, err
	}
	if !a.pairsApart(p) && !faults.has(faultStagePairs) {
		return 0, false, nil
	}
	a.apply()
	p.dropMoves()
	return a.used, true, nil
}

// fit places all; false if there are too few registers. Where the order of definition leaves fewer threads than what is live
// at once could have, or does not do, the largest come first, which find no room between others.
func (a *allocator) fit() bool {
	ok, _ := a.allocate()
	if ok && threadClass(a.used) <= threadClass(a.floor+(a.peak+3)/4) {
		return true
	}
	first, used := append(a.first[:0], a.place...), a.used
	a.first = first
	if a.largestFirst() && (!ok || threadClass(a.used) < threadClass(used)) {
		return true
	}
	copy(a.place, first)
	a.used = used
	return ok
}

// largestFirst places all once more, those of the most components first; false if there are too few registers.
func (a *allocator) largestFirst() bool {
	slices.SortStableFunc(a.order, func(x, y uint32) int { return int(a.f.nodes[y].size) - int(a.f.nodes[x].size) })
	for i := range a.place {
		a.place[i] = -1
	}
	clear(a.spill)
	a.used = a.floor
	ok, err := a.allocate()
	return ok && err == nil
}

// pairsApart reports whether nothing that a bundle does at once writes the same
// components: results that nothing reads could.
func (a *allocator) pairsApart(p *program) bool {
	for i := range p.blocks {
		for _, b := range p.blocks[i].list {
			if !a.apart(b.ldst[:]...) {
				return false
			}
			for _, units := range stageUnits {
				var stage [3]*inst
				for k, u := range units {
					stage[k] = b.units[u]
				}
				if !a.apart(stage[:]...) {
					return false
				}
			}
		}
	}
	return true
}

// apart reports whether no two of the instructions write one component.
func (a *allocator) apart(list ...*inst) bool {
	var written [abi.MaxWork + 1]uint8
	for _, in := range list {
		if in == nil || !in.dst.virtual() || a.place[index(in.dst)] < 0 {
			continue
		}
		at := a.place[index(in.dst)]
		m := in.mask << (at & 3)
		if written[at>>2]&m != 0 {
			return false
		}
		written[at>>2] |= m
	}
	return true
}

// dropMoves removes moves to where the value already is, and bundles that
// held nothing else.
func (p *program) dropMoves() {
	p.listed = nil
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
