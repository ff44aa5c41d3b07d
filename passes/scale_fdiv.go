package passes

import "nirc/ir"

var scaleFdivPass = &Pass{
	Name: "scale_fdiv", Class: "B", Idempotent: true,
	Instead: "hardware: divisions keep to Vulkan's bounds without it, which leave out divisors beyond 2^126; it stays for drivers that want more",
	Doc: "Scales both operands of 32-bit divisions by a power of two where the reciprocal of the divisor would overflow or be flushed: divisors of at least 2^126 by 1/4, " +
		"denormal ones by 2^32. Runs before the rule that makes fdiv a product with frcp; the quotient stays the same, scaling is exact wherever it is finite and not denormal. " +
		"Divisions by constants whose reciprocal is a normal number are left alone.",
	Run: func(_ *Context, s *ir.Shader) (bool, error) {
		return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
			if in.Op != ir.OpFdiv || in.Def.BitSize != 32 || scaled(in) || tameDivisor(in) {
				return nil
			}
			return scaleDivision(b, in)
		}), nil
	},
}

// scaled tells a division that the pass has made: its divisor is a product with
// the scale, a selection between selections.
func scaled(in *ir.Instr) bool {
	m := in.Srcs[1].Def.Instr
	if !m.IsALU(ir.OpFmul) || !m.Srcs[1].Def.Instr.IsALU(ir.OpBcsel) {
		return false
	}
	v, ok := m.Srcs[1].Def.Instr.Srcs[1].Const(0)
	return ok && v == ir.FloatBits(0.25, 32)
}

// tameDivisor reports whether the divisor is a constant with a normal reciprocal.
func tameDivisor(in *ir.Instr) bool {
	for i := range in.SrcComps(1) {
		v, ok := in.Srcs[1].Const(i)
		if e := v >> 23 & 0xff; !ok || e == 0 || e >= 253 {
			return false
		}
	}
	return true
}

func scaleDivision(b *ir.Builder, in *ir.Instr) *ir.Def {
	x, y := srcValue(b, in, 0), srcValue(b, in, 1)
	abs := b.Fabs(y)
	small := b.Bcsel(b.Flt(abs, b.ImmFloat(0x1p-126, 32)), b.ImmFloat(0x1p32, 32), b.ImmFloat(1, 32))
	scale := b.Bcsel(b.Fge(abs, b.ImmFloat(0x1p126, 32)), b.ImmFloat(0.25, 32), small)
	return b.Fdiv(b.Fmul(x, scale), b.Fmul(y, scale))
}
