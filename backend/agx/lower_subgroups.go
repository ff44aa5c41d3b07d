package agx

import "nirc/ir"

// lowerSubgroups narrows reductions to the sizes that the hardware has: a
// cluster of 2 is half a quad, one of 8 or 16 a part of the SIMD-group, each
// under an if that leaves only the cluster's lanes active.
func lowerSubgroups(impl *ir.Impl) {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrReduce) && !nativeCluster(in) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		lane := &b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def
		size := uint32(in.Get(ir.IdxClusterSize))
		var r *ir.Def
		if size == 1 {
			r = in.Srcs[0].Def
		} else {
			whole := uint32(32)
			if size == 2 {
				whole = 4
			}
			r = splitCluster(b, in, lane, size, whole, uint64(whole))
		}
		in.Def.RewriteUses(r)
		in.Remove()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaNone)
	}
}

func nativeCluster(in *ir.Instr) bool {
	switch in.Get(ir.IdxClusterSize) {
	case 1, 2, 8, 16:
		return ir.Op(in.Get(ir.IdxReductionOp)) == ir.OpImul // done lane by lane
	}
	return true
}

// splitCluster halves the lanes until size of them are left and reduces those
// by an instruction of the given scope.
func splitCluster(b *ir.Builder, in *ir.Instr, lane *ir.Def, size, active uint32, scope uint64) *ir.Def {
	if active == size {
		c := b.Intrinsic(ir.IntrReduce, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def).CopyIndices(in)
		c.NumComponents = in.NumComponents
		c.Set(ir.IdxClusterSize, scope)
		return &c.Def
	}
	i := b.PushIf(b.Ine(b.Iand(lane, b.Imm32(active/2)), b.Imm32(0)))
	then := splitCluster(b, in, lane, size, active/2, scope)
	b.PushElse(i)
	els := splitCluster(b, in, lane, size, active/2, scope)
	b.PopIf(i)
	return b.IfPhi(i, then, els)
}
