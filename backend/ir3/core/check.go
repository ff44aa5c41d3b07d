package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// stamp is a set of fibers that is void once its clock has moved on, so that
// a sync flag clears all of them at once.
type stamp struct {
	clock uint32
	mask  emu.Mask
}

func (s *stamp) add(clock uint32, m emu.Mask) {
	if s.clock != clock {
		*s = stamp{clock, m}
		return
	}
	s.mask = or(s.mask, m)
}

func (s *stamp) hits(clock uint32, m emu.Mask) bool {
	return s.clock == clock && (s.mask[0]&m[0]|s.mask[1]&m[1]) != 0
}

// lastWrite is the ALU write that a reader of a unit must wait for.
type lastWrite struct {
	slot int64
	half bool
	dead bool // read with (last) since
	mask emu.Mask
}

// checker keeps what the hardware would have under way. Results are tracked by
// the fibers that produced them: code of another branch may touch the register
// without waiting, as the compiler's analysis on the control flow graph allows.
type checker struct {
	slot int64
	last [numUnits]lastWrite

	ss, sy           uint32 // clocks: raised by (ss), (sy)
	pendSS, pendSY   [numUnits]stamp
	scalar           [numUnits]stamp // results of the scalar unit, by ss clock
	warSS            [numUnits]stamp // read late; (ss) needed to write
	warAnySS, warAny [numUnits]stamp // read late; (ss) or (sy), by both clocks
	warScalar        [numUnits]stamp // read by the scalar unit
	// older is the slot of an ALU write in the other size that last covers, and of which it is not known that it is
	// over: far from there a reader of its own size is safe.
	older [numUnits]int64
	// preWrote has, of what the preamble wrote, the fibers for which nothing was written since.
	preWrote [numUnits]emu.Mask
	// atPreamble is what was in the registers where the preamble began.
	atPreamble []uint16

	constSS, constSY bool
	afterSS, afterSY bool // a barrier or fence stands before, whose next instruction waits
	a0Block, block   int64
	hasEI, seenEI    bool
	alu, far         int64 // delays: same size, everything else
	branchstack      int
	preamble         bool // inside shps..shpe, whose getone needs no entry
}

var everyLane = emu.Mask{^uint64(0), ^uint64(0)}

func newChecker(w *wave) *checker {
	c, ok := w.p.checkPool.Get().(*checker)
	if !ok {
		c = new(checker)
	}
	*c = checker{atPreamble: c.atPreamble, ss: 1, sy: 1, alu: 3, far: 6, branchstack: min(64, w.p.meta.BranchStack), a0Block: -1}
	if w.p.meta.Gen == isa.A7xx {
		c.alu, c.far = 2, 5
	}
	for i := range c.last {
		c.last[i].slot, c.older[i] = -100, -100
	}
	if w.p.meta.Stage == ir.StageFragment {
		for i := range w.p.code {
			c.hasEI = c.hasEI || isInput(&w.p.code[i]) && w.p.code[i].Flags&isa.EI != 0
		}
	}
	return c
}

func isInput(x *inst) bool { return x.Op == isa.OpBaryF || x.Op == isa.OpFlatB }

// isScalar reports whether the instruction runs on the scalar unit.
func (w *wave) isScalar(x *inst) bool { return x.chk.scalar && w.p.scalarALU() }

