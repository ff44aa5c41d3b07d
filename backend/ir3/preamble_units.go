package ir3

import (
	"nirc/ir"
)

// A preamble copies ranges of uniform buffers to the const file, and an instruction reads one const. Where it is to read two,
// which products of matrices do, one of them has to be in a register. A load brings the components of a
// vector there at once, where moves from the const file would be one each.

// pushedUnit is a load of the preamble whose n components are consts from at on. ops are the same in registers,
// once something wanted them there in the block of that epoch.
type pushedUnit struct {
	load  *ir.Instr
	at    uint32
	n     int
	ops   []opnd
	epoch uint32
}

// fewMoves is how many components are moved one by one: a load has to be waited for.
const fewMoves = 2

// noteUnit remembers what a load of the preamble found among the consts.
func (p *preamble) noteUnit(u pushedUnit) {
	if u.n > fewMoves {
		p.units = append(p.units, u)
	}
}

// fetchedUnit returns const o in a register, if the preamble wants it there and a load that has it brings others, too. In a loop
// each round would wait for the load.
func (s *isel) fetchedUnit(o opnd) (opnd, bool) {
	if s.f != s.pre.f || o.half || s.f.Blocks[s.blk].LoopDepth > 0 {
		return opnd{}, false
	}
	for i := range s.pre.units {
		u := &s.pre.units[i]
		if o.bits-u.at >= uint32(u.n) {
			continue
		}
		if u.ops == nil || u.epoch != s.epoch {
			u.ops, u.epoch = s.fetchUnit(u.load, s.unit(u.load)), s.epoch
		}
		return u.ops[o.bits-u.at], true
	}
	return opnd{}, false
}
