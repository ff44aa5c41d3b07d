package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/internal/slab"
)

// Short sides of an if may run one after the other with the fibers of the
// other side masked out, instead of being branched around
// (ir3.md §5.4):
//
//	predt            the fibers with p0.x go on
//	...then...
//	predf            the others
//	...else...
//	prede
//
// No fiber waits anywhere, so there is no (jp) and the branch stack is not used. The three
// instructions are one more than branch and jump, but they are issue slots in which results arrive, and
// the else side is time for those of the then side. predicate counts both forms with their delay slots and takes
// the masked one where it is no longer. Devices that need idle slots after it seldom gain.

// maxPredicated bounds the instructions of both sides: a branch skips the side
// that no fiber takes, masks do not.
const maxPredicated = 12

// Idle slots that some devices need (table 1.8): repeats of the nop after
// the second of predt and predf, and after prede.
const (
	predNopRepeat = 4
	predeRepeat   = 6
)

// brUniform, in the flags of a machine branch: all fibers go the same way.
const brUniform uint8 = 1

// maskBranches masks short sides of ifs, all that it can if all.
func (p *phys) maskBranches(all bool) {
	m := p.memory()
	m.turnOver()
	d := p.solveDelays()
	if p.predicate(d, all) && !p.freshDelays(d, m.masked) {
		// What the solution before masks leaves in loops goes round in them: begin again.
		d = p.solveDelays()
	}
	p.solved = d
}

// predicate puts masks where they cost no more than branches. solved has the
// program in the form with branches; it reports whether anything changed, and notes the blocks that did.
func (p *phys) predicate(solved *delaySolution, always bool) bool {
	any := false
	m := p.memory()
	m.masked = slab.Zeroed(m.masked, len(p.blocks))
	for h := range p.blocks {
		if !p.predicable(h, always, &m.touches[1]) {
			continue
		}
		masked := p.masked(h)
		if always || p.maskedCost(h, masked, solved) <= p.branchCost(h, solved) {
			p.mask(h, masked)
			any = true
			for k := range masked {
				m.masked[h+k] = true
			}
		}
	}
	return any
}

// sides are the instructions of a masked if: of the block with the condition, and the two sides.
type sides [3][]pinstr

// predicable reports whether block h ends in a branch that fibers part at, to
// two blocks that join right after, and whether both may be masked.
func (p *phys) predicable(h int, anyLength bool, t *touch) bool {
	if h+3 >= len(p.blocks) {
		return false
	}
	head, join := &p.blocks[h], &p.blocks[h+3]
	n := len(head.ins)
	if !head.divergent || head.uniform || n == 0 || len(head.succs) != 2 || len(join.preds) != 2 {
		return false
	}
	if br := &head.ins[n-1]; br.Op != isa.OpBr || br.to >= 0 || br.Srcs[0].Val != isa.P0 {
		return false
	}
	total := 0
	for k := 1; k <= 2; k++ {
		side := &p.blocks[h+k]
		if head.succs[k-1] != int32(h+k) || len(side.preds) != 1 || len(side.succs) != 1 || side.succs[0] != int32(h+3) {
			return false
		}
		total += len(side.ins)
	}
	if total == 0 || total > maxPredicated && !anyLength {
		return false
	}
	for k := 1; k <= 2; k++ {
		for i := range p.blocks[h+k].ins {
			if !maskable(&p.blocks[h+k].ins[i], t) {
				return false
			}
		}
	}
	return true
}

// maskable reports whether an instruction may be in a masked side: it leaves
// p0.x and what fibers share alone, does not depend on which fibers take part, and waits for
// nothing from memory, which a wave without such fibers would not wait for after a branch.
func maskable(x *pinstr, t *touch) bool {
	if x.Flags&isa.SY != 0 {
		return false
	}
	switch cat := x.Op.Category(); {
	case cat < 1 || cat > 6, x.Op == isa.OpBrcstActive, x.Op == isa.OpBaryF, x.Op == isa.OpFlatB:
		return false
	}
	t.of(&x.Instr)
	for _, w := range t.writes {
		if w.unit >= unitShared && w.unit != unitA0 {
			return false
		}
	}
	return true
}

// masked makes the masked form of the if at block h.
func (p *phys) masked(h int) (s sides) {
	head := p.blocks[h].ins
	br := &head[len(head)-1]
	first, second := isa.OpPredt, isa.OpPredf
	if br.Srcs[0].Flags&isa.Inv != 0 {
		first, second = second, first
	}
	add := func(k int, op isa.Op, repeat uint8) {
		s[k] = append(s[k], pinstr{Instr: isa.Instr{Op: op, Repeat: repeat}, loc: br.loc, to: -1})
	}
	then, els := p.blocks[h+1].ins, p.blocks[h+2].ins
	for k := range s {
		s[k] = p.memory().room(len(p.blocks[h+k].ins) + 3)
	}
	s[0] = append(s[0], head[:len(head)-1]...)
	switch {
	case len(then) == 0:
		add(0, second, 0)
	default:
		add(0, first, 0)
		s[1] = append(s[1], then...)
	}
	s[0][len(head)-1].Flags = br.Flags
	last := 1
	if len(els) > 0 {
		if len(then) > 0 {
			add(1, second, 0)
			if p.gpu.PredtNops && !faults.has(faultPredicateNops) {
				add(1, isa.OpNop, predNopRepeat)
			}
		}
		s[2] = append(s[2], els...)
		last = 2
	}
	add(last, isa.OpPrede, 0)
	if p.gpu.PredeNops && !faults.has(faultPredicateNops) {
		add(last, isa.OpNop, predeRepeat)
	}
	return s
}

// mask puts the masked form in: the blocks follow each other. Their
// predecessors stay what they are for a fiber.
func (p *phys) mask(h int, s sides) {
	for k := range s {
		b := &p.blocks[h+k]
		b.ins = s[k]
		b.succs = append(b.succs[:0], int32(h+k+1))
		b.divergent = false
		b.runsOn = k < 2
	}
}

// branchCost counts the sides with branches, and the block after them.
func (p *phys) branchCost(h int, d *delaySolution) int {
	n := 1
	if len(p.blocks[h+1].ins) > 0 && len(p.blocks[h+2].ins) > 0 {
		n++
	}
	for k := 1; k <= 3; k++ {
		n += totalCost(d.lists[h+k])
	}
	return n
}

// maskedCost counts the masked form of the same.
func (p *phys) maskedCost(h int, s sides, d *delaySolution) int {
	m := p.memory()
	c, n, slots := &m.written, 1, 0
	m.border = d.exit[h].passed(1, m.border[:0]) // predt
	for k := 1; k <= 2; k++ {
		m.late = m.border.passed(slots, m.late[:0])
		c.begin(m.late)
		m.padded = p.pad(c, s[k], m.padded[:0], &m.touches[1])
		slots = p.totalSlots(m.padded)
		n += totalCost(m.padded)
		m.sides[k-1] = c.end(m.sides[k-1][:0])
	}
	m.late = m.sides[0].passed(slots, m.late[:0])
	m.joined = m.late.merged(m.sides[1], m.joined[:0])
	c.begin(m.joined)
	m.padded = p.pad(c, p.blocks[h+3].ins, m.padded[:0], &m.touches[1])
	return n + totalCost(m.padded)
}

func totalCost(list []pinstr) (n int) {
	for i := range list {
		n += issueSlots(&list[i].Instr)
	}
	return n
}

func (p *phys) totalSlots(list []pinstr) (n int) {
	for i := range list {
		n += p.gpu.slots(&list[i].Instr)
	}
	return n
}
