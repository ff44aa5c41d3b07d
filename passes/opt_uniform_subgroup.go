package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optUniformSubgroupPass = &Pass{
	Name: "opt_uniform_subgroup", For: ir.HasSubgroup, Class: "B", Run: optUniformSubgroup, Idempotent: true, Optional: true,
	Doc: "Makes arithmetic of operations of the subgroup on values that are the same in all lanes by the divergence analysis: broadcasts, shuffles, votes, and reductions and scans by and, or, " +
		"minima and maxima give the value; sums are its product with a number of lanes, exclusive ors the value where that is odd. A shader whose coherent or volatile loads look uniform is left alone: " +
		"lanes may find different things there.",
	Options: []Option{{"counts", "sums and exclusive ors too, by the number of lanes; else the target has them for no more", true}},
}

func optUniformSubgroup(c *Context, s *ir.Shader) (bool, error) {
	counts := c.Bool("counts")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		list := collect(impl, func(in *ir.Instr) bool { return combinesLanes(in.Intr) })
		if len(list) == 0 {
			return false
		}
		analysis.RequireDivergence(impl)
		if readsWhatChanges(impl) {
			return false
		}
		for _, in := range list {
			x := in.Srcs[0].Def
			if x.Divergent {
				continue
			}
			if v := ofUniform(builderBefore(in), in, counts); v != nil {
				if v != x {
					v.Divergent = in.Def.Divergent
				}
				in.Def.RewriteUses(v)
				in.Remove()
				progress = true
			}
		}
		return progress
	}), nil
}

// combinesLanes lists the operations whose source 0 is a value of each lane.
func combinesLanes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrVoteIeq, ir.IntrVoteFeq, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		return true
	}
	return movesLanes(i) || isScan(i)
}

// readsWhatChanges reports whether a load that others may write to meanwhile, and that has to see it, counts as the same in all lanes.
func readsWhatChanges(impl *ir.Impl) bool {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			m := in.Memory()
			if m.Op != ir.MemLoad || in.Def.Divergent {
				continue
			}
			if ir.Access(in.Get(ir.IdxAccess))&(ir.AccessCoherent|ir.AccessVolatile) != 0 || m.Space == ir.SpaceShared && impl.Shader.Info.CoherentShared {
				return true
			}
		}
	}
	return false
}

// ofUniform is what an operation gives of a value that all lanes share, or nil.
func ofUniform(b *ir.Builder, in *ir.Instr, counts bool) *ir.Def {
	x := in.Srcs[0].Def
	switch {
	case isScan(in.Intr):
		return scanOfUniform(b, in, counts)
	case in.Intr == ir.IntrVoteIeq:
		return truthOf(b, in, true)
	case in.Intr == ir.IntrVoteFeq:
		if in.Def.BitSize != 1 {
			return nil
		}
		same := b.ImmBool(true)
		for k := range int(x.NumComponents) { // a NaN differs from itself
			same = b.Iand(same, b.Feq(b.Channel(x, k), b.Channel(x, k)))
		}
		return same
	case x.BitSize != in.Def.BitSize: // a vote as a number
		return nil
	}
	return x
}

// scanOfUniform is a reduction or a scan.
func scanOfUniform(b *ir.Builder, in *ir.Instr, counts bool) *ir.Def {
	op, x := ir.Op(in.Get(ir.IdxReductionOp)), in.Srcs[0].Def
	exclusive := in.Intr == ir.IntrExclusiveScan
	switch {
	case keepsEqual(op) && !exclusive:
		return x
	case keepsEqual(op):
		start := reductionIdentity(b, op, x.BitSize)
		comps := make([]*ir.Def, x.NumComponents)
		first := &b.Intrinsic(ir.IntrElect, 1, 1).Def
		for k := range comps {
			comps[k] = b.Bcsel(first, start, b.Channel(x, k))
		}
		return b.Vec(comps...)
	case !counts || x.BitSize < 32 || op != ir.OpIadd && op != ir.OpIxor || in.Intr == ir.IntrReduce && in.Get(ir.IdxClusterSize) != 0:
		return nil
	}
	n := resizeUint(b, lanesCounted(b, in.Intr), x.BitSize)
	if op == ir.OpIxor {
		n = b.Iand(n, b.ImmInt(1, x.BitSize))
	}
	comps := make([]*ir.Def, x.NumComponents)
	for k := range comps {
		comps[k] = b.Imul(b.Channel(x, k), n)
	}
	return b.Vec(comps...)
}

// lanesCounted is the number of lanes whose values a reduction or a scan combines.
func lanesCounted(b *ir.Builder, i ir.Intrinsic) *ir.Def {
	count := ir.IntrBallotBitCountReduce
	switch i {
	case ir.IntrInclusiveScan:
		count = ir.IntrBallotBitCountInclusive
	case ir.IntrExclusiveScan:
		count = ir.IntrBallotBitCountExclusive
	}
	there := &b.Intrinsic(ir.IntrBallot, 4, 32, b.ImmBool(true)).Def
	return &b.Intrinsic(count, 1, 32, there).Def
}
