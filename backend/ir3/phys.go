package ir3

import (
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// pinstr is a physical instruction: every operand has its register.
type pinstr struct {
	isa.Instr
	loc uint32
	// to is the block that a branch leads to, -1 of other instructions.
	to int32
	// group is the repeat group that it belongs to, 0 none.
	group int32
	// array is what a relative operand may name.
	array regSpan
	// alias are names in the sources of a texture instruction that stand for something else.
	alias []aliasEntry
}

// pblock is a block of physical instructions. Blocks stand in program order.
type pblock struct {
	ins   []pinstr
	preds []int32
	succs []int32
	// physical predecessors: where control drops in from when fibers wait here
	// (phys_edges.go); known where uniform values are in shared registers, a1.x is written, or fibers take turns.
	physPreds []int32
	jp        bool // fibers join here
	divergent bool // ends in a branch that fibers may part at
	uniform   bool // ... but all go the same way
	runsOn    bool // the blocks up to the next predecessor's successor run for other fibers first
}

// phys turns an allocated machine function into physical instructions.
type phys struct {
	f      *mach.Func
	code   *code
	gpu    *GPU
	blocks []pblock
	// start[b] is the first physical block of machine block b, tail[b] the last.
	start, tail []int32
	cur         int32
	err         error
	// waitFirst: the first instruction waits for what the threads' stage before left under way.
	waitFirst bool
	// preamble is how many of the first blocks are the preamble; early: it may run before dispatch.
	preamble int32
	early    bool
	// turns: fibers read a shared register that others have written while they waited.
	turns bool
	// spillBase is what the base register of spilled values holds.
	spillBase int
	// arrayBase is the first register of arrays.
	arrayBase int
	mem       *memory
	// solved are the delays of the program as it is, nil if not known.
	solved *delaySolution
}

// lower makes the physical program of the main function, after its preamble if it
// has one. Blocks keep their order; macros split them.
func lower(c *compiler) (*phys, error) {
	f, preamble, m := c.sel.f, c.sel.pre.f, c.mem
	m.turnOver()
	p := &m.phys
	*p = phys{f: f, mem: m, blocks: m.blocks[:0], code: templates(f), gpu: c.gpu, spillBase: spillBase(c.spillStart),
		start: slab.Resized(p.start, len(f.Blocks)), tail: slab.Resized(p.tail, len(f.Blocks))}
	if preamble != nil {
		p.putPreamble(preamble)
	}
	p.placeArrays()
	p.function(f, p.start, p.tail)
	m.blocks = p.blocks
	if preamble != nil {
		p.preambleEdges()
	}
	return p, p.err
}

// function emits the blocks of f, and joins them: start[b] is the first block of machine block b, tail[b] the last.
func (p *phys) function(f *mach.Func, start, tail []int32) {
	for b := range f.Blocks {
		start[b] = p.newBlock()
		for _, in := range f.Blocks[b].Instrs {
			p.instr(in)
		}
		tail[b] = p.cur
	}
	p.closeBlock()
	for b := range f.Blocks {
		t := tail[b]
		succs := f.Blocks[b].Succs
		if n := len(f.Blocks[b].Instrs); len(succs) > 1 && f.Blocks[b].Instrs[n-1].Op == machOp(isa.OpJump) {
			succs = succs[:1] // of an if whose sides are empty
		}
		for _, s := range succs {
			p.edge(t, start[s])
		}
		p.blocks[t].divergent = len(succs) > 1
		if n := len(f.Blocks[b].Instrs); n > 0 {
			p.blocks[t].uniform = f.Blocks[b].Instrs[n-1].Flags&brUniform != 0
		}
	}
}

// putPreamble puts the preamble first: shps for the waves that skip it, getone
// for the fibers that do.
func (p *phys) putPreamble(f *mach.Func) {
	main := p.f
	p.f = f
	for b, op := range preambleEntry {
		p.newBlock()
		p.emit(isa.Instr{Op: op}, 0)
		p.blocks[b].divergent = op == isa.OpGetone
	}
	n := len(f.Blocks)
	at := make([]int32, 2*n)
	p.function(f, at[:n], at[n:])
	p.f, p.preamble = main, int32(len(p.blocks))
}

// preambleEntry are the instructions that begin a preamble, each a block: they skip all of it.
var preambleEntry = [...]isa.Op{isa.OpShps, isa.OpGetone}

// preambleEdges joins the preamble to the program.
func (p *phys) preambleEdges() {
	for b := range int32(len(preambleEntry)) {
		p.blocks[b].ins[0].to = p.preamble
		p.edge(b, b+1)
		p.edge(b, p.preamble)
	}
	p.edge(p.preamble-1, p.preamble)
}

func (p *phys) newBlock() int32 {
	p.closeBlock()
	m := p.memory()
	p.blocks = append(p.blocks, pblock{ins: m.lists[m.turn].open()})
	p.cur = int32(len(p.blocks) - 1)
	return p.cur
}

// closeBlock ends the instructions of the current block.
func (p *phys) closeBlock() {
	if len(p.blocks) > 0 {
		m, b := p.memory(), &p.blocks[p.cur]
		b.ins = m.lists[m.turn].close(b.ins)
	}
}

func (p *phys) edge(from, to int32) {
	p.blocks[from].succs = append(p.blocks[from].succs, to)
	p.blocks[to].preds = append(p.blocks[to].preds, from)
}

func (p *phys) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("ir3: "+format, args...)
	}
}

