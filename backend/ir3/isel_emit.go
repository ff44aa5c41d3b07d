package ir3

import (
	"math"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// add appends an instruction to the current block: template t, result def (0
// none), and the uses for the register operands of t in order, then implicit ones.
func (s *isel) add(t isa.Instr, def mach.Value, uses ...mach.Value) *mach.Instr {
	var one [1]mach.Value
	defs := one[:0]
	if def != 0 {
		defs = append(defs, def)
		t.Dst = standIn(s.f.Class(def))
	}
	in := s.generic(machOp(t.Op), defs, uses)
	in.Ext = s.code.new(t)
	return in
}

// standIn is the register operand that stands for a value of a class in a template.
func standIn(class uint8) isa.Operand {
	switch class {
	case classHalf:
		return isa.HR(0)
	case classPred:
		return isa.P(0)
	case classShared:
		return isa.R(isa.SharedFirst)
	case classAddr:
		return isa.R(isa.A0)
	case classSharedHalf:
		return isa.HR(isa.SharedFirst)
	}
	return isa.R(0)
}

// push appends an instruction to the current block.
func (s *isel) push(in *mach.Instr) { s.f.Append(s.blk, s.loc, in) }

// generic appends an operation without template to the current block.
func (s *isel) generic(op mach.Op, defs, uses []mach.Value) *mach.Instr {
	return s.f.AppendOp(s.blk, s.loc, op, defs, uses)
}

func gprClass(half bool) uint8 {
	if half {
		return classHalf
	}
	return classFull
}

// newReg makes a scalar value.
func (s *isel) newReg(half bool) mach.Value { return s.f.NewValue(gprClass(half), 1) }

// value makes an operand of a scalar machine value.
func (s *isel) value(v mach.Value) opnd {
	return opnd{kind: opVal, val: v, half: s.f.Class(v) == classHalf}
}

func movType(half bool) isa.Type {
	if half {
		return isa.U16
	}
	return isa.U32
}

// reg brings an operand into a register without modifiers.
func (s *isel) reg(o opnd) mach.Value {
	o = o.fold()
	switch o.kind {
	case opVal:
		if o.mods == 0 {
			return o.val
		}
		return s.alu2(isa.Instr{Op: isa.OpAbsnegF}, o.half, o.half, immFloat, o, opnd{}).val
	case opImm:
		return s.movImm(o)
	case opConst:
		if o.mods != 0 {
			return s.alu2(isa.Instr{Op: isa.OpAbsnegF}, o.half, o.half, immFloat, o, opnd{}).val
		}
		if f, ok := s.fetchedUnit(o); ok {
			return f.val
		}
		d, _ := s.ownConst(o)
		return d
	}
	d := s.newReg(o.half)
	s.generic(mach.OpUndef, []mach.Value{d}, nil)
	return d
}

func constOperand(o opnd) isa.Operand {
	c := isa.C(int(o.bits))
	if o.half {
		c.Flags = isa.Half
	}
	return c
}

// movImm materialises an immediate once a block.
func (s *isel) movImm(o opnd) mach.Value {
	o = o.inHalf()
	if v, ok := s.immCache.Get(s.epoch, o.bits, o.half); ok {
		return v
	}
	d, _ := s.ownImm(o)
	s.immCache.Put(s.epoch, o.bits, o.half, d)
	return d
}

// inHalf is an immediate without the bits that a half register has not.
func (o opnd) inHalf() opnd {
	if o.half {
		o.bits &= 0xffff
	}
	return o
}

// ownImm materialises an immediate for one use.
func (s *isel) ownImm(o opnd) (mach.Value, *mach.Instr) {
	o = o.inHalf()
	d := s.newReg(o.half)
	return d, s.add(isa.Instr{Op: isa.OpMov, Type: movType(o.half), SrcType: movType(o.half), Srcs: [4]isa.Operand{isa.I(int32(o.bits))}}, d)
}

// ownConst brings a const into a register for one use.
func (s *isel) ownConst(o opnd) (mach.Value, *mach.Instr) {
	d := s.newReg(o.half)
	return d, s.add(isa.Instr{Op: isa.OpMov, Type: movType(o.half), SrcType: movType(o.half), Srcs: [4]isa.Operand{constOperand(o)}}, d)
}

// sourceForm is what an instruction takes as a source.
type sourceForm struct {
	imm    immClass
	mods   isa.OpFlags
	consts bool // the const file
}

// source turns an operand into instruction operand i of t, through a register
// where the form does not take it.
func (s *isel) source(t *isa.Instr, i int, o opnd, f sourceForm, uses []mach.Value) []mach.Value {
	o = o.fold()
	if o.mods&^f.mods != 0 {
		o = s.value(s.reg(o))
	}
	switch o.kind {
	case opImm:
		if op, ok := o.encodable(f.imm); ok && (op.Flags&isa.Neg == 0 || f.mods&isa.Neg != 0) {
			t.Srcs[i] = op
			return uses
		}
		if f.consts {
			if n, ok := s.constFor(o, f.imm == immFloat); ok {
				t.Srcs[i] = constOperand(opnd{bits: uint32(n), half: o.half})
				return uses
			}
		}
		return s.register(t, i, s.movImm(o), 0, uses)
	case opConst:
		if f.consts {
			t.Srcs[i] = constOperand(o).With(o.mods)
			return uses
		}
		return s.register(t, i, s.reg(opnd{kind: opConst, bits: o.bits, half: o.half}), o.mods, uses)
	case opNone:
		return s.register(t, i, s.reg(o), 0, uses)
	}
	return s.register(t, i, o.val, o.mods, uses)
}

// register makes v register operand i of t.
func (s *isel) register(t *isa.Instr, i int, v mach.Value, mods isa.OpFlags, uses []mach.Value) []mach.Value {
	t.Srcs[i] = standIn(s.f.Class(v)).With(mods)
	return append(uses, v)
}

// constFor puts an immediate into the const file. Halves that float
// instructions read are stored as 32-bit floats, for the read converts.
func (s *isel) constFor(o opnd, float bool) (int, bool) {
	v := o.bits
	if o.half && float {
		v = math.Float32bits(float32(ir.Float16Value(uint16(v))))
	}
	return s.consts.immediate(v)
}

// alu2 emits a category 2 instruction of one or two sources; b.kind opNone
// with t of one source leaves it out.
func (s *isel) alu2(t isa.Instr, srcHalf, dstHalf bool, imm immClass, a, b opnd) opnd {
	d := s.newReg(dstHalf)
	s.alu2To(t, d, imm, a, b)
	return s.value(d)
}

func (s *isel) alu2To(t isa.Instr, d mach.Value, imm immClass, a, b opnd) {
	f := sourceForm{imm: imm, consts: true}
	if imm == immFloat {
		f.mods = isa.AbsNeg
	}
	uses := s.f.ValueList(2)[:0]
	if oneSource(t.Op) {
		uses = s.source(&t, 0, a, f, uses)
		s.add(t, d, uses...)
		return
	}
	// Only one of the sources may be a const, and one an immediate; those that
	// do not fit are in the const file.
	a, b = a.fold(), b.fold()
	_, fitsA := a.encodable(imm)
	_, fitsB := b.encodable(imm)
	switch {
	case a.kind == opImm && b.kind == opImm, a.kind == opConst && b.kind == opConst, a.kind == opImm && !fitsA && b.kind == opConst:
		a = s.value(s.reg(a))
	case a.kind == opConst && b.kind == opImm && !fitsB:
		b = s.value(s.reg(b))
	}
	uses = s.source(&t, 0, a, f, uses)
	uses = s.source(&t, 1, b, f, uses)
	s.add(t, d, uses...)
}

func oneSource(op isa.Op) bool {
	switch op {
	case isa.OpSignF, isa.OpAbsnegF, isa.OpFloorF, isa.OpCeilF, isa.OpRndneF, isa.OpRndazF, isa.OpTruncF,
		isa.OpAbsnegS, isa.OpNotB, isa.OpBfrevB, isa.OpClzS, isa.OpClzB, isa.OpCbitsB, isa.OpSetrm:
		return true
	}
	return false
}

// form3 is what a category 3 instruction works on.
type form3 struct {
	half     bool // the result has 16 bits
	float    bool // half consts are stored as floats, and (neg) may be used
	commutes bool // the first two sources may change places
}

// alu3 emits a category 3 instruction of the normal form.
func (s *isel) alu3(t isa.Instr, form form3, a, b, c opnd) opnd {
	d := s.newReg(form.half)
	mods := isa.OpFlags(0)
	if form.float {
		mods = isa.Neg
	}
	if form.commutes && (b.kind == opImm || b.kind == opConst) {
		a, b = b, a
	}
	var buf [3]mach.Value
	uses := buf[:0]
	uses = s.source3(&t, 0, a, mods, uses)
	b = b.fold()
	if b.mods&^mods != 0 || b.kind == opImm || b.kind == opNone {
		b = s.value(s.reg(b))
	}
	uses = s.source(&t, 1, b, sourceForm{mods: mods}, uses)
	uses = s.source3(&t, 2, c, mods, uses)
	s.add(t, d, uses...)
	return s.value(d)
}

func (s *isel) source3(t *isa.Instr, i int, o opnd, mods isa.OpFlags, uses []mach.Value) []mach.Value {
	o = o.fold()
	if o.kind == opImm && o.mods == 0 {
		if n, ok := s.constFor(o, mods != 0); ok {
			t.Srcs[i] = constOperand(opnd{bits: uint32(n), half: o.half})
			return uses
		}
	}
	return s.source(t, i, o, sourceForm{mods: mods, consts: true}, uses)
}

// sfu emits a category 4 instruction: registers only.
func (s *isel) sfu(op isa.Op, half bool, a opnd) opnd {
	a = a.fold()
	if a.kind != opVal {
		a = s.value(s.reg(a))
	}
	if half {
		switch op {
		case isa.OpRsq:
			op = isa.OpHrsq
		case isa.OpLog2:
			op = isa.OpHlog2
		case isa.OpExp2:
			op = isa.OpHexp2
		}
	}
	t := isa.Instr{Op: op}
	d := s.newReg(half)
	uses := s.source(&t, 0, a, sourceForm{mods: isa.AbsNeg}, nil)
	s.add(t, d, uses...)
	return s.value(d)
}

// cov emits a conversion, or nothing where the types have the same bits.
func (s *isel) cov(from, to isa.Type, round isa.Round, a opnd) opnd {
	a.half = from.Half()
	if a.kind == opConst && a.half {
		a = s.value(s.reg(a))
	}
	a = a.fold()
	t := isa.Instr{Op: isa.OpCov, SrcType: from, Type: to, Round: round}
	d := s.newReg(to.Half())
	uses := s.source(&t, 0, a, sourceForm{imm: immAny, consts: true}, nil)
	s.add(t, d, uses...)
	return s.value(d)
}

// collect makes a vector of operands of one size.
func (s *isel) collect(ops ...opnd) mach.Value {
	if len(ops) == 1 {
		return s.reg(ops[0])
	}
	if v := s.sharedVector(ops); v != 0 {
		return v
	}
	v, constant := vectorOf(ops)
	if constant {
		for i := range s.vectors {
			if x := &s.vectors[i]; x.epoch == s.epoch && x.val != 0 && x.immVector == v {
				return x.val
			}
		}
	}
	vals := s.f.ValueList(len(ops))
	for i, o := range ops {
		if vals[i] == 0 && o.kind == opImm {
			s.repeatImm(ops[i:], vals[i:])
		}
		switch {
		case vals[i] != 0:
		case constant: // one that is shared would be copied, and live for it
			vals[i], _ = s.ownImm(o.fold())
		default:
			vals[i] = s.reg(o)
		}
	}
	d := s.f.NewValue(s.f.Class(vals[0]), len(ops))
	s.generic(mach.OpCollect, []mach.Value{d}, vals)
	if constant {
		s.nextVector++
		s.vectors[s.nextVector%len(s.vectors)] = madeVector{v, s.epoch, d}
	}
	return d
}

// immVector is a vector of immediates, madeVector one that a block has in registers.
type (
	immVector struct {
		bits [4]uint32
		n    int
		half bool
	}
	madeVector struct {
		immVector
		epoch uint32
		val   mach.Value
	}
)

// vectorOf is the vector of immediates that ops are, if they are one.
func vectorOf(ops []opnd) (v immVector, ok bool) {
	if len(ops) > len(v.bits) {
		return v, false
	}
	for i, o := range ops {
		o = o.fold()
		if o.kind != opImm || i > 0 && o.half != v.half {
			return v, false
		}
		v.bits[i], v.half = o.bits, o.half
	}
	v.n = len(ops)
	return v, true
}

// repeatImm makes the elements of a vector that are the same immediate as the
// first, if there are others: a repeat group of moves, for a value that stands
// in one register would have to be copied.
func (s *isel) repeatImm(ops []opnd, vals []mach.Value) {
	first := ops[0].fold()
	same := func(o opnd) bool {
		o = o.fold()
		return o.kind == opImm && o.bits == first.bits && o.half == first.half
	}
	n := 0
	for _, o := range ops {
		if same(o) {
			n++
		}
	}
	if n < 2 {
		return
	}
	group := s.link.fresh()
	for i, o := range ops {
		if vals[i] == 0 && same(o) {
			v, in := s.ownImm(first)
			vals[i] = v
			s.link.member(group, in)
		}
	}
}

// split takes n elements of a vector apart.
func (s *isel) split(v mach.Value, n int) []opnd {
	ops := s.opnds.Slice(n)
	if n == 1 {
		ops[0] = s.value(v)
		return ops
	}
	vals := s.f.ValueList(n)
	for i := range vals {
		vals[i] = s.f.NewValue(s.f.Class(v), 1)
		ops[i] = s.value(vals[i])
	}
	s.generic(mach.OpSplit, vals, []mach.Value{v})
	return ops
}

// Conditions of comparisons by their codes (ir3.md §2.1).
const (
	condLT isa.Cond = 0
	condGE isa.Cond = 3
	condEQ isa.Cond = 4
	condNE isa.Cond = 5
)
