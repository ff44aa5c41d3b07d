package passes

import "nirc/ir"

// foldIntrinsic returns the value of an intrinsic that its constant sources
// decide, whichever lanes are active; nil if they do not.
func foldIntrinsic(b *ir.Builder, in *ir.Instr) *ir.Def {
	if len(in.Srcs) == 0 {
		return nil
	}
	x := in.Srcs[0].Def
	switch in.Intr {
	case ir.IntrReadFirstInvocation, ir.IntrReadInvocation, ir.IntrAsUniform, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown,
		ir.IntrRotate, ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal,
		ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		if x.IsConst() && x.BitSize == in.Def.BitSize {
			return x
		}
	case ir.IntrReduce, ir.IntrInclusiveScan:
		if x.IsConst() && keepsEqual(ir.Op(in.Get(ir.IdxReductionOp))) {
			return x
		}
	case ir.IntrVulkanResourceReindex:
		if v, ok := in.Srcs[1].Def.Const(0); ok && v == 0 {
			return x
		}
	case ir.IntrVoteIeq, ir.IntrVoteFeq, ir.IntrBallot, ir.IntrBallotRelaxed, ir.IntrInverseBallot, ir.IntrBallotBitfieldExtract:
		if x.IsConst() {
			return foldVote(b, in)
		}
	}
	if isDerivative(in.Intr) && x.IsConst() && finite(x) {
		return b.AtInstr(in).Const(x.BitSize, make([]uint64, x.NumComponents)...)
	}
	return nil
}

// keepsEqual reports whether x op x is x.
func keepsEqual(op ir.Op) bool {
	switch op {
	case ir.OpIand, ir.OpIor, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpFmin, ir.OpFmax:
		return true
	}
	return false
}

// finite reports whether all components of a constant are finite floats.
func finite(x *ir.Def) bool {
	for c := range int(x.NumComponents) {
		v, _ := x.Const(c)
		if f := ir.FloatValue(v, x.BitSize); f-f != 0 {
			return false
		}
	}
	return true
}

// truthOf is a boolean of the size of in's result.
func truthOf(b *ir.Builder, in *ir.Instr, v bool) *ir.Def {
	bits := boolBits(v)
	if in.Def.BitSize > 1 {
		bits = -bits
	}
	return b.AtInstr(in).Const(in.Def.BitSize, bits)
}

// foldVote folds votes on and questions about a constant, or returns nil.
func foldVote(b *ir.Builder, in *ir.Instr) *ir.Def {
	x := in.Srcs[0].Def
	switch in.Intr {
	case ir.IntrVoteIeq:
		return truthOf(b, in, true)
	case ir.IntrVoteFeq: // a NaN differs from itself
		for c := range int(x.NumComponents) {
			v, _ := x.Const(c)
			if f := ir.FloatValue(v, x.BitSize); f != f {
				return truthOf(b, in, false)
			}
		}
		return truthOf(b, in, true)
	case ir.IntrBallot, ir.IntrBallotRelaxed:
		if v, _ := x.Const(0); v == 0 {
			return b.AtInstr(in).Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...)
		}
	case ir.IntrInverseBallot:
		if all, ok := uniformBits(x); ok {
			return truthOf(b, in, all)
		}
	case ir.IntrBallotBitfieldExtract:
		if k, ok := in.Srcs[1].Def.Const(0); ok {
			word := k / uint64(x.BitSize)
			v := uint64(0)
			if word < uint64(x.NumComponents) {
				v, _ = x.Const(int(word))
			}
			return truthOf(b, in, v>>(k%uint64(x.BitSize))&1 != 0)
		}
	}
	return nil
}

// uniformBits reports whether all bits of a constant are equal, and which they are.
func uniformBits(x *ir.Def) (one, ok bool) {
	first, _ := x.Const(0)
	for c := range int(x.NumComponents) {
		if v, _ := x.Const(c); v != first {
			return false, false
		}
	}
	return first != 0, first == 0 || first == ^uint64(0)>>(64-x.BitSize)
}

// foldConstDiscard decides conditional discards by constants: it removes those that
// never happen, and makes demotes that always happen unconditional.
func foldConstDiscard(in *ir.Instr) bool {
	if !in.IsIntrinsic(ir.IntrDemoteIf) && !in.IsIntrinsic(ir.IntrTerminateIf) {
		return false
	}
	v, ok := in.Srcs[0].Def.Const(0)
	switch {
	case !ok || v != 0 && in.Intr == ir.IntrTerminateIf: // what follows it would have to go
		return false
	case v != 0:
		builderBefore(in).Effect(ir.IntrDemote)
	}
	in.Remove()
	return true
}
