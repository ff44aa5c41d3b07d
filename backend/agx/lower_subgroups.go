package agx

import "nirc/ir"

// lowerSubgroups narrows reductions to the sizes that the hardware has: a
// cluster of 2 is half a quad, one of 8 or 16 a part of the SIMD-group, each
// under an if that leaves only the cluster's lanes active.
func lowerSubgroups(impl *ir.Impl) {
	if impl.Shader.Contents()&ir.HasSubgroup == 0 {
		return
	}
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
			c := cluster{b: b, in: in, lane: lane, size: size, scope: uint64(whole)}
			r = c.split(whole)
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

// cluster is a reduction in clusters of a size that no instruction has.
type cluster struct {
	b     *ir.Builder
	in    *ir.Instr
	lane  *ir.Def
	size  uint32 // lanes of a cluster
	scope uint64 // lanes of a cluster of the instruction that reduces
}

// split halves the active lanes until one cluster of them is left, and reduces those.
func (c *cluster) split(active uint32) *ir.Def {
	b, in := c.b, c.in
	if active == c.size {
		r := b.Intrinsic(ir.IntrReduce, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def).CopyIndices(in)
		r.NumComponents = in.NumComponents
		r.Set(ir.IdxClusterSize, c.scope)
		return &r.Def
	}
	i := b.PushIf(b.Ine(b.Iand(c.lane, b.Imm32(active/2)), b.Imm32(0)))
	then := c.split(active / 2)
	b.PushElse(i)
	els := c.split(active / 2)
	b.PopIf(i)
	return b.IfPhi(i, then, els)
}