func (p *phys) emit(in isa.Instr, loc uint32) *pinstr {
	b := &p.blocks[p.cur]
	b.ins = append(b.ins, pinstr{Instr: in, loc: loc, to: -1})
	return &b.ins[len(b.ins)-1]
}

// class is the class of a machine operand.
func (p *phys) class(o *mach.Operand) uint8 {
	if o.Val != 0 {
		return p.f.Class(o.Val)
	}
	return o.Class
}

// operand is the register of a machine operand. The half names after those of the general
// registers are shared registers', so a unit too high would name another register.
func (p *phys) operand(o *mach.Operand) isa.Operand {
	class, size := p.class(o), int(o.Size)
	if o.Val != 0 {
		size = p.f.Size(o.Val)
	}
	if limit := int(machClasses[class].Limit); limit != 0 && int(o.Reg)+size > limit {
		p.fail("unit %d of the register file has no name of class %s", o.Reg, machClasses[class].Name)
	}
	return regOperand(class, int(o.Reg))
}

func regOperand(class uint8, unit int) isa.Operand {
	switch class {
	case classHalf:
		return isa.HR(unit)
	case classFull:
		return isa.R(unit / 2)
	case classPred:
		return isa.P(unit)
	case classShared:
		return isa.R(isa.SharedFirst + unit/2)
	case classSharedHalf:
		return isa.HR(isa.SharedFirst + unit)
	}
	return isa.R(isa.A0)
}

func (p *phys) instr(in *mach.Instr) {
	switch in.Op {
	case mach.OpMove:
		p.move(in)
	case mach.OpSwap:
		p.viaLow(in.Ops, in.Loc, func(a, b isa.Operand) { p.swap(a, b, in.Loc) })
	case opInputs:
	case opElect, opAny, opAll, opBallot, opReadCond:
		p.macro(in)
	case opReduce:
		p.reduce(in)
	case opSpillFar:
		p.spillFar(in)
	case opFineDsx, opFineDsy:
		t := p.fill(in)
		p.emit(t, in.Loc)
		t.Flags |= isa.TexP
		p.emit(t, in.Loc)
	default:
		if in.Op < mach.FirstTargetOp {
			p.fail("a generic operation is left after allocation")
			return
		}
		if in.Op == machOp(isa.OpStp) && faults.has(faultSpillStore) {
			return
		}
		t := p.fill(in)
		if t.Op == isa.OpSamgp0 {
			p.quadByQuad(t, in.Loc)
			return
		}
		if t.Op == isa.OpJump {
			return // jumps come with the layout
		}
		x := p.emit(t, in.Loc)
		if t.Op == isa.OpGetone || t.Op == isa.OpBany || t.Op == isa.OpBall {
			x.to = 0 // where to, the layout says: it is like a macro's branch
			return
		}
		x.group = in.Aux
		p.placeElement(in, x)
		if parts := p.code.aliasParts(in.Ext); parts != nil {
			x.alias = p.aliased(&x.Instr, in, parts)
		}
	}
}

// quadByQuad emits a lookup with explicit gradients outside of fragment and
// compute shaders: an instruction for each fiber of the quads.
func (p *phys) quadByQuad(t isa.Instr, loc uint32) {
	for k := range 4 {
		t.Op = isa.OpSamgp0 + isa.Op(k)
		p.emit(t, loc)
	}
}

// fill puts the registers of in into its template.
func (p *phys) fill(in *mach.Instr) isa.Instr {
	t := p.code.tmpl[in.Ext]
	if in.NDefs > 0 && t.Dst.Kind == isa.Reg {
		flags := t.Dst.Flags &^ isa.Half
		t.Dst = p.operand(&in.Ops[0]).With(flags)
	}
	if p.code.aliasParts(in.Ext) != nil {
		return t
	}
	uses := in.Uses()
	k := 0
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		if k >= len(uses) {
			p.fail("%s has too few sources", t.Op)
			return t
		}
		t.Srcs[i] = p.operand(&uses[k]).With(t.Srcs[i].Flags &^ isa.Half)
		k++
	}
	return t
}

