package passes

import "nirc/ir"

// widenSized widens an operation whose result depends on its size: a sum or difference that saturates, or the upper half of a product. Two
// narrow values fit into to bits together. It returns nil for other operations.
func widenSized(b *ir.Builder, in *ir.Instr, to uint8) *ir.Def {
	bits := in.OpBits()
	var signed bool
	switch in.Op {
	case ir.OpIaddSat, ir.OpIsubSat, ir.OpImulHigh:
		signed = true
	case ir.OpUaddSat, ir.OpUsubSat, ir.OpUmulHigh:
	default:
		return nil
	}
	if to < 2*bits {
		return nil
	}
	x, y := srcValue(b, in, 0), srcValue(b, in, 1)
	if signed {
		x, y = resizeInt(b, x, to), resizeInt(b, y, to)
	} else {
		x, y = resizeUint(b, x, to), resizeUint(b, y, to)
	}
	var r *ir.Def
	switch in.Op {
	case ir.OpIaddSat:
		r = clampSigned(b, b.Iadd(x, y), bits)
	case ir.OpIsubSat:
		r = clampSigned(b, b.Isub(x, y), bits)
	case ir.OpUaddSat:
		r = b.Umin(b.Iadd(x, y), b.ImmInt(1<<bits-1, to))
	case ir.OpUsubSat:
		r = b.Imax(b.Isub(x, y), b.ImmInt(0, to))
	default:
		r = b.Ushr(b.Imul(x, y), b.Imm32(uint32(bits)))
	}
	return resizeUint(b, r, bits)
}

// clampSigned is v, or the next value that fits into so many bits with a sign.
func clampSigned(b *ir.Builder, v *ir.Def, bits uint8) *ir.Def {
	most := int64(1)<<(bits-1) - 1
	return b.Imin(b.Imax(v, b.ImmInt(-most-1, v.BitSize)), b.ImmInt(most, v.BitSize))
}
