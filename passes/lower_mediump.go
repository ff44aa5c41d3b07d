package passes

import "nirc/ir"

var lowerMediumpPass = &Pass{
	Name: "lower_mediump", Class: "B", Run: lowerMediump, Idempotent: true, Optional: true, Rewrites: true,
	Doc: "Computes what RelaxedPrecision allows in 16 bits: ALU operations marked mediump take their float sources through f2fmp and their integer sources through i2imp, and their result is widened again; " +
		"texture operations marked mediump give 16-bit floats. Rules and opt_phi_precision cancel the conversions between them. Integer operations go only where their kind tells if the result is signed. " +
		"Results may differ as RelaxedPrecision allows, so no pipeline runs it unasked.",
	Options: []Option{
		{"float", "float operations", true},
		{"int", "integer operations", false},
		{"tex", "results of texture operations", true},
	},
}

// mediumpForm tells how a relaxed operation can be computed in 16 bits: the
// widening of its result, or false. Conversions, bit operations whose result
// has no sign of its own and operations of a fixed size stay.
func mediumpForm(in *ir.Instr, floats, ints bool) (widen ir.Op, ok bool) {
	if in.Kind != ir.KindALU || !in.Relaxed || in.Def.BitSize != 32 || in.Exact || in.Op.Info().Out.Bits != 0 {
		return 0, false
	}
	switch in.Op {
	case ir.OpFadd, ir.OpFsub, ir.OpFmul, ir.OpFdiv, ir.OpFneg, ir.OpFabs, ir.OpFmin, ir.OpFmax, ir.OpFfma, ir.OpFsat, ir.OpFsign,
		ir.OpFfloor, ir.OpFceil, ir.OpFtrunc, ir.OpFfract, ir.OpFroundEven, ir.OpFrcp, ir.OpFrsq, ir.OpFsqrt, ir.OpFexp2, ir.OpFlog2,
		ir.OpFpow, ir.OpFlrp, ir.OpFmod, ir.OpFrem, ir.OpFsin, ir.OpFcos, ir.OpFdot2, ir.OpFdot3, ir.OpFdot4:
		return ir.OpF2f32, floats
	case ir.OpImin, ir.OpImax, ir.OpIabs, ir.OpIneg, ir.OpIsign, ir.OpIdiv, ir.OpIrem, ir.OpImod:
		return ir.OpI2i32, ints
	case ir.OpUmin, ir.OpUmax, ir.OpUdiv, ir.OpUmod:
		return ir.OpU2u32, ints
	}
	return 0, false
}

func lowerMediump(c *Context, s *ir.Shader) (bool, error) {
	floats, ints, tex := c.Bool("float"), c.Bool("int"), c.Bool("tex")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if tex && in.Kind == ir.KindTex && in.TexInfo().Precise16 && canGive16(in) && c.Step() {
					set16(in)
					widenAfter(in, ir.OpF2f32)
					progress = true
					continue
				}
				if widen, ok := mediumpForm(in, floats, ints); ok && c.Step() {
					computeIn16(in, widen)
					progress = true
				}
			}
		}
		return progress
	}), nil
}

// computeIn16 replaces an operation by the same of 16 bits between conversions.
func computeIn16(in *ir.Instr, widen ir.Op) {
	b := builderBefore(in)
	narrow := ir.OpF2fmp
	if widen != ir.OpF2f32 {
		narrow = ir.OpI2imp
	}
	srcs := make([]*ir.Def, len(in.Srcs))
	for k := range srcs {
		srcs[k] = b.ALU(narrow, srcValue(b, in, k))
	}
	r := b.ALUInstr(in.Op, srcs...)
	r.FastMath = in.FastMath
	in.Def.RewriteUses(b.ALU(widen, &r.Def))
	in.Remove()
}

// mediumpCasts are the conversions to 16 bits and back.
func mediumpCasts(c ir.TypeClass) (narrow, widen ir.Op) {
	switch c {
	case ir.ClassFloat:
		return ir.OpF2fmp, ir.OpF2f32
	case ir.ClassInt:
		return ir.OpI2imp, ir.OpI2i32
	}
	return ir.OpI2imp, ir.OpU2u32
}

// widenAfter converts the result of in, now of 16 bits, for all that uses it.
func widenAfter(in *ir.Instr, widen ir.Op) {
	b := ir.NewBuilder(ir.After(in))
	b.Shader.SetLoc(in.Loc)
	wide := b.ALU(widen, &in.Def)
	in.Def.RewriteUsesAfter(wide, wide.Instr)
}
