package spirv

import (
	"math"

	"nirc/frontend/spirv/spv"
	"nirc/internal/lazy"
	"nirc/ir"
)

// rounding maps FPRoundingMode to the IR's modes.
var rounding = lazy.Value[map[spv.FPRoundingMode]ir.RoundingMode]{Make: func() map[spv.FPRoundingMode]ir.RoundingMode {
	return map[spv.FPRoundingMode]ir.RoundingMode{
		spv.FPRoundingModeRTE: ir.RoundNearestEven, spv.FPRoundingModeRTZ: ir.RoundTowardZero, spv.FPRoundingModeRTP: ir.RoundUp, spv.FPRoundingModeRTN: ir.RoundDown,
	}
}}

// roundedConversion translates conversions that saturate or round as a decoration says, and reports whether the instruction was one.
func (t *translator) roundedConversion(in *inst) bool {
	c, ok := conversionOf(in.op)
	saturates := in.op == spv.OpSatConvertSToU || in.op == spv.OpSatConvertUToS
	if !t.kernel || !ok && !saturates {
		return false
	}
	mode, rounds := ir.RoundTowardZero, false
	if i := t.index(in.id); ok {
		_, saturates = t.decOf(i, spv.DecorationSaturatedConversion)
		if m, has := t.decOf(i, spv.DecorationFPRoundingMode); has {
			mode, rounds = rounding.Get()[spv.FPRoundingMode(m)]
		}
	}
	if !saturates && !rounds {
		return false
	}
	x := t.vector(t.arg(in, 0))
	from, to := t.valType(in.args[0]).scalarType(), t.typeOf(in.typ).scalarType()
	if !from.isScalar() || !to.isScalar() || from.kind == tBool || to.kind == tBool || ok && (from.isFloat() != c.from || to.isFloat() != c.to) {
		t.fail(in.id, "%s: the types do not fit the conversion", in.op)
	}
	signedFrom := in.op == spv.OpConvertSToF || in.op == spv.OpSConvert || in.op == spv.OpSatConvertSToU
	signedTo := in.op == spv.OpConvertFToS || in.op == spv.OpSConvert || in.op == spv.OpSatConvertUToS
	src, dst := classOf(from, signedFrom), classOf(to, signedTo)
	if src == ir.ClassFloat && dst != ir.ClassFloat {
		t.set(in, t.floatToInt(x, to.bits, signedTo, mode, rounds, saturates))
		return true
	}
	if !rounds && dst == ir.ClassFloat {
		mode = ir.RoundNearestEven
	}
	r := t.f.b.Intrinsic(ir.IntrConvertAluTypes, x.NumComponents, to.bits, x)
	r.Set(ir.IdxSrcType, ir.ALUType{Class: src, Bits: from.bits}.Pack()).Set(ir.IdxDestType, ir.ALUType{Class: dst, Bits: to.bits}.Pack())
	r.Set(ir.IdxRoundingMode, uint64(mode))
	if saturates {
		r.Set(ir.IdxSaturate, 1)
	}
	t.set(in, &r.Def)
	return true
}

func classOf(ty *typ, signed bool) ir.TypeClass {
	switch {
	case ty.kind == tFloat:
		return ir.ClassFloat
	case signed:
		return ir.ClassInt
	}
	return ir.ClassUint
}

// floatToInt converts with a rounding, and holds what the result cannot have to its limits if saturates; what is no number is 0 then.
func (t *translator) floatToInt(x *ir.Def, bits uint8, signed bool, mode ir.RoundingMode, rounds, saturates bool) *ir.Def {
	b := t.f.b
	if rounds {
		x = b.Round(x, mode)
	}
	ops, least, most := &f2uOps, 0.0, math.Ldexp(1, int(bits))
	low, high := uint64(0), ^uint64(0)>>(64-bits)
	if signed {
		ops, least, most = &f2iOps, -math.Ldexp(1, int(bits)-1), math.Ldexp(1, int(bits)-1)
		low, high = 1<<(bits-1), 1<<(bits-1)-1
	}
	if !saturates {
		return b.ALU(ops[ir.SizeIndex(bits)], x)
	}
	return t.exactly(func() *ir.Def {
		r := b.ALU(ops[ir.SizeIndex(bits)], x)
		r = b.Bcsel(b.Fge(x, t.float1(most, x)), t.f.constant(bits, high), r)
		r = b.Bcsel(b.Flt(x, t.float1(least, x)), t.f.constant(bits, low), r)
		return b.Bcsel(b.Fneu(x, x), t.f.constant(bits, 0), r)
	})
}
