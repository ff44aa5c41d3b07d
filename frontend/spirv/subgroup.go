package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// subgroupRow says how a subgroup instruction becomes an intrinsic: operand 0
// is the scope, 1 the value, 2 the lane or distance if there is one.
type subgroupRow struct {
	op   spv.Op
	intr ir.Intrinsic
	lane bool
}

var subgroupTable = [...]subgroupRow{
	{spv.OpGroupNonUniformBroadcast, ir.IntrReadInvocation, true},
	{spv.OpGroupNonUniformBroadcastFirst, ir.IntrReadFirstInvocation, false},
	{spv.OpGroupNonUniformShuffle, ir.IntrShuffle, true},
	{spv.OpGroupNonUniformShuffleXor, ir.IntrShuffleXor, true},
	{spv.OpGroupNonUniformShuffleUp, ir.IntrShuffleUp, true},
	{spv.OpGroupNonUniformShuffleDown, ir.IntrShuffleDown, true},
	{spv.OpGroupNonUniformRotateKHR, ir.IntrRotate, true},
	{spv.OpGroupNonUniformQuadBroadcast, ir.IntrQuadBroadcast, true},
	{spv.OpGroupBroadcast, ir.IntrReadInvocation, true},
}

// reduceOps are the arithmetic subgroup instructions and their ALU operations.
var reduceOps = [...]struct {
	op  spv.Op
	alu ir.Op
}{
	{spv.OpGroupNonUniformIAdd, ir.OpIadd}, {spv.OpGroupNonUniformFAdd, ir.OpFadd},
	{spv.OpGroupNonUniformIMul, ir.OpImul}, {spv.OpGroupNonUniformFMul, ir.OpFmul},
	{spv.OpGroupNonUniformSMin, ir.OpImin}, {spv.OpGroupNonUniformUMin, ir.OpUmin}, {spv.OpGroupNonUniformFMin, ir.OpFmin},
	{spv.OpGroupNonUniformSMax, ir.OpImax}, {spv.OpGroupNonUniformUMax, ir.OpUmax}, {spv.OpGroupNonUniformFMax, ir.OpFmax},
	{spv.OpGroupNonUniformBitwiseAnd, ir.OpIand}, {spv.OpGroupNonUniformBitwiseOr, ir.OpIor}, {spv.OpGroupNonUniformBitwiseXor, ir.OpIxor},
	{spv.OpGroupNonUniformLogicalAnd, ir.OpIand}, {spv.OpGroupNonUniformLogicalOr, ir.OpIor}, {spv.OpGroupNonUniformLogicalXor, ir.OpIxor},

	{spv.OpGroupIAdd, ir.OpIadd}, {spv.OpGroupFAdd, ir.OpFadd}, {spv.OpGroupIMulKHR, ir.OpImul}, {spv.OpGroupFMulKHR, ir.OpFmul},
	{spv.OpGroupSMin, ir.OpImin}, {spv.OpGroupUMin, ir.OpUmin}, {spv.OpGroupFMin, ir.OpFmin},
	{spv.OpGroupSMax, ir.OpImax}, {spv.OpGroupUMax, ir.OpUmax}, {spv.OpGroupFMax, ir.OpFmax},
	{spv.OpGroupBitwiseAndKHR, ir.OpIand}, {spv.OpGroupBitwiseOrKHR, ir.OpIor}, {spv.OpGroupBitwiseXorKHR, ir.OpIxor},
	{spv.OpGroupLogicalAndKHR, ir.OpIand}, {spv.OpGroupLogicalOrKHR, ir.OpIor}, {spv.OpGroupLogicalXorKHR, ir.OpIxor},

	{spv.OpGroupIAddNonUniformAMD, ir.OpIadd}, {spv.OpGroupFAddNonUniformAMD, ir.OpFadd},
	{spv.OpGroupSMinNonUniformAMD, ir.OpImin}, {spv.OpGroupUMinNonUniformAMD, ir.OpUmin}, {spv.OpGroupFMinNonUniformAMD, ir.OpFmin},
	{spv.OpGroupSMaxNonUniformAMD, ir.OpImax}, {spv.OpGroupUMaxNonUniformAMD, ir.OpUmax}, {spv.OpGroupFMaxNonUniformAMD, ir.OpFmax},
}

