package passes

import "nirc/ir"

var lowerLoadConstToScalarPass = &Pass{
	Name: "lower_load_const_to_scalar", For: ir.HasVectorConst, Class: "A", Run: lowerLoadConstToScalar, Idempotent: true,
	Doc: "Splits vector constants into scalar ones joined by a vecN.",
}

func lowerLoadConstToScalar(c *Context, s *ir.Shader) (bool, error) {
	return eachInstr(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Kind != ir.KindLoadConst || in.Def.NumComponents == 1 {
			return nil
		}
		parts := make([]*ir.Def, in.Def.NumComponents)
		for i := range parts {
			parts[i] = b.Const(in.Def.BitSize, in.Imm[i])
		}
		return b.Vec(parts...)
	}), nil
}
