package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/internal/slab"
)

// settled is the age at which a result is ready for everyone.
const settled = 6

// Sizes that a result was written in.
const (
	wroteHalf = 1 << iota
	wroteFull
)

// ages is the time in issue slots since each unit was written by an
// instruction whose results are not interlocked, at most settled.
type ages struct {
	age  [numUnits]uint8
	size [numUnits]uint8 // wroteHalf, wroteFull; both if paths differ
}

// settle lets everything be written long ago.
func (a *ages) settle() {
	*a = ages{}
	for i := range a.age {
		a.age[i] = settled
	}
}

func (a *ages) pass(slots int) {
	if slots == 0 {
		return
	}
	for i := range a.age {
		if a.age[i] < settled {
			a.age[i] = uint8(min(settled, int(a.age[i])+slots))
		}
	}
}

// merge makes a the younger of both and reports whether it changed.
func (a *ages) merge(b *ages) bool {
	changed := false
	for i := range a.age {
		if b.age[i] == settled {
			continue
		}
		switch {
		case a.age[i] == settled:
			a.size[i] = b.size[i]
		case a.size[i]|b.size[i] != a.size[i]:
			a.size[i] |= b.size[i]
			changed = true
		}
		if b.age[i] < a.age[i] {
			a.age[i] = b.age[i]
			changed = true
		}
	}
	return changed
}

// delaySolution is the program with its delay slots: what is under way at the
// ends of blocks, and their instructions with nops.
type delaySolution struct {
	entry, exit []ages
	lists       [][]pinstr
}

// delays inserts nops so that no instruction reads a result before it is
// there (ir3.md §4.1 and 4.6).
func (p *phys) delays() {
	d := p.solved
	if d == nil {
		p.memory().turnOver()
		d = p.solveDelays()
	}
	p.solved = nil
	for b := range p.blocks {
		p.blocks[b].ins = d.lists[b]
	}
}

// solveDelays finds the delay slots. At block entry what matters is the youngest
// write on any path.
func (p *phys) solveDelays() *delaySolution {
	d := p.newDelays()
	p.settleDelays(d)
	if p.loops() && !p.freshDelays(d) {
		d = p.newDelays()
		p.settleDelays(d)
	}
	return d
}

// newDelays is a solution to begin with: nothing is under way anywhere.
func (p *phys) newDelays() *delaySolution {
	n := len(p.blocks)
	m := p.memory()
	m.ages = slab.Resized(m.ages, 2*n)
	for i := range m.ages {
		m.ages[i].settle()
	}
	d := &m.delays
	*d = delaySolution{entry: m.ages[:n], exit: m.ages[n:], lists: slab.Zeroed(d.lists, n)}
	m.done = slab.Zeroed(m.done, n)
	return d
}

// loops reports whether a block leads back.
func (p *phys) loops() bool {
	for b := range p.blocks {
		for _, q := range p.blocks[b].preds {
			if int(q) >= b {
				return true
			}
		}
	}
	return false
}

// settleDelays adds what reaches each block until nothing more does. What a block waits for on one way
// is time on all: what was under way before that was known stays noted, so loops may wait longer than they must.
func (p *phys) settleDelays(d *delaySolution) {
	done := p.memory().done
	for again := true; again; {
		again = false
		for b := range p.blocks {
			grew := !done[b]
			for _, q := range p.blocks[b].preds {
				grew = d.entry[b].merge(d.reaching(p, q, int32(b))) || grew
			}
			if !grew {
				continue
			}
			if !done[b] {
				k := len(p.blocks[b].ins)
				d.lists[b] = p.memory().room(k + k/4 + 4)
			}
			done[b], again = true, true
			p.padBlock(d, b)
		}
	}
}

// padBlock makes the instructions and the exit of a block from its entry.
func (p *phys) padBlock(d *delaySolution, b int) {
	m := p.memory()
	a := &d.exit[b]
	*a = d.entry[b]
	d.lists[b] = p.pad(a, p.blocks[b].ins, d.lists[b][:0], &m.touches[1])
	a.age[unitA0], a.age[unitA1] = settled, settled
}

// maxFresh bounds the rounds of freshDelays.
const maxFresh = 4

