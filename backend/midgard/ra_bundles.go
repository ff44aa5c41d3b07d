package midgard

import (
	"slices"

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
