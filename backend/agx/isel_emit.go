package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

func (s *isel) shapeOf(v mach.Value) isa.Operand { return shape(s.f.Class(v), s.f.Elems(v)) }

// add appends an instruction to the current block: template t, result def (0
// none), and the uses for the registers of t in order, then implicit ones.
func (s *isel) add(t isa.Instr, def mach.Value, uses ...mach.Value) *mach.Instr {
	return s.emit(&t, def, uses)
}

// emit is add of a template that is copied once.
func (s *isel) emit(t *isa.Instr, def mach.Value, uses []mach.Value) *mach.Instr {
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
	tableAnd    = 8
	tableOr     = 14
	tableXor    = 6
	tableNot    = 5
	tableAndNot = 2 // the first, less the second
	tableA      = 10
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
	allow := t.Op.SrcAllow(i)
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
	s.emitOp(&t, d, ops)
	return opnd{kind: opVal, val: d, half: half}
}

func (s *isel) opTo(t isa.Instr, d mach.Value, ops ...opnd) *mach.Instr { return s.emitOp(&t, d, ops) }

func (s *isel) emitOp(t *isa.Instr, d mach.Value, ops []opnd) *mach.Instr {
	uses := s.f.ValueList(len(ops))[:0]
	for i := range ops {
		uses = s.source(t, i, ops[i], uses)
	}
	return s.emit(t, d, uses)
}
