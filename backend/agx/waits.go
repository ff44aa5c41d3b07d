package agx

import (
	"slices"

	"nirc/backend/agx/isa"
	"nirc/internal/slab"
)

// maxOutstanding is the number of operations that a scoreboard slot holds.
const maxOutstanding = 8

// slotState is what a scoreboard slot has pending: how many operations and which
// register halves they will write.
type slotState struct {
	count int
	regs  halfSet
	need  int // which instruction waits for them first
}

// note takes what an operation will write, or destroy.
func (s *slotState) note(in *isa.Instr) {
	o := &in.Dst
	if o.Kind != isa.Reg {
		return
	}
	n := resultHalves(in)
	if faults.has(faultResidencyWait) {
		n = o.Halves()
	}
	s.regs.add(int(o.Val), n)
}

func (s *slotState) touches(o *isa.Operand) bool {
	return o.Kind == isa.Reg && s.regs.touches(int(o.Val), o.Halves())
}

func (s *slotState) pendingRegs() bool { return s.regs != halfSet{} }

// insertWaits chooses scoreboard slots and puts waits before what reads or
// overwrites a pending result, before barriers and where control flow may go round
// (agx.md §10.1). Stores have taken their data and their lanes when they
// are issued: forward control flow leaves them pending, they only count.
func (p *program) insertWaits() {
	w := waiter{p: p, out: p.rewrite(len(p.list) + 8), branches: slices.ContainsFunc(p.list, func(in *pinstr) bool { return in.to != nil })}
	for k := range w.slots {
		w.slots[k].need = never
	}
	w.needs = p.firstNeeds()
	for i, in := range p.list {
		w.place(i, in)
	}
	for _, in := range w.out {
		if t := w.moved[in.to]; in.to != nil && t != nil {
			in.to = t
		}
	}
	p.list = w.out
}

// waiter is the state of insertWaits.
type waiter struct {
	p     *program
	slots [2]slotState
	needs []int // by instruction: which one first waits for its result
	out   []*pinstr
	moved map[*pinstr]*pinstr // branch targets that got a wait before them
	joins map[*pinstr][2]int  // what may be pending where a forward jump comes in
	// branches: the program has some, so that moved matters.
	branches bool
}

func (w *waiter) place(i int, in *pinstr) {
	first := len(w.out)
	for k, n := range w.joins[in] {
		w.slots[k].count = max(w.slots[k].count, n)
	}
	for k := range w.slots {
		if sl := &w.slots[k]; sl.count > 0 && !faults.has(faultWaits) && (mustWait(sl, &in.Instr) || w.p.open && in.Op == isa.OpStop) {
			w.wait(k, in)
		}
	}
	if in.Op.Traits()&isa.TraitAsync != 0 {
		k := w.choose(i, &in.Instr)
		sl := &w.slots[k]
		if sl.count == maxOutstanding {
			w.wait(k, in)
		}
		in.Slot = uint8(k)
		sl.count++
		sl.need = min(sl.need, w.needs[i])
		sl.note(&in.Instr)
	}
	if in.Op == isa.OpJmpExecNone && in.to != nil {
		n := w.joins[in.to]
		for k := range n {
			n[k] = max(n[k], w.slots[k].count)
		}
		if w.joins == nil {
			w.joins = map[*pinstr][2]int{}
		}
		w.joins[in.to] = n
	}
	w.out = append(w.out, in)
	if w.out[first] != in && w.branches {
		if w.moved == nil {
			w.moved = map[*pinstr]*pinstr{}
		}
		w.moved[in] = w.out[first]
	}
}

// wait adds a wait before an instruction.
func (w *waiter) wait(k int, in *pinstr) {
	w.out = append(w.out, w.p.newInstr(isa.Instr{Op: isa.OpWait, Slot: uint8(k)}, in.loc))
	w.slots[k] = slotState{need: never}
}

// waitApart is how much later than what is pending on a slot a result may be needed and
// still share the slot: one wait is then for both.
const waitApart = 4

// choose returns the slot of an operation: one whose wait comes when this result is wanted, else
// a free one, else the one that is waited for last.
func (w *waiter) choose(i int, in *isa.Instr) int {
	result := in.Dst.Kind == isa.Reg
	best, found := 0, false
	for k := range w.slots {
		sl := &w.slots[k]
		near := result == sl.pendingRegs() && (!result || w.needs[i] <= sl.need+waitApart)
		if sl.count > 0 && sl.count < maxOutstanding && near && (!found || sl.need < w.slots[best].need) {
			best, found = k, true
		}
	}
	if found {
		return best
	}
	for k := range w.slots {
		if w.slots[k].count == 0 {
			return k
		}
	}
	if w.slots[1].need > w.slots[0].need {
		return 1
	}
	return 0
}

// needWindow bounds how far firstNeeds looks.
const needWindow = 128

// never is the place of what nothing waits for.
const never = int(^uint(0) >> 1)

// firstNeeds finds, for each asynchronous operation with a result, the instruction that
// has to wait for it first.
func (p *program) firstNeeds() []int {
	needs := slab.Resized(p.code.needs, len(p.list))
	p.code.needs = needs
	for i, in := range p.list {
		needs[i] = never
		if in.Op.Traits()&isa.TraitAsync == 0 || in.Dst.Kind != isa.Reg {
			continue
		}
		var s slotState
		s.note(&in.Instr)
		needs[i] = i + needWindow
		for k := i + 1; k < len(p.list) && k < i+needWindow; k++ {
			if mustWait(&s, &p.list[k].Instr) {
				needs[i] = k
				break
			}
		}
	}
	return needs
}

// mustWait reports whether an instruction must not issue before the operations
// of a slot are complete.
func mustWait(s *slotState, in *isa.Instr) bool {
	t := in.Op.Traits()
	if t&(isa.TraitExec|isa.TraitBranch) != 0 {
		return s.pendingRegs() || t&isa.TraitUnknown != 0 || in.Op == isa.OpJmpExecAny || in.Op == isa.OpCall
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
