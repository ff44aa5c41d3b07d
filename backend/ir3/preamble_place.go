package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// A preamble that could be in shared registers is not always better there. The scalar unit takes no delay slots and no registers of fibers,
// and may run before the waves; but it has no multiply-add (ir3.md §3.9), so that the sum of a product is two instructions of it. Products of
// matrices, whose columns fill each other's delay slots in normal registers, take almost twice as long there.

// A preamble may take earlySlots or an earlyPart of its time in normal registers longer in shared ones: for what it does before the waves
// nobody waits, and registers that it takes are those of all fibers.
const (
	earlySlots = 8
	earlyPart  = 4
)

// scalarPays reports whether a preamble that could be in shared registers is to be there: normal ones are not much faster, or would cost waves.
func (c *compiler) scalarPays(f *mach.Func) bool {
	t := newPreambleTimer(f, c.mem)
	if t.more == 0 || c.opts.scalarAlways { // nothing is shorter elsewhere
		return true
	}
	normal := t.time(false)
	return t.time(true) <= normal+max(earlySlots, normal/earlyPart) || !c.preambleFits(f)
}

// preambleFits reports whether the values of a preamble have room in normal registers, beside the inputs of the program, and take no waves
// from it. Allocation leaves gaps: they get a quarter more than lives at once.
func (c *compiler) preambleFits(f *mach.Func) bool {
	units := mach.Pressure(f, fileGPR)
	units += units/4 + c.inputUnits()
	return units <= c.registerLimit() && c.wavesFor((units+7)/8) >= c.wavesFor((c.pressure+7)/8)
}

// inputUnits is the number of units that the inputs of the program arrive in.
func (c *compiler) inputUnits() (n int) {
	f := c.sel.f
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != opInputs {
				continue
			}
			for _, d := range in.Defs() {
				if d.Flags&mach.Dead == 0 && f.File(d.Val) == fileGPR {
					n += f.Size(d.Val)
				}
			}
		}
	}
	return n
}

// preambleTimer counts the slots of a preamble of one block, in the order that it has.
type preambleTimer struct {
	f    *mach.Func
	code *code
	// more is how many more instructions it has in shared registers.
	more int32
	// near and far are the slots between a result in normal registers and the ALU, or other units. What a sum adds is read late slots later.
	near, far, late int32
	made            []madeValue // by value
}

// madeValue says when a value is made, and by what.
type madeValue struct {
	at int32
	by uint8
}

const (
	madeBefore  = iota // nothing has to be waited for
	madeByALU          // in any registers
	madeSpecial        // by the unit for special functions
)

// Slots that (ss) usually waits (ir3.md §4.9).
const (
	slotsShared  = 6
	slotsSpecial = 10
)

func newPreambleTimer(f *mach.Func, m *memory) *preambleTimer {
	t := &m.timer
	*t = preambleTimer{f: f, code: templates(f), near: 3, far: 6, late: 2, made: t.made}
	if t.code.gen == isa.A7xx {
		t.near, t.far, t.late = 2, 5, 1
	}
	for _, in := range f.Blocks[0].Instrs {
		if op := t.template(in); op != nil {
			t.more += scalarParts(op.Op) - 1
		}
	}
	return t
}

// template is that of a machine instruction, nil for the others.
func (t *preambleTimer) template(in *mach.Instr) *isa.Instr {
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs {
		return nil
	}
	return &t.code.tmpl[in.Ext]
}

// scalarParts is the number of instructions that scalarize makes of an operation.
func scalarParts(op isa.Op) int32 {
	switch op {
	case isa.OpMadF16, isa.OpMadF32, isa.OpSadS16, isa.OpSadS32:
		return 2
	case isa.OpMadshM16:
		return 4
	}
	return 1
}

// reach is how far instructions are moved to fill the slots between others.
const reach = 16

// time is what the preamble takes in shared registers, or in normal ones: what its instructions issue, or its longest chain, if that is longer. Waits for memory
// do not count, which both have.
func (t *preambleTimer) time(scalar bool) int32 {
	t.made = slab.Zeroed(t.made, t.f.NumValues())
	var before [reach]int32 // when the last ones were made
	issue, chain, i := int32(0), int32(0), 0
	for _, in := range t.f.Blocks[0].Instrs {
		op := t.template(in)
		if op == nil {
			t.set(in, t.last(in))
			continue
		}
		n := t.slots(op, scalar)
		at := max(t.start(in, op, scalar), before[i]) + n
		t.set(in, madeValue{at: at, by: madeBy(op)})
		issue, chain, before[i] = issue+n, max(chain, at), at
		i = (i + 1) % reach
	}
	return max(issue, chain)
}

// slots is what an instruction issues, with what has to stand after a write of a1.x: early preambles of a7xx wait for it with (ss).
func (t *preambleTimer) slots(op *isa.Instr, scalar bool) int32 {
	switch {
	case op.Op == isa.OpMova1 && !(scalar && t.code.gen == isa.A7xx):
		return 1 + t.far
	case scalar:
		return scalarParts(op.Op)
	}
	return 1
}

// last is the last source of a collect, a split or a copy, which take no time themselves.
func (t *preambleTimer) last(in *mach.Instr) (last madeValue) {
	for _, u := range in.Uses() {
		if m := t.made[u.Val]; m.by != madeBefore && (last.by == madeBefore || m.at > last.at) {
			last = m
		}
	}
	return last
}

// start is when all sources of an instruction are there.
func (t *preambleTimer) start(in *mach.Instr, op *isa.Instr, scalar bool) (at int32) {
	for k, u := range in.Uses() {
		added := k == len(in.Uses())-1 && op.Srcs[2].Kind == isa.Reg && scalarParts(op.Op) > 1
		m := t.made[u.Val]
		at = max(at, m.at+t.wait(m.by, op, added, scalar))
	}
	return at
}

// madeBy is what makes the result of an instruction.
func madeBy(op *isa.Instr) uint8 {
	switch c := op.Op.Category(); {
	case c >= 1 && c <= 3:
		return madeByALU
	case c == 4:
		return madeSpecial
	}
	return madeBefore
}

// wait is the number of slots between a result and op, which adds it to a product or reads it otherwise.
func (t *preambleTimer) wait(by uint8, op *isa.Instr, added, scalar bool) int32 {
	alu := madeBy(op) == madeByALU
	switch {
	case by == madeSpecial:
		return slotsSpecial
	case by == madeBefore, alu && scalar:
		return 0
	case scalar:
		return slotsShared
	case !alu:
		return t.far
	case added:
		return t.near - t.late
	}
	return t.near
}

// set notes the results of an instruction.
func (t *preambleTimer) set(in *mach.Instr, m madeValue) {
	for _, d := range in.Defs() {
		t.made[d.Val] = m
	}
}
