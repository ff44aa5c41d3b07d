package passes

import "nirc/ir"

// ConvertRounded builds the conversion of x, which is of class from, to a type
// with the given rounding from plain operations; see ir.ConvertBits for what
// it gives. saturate limits integers that the result cannot hold.
func ConvertRounded(b *ir.Builder, x *ir.Def, from ir.TypeClass, to ir.ALUType, mode ir.RoundingMode, saturate bool) *ir.Def {
	switch {
	case from == ir.ClassBool || to.Class == ir.ClassBool:
		return ConvertType(b, x, from, to)
	case from == ir.ClassFloat && to.Class == ir.ClassFloat:
		return roundFloat(b, x, to, mode)
	case from == ir.ClassFloat:
		return floatToInteger(b, x, to, mode)
	case to.Class == ir.ClassFloat:
		return integerToFloat(b, x, from, to, mode)
	case saturate:
		return ConvertSaturated(b, x, from, to)
	}
	return ConvertType(b, x, from, to)
}

// ConvertSaturated builds the conversion of an integer to another integer type
// that limits what that cannot hold.
func ConvertSaturated(b *ir.Builder, x *ir.Def, from ir.TypeClass, to ir.ALUType) *ir.Def {
	bits := x.BitSize
	top := int64(uint64(1)<<(to.Bits-1) - 1) // of a signed result
	switch {
	case from == ir.ClassInt && to.Class == ir.ClassInt:
		if to.Bits < bits {
			x = b.Imin(b.Imax(x, b.ImmInt(-top-1, bits)), b.ImmInt(top, bits))
		}
	case from == ir.ClassInt:
		x = b.Imax(x, b.ImmInt(0, bits))
		if to.Bits < bits {
			x = b.Imin(x, b.ImmInt(2*top+1, bits))
		}
	case to.Class == ir.ClassInt:
		if to.Bits <= bits {
			x = b.Umin(x, b.ImmInt(top, bits))
		}
	case to.Bits < bits:
		x = b.Umin(x, b.ImmInt(2*top+1, bits))
	}
	return ConvertType(b, x, from, to)
}

// floatToInteger rounds, converts and limits.
func floatToInteger(b *ir.Builder, x *ir.Def, to ir.ALUType, mode ir.RoundingMode) *ir.Def {
	x = b.Round(x, mode)
	if to.Bits >= 32 {
		return ConvertType(b, x, ir.ClassFloat, to)
	}
	// Wide operations saturate everywhere; what is left is narrowed by integers.
	wide := ir.ALUType{Class: to.Class, Bits: 32}
	return ConvertSaturated(b, ConvertType(b, x, ir.ClassFloat, wide), to.Class, to)
}

// roundFloat converts to nearest and goes one step on where the rounding mode
// asks for the other neighbour.
func roundFloat(b *ir.Builder, x *ir.Def, to ir.ALUType, mode ir.RoundingMode) *ir.Def {
	if to.Bits >= x.BitSize {
		return ConvertType(b, x, ir.ClassFloat, to)
	}
	v := nearestFloat(b, x, to)
	back := ConvertType(b, v, ir.ClassFloat, ir.ALUType{Class: ir.ClassFloat, Bits: x.BitSize})
	one, zero := b.ImmInt(1, to.Bits), b.ImmInt(0, to.Bits)
	negative := b.Ilt(v, zero)
	switch mode {
	case ir.RoundTowardZero:
		return b.Isub(v, b.Bcsel(b.Flt(b.Fabs(x), b.Fabs(back)), one, zero))
	case ir.RoundUp:
		step := b.Bcsel(b.Flt(back, x), one, zero)
		return b.Bcsel(negative, b.Isub(v, step), b.Iadd(v, step))
	case ir.RoundDown:
		step := b.Bcsel(b.Flt(x, back), one, zero)
		return b.Bcsel(negative, b.Iadd(v, step), b.Isub(v, step))
	}
	return v
}

// nearestFloat narrows to nearest even whatever the shader's mode is for halves.
func nearestFloat(b *ir.Builder, x *ir.Def, to ir.ALUType) *ir.Def {
	if to.Bits == 16 {
		return b.F2f16Rtne(x)
	}
	return ConvertType(b, x, ir.ClassFloat, to)
}

// floatPrecision is how many bits of an integer a float holds exactly.
func floatPrecision(bits uint8) uint8 {
	switch bits {
	case 16:
		return 11
	case 32:
		return 24
	}
	return 53
}

// integerToFloat converts; rounding away from zero or toward it cuts the
// magnitude to what the float holds exactly, and adds one to its bits if more
// was there.
func integerToFloat(b *ir.Builder, x *ir.Def, from ir.TypeClass, to ir.ALUType, mode ir.RoundingMode) *ir.Def {
	precision := floatPrecision(to.Bits)
	if mode <= ir.RoundNearestEven || x.BitSize <= precision {
		return ConvertType(b, x, from, to)
	}
	if x.BitSize < 32 {
		x = ConvertType(b, x, from, ir.ALUType{Class: from, Bits: 32})
	}
	bits := x.BitSize
	negative := b.ImmBool(false)
	size := x
	if from == ir.ClassInt {
		negative = b.Ilt(x, b.ImmInt(0, bits))
		size = b.Bcsel(negative, b.Ineg(x), x)
	}
	// The bits below the precision of the highest one set are dropped.
	top := b.UfindMsb(size)
	drop := b.Imax(b.IAddImm(top, 1-int64(precision)), b.Imm32(0))
	kept := b.Ishl(b.Ushr(size, drop), drop)
	if to.Bits == 16 {
		const largestHalf = 65504
		kept = b.Umin(kept, b.ImmInt(largestHalf, bits))
	}
	v := ConvertType(b, kept, ir.ClassUint, to)
	away := b.ImmBool(false)
	switch mode {
	case ir.RoundUp:
		away = b.Inot(negative)
	case ir.RoundDown:
		away = negative
	}
	more := b.Iand(away, b.Ine(kept, size))
	v = b.Iadd(v, b.Bcsel(more, b.ImmInt(1, to.Bits), b.ImmInt(0, to.Bits)))
	return b.Bcsel(negative, b.Fneg(v), v)
}

var lowerConvertALUTypesPass = &Pass{
	Name: "lower_convert_alu_types", Class: "B", Idempotent: true,
	Doc: "Writes convert_alu_types, the conversion with a rounding mode and saturation that kernels ask for, as plain operations. Input: any shader. Output: no " +
		"convert_alu_types; the results are those of its definition, NaN payloads aside.",
	Run: func(_ *Context, s *ir.Shader) (bool, error) {
		return eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
			if in.Intr != ir.IntrConvertAluTypes {
				return nil
			}
			to := ir.UnpackALUType(in.Get(ir.IdxDestType))
			to.Bits = in.Def.BitSize
			mode := ir.RoundingMode(in.Get(ir.IdxRoundingMode))
			return ConvertRounded(b, in.Srcs[0].Def, ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class, to, mode, in.Get(ir.IdxSaturate) != 0)
		}), nil
	},
}
