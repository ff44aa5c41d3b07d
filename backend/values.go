package backend

import (
	"nirc/internal/slab"
	"nirc/ir"
)

// Values keeps what a selection made of the IR's values: an operand O for each
// component, two for one of 64 bits. The memory is used again after Reset.
type Values[O any] struct {
	// base[d.Index] is where the operands of d start, plus 1; 0 where there are none.
	base []int32
	ops  []O
}

// Reset forgets all values and makes room for n.
func (v *Values[O]) Reset(n int) {
	v.base, v.ops = slab.Zeroed(v.base, n), v.ops[:0]
}

// Set gives d its operands, and reports whether they are as many as it says.
func (v *Values[O]) Set(d *ir.Def, ops []O) bool {
	v.base[d.Index] = int32(len(v.ops)) + 1
	v.ops = append(v.ops, ops...)
	return len(ops) == int(d.NumComponents)*Parts(d)
}

// At returns operand k of d; false if d has none.
func (v *Values[O]) At(d *ir.Def, k int) (o O, ok bool) {
	at := int(v.base[d.Index]) - 1
	if at < 0 {
		return o, false
	}
	return v.ops[at+k], true
}

// Literal is part k, counted through all components, of a constant, and 0 of an
// undefined value; false for what is computed.
func Literal(d *ir.Def, k int) (bits uint32, ok bool) {
	switch d.Instr.Kind {
	case ir.KindLoadConst:
		return ConstPart(d, k), true
	case ir.KindUndef:
		return 0, true
	}
	return 0, false
}

// FoldModifiers applies the float modifiers of an operand, absolute before negated, to
// the bits of an immediate of 16 or 32 bits.
func FoldModifiers(bits uint32, half, abs, neg bool) uint32 {
	sign := uint32(1) << 31
	if half {
		sign = 1 << 15
	}
	if abs {
		bits &^= sign
	}
	if neg {
		bits ^= sign
	}
	return bits
}