// move emits a copy between registers.
func (p *phys) move(in *mach.Instr) {
	p.viaLow(in.Ops, in.Loc, func(d, s isa.Operand) {
		if d.IsPred() || s.IsPred() || d.Val == isa.A0 && !d.IsHalf() {
			p.fail("a predicate or address register would have to be copied")
			return
		}
		t := movType(d.IsHalf())
		p.emit(isa.Instr{Op: isa.OpMov, Type: t, SrcType: t, Dst: d, Srcs: [4]isa.Operand{s}}, in.Loc)
	})
}

// highHalf reports whether o is half of a general register that has no half names.
func (p *phys) highHalf(o *mach.Operand) bool {
	return p.class(o) == classHalf && int(o.Reg) >= halfUnits
}

// viaLow calls do with the registers of two operands. Where they are halves of full registers
// without half names, as pieces of a full value may be, those are exchanged with low ones meanwhile.
func (p *phys) viaLow(ops []mach.Operand, loc uint32, do func(a, b isa.Operand)) {
	var at [2]isa.Operand
	var undo [2][2]int // low and high register
	n, low := 0, 0
	for i := range at {
		o := &ops[i]
		if !p.highHalf(o) {
			at[i] = p.operand(o)
			continue
		}
		high := int(o.Reg) / 2
		if n == 0 || undo[0][1] != high {
			for low == int(ops[0].Reg)/2 || low == int(ops[1].Reg)/2 || n > 0 && low == undo[0][0] {
				low++
			}
			undo[n] = [2]int{low, high}
			n++
			p.swap(isa.R(low), isa.R(high), loc)
		}
		at[i] = isa.HR(2*low + int(o.Reg)&1)
	}
	do(at[0], at[1])
	for n > 0 {
		n--
		p.swap(isa.R(undo[n][0]), isa.R(undo[n][1]), loc)
	}
}

// swap exchanges two registers of one size: swz, or three exclusive ors where
// swz has no access.
func (p *phys) swap(a, b isa.Operand, loc uint32) {
	if a.IsPred() || b.IsPred() {
		p.fail("predicates would have to be exchanged")
		return
	}
	if a.IsShared() {
		for i := range 3 {
			d := a
			if i == 1 {
				d = b
			}
			p.emit(isa.Instr{Op: isa.OpXorB, Dst: d, Srcs: [4]isa.Operand{a, b}}, loc)
		}
		return
	}
	t := movType(a.IsHalf())
	p.emit(isa.Instr{Op: isa.OpSwz, Type: t, SrcType: t, Dst: a, Srcs: [4]isa.Operand{b, a, b}}, loc)
}

// macro expands a pseudo instruction into control flow
// (ir3.md §5.5): d = 0; branch over; d = ...; after.
func (p *phys) macro(in *mach.Instr) {
	d := p.operand(&in.Ops[0])
	if in.Op == opBallot {
		for k := range int32(4) {
			r := d
			r.Val += k
			p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: r, Srcs: [4]isa.Operand{isa.I(0)}}, in.Loc)
		}
	} else if in.Op != opReadCond {
		p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U16, SrcType: isa.U16, Dst: d, Srcs: [4]isa.Operand{isa.I(0)}}, in.Loc)
	}
	from := p.cur
	inv := isa.Inv
	if in.Flags != 0 {
		inv = 0
	}
	// The branch is taken by those that go around.
	br := isa.Instr{Op: isa.OpGetone}
	switch in.Op {
	case opAny:
		br.Op = isa.OpBall // not any = all not
	case opAll:
		br.Op = isa.OpBany
	case opBallot, opReadCond:
		br.Op = isa.OpBr
	}
	if in.Op != opElect {
		br.Srcs[0] = p.operand(&in.Uses()[0]).With(inv)
	}
	p.emit(br, in.Loc)
	then := p.newBlock()
	switch in.Op {
	case opBallot:
		p.emit(isa.Instr{Op: isa.OpMovmsk, Size: 4, Dst: d}, in.Loc)
	case opReadCond:
		p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: d, Srcs: [4]isa.Operand{p.operand(&in.Uses()[1])}}, in.Loc)
	default:
		p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U16, SrcType: isa.U16, Dst: d, Srcs: [4]isa.Operand{isa.I(1)}}, in.Loc)
	}
	after := p.newBlock()
	p.blocks[from].ins[len(p.blocks[from].ins)-1].to = after
	p.edge(from, then)
	p.edge(from, after)
	p.edge(then, after)
	p.blocks[from].divergent = in.Op == opElect || in.Op == opBallot || in.Op == opReadCond
}