// before checks an instruction that is about to execute.
func (c *checker) before(w *wave, x *inst) error {
	if w.p.static != nil {
		return w.p.static
	}
	if x.Flags&isa.SS != 0 {
		c.ss++
		c.constSS, c.afterSS = false, false
	}
	if x.Flags&isa.SY != 0 {
		c.sy++
		c.constSY, c.afterSY = false, false
	}
	if (c.afterSS || c.afterSY) && x.Op != isa.OpJump && (x.Op != isa.OpNop || x.Flags&isa.SS == 0) {
		return errors.New("(ss) and (sy) are missing after a barrier or a fence")
	}
	if x.chk.leader {
		c.block++
	}
	switch x.Op {
	case isa.OpShps:
		c.preamble = true
		c.atPreamble = w.halves(c.atPreamble[:0])
	case isa.OpShpe:
		if c.constSS || c.constSY {
			return errors.New("the preamble ends while writes to the const file are under way, (ss)(sy) are missing")
		}
	}
	if w.predMode != 0 {
		if err := x.underMask(); err != nil {
			return err
		}
	}
	if len(w.parked) > c.branchstack && !c.preamble {
		return fmt.Errorf("fibers wait at %d addresses, but the branchstack of the meta is %d", len(w.parked), c.branchstack)
	}
	switch {
	case x.Op == isa.OpKill && c.hasEI && !c.seenEI:
		return errors.New("kill before the (ei) of the last input")
	case isInput(x) && x.Flags&isa.EI != 0:
		c.seenEI = true
	case isInput(x) && c.seenEI:
		return errors.New("an input is read after the (ei)")
	}
	if x.chk.usesA0 && c.a0Block != c.block {
		return errors.New("a0.x is not written in the block that uses it")
	}
	if x.chk.readsConst && (c.constSS || c.constSY) {
		return errors.New("a const is read while a write to the const file is under way, (ss) or (sy) is missing")
	}
	for i := range x.chk.spans {
		if err := c.span(w, x, &x.chk.spans[i]); err != nil {
			return err
		}
	}
	if x.Mode.OneDescriptor() {
		return w.uniformNumbers(x)
	}
	if x.chk.relSrc >= 0 || x.chk.relDst {
		return c.relative(w, x)
	}
	return nil
}

// lanes is the set of fibers for which touching a unit matters.
func lanes(w *wave, unit int) emu.Mask {
	if unit >= unitShared && unit < unitA0 || unit == unitA1 {
		return everyLane
	}
	return w.exec
}

// writesFor is the fibers of m that get a result: of a samgp one of each quad, so that another samgp may follow it without
// (sy).
func (x *inst) writesFor(m emu.Mask) emu.Mask {
	k := x.quadFiber()
	if k < 0 {
		return m
	}
	const first = 0x1111111111111111 // of each quad
	return emu.Mask{m[0] & (first << k), m[1] & (first << k)}
}

