package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/slab"
)

// condReads is what is known of a virtual register that may be a condition.
type condReads struct {
	def   *inst
	block int32
	at    int32 // position of def in its block
	defs  int32
	reads int32
	conds int32 // reads as a condition in the block of def
}

// fuseConditions gives selects, branches and discards the instruction that
// makes their condition, to run in the condition's slot of their bundle, where it writes
// r31: no register holds the boolean and no move copies it. A boolean that is
// read otherwise too keeps its register.
func (f *function) fuseConditions() {
	m := f.memory()
	m.conds = slab.Zeroed(m.conds, len(f.nodes))
	info := m.conds
	for b := range f.blocks {
		for i, in := range f.blocks[b].list {
			if in.dst.virtual() && in.mask != 0 {
				c := &info[index(in.dst)]
				c.def, c.block, c.at = in, int32(b), int32(i)
				c.defs++
			}
			in.reads(func(r reg, _ uint8) {
				if r.virtual() {
					info[index(r)].reads++
				}
			})
		}
	}
	for b := range f.blocks {
		for _, in := range f.blocks[b].list {
			if c := conditionOf(in, info); c != nil && c.block == int32(b) {
				c.conds++
			}
		}
	}
	m.written = slab.Zeroed(m.written, int(firstVirtual)+len(f.nodes))
	written := m.written // by register: 1 + where it was last written
	base := int32(0)     // of the block's instructions
	for b := range f.blocks {
		for i, in := range f.blocks[b].list {
			if c := conditionOf(in, info); c != nil && c.block == int32(b) && c.defs == 1 && c.reads == c.conds && fusable(in, c, written, base) {
				in.fuse, f.settled = f.fused(in, c.def), false
			}
			if in.dst != regNone {
				written[in.dst] = base + int32(i) + 1
			}
		}
		base += int32(len(f.blocks[b].list))
	}
}

// conditionOf finds what makes the condition of in.
func conditionOf(in *inst, info []condReads) *condReads {
	if !in.hasCond || in.fuse != nil || !in.cond.reg.virtual() {
		return nil
	}
	return &info[index(in.cond.reg)]
}

// fusable reports whether the instruction can run where the condition is made: on
// a unit for it, with operands that have not changed.
func fusable(in *inst, c *condReads, written []int32, base int32) bool {
	d := c.def
	if d.kind != kindALU || d.hasCond || !d.makesWords(in) || !conditionUnits(in).any(in, d) {
		return false
	}
	if in.kind == kindALU && constWords(d)+constWords(in) > 4 {
		return false // both have the bundle's constants
	}
	ok := true
	d.eachSource(func(s *source, _ uint8) { ok = ok && written[s.reg] <= base+c.at })
	return ok && (!d.op.Is(isa.Reduce|isa.OneLane) || in.condLanes() == 8)
}

// makesWords reports whether the condition of in is made as the lanes of 32 bits that in
// reads: by a comparison of bytes, as two of 16, or of 64 bits, where one is read.
func (d *inst) makesWords(in *inst) bool {
	switch {
	case in.cond.half != partFull || in.half == partByte && in.op.Is(isa.SelectVector):
		return false
	case d.half == partBoth:
		return d.skip == 0 && d.keep == 0 && d.readsBytes() && in.condLanes() == 8
	case d.half == partCut:
		return in.condLanes() == 8
	}
	return d.half == partFull
}

// fused is a copy of d that writes the condition register for in.
func (f *function) fused(in, d *inst) *inst {
	t := *d
	t.dst, t.mask = regCond, in.condLanes()
	from := in.cond.swz
	if d.half == partBoth || d.half == partCut {
		first := 2 * (in.cond.swz[3] & 1)
		from = [4]uint8{first, first + 1, first, first + 1}
	}
	if !d.op.Is(isa.Reduce) {
		for i := range t.src {
			t.src[i] = t.src[i].place(from)
		}
	}
	return f.newInst(t)
}

// unitList is units in the order in which they are tried.
type unitList []isa.Unit

// any reports whether one of the units runs d where it makes the condition of in.
func (l unitList) any(in, d *inst) bool {
	t := *d
	t.mask = in.condLanes()
	for _, u := range l {
		if runs(u, &t) {
			return true
		}
	}
	return false
}

var (
	vectorCond = unitList{isa.UnitVMUL}
	scalarCond = unitList{isa.UnitSADD}
	branchCond = unitList{isa.UnitSMUL, isa.UnitVADD}
	earlyCond  = unitList{isa.UnitSADD, isa.UnitVMUL}
)

// conditionUnits are the units that may make the condition of an instruction:
// in stage 1 for selects, of the kind that the opcode names (midgard.md §4.5), in stage 2 for branches (midgard.md §7.1).
func conditionUnits(in *inst) unitList {
	switch {
	case in.kind != kindALU && faults.has(faultBranchStage):
		return earlyCond
	case in.kind != kindALU:
		return branchCond
	case in.op.Is(isa.SelectVector):
		return vectorCond
	case faults.has(faultSelectUnit):
		return earlyCond
	}
	return scalarCond
}