// freshDelays goes round a solution again, with nothing at a block's entry but what the blocks before it leave now. It
// reports whether a round changed nothing, which is a solution too.
func (p *phys) freshDelays(d *delaySolution) bool {
	for range maxFresh {
		changed := false
		for b := range p.blocks {
			if len(p.blocks[b].preds) == 0 {
				continue
			}
			var now ages
			now.settle()
			for _, q := range p.blocks[b].preds {
				now.merge(d.reaching(p, q, int32(b)))
			}
			if now != d.entry[b] {
				d.entry[b], changed = now, true
				p.padBlock(d, b)
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

// reaching is what block q leaves under way when its fibers get to b: the
// masked sides in between have passed.
func (d *delaySolution) reaching(p *phys, q, b int32) *ages {
	if !p.blocks[q].runsOn || b == q+1 {
		return &d.exit[q]
	}
	a := d.exit[q]
	for k := q + 1; k < b; k++ {
		a.pass(p.totalSlots(d.lists[k]))
	}
	return &a
}

// pad copies the instructions of a block, with nops where they are needed.
func (p *phys) pad(a *ages, ins, list []pinstr, t *touch) []pinstr {
	for i := range ins {
		x := ins[i]
		t.ofAliased(&x)
		need := 0
		for _, r := range t.reads {
			need = max(need, p.wait(a, &x.Instr, r))
		}
		if need > 0 && !faults.has(faultDelays) {
			k := len(list)
			list = addNops(list, need, x.loc)
			waitEarlier(list, k, &x)
			a.pass(need)
		}
		list = append(list, x)
		a.issue(&x.Instr, p.gpu.slots(&x.Instr), t)
	}
	return list
}

// waitEarlier lets the first of the nops before x that stand from k on wait for all that x waits for, if what
// is before them may be a barrier or a fence: the instruction right after those has to.
func waitEarlier(list []pinstr, k int, x *pinstr) {
	const both = isa.SS | isa.SY
	if k < len(list) && x.Flags&both == both && (k == 0 || list[k-1].Op.Category() == 7) {
		list[k].Flags |= both
		x.Flags &^= both
	}
}

// wait is the number of slots that must still pass before in can read r.
func (p *phys) wait(a *ages, in *isa.Instr, r span) int {
	worst := 0
	for u := r.unit; u < r.unit+r.n; u++ {
		if a.age[u] != settled {
			later := 0 // the slot, from the first, in which the unit is read
			if r.step > 0 {
				later = (u - r.unit) / r.step
			}
			worst = max(worst, p.delay(a.size[u], in, r)-int(a.age[u])-later)
		}
	}
	return worst
}

// delay is the number of slots between an instruction that wrote r in the
// given size and one that reads it (ir3.md §4.1).
func (p *phys) delay(size uint8, in *isa.Instr, r span) int {
	base, far, later, late := 3, 6, 2, in.Op >= isa.OpMadU16 && in.Op <= isa.OpMadF32
	cat := in.Op.Category()
	if p.gpu.Gen == isa.A7xx {
		base, far, later, late = 2, 5, 1, cat == 3
	}
	need := far
	if cat >= 1 && cat <= 3 && r.unit < unitShared {
		if size == wroteFull && !r.half || size == wroteHalf && r.half {
			need = base
		}
		if r.late && late {
			need -= later
		}
	}
	return need
}

// issue ages everything by the slots that in takes, and notes what it writes.
func (a *ages) issue(in *isa.Instr, slots int, t *touch) {
	a.pass(slots)
	k := syncOf(in)
	cat := in.Op.Category()
	for _, w := range t.writes {
		size := uint8(wroteFull)
		if w.half {
			size = wroteHalf
		}
		for u := w.unit; u < w.unit+w.n; u++ {
			a.age[u], a.size[u] = 0, size
			if w.step > 0 {
				// Earlier repetitions have written some slots ago.
				a.age[u] = uint8(w.n/w.step - 1 - (u-w.unit)/w.step)
			}
			if k.ss || k.sy || cat > 3 || waitsA1(in) {
				a.age[u] = settled
			}
		}
	}
}

// slots is the number of issue slots that an instruction takes.
func slots(in *isa.Instr) int {
	switch in.Op.Category() {
	case 0:
		switch in.Op {
		case isa.OpBr, isa.OpBraa, isa.OpBrao, isa.OpJump:
			return 0
		}
		return 1 + int(in.Repeat)
	case 1, 2, 3:
		return issueSlots(in)
	}
	return 0
}

// addNops lets n slots pass: in the nop field of the instruction before, by a
// longer nop before, or by new nops.
func addNops(list []pinstr, n int, loc uint32) []pinstr {
	if k := len(list); k > 0 {
		last := &list[k-1]
		switch c := last.Op.Category(); {
		case (c == 2 || c == 3) && last.Repeat == 0 && !last.Dst.IsShared():
			if have := last.Nops(); have < 3 {
				add := min(n, 3-have)
				last.SetNops(have + add)
				n -= add
			}
		case last.Op == isa.OpNop && last.Repeat < 5:
			add := min(n, 5-int(last.Repeat))
			last.Repeat += uint8(add)
			n -= add
		}
	}
	for n > 0 {
		k := min(n, 6)
		list = append(list, pinstr{Instr: isa.Instr{Op: isa.OpNop, Repeat: uint8(k - 1)}, loc: loc, to: -1})
		n -= k
	}
	return list
}
