package passes

import "nirc/ir"

// orderedCompare writes a comparison that says what it makes of NaN by those
// that only tell unequal as true of it; nil for other operations.
func orderedCompare(b *ir.Builder, in *ir.Instr) *ir.Def {
	switch in.Op {
	case ir.OpFneo, ir.OpFequ, ir.OpFltu, ir.OpFgeu, ir.OpFunord, ir.OpFord:
	default:
		return nil
	}
	x, y := srcValue(b, in, 0), srcValue(b, in, 1)
	switch in.Op {
	case ir.OpFltu:
		return b.Inot(b.Fge(x, y))
	case ir.OpFgeu:
		return b.Inot(b.Flt(x, y))
	case ir.OpFneo:
		return b.Ior(b.Flt(x, y), b.Flt(y, x))
	case ir.OpFequ:
		return b.Inot(b.Ior(b.Flt(x, y), b.Flt(y, x)))
	case ir.OpFunord:
		return b.Ior(b.Fneu(x, x), b.Fneu(y, y))
	}
	return b.Iand(b.Feq(x, x), b.Feq(y, y))
}

// unorderedALU writes the 1-bit operations without a 32-bit form by those that
// have one.
func unorderedALU(s *ir.Shader) bool {
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if v := orderedCompare(b, in); v != nil {
			return v
		}
		switch in.Op {
		case ir.OpU2u1, ir.OpI2i1, ir.OpB2i1:
			x := srcValue(b, in, 0)
			if x.BitSize == 1 {
				return x
			}
			return b.Ine(b.Iand(x, b.ImmInt(1, x.BitSize)), b.ImmInt(0, x.BitSize))
		case ir.OpF2u1: // saturates
			x := srcValue(b, in, 0)
			return b.Fge(x, b.ImmFloat(1, x.BitSize))
		case ir.OpF2i1:
			x := srcValue(b, in, 0)
			return b.Fge(b.ImmFloat(-1, x.BitSize), x)
		case ir.OpBitnz, ir.OpBitz:
			x := srcValue(b, in, 0)
			bit := b.Iand(b.Ushr(x, srcValue(b, in, 1)), b.ImmInt(1, x.BitSize))
			if in.Op == ir.OpBitnz {
				return b.Ine(bit, b.ImmInt(0, x.BitSize))
			}
			return b.Ieq(bit, b.ImmInt(0, x.BitSize))
		}
		return nil
	})
}

func isDiscard(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	switch in.Intr {
	case ir.IntrDemote, ir.IntrDemoteIf, ir.IntrTerminate, ir.IntrTerminateIf:
		return true
	}
	return false
}

// needsNeighbours reports whether lanes beside a result's take part in it.
func needsNeighbours(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return in.TexOp.Info().ImplicitDerivatives || in.TexInfo().GatherImplicitLod
	case ir.KindIntrinsic:
		return isDerivative(in.Intr)
	}
	return false
}

// freeALU reports whether an operation usually costs nothing: selectors fold it.
func freeALU(op ir.Op) bool {
	switch op {
	case ir.OpMov, ir.OpFneg, ir.OpFabs, ir.OpFsat, ir.OpIneg, ir.OpIabs:
		return true
	}
	return op >= ir.OpVec2 && op <= ir.OpVec16
}

func expensiveALU(op ir.Op) bool {
	switch op {
	case ir.OpFdiv, ir.OpFrcp, ir.OpFrsq, ir.OpFsqrt, ir.OpFexp2, ir.OpFlog2, ir.OpFpow, ir.OpFsin, ir.OpFcos,
		ir.OpIdiv, ir.OpUdiv, ir.OpImod, ir.OpUmod, ir.OpIrem, ir.OpFmod, ir.OpFrem:
		return true
	}
	return false
}

func legalWidth(n int) bool { return n >= 1 && n <= 5 || n == 8 || n == 16 }

// isDerivative reports whether an intrinsic is one of ddx, ddy and their forms.
func isDerivative(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse:
		return true
	}
	return false
}

// firstConst returns the first component of a load_const.
func firstConst(d *ir.Def) (uint64, bool) { return d.Const(0) }
