package agx

import (
	"math"

	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// opnd is one scalar component of an IR value as an instruction may read it: a
// machine value, an immediate or a uniform, with float modifiers and a
// widening that are still to be applied.
type opnd struct {
	kind opKind
	mods isa.OpFlags // Neg, Abs
	half bool        // 16 bits or less
	// conv: the 16-bit float stands for the 32-bit float of the same value.
	conv bool
	val  mach.Value
	// bits is the immediate, or the uniform's half in the numbering of type uniforms.
	bits uint32
}

type opKind uint8

const (
	opNone opKind = iota
	opVal
	opImm
	opUniform
)

func immediate(bits uint32, half bool) opnd {
	if half {
		bits &= 0xffff
	}
	return opnd{kind: opImm, bits: bits, half: half}
}

func imm32(bits uint32) opnd { return immediate(bits, false) }

func imm16(bits uint32) opnd { return immediate(bits, true) }

func float32Imm(v float32) opnd { return imm32(math.Float32bits(v)) }

func (o opnd) isImm(v uint32) bool { return o.kind == opImm && o.mods == 0 && o.bits == v }

// fold applies modifiers and widening to an immediate's bits.
func (o opnd) fold() opnd {
	if o.kind != opImm {
		return o
	}
	if o.conv {
		o.bits, o.half, o.conv = halfToFloat(uint16(o.bits)), false, false
	}
	o.bits, o.mods = backend.FoldModifiers(o.bits, o.half, o.mods&isa.Abs != 0, o.mods&isa.Neg != 0), 0
	return o
}

// negated and absolute add a float modifier.
func (o opnd) negated() opnd { o.mods ^= isa.Neg; return o.fold() }

func (o opnd) absolute() opnd { o.mods = isa.Abs; return o.fold() }

// size is the number of bits that the operand is read as.
func (o opnd) size() int {
	if o.half && !o.conv {
		return 16
	}
	return 32
}

// halfToFloat returns the bits of a half as a 32-bit float.
func halfToFloat(h uint16) uint32 { return math.Float32bits(float32(ir.Float16Value(h))) }

// floatCode returns the minifloat of an immediate, if it has one.
func (o opnd) floatCode() (isa.Operand, bool) {
	bits := o.bits
	if o.half {
		bits = halfToFloat(uint16(bits))
	}
	return isa.F(float64(math.Float32frombits(bits)))
}

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