// subgroup translates subgroup instructions and reports whether it was one.
func (t *translator) subgroup(in *inst) bool {
	if t.groupOp(in) {
		return true
	}
	for i := range subgroupTable {
		if r := &subgroupTable[i]; r.op == in.op {
			t.subgroupScope(in)
			t.lanes(in, r)
			return true
		}
	}
	for i := range reduceOps {
		if reduceOps[i].op == in.op {
			t.subgroupScope(in)
			t.subgroupReduce(in, reduceOps[i].alu)
			return true
		}
	}
	if in.op == spv.OpGroupNonUniformPartitionEXT {
		t.partition(in)
		return true
	}
	return t.vote(in) || t.ballot(in)
}

// subgroupScope checks operand 0: these instructions work on subgroups only.
func (t *translator) subgroupScope(in *inst) {
	if s := t.scope(in, 0); s != ir.ScopeSubgroup && s != ir.ScopeInvocation {
		t.refuse(in.id, "%s of a scope other than the subgroup is not supported", in.op)
	}
}

// lanes translates an instruction that reads a value of another lane; a
// composite is read leaf by leaf.
func (t *translator) lanes(in *inst, r *subgroupRow) {
	id := t.arg(in, 1)
	ty := t.typeOf(in.typ)
	if !ty.sameShape(t.valType(id)) || ty.kind == tPointer || ty.opaque() {
		t.fail(in.id, "%s: the value does not have the result type", in.op)
	}
	var lane *ir.Def
	if r.lane {
		lane = t.toU32(t.intVector(t.arg(in, 2), 1, 0))
	}
	cluster := uint64(0)
	if in.op == spv.OpGroupNonUniformRotateKHR && len(in.args) > 3 {
		cluster = uint64(t.constArg(in, 3))
	}
	l := t.get(id)
	out := t.leaves.Slice(len(l))
	for k, v := range l {
		var x *ir.Instr
		if lane != nil {
			x = t.f.b.Intrinsic(r.intr, v.NumComponents, v.BitSize, v, lane)
		} else {
			x = t.f.b.Intrinsic(r.intr, v.NumComponents, v.BitSize, v)
		}
		out[k] = &x.Set(ir.IdxClusterSize, cluster).Def
	}
	t.setLeaves(in, ty, out)
}

// subgroupReduce translates reductions and scans.
func (t *translator) subgroupReduce(in *inst, op ir.Op) {
	if part, ok := partOf(spv.GroupOperation(t.arg(in, 1))); ok {
		t.partitionedReduce(in, op, part)
		return
	}
	x := t.vector(t.arg(in, 2))
	intr := ir.IntrReduce
	cluster := uint64(0)
	switch g := spv.GroupOperation(in.args[1]); g {
	case spv.GroupOperationReduce:
	case spv.GroupOperationInclusiveScan:
		intr = ir.IntrInclusiveScan
	case spv.GroupOperationExclusiveScan:
		intr = ir.IntrExclusiveScan
	case spv.GroupOperationClusteredReduce:
		cluster = uint64(t.constArg(in, 3))
		if cluster == 0 || cluster&(cluster-1) != 0 {
			t.fail(in.id, "%s: the cluster size is not a power of two", in.op)
		}
	default:
		t.refuse(in.id, "%s: the group operation %s is not supported", in.op, g)
	}
	r := t.f.b.Intrinsic(intr, x.NumComponents, x.BitSize, x)
	r.Set(ir.IdxReductionOp, uint64(op)).Set(ir.IdxClusterSize, cluster)
	t.set(in, &r.Def)
}

