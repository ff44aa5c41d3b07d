package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
)

// needsHelpers reports whether in reads values of fibers that only help, or
// counts them where they are there (ir3.md §6.4).
func needsHelpers(in *isa.Instr) bool {
	switch op := in.Op; op {
	case isa.OpSam:
		return in.WrMask != 0
	case isa.OpSamb, isa.OpGetlod, isa.OpDsx, isa.OpDsy, isa.OpDsxpp1, isa.OpDsypp1,
		isa.OpBrcstActive, isa.OpQuadBrcst, isa.OpQuadHoriz, isa.OpQuadVert, isa.OpQuadDiag,
		isa.OpMovmsk, isa.OpGetone, isa.OpGetlast, isa.OpBany, isa.OpBall:
		return true
	case isa.OpMov, isa.OpCov:
		return in.Dst.IsShared() && in.Srcs[0].Kind == isa.Reg && !in.Srcs[0].IsShared() // the first fiber's
	default:
		return op >= isa.OpShflXor && op <= isa.OpShflRdown
	}
}

// place is a point of the program: before instruction at of block.
type place struct{ block, at int }

// endHelpers switches off the fibers that only help where nothing needs them any
// more: (eq) on an idle slot that is there anyway, else on one of its own if memory is
// accessed further on, which they would do in vain. Fibers that run first stand first in the
// program, so that nobody needs helpers who still waits after that place. It reports whether the
// program has any use for helpers, beside what is done before it starts.
func (p *phys) endHelpers() bool {
	last := place{-1, 0}
	for b := int(p.start[0]); b < len(p.blocks); b++ {
		for i := range p.blocks[b].ins {
			if needsHelpers(&p.blocks[b].ins[i].Instr) {
				last = place{b, i + 1}
			}
		}
	}
	if last.block < 0 {
		return false
	}
	end, ok := p.afterLoops(last)
	if !ok || p.idleSlot(end) || !p.accessesMemory(end) {
		return true
	}
	nop := pinstr{Instr: isa.Instr{Op: isa.OpNop, Flags: isa.EQ}, to: -1}
	if i := p.slotsAfter(end); i >= 0 {
		x := &p.blocks[end.block].ins[i]
		nop.Repeat, nop.loc = uint8(x.Nops()-1), x.loc
		x.SetNops(0)
		end.at = i + 1
	}
	blk := &p.blocks[end.block]
	blk.ins = slices.Insert(blk.ins, end.at, nop)
	return true
}

// slotsAfter is the first instruction with idle slots after it between from and the
// next access to memory in its block, -1 if there is none.
func (p *phys) slotsAfter(from place) int {
	ins := p.blocks[from.block].ins
	for i := from.at; i < len(ins); i++ {
		switch cat := ins[i].Op.Category(); {
		case cat == 5 || cat == 6:
			return -1
		case ins[i].Nops() > 0:
			return i
		}
	}
	return -1
}

// afterLoops is the first place from last on which no loop leads back over, and that
// every fiber comes by unless that is the program's end.
func (p *phys) afterLoops(last place) (place, bool) {
	b := last.block
	for again := true; again; {
		again = false
		for k := b; k < len(p.blocks); k++ {
			for _, s := range p.blocks[k].succs {
				if int(s) <= b && k >= b { // what is after the loop
					b, again = k+1, true
				}
			}
		}
	}
	if b >= len(p.blocks) {
		return place{}, false
	}
	at := place{b, 0}
	if b == last.block {
		at = last
	}
	// Behind an if it serves those that went the other way as well.
	far := 0
	for k := range p.blocks {
		if far <= k && k >= b {
			if k != b && k+1 < len(p.blocks) && !slices.ContainsFunc(p.blocks[k].preds, func(q int32) bool { return int(q) >= k }) {
				at = place{k, 0}
			}
			break
		}
		for _, s := range p.blocks[k].succs {
			far = max(far, int(s))
		}
	}
	return at, true
}

// idleSlot puts (eq) on a nop between from and the next access to memory in its block,
// and reports whether there is one.
func (p *phys) idleSlot(from place) bool {
	blk := &p.blocks[from.block]
	for i := from.at; i < len(blk.ins); i++ {
		x := &blk.ins[i]
		switch cat := x.Op.Category(); {
		case x.Op == isa.OpNop:
			x.Flags |= isa.EQ
			return true
		case cat == 5 || cat == 6:
			return false
		}
	}
	return false
}

// accessesMemory reports whether anything from a place on reads or writes memory.
func (p *phys) accessesMemory(from place) bool {
	for b := from.block; b < len(p.blocks); b++ {
		ins := p.blocks[b].ins
		if b == from.block {
			ins = ins[from.at:]
		}
		for i := range ins {
			if cat := ins[i].Op.Category(); cat == 5 || cat == 6 {
				return true
			}
		}
	}
	return false
}
