package passes

import "nirc/ir"

// cheaperALU returns what takes the place of an ALU instruction on results of intrinsics, or nil.
func cheaperALU(in *ir.Instr) *ir.Def {
	if in.Def.NumComponents != 1 {
		return nil
	}
	switch in.Op {
	case ir.OpIne, ir.OpIeq:
		for k := range 2 {
			if v, ok := in.Srcs[1-k].Const(0); ok && v == 0 {
				if d := intrinsicIsZero(in, &in.Srcs[k]); d != nil {
					return d
				}
			}
		}
	case ir.OpBcsel:
		return selectOfShuffles(in)
	}
	return nil
}

// intrinsicIsZero turns the comparison of a ballot with 0 into a vote, and that of the mask of covered samples into the
// question whether the fragment is a helper. What early tests have not left of a fragment is a helper, and covers samples
// all the same, unless the mask is the one after them.
func intrinsicIsZero(in *ir.Instr, s *ir.Src) *ir.Def {
	d, c := scalarValue(s.Def, s.Swizzle.Lane(0))
	b := builderBefore(in)
	switch n := b.Shader.Options.SubgroupSize; {
	// The word must hold all lanes.
	case d.Instr.IsIntrinsic(ir.IntrBallot) && (d.NumComponents == 1 || c == 0 && n > 0 && n <= 32) && d.Instr.Block == in.Block && d.Instr.Srcs[0].Def.BitSize == in.Def.BitSize:
		v := &builderBefore(d.Instr).Intrinsic(ir.IntrVoteAny, 1, in.Def.BitSize, d.Instr.Srcs[0].Def).Def
		if in.Op == ir.OpIeq {
			v = b.Inot(v)
		}
		return v
	case d.Instr.IsIntrinsic(ir.IntrLoadSampleMaskIn) && b.Shader.Info.PostDepthCoverage && in.Def.BitSize == 1:
		v := &b.Intrinsic(ir.IntrLoadHelperInvocation, 1, 1).Def
		if in.Op == ir.OpIne {
			v = b.Inot(v)
		}
		return v
	}
	return nil
}

// selectOfShuffles makes one shuffle of two of the same value, whose results nothing wants but the select: the lanes are
// chosen instead. The same lanes must be there for all three.
func selectOfShuffles(in *ir.Instr) *ir.Def {
	x, y := in.Srcs[1].Def.Instr, in.Srcs[2].Def.Instr
	for _, s := range []*ir.Instr{x, y} {
		if !s.IsIntrinsic(ir.IntrShuffle) || s.Def.NumComponents != 1 || !s.Def.UsedOnce() || s.Block != in.Block || lanesEndBetween(s, in) {
			return nil
		}
	}
	if x.Srcs[0].Def != y.Srcs[0].Def {
		return nil
	}
	b := builderBefore(in)
	lane := b.Bcsel(b.Channel(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)), x.Srcs[1].Def, y.Srcs[1].Def)
	return &b.Intrinsic(ir.IntrShuffle, 1, in.Def.BitSize, x.Srcs[0].Def, lane).Def
}

// lanesEndBetween reports whether lanes may end after an instruction and before a later one of its block.
func lanesEndBetween(first, last *ir.Instr) bool {
	for in := first; in != last; in = in.Next() {
		if isDiscard(in) {
			return true
		}
	}
	return false
}

// scanWithOwn makes an inclusive scan of an exclusive one whose result only ever meets what the lane itself gives, by the
// operation of the scan. Not of sums that keep the sign of zero: 0 is what the first lane has of an exclusive one.
func scanWithOwn(scan *ir.Instr) bool {
	op, own := ir.Op(scan.Get(ir.IdxReductionOp)), scan.Srcs[0].Def
	if scan.Def.NumComponents != 1 || scan.Def.Unused() {
		return false
	}
	for u := range scan.Def.Uses() {
		in := u.Instr
		if in == nil || !in.IsALU(op) || in.Def.NumComponents != 1 || op == ir.OpFadd && (in.Exact || in.FastMath.Has(ir.FCSignedZeroPreserve, in.Def.BitSize)) {
			return false
		}
		if other := in.Srcs[0].Def; other != own && in.Srcs[1].Def != own || other == own && in.Srcs[1].Def == own {
			return false
		}
	}
	with := &builderBefore(scan).Intrinsic(ir.IntrInclusiveScan, 1, scan.Def.BitSize, own).CopyIndices(scan).Def
	for u := range scan.Def.Uses() {
		u.Instr.Def.RewriteUses(with)
		u.Instr.Remove()
	}
	scan.Remove()
	return true
}