// vote translates elections, votes and quad swaps.
func (t *translator) vote(in *inst) bool {
	b := t.f.b
	one := func(i ir.Intrinsic, k int) {
		x := t.boolVector(t.arg(in, k), 1)
		t.set(in, &b.Intrinsic(i, 1, 1, x).Def)
	}
	switch in.op {
	case spv.OpGroupNonUniformElect:
		t.subgroupScope(in)
		t.set(in, &b.Intrinsic(ir.IntrElect, 1, 1).Def)
	case spv.OpGroupNonUniformAll, spv.OpGroupAll:
		t.subgroupScope(in)
		one(ir.IntrVoteAll, 1)
	case spv.OpGroupNonUniformAny, spv.OpGroupAny:
		t.subgroupScope(in)
		one(ir.IntrVoteAny, 1)
	case spv.OpGroupNonUniformQuadAllKHR:
		one(ir.IntrQuadVoteAll, 0)
	case spv.OpGroupNonUniformQuadAnyKHR:
		one(ir.IntrQuadVoteAny, 0)
	case spv.OpSubgroupAllKHR:
		one(ir.IntrVoteAll, 0)
	case spv.OpSubgroupAnyKHR:
		one(ir.IntrVoteAny, 0)
	case spv.OpGroupNonUniformAllEqual:
		t.subgroupScope(in)
		t.allEqual(in, 1)
	case spv.OpSubgroupAllEqualKHR:
		t.allEqual(in, 0)
	case spv.OpGroupNonUniformQuadSwap:
		t.subgroupScope(in)
		x := t.vector(t.arg(in, 1))
		swaps := [...]ir.Intrinsic{ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal}
		d := t.constArg(in, 2)
		if d >= uint32(len(swaps)) {
			t.fail(in.id, "%s: the direction %d is not known", in.op, d)
		}
		t.set(in, &b.Intrinsic(swaps[d], x.NumComponents, x.BitSize, x).Def)
	default:
		return false
	}
	return true
}

func (t *translator) allEqual(in *inst, k int) {
	x := t.vector(t.arg(in, k))
	i := ir.IntrVoteIeq
	if t.valType(in.args[k]).isFloat() {
		i = ir.IntrVoteFeq
	}
	v := t.f.b.Intrinsic(i, 1, 1, x)
	v.NumComponents = x.NumComponents
	t.set(in, &v.Def)
}

// ballot translates the instructions on ballots.
func (t *translator) ballot(in *inst) bool {
	b := t.f.b
	k := 1
	switch in.op {
	case spv.OpSubgroupBallotKHR, spv.OpSubgroupFirstInvocationKHR, spv.OpSubgroupReadInvocationKHR:
		k = 0
	case spv.OpGroupNonUniformBallot, spv.OpGroupNonUniformInverseBallot, spv.OpGroupNonUniformBallotBitExtract,
		spv.OpGroupNonUniformBallotBitCount, spv.OpGroupNonUniformBallotFindLSB, spv.OpGroupNonUniformBallotFindMSB:
		t.subgroupScope(in)
	default:
		return false
	}
	mask := func(at int) *ir.Def { return t.intVector(t.arg(in, at), 4, 32) }
	switch in.op {
	case spv.OpGroupNonUniformBallot, spv.OpSubgroupBallotKHR:
		t.set(in, &b.Intrinsic(ir.IntrBallot, 4, 32, t.boolVector(t.arg(in, k), 1)).Def)
	case spv.OpSubgroupFirstInvocationKHR:
		x := t.vector(t.arg(in, 0))
		t.set(in, &b.Intrinsic(ir.IntrReadFirstInvocation, x.NumComponents, x.BitSize, x).Def)
	case spv.OpSubgroupReadInvocationKHR:
		x := t.vector(t.arg(in, 0))
		t.set(in, &b.Intrinsic(ir.IntrReadInvocation, x.NumComponents, x.BitSize, x, t.intVector(t.arg(in, 1), 1, 32)).Def)
	case spv.OpGroupNonUniformInverseBallot:
		v := b.Intrinsic(ir.IntrInverseBallot, 1, 1, mask(k))
		v.NumComponents = 4
		t.set(in, &v.Def)
	case spv.OpGroupNonUniformBallotBitExtract:
		t.set(in, &b.Intrinsic(ir.IntrBallotBitfieldExtract, 1, 1, mask(k), t.toU32(t.intVector(t.arg(in, k+1), 1, 0))).Def)
	case spv.OpGroupNonUniformBallotBitCount:
		counts := [...]ir.Intrinsic{ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive}
		g := t.arg(in, 1)
		if g >= uint32(len(counts)) {
			t.refuse(in.id, "%s: the group operation %s is not supported", in.op, spv.GroupOperation(g))
		}
		t.set(in, &b.Intrinsic(counts[g], 1, 32, mask(2)).Def)
	case spv.OpGroupNonUniformBallotFindLSB:
		t.set(in, &b.Intrinsic(ir.IntrBallotFindLsb, 1, 32, mask(k)).Def)
	default:
		t.set(in, &b.Intrinsic(ir.IntrBallotFindMsb, 1, 32, mask(k)).Def)
	}
	return true
}
