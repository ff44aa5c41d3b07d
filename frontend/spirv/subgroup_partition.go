package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Partitions of a subgroup (SPV_NV_shader_subgroup_partitioned and its EXT
// form): no target has them. Each is a loop that takes one part a turn, that of the
// first lane left, so inside the if only the lanes of that part are active, and
// leaves with them.

// partition translates OpGroupNonUniformPartitionEXT: a ballot of the lanes
// that have the same value, bit by bit.
func (t *translator) partition(in *inst) {
	ty := t.typeOf(in.typ)
	if ty.kind != tVector || ty.n != 4 || !ty.isInt() || ty.scalarType().bits != 32 {
		t.fail(in.id, "%s: the result is not a vector of four 32-bit integers", in.op)
	}
	t.set(in, t.byPart(t.vector(t.arg(in, 0)), 4, 32, func() *ir.Def {
		return &t.f.b.Intrinsic(ir.IntrBallot, 4, 32, t.f.b.ImmBool(true)).Def
	}))
}

// partitionedReduce translates reductions and scans within the parts that the
// ballot, operand 3, says.
func (t *translator) partitionedReduce(in *inst, op ir.Op, intr ir.Intrinsic) {
	x := t.vector(t.arg(in, 2))
	ballot := t.intVector(t.arg(in, 3), 4, 32)
	t.set(in, t.byPart(ballot, x.NumComponents, x.BitSize, func() *ir.Def {
		return &t.f.b.Intrinsic(intr, x.NumComponents, x.BitSize, x).Set(ir.IdxReductionOp, uint64(op)).Def
	}))
}

// byPart computes f, a value of the given shape, once for each part of the active lanes:
// those whose keys are equal.
func (t *translator) byPart(key *ir.Def, comps, bits uint8, f func() *ir.Def) *ir.Def {
	b := t.f.b
	result := b.DerefVar(b.Impl.NewLocal(ir.VectorType(baseOfBits(bits), bits, comps), ""))
	loop := b.PushLoop()
	first := &b.Intrinsic(ir.IntrReadFirstInvocation, key.NumComponents, key.BitSize, key).Def
	same := b.Ieq(key, first)
	all := b.Channel(same, 0)
	for k := 1; k < int(same.NumComponents); k++ {
		all = b.Iand(all, b.Channel(same, k))
	}
	mine := b.PushIf(all)
	b.StoreDeref(result, f(), 0, 0)
	b.Jump(ir.JumpBreak)
	b.PopIf(mine)
	b.PopLoop(loop)
	return b.LoadDeref(result, 0)
}

func baseOfBits(bits uint8) ir.Base {
	if bits == 1 {
		return ir.BaseBool
	}
	return ir.BaseUint
}

// partOf returns the intrinsic of a partitioned group operation, if it is one.
func partOf(g spv.GroupOperation) (ir.Intrinsic, bool) {
	switch g {
	case spv.GroupOperationPartitionedReduceEXT:
		return ir.IntrReduce, true
	case spv.GroupOperationPartitionedInclusiveScanEXT:
		return ir.IntrInclusiveScan, true
	case spv.GroupOperationPartitionedExclusiveScanEXT:
		return ir.IntrExclusiveScan, true
	}
	return 0, false
}
