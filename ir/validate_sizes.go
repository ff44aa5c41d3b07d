package ir

import "nirc/ir/optab"

// reductionOps are the operations of reductions and scans (rule I14).
var reductionOps = [...]Op{OpIadd, OpFadd, OpImul, OpFmul, OpImin, OpUmin, OpFmin, OpImax, OpUmax, OpFmax, OpIand, OpIor, OpIxor}

// lanes checks rules I14 and I15: what invocations of a subgroup do together.
func (v *validator) lanes(in *Instr) {
	switch in.Intr {
	case IntrReduce, IntrInclusiveScan, IntrExclusiveScan:
		v.reduction(in)
	case IntrReadInvocation, IntrShuffle, IntrShuffleXor, IntrShuffleUp, IntrShuffleDown, IntrRotate, IntrQuadBroadcast:
		v.check(in.Srcs[1].Def.BitSize == 32, "I15", in, "number of an invocation of %d bits", in.Srcs[1].Def.BitSize)
	case IntrBallotBitfieldExtract:
		v.check(in.Srcs[1].Def.BitSize == 32, "I15", in, "number of an invocation of %d bits", in.Srcs[1].Def.BitSize)
		v.laneMask(in, in.Srcs[0].Def)
	case IntrInverseBallot, IntrBallotBitCountReduce, IntrBallotBitCountInclusive, IntrBallotBitCountExclusive, IntrBallotFindLsb, IntrBallotFindMsb:
		v.laneMask(in, in.Srcs[0].Def)
	case IntrBallot, IntrBallotRelaxed:
		v.laneMask(in, &in.Def)
		v.boolean(in)
	case IntrVoteAny, IntrVoteAll, IntrQuadVoteAny, IntrQuadVoteAll:
		v.check(in.Srcs[0].Def.BitSize == in.Def.BitSize, "I15", in, "vote of %d bits on a boolean of %d", in.Def.BitSize, in.Srcs[0].Def.BitSize)
		v.boolean(in)
	case IntrDemoteIf, IntrTerminateIf:
		v.boolean(in)
	case IntrVoteFeq:
		v.check(in.Srcs[0].Def.BitSize >= 16, "I15", in, "float of %d bits", in.Srcs[0].Def.BitSize)
	}
	if k := in.Intr.Info().IndexPos(IdxClusterSize); k >= 0 {
		n := in.Imm[k]
		v.check(n&(n-1) == 0, "I14", in, "a cluster of %d invocations, which is no power of two", n)
	}
}

func (v *validator) reduction(in *Instr) {
	op := in.Get(IdxReductionOp)
	ok := false
	for _, r := range reductionOps {
		ok = ok || op == uint64(r)
	}
	v.check(ok, "I14", in, "the operation is none of a reduction")
	bits := in.Def.BitSize
	t := Op(op).Info().Out
	v.check(t.Class != optab.ClassFloat || bits >= 16, "I14", in, "%s of %d bits", Op(op), bits)
	logic := Op(op) == OpIand || Op(op) == OpIor || Op(op) == OpIxor
	v.check(bits > 1 || logic, "I14", in, "%s of booleans", Op(op))
}

func (v *validator) laneMask(in *Instr, m *Def) {
	v.check(m.BitSize >= 32, "I15", in, "mask of invocations in words of %d bits", m.BitSize)
}

// boolean checks the condition of an intrinsic, source 0.
func (v *validator) boolean(in *Instr) {
	v.check(in.Srcs[0].Def.BitSize <= 32, "I15", in, "boolean of %d bits", in.Srcs[0].Def.BitSize)
}

// texNeeds checks rule T8, that the operation has what it works on.
func (v *validator) texNeeds(in *Instr, have *[32]bool) {
	need := func(k TexSrc) { v.check(have[k], "T8", in, "%s without %s", in.TexOp, k) }
	switch in.TexOp {
	case TexOpTxd:
		need(TexSrcDdx)
	case TexOpTxfMs:
		need(TexSrcMsIndex)
	case TexOpSampleWeightedQcom, TexOpBlockMatchSadQcom, TexOpBlockMatchSsdQcom:
		need(TexSrcTexture2Deref)
	}
	switch in.TexOp {
	case TexOpTex, TexOpTxb, TexOpTxl, TexOpTxd, TexOpTxf, TexOpTxfMs, TexOpTg4, TexOpLod, TexOpSamplesIdentical,
		TexOpSampleWeightedQcom, TexOpBoxFilterQcom, TexOpBlockMatchSadQcom, TexOpBlockMatchSsdQcom:
		need(TexSrcCoord)
	}
}
