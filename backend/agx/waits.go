package agx

import "nirc/backend/agx/isa"

// maxOutstanding is the number of operations that a scoreboard slot holds.
const maxOutstanding = 8

// slotState is what a scoreboard slot has pending: how many operations and which
// register halves they will write.
type slotState struct {
	count int
	regs  [gprHalves / 64]uint64
}

func (s *slotState) note(o *isa.Operand) {
	if o.Kind != isa.Reg {
		return
	}
	for h := int(o.Val); h < int(o.Val)+o.Halves() && h < gprHalves; h++ {
		s.regs[h>>6] |= 1 << (h & 63)
	}
}

func (s *slotState) touches(o *isa.Operand) bool {
	if o.Kind != isa.Reg {
		return false
	}
	for h := int(o.Val); h < int(o.Val)+o.Halves() && h < gprHalves; h++ {
		if s.regs[h>>6]>>(h&63)&1 != 0 {
			return true
		}
	}
	return false
}

func (s *slotState) pendingRegs() bool { return s.regs != [gprHalves / 64]uint64{} }

// insertWaits chooses scoreboard slots and puts waits before what reads or
// overwrites a pending result, before barriers and at the ends of blocks (the
// agx.md §10.1).
func (p *program) insertWaits() {
	var slots [2]slotState
	out := make([]*pinstr, 0, len(p.list)+8)
	moved := map[*pinstr]*pinstr{} // branch targets that got a wait before them
	for _, in := range p.list {
		first := len(out)
		for k := range slots {
			if sl := &slots[k]; sl.count > 0 && !faults.has(faultWaits) && (mustWait(sl, &in.Instr) || p.open && in.Op == isa.OpStop) {
				w := p.newInstr(isa.Instr{Op: isa.OpWait, Slot: uint8(k)}, in.loc)
				out = append(out, w)
				*sl = slotState{}
			}
		}
		if in.Op.Traits()&isa.TraitAsync != 0 {
			k := 0
			if slots[0].count > 0 && slots[1].count == 0 {
				k = 1
			}
			sl := &slots[k]
			if sl.count == maxOutstanding {
				out = append(out, p.newInstr(isa.Instr{Op: isa.OpWait, Slot: uint8(k)}, in.loc))
				*sl = slotState{}
			}
			in.Slot = uint8(k)
			sl.count++
			sl.note(&in.Dst)
		}
		out = append(out, in)
		if out[first] != in {
			moved[in] = out[first]
		}
	}
	for _, in := range out {
		if t := moved[in.to]; in.to != nil && t != nil {
			in.to = t
		}
	}
	p.list = out
}

// mustWait reports whether an instruction must not issue before the operations
// of a slot are complete.
func mustWait(s *slotState, in *isa.Instr) bool {
	t := in.Op.Traits()
	if t&(isa.TraitExec|isa.TraitBranch) != 0 {
		return in.Op != isa.OpStop || s.pendingRegs()
	}
	if t&isa.TraitBarrier != 0 || s.touches(&in.Dst) {
		return true
	}
	for i := range in.Srcs {
		if s.touches(&in.Srcs[i]) {
			return true
		}
	}
	return false
}
