package passes

import "nirc/ir"

var lowerBitSizePass = &Pass{
	Name: "lower_bit_size", Class: "A", Run: lowerBitSize, Idempotent: true,
	Doc: "Widens integer ALU operations narrower than the target computes: sources are converted by how the operation reads them, the operation runs wide, " +
		"the result is cut. Shift counts are taken modulo the narrow size first. Moves, selections, conversions and bitwise logic stay narrow, " +
		"as do saturating and high-half operations, whose meaning depends on the size: rules and lower_alu rewrite those.",
	Options: []Option{
		{Name: "below", Doc: "operations narrower than this many bits are widened", Default: 16},
		{Name: "to", Doc: "size to compute in", Default: 16},
		{Name: "bytes", Doc: "operations on 8 bits stay that a machine with operands of 8 bits has: sums, products, shifts, comparisons, averages, the smaller and the larger", Default: false},
	},
}

func lowerBitSize(c *Context, s *ir.Shader) (bool, error) {
	below, to, bytes := uint8(c.Int("below")), uint8(c.Int("to")), c.Bool("bytes")
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if bits := in.OpBits(); bits == 1 || bits >= below || !widenable(in.Op) || bytes && bits == 8 && ofBytes(in.Op) {
			return nil
		}
		return widen(b, in, to)
	}), nil
}

// widenable tells the operations that compute the same low bits when their
// sources are extended.
func widenable(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpIneg, ir.OpIabs, ir.OpIsign, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax,
		ir.OpIshl, ir.OpIshr, ir.OpUshr, ir.OpIdiv, ir.OpUdiv, ir.OpIrem, ir.OpImod, ir.OpUmod,
		ir.OpIeq, ir.OpIne, ir.OpIlt, ir.OpIge, ir.OpUlt, ir.OpUge, ir.OpImad, ir.OpIadd3,
		ir.OpBitCount, ir.OpFindLsb, ir.OpI2f16, ir.OpI2f32, ir.OpU2f16, ir.OpU2f32, ir.OpUabsIsub, ir.OpUabsUsub,
		ir.OpIhadd, ir.OpUhadd, ir.OpIrhadd, ir.OpUrhadd:
		return true
	}
	return false
}

// ofBytes tells the operations that stay with the option bytes.
func ofBytes(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpIneg, ir.OpIabs, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIshl, ir.OpIshr, ir.OpUshr,
		ir.OpIeq, ir.OpIne, ir.OpIlt, ir.OpIge, ir.OpUlt, ir.OpUge, ir.OpIhadd, ir.OpUhadd, ir.OpIrhadd, ir.OpUrhadd:
		return true
	}
	return false
}
