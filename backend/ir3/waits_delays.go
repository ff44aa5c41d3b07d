package ir3

import (
	"slices"

	"nirc/backend/ir3/isa"
	"nirc/internal/slab"
)

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
	if !p.loops() {
		return d
	}
	d = p.loopDelays(d)
	if p.padEntries(d) {
		d = p.newDelays()
		p.settleDelays(d)
		d = p.loopDelays(d)
	}
	return d
}

// loopDelays is a solution without what a program with loops does not wait for, if one is found.
func (p *phys) loopDelays(d *delaySolution) *delaySolution {
	if !p.freshDelays(d, nil) {
		d = p.newDelays()
		p.settleDelays(d)
	}
	return d
}

// newDelays is a solution to begin with: nothing is under way anywhere.
func (p *phys) newDelays() *delaySolution {
	n := len(p.blocks)
	m := p.memory()
	m.ages = slab.Zeroed(m.ages, 2*n)
	m.young.Reset()
	d := &m.delays
	*d = delaySolution{entry: m.ages[:n], exit: m.ages[n:], lists: slab.Zeroed(d.lists, n)}
	m.done = slab.Zeroed(m.done, n)
	return d
}

// keep stores what is under way in place of what was, where it fits there.
func (m *memory) keep(at *ages, now ages) {
	if len(now) > cap(*at) {
		*at = m.young.Slice(len(now))
	}
	*at = append((*at)[:0], now...)
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
	m := p.memory()
	for again := true; again; {
		again = false
		for b := range p.blocks {
			now := d.reached(p, int32(b), d.entry[b])
			if m.done[b] && slices.Equal(now, d.entry[b]) {
				continue
			}
			m.keep(&d.entry[b], now)
			m.done[b], again = true, true
			p.padBlock(d, b)
		}
	}
}

// padBlock makes the instructions and the exit of a block from its entry.
func (p *phys) padBlock(d *delaySolution, b int) {
	m := p.memory()
	ins := p.blocks[b].ins
	if k := len(ins); cap(d.lists[b]) < k {
		d.lists[b] = m.room(k + k/4 + 4)
	}
	m.written.begin(d.entry[b])
	m.written.stores = int32(b) < p.preamble
	d.lists[b] = p.pad(&m.written, ins, d.lists[b][:0], &m.touches[1])
	m.written.at[unitA0], m.written.at[unitA1] = 0, 0 // they are not alive in other blocks
	m.border = m.written.end(m.border[:0])
	m.keep(&d.exit[b], m.border)
}

// maxFresh bounds the rounds of freshDelays.
const maxFresh = 4

// freshDelays goes round a solution again, with nothing at a block's entry but what the blocks before it leave now; changed are
// blocks whose instructions are others than those of the solution, nil for none. It reports whether a round changed nothing, which is a solution too.
func (p *phys) freshDelays(d *delaySolution, changed []bool) bool {
	m := p.memory()
	for range maxFresh {
		again := false
		for b := range p.blocks {
			now := d.reached(p, int32(b), nil)
			if slices.Equal(now, d.entry[b]) && (changed == nil || !changed[b]) {
				continue
			}
			m.keep(&d.entry[b], now)
			p.padBlock(d, b)
			again = true
		}
		if !again {
			return true
		}
		changed = nil
	}
	return false
}

// reached merges what the blocks before b leave under way with what is known to be. It is valid until the next call.
func (d *delaySolution) reached(p *phys, b int32, known ages) ages {
	m := p.memory()
	now := append(m.border[:0], known...)
	for _, q := range p.blocks[b].preds {
		m.joined = now.merged(d.reaching(p, q, b), m.joined[:0])
		m.joined, now = now, m.joined
	}
	m.border = now
	return now
}

// reaching is what block q leaves under way when its fibers get to b: the
// masked sides in between have passed.
func (d *delaySolution) reaching(p *phys, q, b int32) ages {
	if !p.blocks[q].runsOn || b == q+1 {
		return d.exit[q]
	}
	slots := 0
	for k := q + 1; k < b; k++ {
		slots += p.totalSlots(d.lists[k])
	}
	m := p.memory()
	m.late = d.exit[q].passed(slots, m.late[:0])
	return m.late
}

// pad copies the instructions of a block, with nops where they are needed.
func (p *phys) pad(c *writeClock, ins, list []pinstr, t *touch) []pinstr {
	for i := range ins {
		x := ins[i]
		need := p.needs(c, &x, t)
		if need > 0 {
			need = p.addLate(c, &x, need, t)
		}
		if need > 0 && !faults.has(faultDelays) {
			k := len(list)
			list = addNops(list, need, x.loc)
			waitEarlier(list, k, &x)
			c.now += need
		}
		list = append(list, x)
		c.now += p.gpu.slots(&x.Instr)
		c.issue(&x.Instr, t)
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
func (p *phys) wait(c *writeClock, in *isa.Instr, r span) int {
	worst := 0
	for u := r.unit; u < r.unit+r.n; u++ {
		if age := c.age(u); age != settled {
			later := 0 // the slot, from the first, in which the unit is read
			if r.step > 0 {
				later = (u - r.unit) / r.step
			}
			worst = max(worst, p.delay(c.size[u], in, r)-age-later)
			if old := c.now - c.older[u]; old < settled {
				worst = max(worst, p.delay(wroteHalf|wroteFull, in, r)-old-later)
			}
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

// issue notes what in has written when its slots have passed.
func (c *writeClock) issue(in *isa.Instr, t *touch) {
	k := syncOf(in)
	interlocked := k.ss || k.sy || in.Op.Category() > 3 || waitsA1(in)
	for _, w := range t.writes {
		size := uint8(wroteFull)
		if w.half {
			size = wroteHalf
		}
		for u := w.unit; u < w.unit+w.n; u++ {
			age := uint8(0)
			switch {
			case interlocked:
				age = settled
			case w.step > 0:
				// Earlier repetitions have written some slots ago.
				age = uint8(w.n/w.step - 1 - (u-w.unit)/w.step)
			}
			c.write(u, age, size)
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
			have := last.Nops()
			add := min(n, 3-have)
			last.SetNops(have + add)
			n -= add
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
