package passes

import "nirc/ir"

var optIntrinsicsPass = &Pass{
	Name: "opt_intrinsics", For: ir.HasSubgroup | ir.HasSampleMask, Class: "B", Run: optIntrinsics, Optional: true,
	Doc: "Rewrites operations of the subgroup into cheaper ones: shuffles whose lane is the own one xor a constant, or a constant, " +
		"selects of two shuffles of a value, ballots that are only compared with 0, the own bit of a ballot, reductions of booleans that are votes, and exclusive scans that only " +
		"meet the lane's own value, which are inclusive ones. A mask of covered samples that is compared with 0 asks for helpers, if it is the mask after the tests (PostDepthCoverage).",
	Options: []Option{{"quad_swaps", "shuffles inside of a quad become quad swaps", true}},
}

func optIntrinsics(c *Context, s *ir.Shader) (bool, error) {
	quads := c.Bool("quad_swaps")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				var v *ir.Def
				switch in.Kind {
				case ir.KindIntrinsic:
					v = cheaperIntrinsic(in, quads)
				case ir.KindALU:
					v = cheaperALU(in)
				}
				if v != nil {
					in.Def.RewriteUses(v)
					in.Remove()
					progress = true
				}
			}
		}
		for _, scan := range collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrExclusiveScan }) {
			progress = scanWithOwn(scan) || progress
		}
		return progress
	}), nil
}

// cheaperIntrinsic returns what an intrinsic can be replaced by, or nil.
func cheaperIntrinsic(in *ir.Instr, quads bool) *ir.Def {
	switch in.Intr {
	case ir.IntrShuffle:
		return cheaperShuffle(in, quads)
	case ir.IntrShuffleXor:
		if v, ok := in.Srcs[1].Def.Const(0); ok {
			return shuffleXor(in, v, quads)
		}
	case ir.IntrInverseBallot:
		// Of lanes that are there when the ballot is, the own bit is what was given.
		if b := in.Srcs[0].Def.Instr; b.IsIntrinsic(ir.IntrBallot) && b.Block == in.Block && b.Srcs[0].Def.BitSize == in.Def.BitSize {
			return b.Srcs[0].Def
		}
	case ir.IntrReduce:
		return reduceIsVote(in)
	}
	return nil
}

// reduceIsVote makes a vote of a reduction of one boolean over the whole subgroup.
func reduceIsVote(in *ir.Instr) *ir.Def {
	if in.Def.BitSize != 1 || in.Def.NumComponents != 1 || in.Get(ir.IdxClusterSize) != 0 {
		return nil
	}
	switch ir.Op(in.Get(ir.IdxReductionOp)) {
	case ir.OpIand:
		return &builderBefore(in).Intrinsic(ir.IntrVoteAll, 1, 1, in.Srcs[0].Def).Def
	case ir.OpIor:
		return &builderBefore(in).Intrinsic(ir.IntrVoteAny, 1, 1, in.Srcs[0].Def).Def
	}
	return nil
}

func cheaperShuffle(in *ir.Instr, quads bool) *ir.Def {
	if in.Srcs[1].Def.IsConst() {
		return &builderBefore(in).Intrinsic(ir.IntrReadInvocation, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def, in.Srcs[1].Def).Def
	}
	lane, c := scalarValue(in.Srcs[1].Def, 0)
	if lane.Instr.IsIntrinsic(ir.IntrLoadSubgroupInvocation) {
		return in.Srcs[0].Def
	}
	if !lane.Instr.IsALU(ir.OpIxor) {
		return nil
	}
	for k := range 2 {
		own, _ := scalarValue(lane.Instr.Srcs[k].Def, lane.Instr.Srcs[k].Swizzle.Lane(c))
		if v, ok := lane.Instr.Srcs[1-k].Const(c); ok && own.Instr.IsIntrinsic(ir.IntrLoadSubgroupInvocation) {
			if d := shuffleXor(in, v, quads); d != nil {
				return d
			}
			b := builderBefore(in)
			return &b.Intrinsic(ir.IntrShuffleXor, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def, b.Imm32(uint32(v))).Def
		}
	}
	return nil
}

// shuffleXor returns the value of the lane that differs in the bits of v, if
// that is one of the quad.
func shuffleXor(in *ir.Instr, v uint64, quads bool) *ir.Def {
	if v == 0 {
		return in.Srcs[0].Def
	}
	if !quads || v > 3 {
		return nil
	}
	op := [...]ir.Intrinsic{1: ir.IntrQuadSwapHorizontal, 2: ir.IntrQuadSwapVertical, 3: ir.IntrQuadSwapDiagonal}[v]
	return &builderBefore(in).Intrinsic(op, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def).Def
}
