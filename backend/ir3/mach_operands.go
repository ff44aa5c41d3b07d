package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// opnd is one scalar component of an IR value as an instruction may read it:
// a machine value, an immediate, or an entry of the const file, with float
// modifiers that are still to be applied.
type opnd struct {
	kind opKind
	mods isa.OpFlags // Neg, Abs
	half bool        // 16 bits or less
	val  mach.Value
	// bits is the immediate, or the number of the const.
	bits uint32
}

type opKind uint8

const (
	opNone opKind = iota
	opVal
	opImm
	opConst
)

func immediate(bits uint32, half bool) opnd {
	if half {
		bits &= 0xffff
	}
	return opnd{kind: opImm, bits: bits, half: half}
}

func (o opnd) isImm(v uint32) bool { return o.kind == opImm && o.mods == 0 && o.bits == v }

// signed returns an immediate as a signed number of its size.
func (o opnd) signed() int32 {
	if o.half {
		return int32(int16(o.bits))
	}
	return int32(o.bits)
}

// fold applies float modifiers to an immediate's bits.
func (o opnd) fold() opnd {
	if o.kind != opImm || o.mods == 0 {
		return o
	}
	o.bits, o.mods = backend.FoldModifiers(o.bits, o.half, o.mods&isa.Abs != 0, o.mods&isa.Neg != 0), 0
	return o
}

// negated and absolute add a float modifier.
func (o opnd) negated() opnd { o.mods ^= isa.Neg; return o.fold() }

func (o opnd) absolute() opnd { o.mods = isa.Abs; return o.fold() }

// immClass says which immediates an operand takes.
type immClass uint8

const (
	immNo immClass = iota
	immInt
	immFloat
	immAny // cat1
)

// encodable returns the operand of an immediate that the instruction can hold.
func (o opnd) encodable(c immClass) (isa.Operand, bool) {
	h := isa.OpFlags(0)
	if o.half {
		h = isa.Half
	}
	switch c {
	case immInt:
		if v := o.signed(); v >= -511 && v <= 511 {
			return isa.I(v).With(h), true
		}
	case immFloat:
		bits, neg := o.bits, isa.OpFlags(0)
		if o.half {
			if bits>>15 != 0 {
				bits, neg = bits&0x7fff, isa.Neg
			}
			for i := 0; i < 12; i++ {
				if _, f16 := isa.FLUTValue(i); uint32(f16) == bits {
					return isa.F(i).With(h | neg), true
				}
			}
			break
		}
		if bits>>31 != 0 {
			bits, neg = bits&0x7fffffff, isa.Neg
		}
		if i, ok := isa.FLUTIndex(bits); ok {
			return isa.F(i).With(neg), true
		}
	case immAny:
		return isa.I(int32(o.bits)), true
	}
	return isa.Operand{}, false
}
