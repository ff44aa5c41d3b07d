package ir3

import (
	"math"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// A reduction over the active fibers goes through a shared register: the fibers take their turns, each adds its value to
// what stands there and waits behind the loop, where all find the result (ir3.md §5.5).
//
//	mov r48.x, identity
//	next:
//	getone #others
//	r48.x = op value, r48.x    the fiber whose turn it is
//	jump #after
//	others:
//	jump #next
//	after:

// reduction is how values of 32 bits are reduced: by one instruction, from its neutral element on.
type reduction struct {
	ir   ir.Op
	op   isa.Op
	from uint32
}

var reductions = [...]reduction{
	{ir.OpIadd, isa.OpAddU, 0}, {ir.OpFadd, isa.OpAddF, 0}, {ir.OpFmul, isa.OpMulF, math.Float32bits(1)},
	{ir.OpIand, isa.OpAndB, math.MaxUint32}, {ir.OpIor, isa.OpOrB, 0}, {ir.OpIxor, isa.OpXorB, 0},
	{ir.OpFmin, isa.OpMinF, 0x7f800000}, {ir.OpFmax, isa.OpMaxF, 0xff800000}, // infinities
	{ir.OpImin, isa.OpMinS, math.MaxInt32}, {ir.OpImax, isa.OpMaxS, 1 << 31},
	{ir.OpUmin, isa.OpMinU, math.MaxUint32}, {ir.OpUmax, isa.OpMaxU, 0},
}

// reductionBy is the first reduction that is meant, nil if there is none.
func reductionBy(is func(*reduction) bool) *reduction {
	for i := range reductions {
		if is(&reductions[i]) {
			return &reductions[i]
		}
	}
	return nil
}

// reductionOf is how an operation of the IR reduces, nil if not by one instruction.
func reductionOf(op ir.Op) *reduction {
	return reductionBy(func(r *reduction) bool { return r.ir == op })
}

// reduces reports whether one instruction does an operation of a reduction, on values of so many bits.
func reduces(op ir.Op, bits uint8) bool { return bits == 32 && reductionOf(op) != nil }

// reduce selects a reduction over the whole subgroup.
func (s *isel) reduce(in *ir.Instr) {
	r := reductionOf(ir.Op(in.Get(ir.IdxReductionOp)))
	if r == nil || in.Def.BitSize != 32 || in.Def.NumComponents != 1 {
		s.fail(in, "%s of this operation is not supported by the ir3 backend", in.Intr)
		return
	}
	x := s.reg(s.comp(in.Srcs[0].Def, 0))
	sum, old, next := s.f.NewValue(classShared, 1), s.newReg(false), s.newReg(false)
	m := s.generic(opReduce, []mach.Value{sum, old, next}, []mach.Value{x})
	for k := range m.Defs() {
		m.Ops[k].Flags |= mach.Early
	}
	m.Ext = s.code.new(isa.Instr{Op: r.op, Dst: isa.R(0), Srcs: [4]isa.Operand{isa.R(0), isa.R(0)}})
	t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
	d := s.newReg(false)
	uses := s.register(&t, 0, sum, 0, nil)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.value(d))
}

// reduce expands a reduction into its loop.
func (p *phys) reduce(in *mach.Instr) {
	t := p.code.tmpl[in.Ext]
	defs := in.Defs()
	sum, old, next := p.operand(&defs[0]), p.operand(&defs[1]), p.operand(&defs[2])
	mov := func(d, s isa.Operand) {
		p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: d, Srcs: [4]isa.Operand{s}}, in.Loc)
	}
	r := reductionBy(func(r *reduction) bool { return r.op == t.Op })
	mov(sum, isa.I(int32(r.from)))
	before := p.cur
	head := p.newBlock()
	p.emit(isa.Instr{Op: isa.OpGetone}, in.Loc)
	turn := p.newBlock()
	mov(old, sum)
	p.emit(isa.Instr{Op: t.Op, Dst: next, Srcs: [4]isa.Operand{p.operand(&in.Uses()[0]), old}}, in.Loc)
	mov(sum, next)
	others := p.newBlock()
	after := p.newBlock()
	p.blocks[head].ins[len(p.blocks[head].ins)-1].to = others
	p.edge(before, head)
	p.edge(head, turn)
	p.edge(head, others)
	p.edge(turn, after)
	p.edge(others, head)
	p.blocks[head].divergent, p.turns = true, true
}
