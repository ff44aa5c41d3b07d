package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// srcAllow is what source i of each instruction can be.
var srcAllow = func() (t [isa.NumOps][4]isa.Allow) {
	for op := isa.Op(1); op < isa.NumOps; op++ {
		for i := range t[op] {
			t[op][i] = op.SrcAllow(i)
		}
	}
	return t
}()

// shape is the register operand that stands for a value of n elements of a class.
func shape(class uint8, n int) isa.Operand {
	switch class {
	case classHalf:
		return isa.H(0).Run(n)
	case classWide:
		return isa.R64(0)
	}
	return isa.R(0).Run(n)
}

func (s *isel) shapeOf(v mach.Value) isa.Operand { return shape(s.f.Class(v), s.f.Elems(v)) }

// add appends an instruction to the current block: template t, result def (0
// none), and the uses for the registers of t in order, then implicit ones.
func (s *isel) add(t isa.Instr, def mach.Value, uses ...mach.Value) *mach.Instr {
	var one [1]mach.Value
	defs := one[:0]
	if def != 0 {
		defs = append(defs, def)
		t.Dst = s.shapeOf(def)
	}
	in := s.generic(machOp(t.Op), defs, uses)
	in.Ext = s.code.new(t)
	return in
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

// reg brings an operand into a register, without modifiers.
func (s *isel) reg(o opnd) mach.Value {
	o = o.fold()
	switch o.kind {
	case opImm:
		return s.movImm(o)
	case opVal, opUniform:
		if o.mods != 0 || o.conv {
			return s.fmov(o, o.size() == 16)
		}
		if o.kind == opVal {
			return o.val
		}
		return s.intOp(bitop(tableA), o.half, o, imm32(0)).val
	}
	d := s.newReg(o.half)
	s.generic(mach.OpUndef, []mach.Value{d}, nil)
	return d
}

// Truth tables of bitop (agx.md §3).
const (
	tableAnd = 8
	tableOr  = 14
	tableXor = 6
	tableNot = 5
	tableA   = 10
)

func bitop(table uint8) isa.Instr { return isa.Instr{Op: isa.OpBitop, Table: table} }

// fmov is a move that applies float modifiers and converts between sizes.
func (s *isel) fmov(o opnd, half bool) mach.Value {
	op := isa.OpFadd32
	if half && o.half && !o.conv {
		op = isa.OpFadd16
	}
	return s.floatOp(isa.Instr{Op: op}, half, o, negZero(op == isa.OpFadd16)).val
}

func negZero(half bool) opnd {
	if half {
		return imm16(0x8000)
	}
	return imm32(0x80000000)
}

// movImm makes an immediate once a block.
func (s *isel) movImm(o opnd) mach.Value {
	if v, ok := s.immCache.Get(s.epoch, o.bits, o.half); ok {
		return v
	}
	d := s.newImm(o)
	s.immCache.Put(s.epoch, o.bits, o.half, d)
	return d
}

// newImm makes an immediate that is shared with nobody.
func (s *isel) newImm(o opnd) mach.Value {
	d := s.newReg(o.half)
	op := isa.OpMovImm32
	if o.half {
		op = isa.OpMovImm16
	}
	s.add(isa.Instr{Op: op, Imm: o.bits}, d)
	return d
}

// source makes o source i of t, through a register where the instruction
// does not take it as it is.
func (s *isel) source(t *isa.Instr, i int, o opnd, uses []mach.Value) []mach.Value {
	allow := srcAllow[t.Op][i]
	o = o.fold()
	if o.mods != 0 && allow&isa.AllowAbsNeg == 0 || o.conv && allow&(isa.AllowFloatImm|isa.AllowReg32) != isa.AllowFloatImm|isa.AllowReg32 {
		return s.register(t, i, s.reg(o), uses)
	}
	switch o.kind {
	case opImm:
		if allow&isa.AllowFloatImm != 0 {
			if c, ok := o.floatCode(); ok {
				t.Srcs[i] = c
				return uses
			}
		} else if allow&isa.AllowImm != 0 && o.bits <= maxImmediate {
			t.Srcs[i] = isa.I(int(o.bits))
			return uses
		}
		if uses, ok := s.promote(t, i, o, allow, uses); ok {
			return uses
		}
		return s.register(t, i, s.movImm(o), uses)
	case opUniform:
		return s.uniform(t, i, o, allow, uses)
	case opNone:
		return s.register(t, i, s.reg(o), uses)
	}
	uses = s.register(t, i, o.val, uses)
	t.Srcs[i].Flags |= o.mods
	return uses
}

// register makes v register source i of t.
func (s *isel) register(t *isa.Instr, i int, v mach.Value, uses []mach.Value) []mach.Value {
	t.Srcs[i] = s.shapeOf(v)
	return append(uses, v)
}

// floatOp emits a float instruction of one to three sources.
func (s *isel) floatOp(t isa.Instr, half bool, ops ...opnd) opnd {
	return s.intOp(t, half, ops...)
}

// intOp emits an instruction whose sources are operands in order.
func (s *isel) intOp(t isa.Instr, half bool, ops ...opnd) opnd {
	d := s.newReg(half)
	s.opTo(t, d, ops...)
	return s.value(d)
}

func (s *isel) opTo(t isa.Instr, d mach.Value, ops ...opnd) *mach.Instr {
	var buf [4]mach.Value
	uses := buf[:0]
	for i, o := range ops {
		uses = s.source(&t, i, o, uses)
	}
	return s.add(t, d, uses...)
}

// collect makes a vector of operands of one size.
func (s *isel) collect(ops ...opnd) mach.Value {
	if len(ops) == 1 {
		return s.reg(ops[0])
	}
	return s.collectAs(0xff, ops...)
}

func (s *isel) collectAs(class uint8, ops ...opnd) mach.Value {
	vals := make([]mach.Value, len(ops))
	for i, o := range ops {
		// An immediate goes right to its place: sharing it would cost a move.
		if o = o.fold(); o.kind == opImm {
			vals[i] = s.newImm(o)
			continue
		}
		vals[i] = s.reg(o)
	}
	if class == 0xff {
		class = s.f.Class(vals[0])
	}
	d := s.f.NewValue(class, len(ops))
	s.generic(mach.OpCollect, []mach.Value{d}, vals)
	return d
}

// split takes n elements of a vector apart.
func (s *isel) split(v mach.Value, n int) []opnd {
	ops := make([]opnd, n)
	if n == 1 {
		ops[0] = s.value(v)
		return ops
	}
	class := s.f.Class(v)
	if class == classWide {
		class = classFull
	}
	vals := make([]mach.Value, n)
	for i := range vals {
		vals[i] = s.f.NewValue(class, 1)
		ops[i] = s.value(vals[i])
	}
	s.generic(mach.OpSplit, vals, []mach.Value{v})
	return ops
}

// halves takes a 32-bit register apart.
func (s *isel) halves(o opnd) (lo, hi opnd) {
	o = o.fold()
	if o.kind == opImm {
		return imm16(o.bits), imm16(o.bits >> 16)
	}
	if o.kind == opUniform && o.mods == 0 && !o.conv {
		return opnd{kind: opUniform, bits: o.bits, half: true}, opnd{kind: opUniform, bits: o.bits + 1, half: true}
	}
	v := s.reg(o)
	l, h := s.newReg(true), s.newReg(true)
	s.generic(mach.OpSplit, []mach.Value{l, h}, []mach.Value{v})
	return s.value(l), s.value(h)
}

// join makes a 32-bit register of two halves.
func (s *isel) join(lo, hi opnd) opnd {
	lo, hi = lo.fold(), hi.fold()
	if lo.kind == opImm && hi.kind == opImm {
		return imm32(lo.bits | hi.bits<<16)
	}
	if lo.kind == opUniform && hi.kind == opUniform && lo.mods|hi.mods == 0 && lo.bits&1 == 0 && hi.bits == lo.bits+1 {
		return opnd{kind: opUniform, bits: lo.bits}
	}
	d := s.newReg(false)
	s.generic(mach.OpCollect, []mach.Value{d}, []mach.Value{s.reg(lo), s.reg(hi)})
	return s.value(d)
}