// span checks one run of registers in all iterations.
func (c *checker) span(w *wave, x *inst, s *span) error {
	n := 1
	if s.step != 0 {
		n += int(x.Repeat)
	}
	for k := 0; k < n; k++ {
		for u := int(s.unit) + k*int(s.step); u < int(s.unit)+k*int(s.step)+int(s.n); u++ {
			if err := c.unit(w, x, s, u, int64(k)+int64(s.cycle)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) unit(w *wave, x *inst, s *span, u int, k int64) error {
	if u < 0 || u >= numUnits || s.unit < unitShared && u >= unitShared {
		return fmt.Errorf("a register number lies outside the file")
	}
	if s.half && s.unit < unitShared && u >= 192 {
		return fmt.Errorf("half register %d lies beyond hr47.w, which have no half names", u)
	}
	m := lanes(w, u)
	verb := "reads"
	if s.write {
		verb, m = "writes", x.writesFor(m)
	}
	switch {
	case c.pendSS[u].hits(c.ss, m):
		return fmt.Errorf("%s %s while a result is under way, (ss) is missing", verb, unitName(u))
	case c.pendSY[u].hits(c.sy, m) && !x.attached: // the lookup that a name serves reads its source, and waits
		return fmt.Errorf("%s %s while a result is under way, (sy) is missing", verb, unitName(u))
	case c.scalar[u].hits(c.ss, m) && !(w.isScalar(x) && (s.write || c.last[u].half == s.half)):
		return fmt.Errorf("%s %s, a result of the scalar unit, (ss) is missing", verb, unitName(u))
	}
	if s.write {
		return c.warHazard(w, x, u, m)
	}
	l := &c.last[u]
	if l.dead {
		return fmt.Errorf("reads %s after its (last)", unitName(u))
	}
	if p := c.preWrote[u]; !c.preamble && p[0]&m[0]|p[1]&m[1] != 0 && !x.fetchesNothing() {
		return fmt.Errorf("reads %s, which the preamble wrote: one wave runs that, and it may be another", unitName(u))
	}
	if l.mask[0]&m[0]|l.mask[1]&m[1] == 0 {
		return nil
	}
	need := c.delay(w, x, s, u, l.half)
	if have := c.slot + k - l.slot - 1; have < need {
		return fmt.Errorf("reads %s %d slots after it was written, %d are needed", unitName(u), max(have, 0), need)
	}
	need = c.delay(w, x, s, u, !s.half)
	if have := c.slot + k - c.older[u] - 1; have < need {
		return fmt.Errorf("reads %s %d slots after it was written in another size, %d are needed", unitName(u), max(have, 0), need)
	}
	return nil
}

// fetchesNothing reports whether x only ends the fetching of varyings, (ei) without a result: what it reads does not matter.
func (x *inst) fetchesNothing() bool { return x.Op == isa.OpBaryF && x.Dst.Val == isa.NoReg }

func (c *checker) warHazard(w *wave, x *inst, u int, m emu.Mask) error {
	switch {
	case c.warSS[u].hits(c.ss, m):
		return fmt.Errorf("writes %s while an earlier instruction may still read it, (ss) is missing", unitName(u))
	case c.warAny[u].hits(c.sy, m) && c.warAnySS[u].hits(c.ss, m):
		return fmt.Errorf("writes %s while an earlier instruction may still read it, (ss) or (sy) is missing", unitName(u))
	case c.warScalar[u].hits(c.ss, m) && !w.isScalar(x):
		return fmt.Errorf("writes %s while the scalar unit may still read it, (ss) is missing", unitName(u))
	}
	return nil
}

// delay is the number of slots that a read needs after an ALU write
// (ir3.md §4.1).
func (c *checker) delay(w *wave, x *inst, s *span, u int, wroteHalf bool) int64 {
	cat := x.Category()
	switch {
	case w.isScalar(x) && u >= unitShared && u < unitA0:
		return 0
	case cat == 0 || cat >= 4 || u >= unitA0:
		return c.far
	}
	need := c.alu
	if wroteHalf != s.half {
		need = c.far
	}
	if s.late {
		switch {
		case w.p.meta.Gen == isa.A7xx:
			need--
		case x.Op >= isa.OpMadU16 && x.Op <= isa.OpMadF32:
			need -= 2
		}
	}
	return need
}

// relative checks the registers that r<a0.x + o> reaches in the active fibers;
// all are taken to be read at the first slot.
func (c *checker) relative(w *wave, x *inst) error {
	for lane := range w.exec.Lanes() {
		for k := 0; k <= int(x.Repeat); k++ {
			if x.chk.relDst {
				if err := c.relUnits(w, x, x.Dst, k, lane, true); err != nil {
					return err
				}
			}
			if i := x.chk.relSrc; i >= 0 {
				o := x.Srcs[i]
				if k > 0 && o.Flags&isa.Rpt == 0 {
					continue
				}
				if err := c.relUnits(w, x, o, k, lane, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *checker) relUnits(w *wave, x *inst, o isa.Operand, k, lane int, write bool) error {
	u, n := relUnit(w, o, k, lane)
	s := span{half: o.IsHalf(), write: write}
	for i := 0; i < n; i++ {
		if u+i < 0 || u+i >= unitShared {
			return fmt.Errorf("r<a0.x> reaches outside the register file in fiber %d", lane)
		}
		if err := c.unit(w, x, &s, u+i, 0); err != nil {
			return err
		}
	}
	return nil
}

func relUnit(w *wave, o isa.Operand, k, lane int) (u, n int) {
	at := int(o.Val) + int(w.a0[lane]) + k
	if o.IsHalf() {
		return at, 1
	}
	return at * 2, 2
}

// after records what an instruction that has executed leaves under way.
func (c *checker) after(w *wave, x *inst) {
	h := &x.chk
	scalar := w.isScalar(x)
	if h.lateRead && !scalar {
		c.noteReads(w, x)
	}
	for i := range h.spans {
		s := &h.spans[i]
		n := 1
		if s.step != 0 {
			n += int(x.Repeat)
		}
		for k := 0; k < n; k++ {
			base := int(s.unit) + k*int(s.step)
			for u := base; u < base+int(s.n) && u < numUnits; u++ {
				switch {
				case s.write:
					c.noteWrite(w, x, u, s.half, c.slot+int64(k)+int64(s.cycle), scalar)
				case s.last:
					c.last[u].dead = true
				case scalar && (u >= unitShared && u < unitA0 || u == unitA0):
					c.warScalar[u].add(c.ss, everyLane)
				}
			}
		}
	}
	if h.relDst {
		c.noteRelWrite(w, x)
	}
	if w.p.gpu != nil && x.Category() == 7 && x.Op != isa.OpAlias && x.Op != isa.OpLock && x.Op != isa.OpUnlock {
		c.afterSS, c.afterSY = true, true
	}
	switch x.Op {
	case isa.OpMova1:
		if w.p.waitsA1(c.preamble) {
			c.pendSS[unitA1].add(c.ss, everyLane)
			c.last[unitA1] = lastWrite{slot: -100}
		}
	case isa.OpStc, isa.OpStsc:
		c.constSS = true
	case isa.OpLdcK:
		c.constSY = true
	case isa.OpShpe:
		if c.preamble {
			c.preamble = false
			c.givenBack(w)
		}
	}
	if x.Dst.Kind == isa.Reg && x.Dst.Val == isa.A0 {
		c.a0Block = c.block
	}
	if !scalar {
		c.slot += int64(h.slots)
	}
}

func (c *checker) noteReads(w *wave, x *inst) {
	for i := range x.chk.spans {
		s := &x.chk.spans[i]
		if s.write || s.unit == unitA0 || s.unit >= unitPred {
			continue
		}
		n := int(s.n) + int(s.step)*int(x.Repeat)
		for u := int(s.unit); u < int(s.unit)+n && u < numUnits; u++ {
			m := lanes(w, u)
			if x.chk.warSS {
				c.warSS[u].add(c.ss, m)
			} else {
				c.warAnySS[u].add(c.ss, m)
				c.warAny[u].add(c.sy, m)
			}
		}
	}
}

func (c *checker) noteWrite(w *wave, x *inst, u int, half bool, slot int64, scalar bool) {
	m := x.writesFor(lanes(w, u))
	p := &c.preWrote[u]
	if c.preamble {
		*p = or(*p, m)
	} else {
		p[0], p[1] = p[0]&^m[0], p[1]&^m[1]
	}
	l := &c.last[u]
	interlocked := scalar || x.chk.class != 0 && u < unitA0
	switch {
	case interlocked:
		c.older[u] = -100
	case l.half != half && l.mask[0]&m[0]|l.mask[1]&m[1] != 0:
		c.older[u] = max(c.older[u], l.slot)
	}
	switch {
	case scalar:
		c.scalar[u].add(c.ss, m)
		*l = lastWrite{slot: -100, half: half}
	case x.chk.class != 0 && (u < unitA0):
		if x.chk.class&syncSS != 0 {
			c.pendSS[u].add(c.ss, m)
		}
		if x.chk.class&syncSY != 0 {
			c.pendSY[u].add(c.sy, m)
		}
		*l = lastWrite{slot: -100}
	default:
		*l = lastWrite{slot: slot, half: half, mask: m}
	}
}

func (c *checker) noteRelWrite(w *wave, x *inst) {
	for lane := range w.exec.Lanes() {
		for k := 0; k <= int(x.Repeat); k++ {
			u, n := relUnit(w, x.Dst, k, lane)
			for i := 0; i < n && u+i >= 0 && u+i < unitShared; i++ {
				c.noteWrite(w, x, u+i, x.Dst.IsHalf(), c.slot+int64(x.Repeat), false)
			}
		}
	}
}

// halves appends what the general registers of the first fiber, which runs a preamble, and the shared ones hold.
func (w *wave) halves(dst []uint16) []uint16 {
	for i := range w.p.regs {
		v := w.regs[i*w.size]
		dst = append(dst, uint16(v), uint16(v>>16))
	}
	for _, v := range w.shared {
		dst = append(dst, uint16(v), uint16(v>>16))
	}
	return dst
}

// givenBack forgets of what the preamble wrote the registers that hold again what they held before it: of inputs, which
// it had to put elsewhere meanwhile.
func (c *checker) givenBack(w *wave) {
	general := 2 * w.p.regs
	for i, now := range w.halves(nil) {
		u := i
		if i >= general {
			u = unitShared + i - general
		}
		if now == c.atPreamble[i] {
			c.preWrote[u] = emu.Mask{}
		}
	}
}
