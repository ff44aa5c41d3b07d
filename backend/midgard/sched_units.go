package midgard

import (
	"fmt"

	"nirc/backend/midgard/isa"
)

// stages returns the stages of bundle b in which n may stand, whose successors may be there.
func (s *scheduler) stages(b *bundle, n *node) (one, two bool) {
	one, two = true, true
	for _, d := range s.g.succs(n) {
		p := &s.g.nodes[d.to]
		if p.at != b {
			continue
		}
		switch d.kind {
		case depApart:
			return false, false
		case depRAW, depWAW:
			// The condition of a select must be there before stage 1, which makes r31 of it.
			one = one && p.stage == 2 && !(p.in.hasCond && b.readsCond(p.in, n.in))
			two = false
		case depWAR:
			two = two && p.stage == 2
		}
	}
	if in := b.branch; in != nil && in.hasCond && b.readsCond(in, n.in) {
		one, two = one && b.condStage(in) == 2, false
	}
	return one, two
}

// condStage is the stage of the unit that makes the condition of in.
func (b *bundle) condStage(in *inst) int {
	for u := range isa.NumALUUnits {
		if b.cond[u] == in {
			return u.Stage()
		}
	}
	return 0
}

// Orders in which units are tried.
var (
	tryOne = []isa.Unit{isa.UnitSADD, isa.UnitVMUL}
	tryTwo = []isa.Unit{isa.UnitSMUL, isa.UnitLUT, isa.UnitVADD}
)

// allUnits are those that have instructions.
const allUnits isa.Units = 1<<isa.NumALUUnits - 1

// unitsFor is the units that can run an instruction, free or not.
func unitsFor(in *inst) (can isa.Units) {
	if in.hasCond {
		for _, u := range selectUnits {
			if runs(u, in) {
				can |= u.In()
			}
		}
		return can
	}
	for u := range isa.NumALUUnits {
		if runs(u, in) {
			can |= u.In()
		}
	}
	return can
}

// fitALU puts n on a unit of b, if there is one for it.
func (s *scheduler) fitALU(b *bundle, n *node) bool {
	free := n.units &^ s.busy
	if free == 0 {
		return false
	}
	one, two := s.stages(b, n)
	if n.in.hasCond {
		// The condition is written in stage 1, the select runs in stage 2.
		return two && s.fitSelect(b, n, free)
	}
	// Stage 2 first: what n reads may then be made in stage 1.
	if two {
		for _, u := range tryTwo {
			if free.Has(u) {
				return s.put(b, u, n)
			}
		}
	}
	if one {
		for _, u := range tryOne {
			if free.Has(u) {
				return s.put(b, u, n)
			}
		}
	}
	return false
}

// put puts n on a free unit of b, if its constants have room.
func (s *scheduler) put(b *bundle, u isa.Unit, n *node) bool {
	if n.in.hasConst() || n.in.fuse != nil && n.in.fuse.hasConst() {
		var add constPool
		add.from(b)
		if !add.all(n.in) || n.in.fuse != nil && !add.all(n.in.fuse) {
			return false
		}
		add.to(b)
	}
	b.units[u], b.seq[u] = n.in, int(n.order)
	b.size += unitSize(u)
	s.busy |= u.In()
	n.stage = uint8(u.Stage())
	return true
}

// fitSelect places a select and the move of its condition.
func (s *scheduler) fitSelect(b *bundle, n *node, free isa.Units) bool {
	if b.r31 {
		return false
	}
	cu, found := b.condUnit(n.in)
	if !found {
		return false
	}
	for _, u := range selectUnits {
		if !free.Has(u) {
			continue
		}
		if !s.put(b, u, n) {
			return false
		}
		b.cond[cu] = n.in
		b.size += unitSize(cu)
		b.r31 = true
		s.busy |= cu.In()
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
		if b.units[u] == nil && b.cond[u] == nil && runs(u, mv) {
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

// putBranch puts a branch with its condition into a bundle that has nothing else.
func (s *scheduler) putBranch(b *bundle, in *inst) {
	b.branch = in
	b.size += branchSize
	if !in.hasCond {
		return
	}
	u, found := b.condUnit(in)
	var add constPool
	if !found || !add.all(in.conditionMove()) {
		s.err = fmt.Errorf("midgard: no bundle can hold the condition of %s", in)
		return
	}
	add.to(b)
	b.cond[u] = in
	b.size += unitSize(u)
	b.r31 = true
}
