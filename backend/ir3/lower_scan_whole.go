package ir3

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// Where all fibers of a subgroup are there together, reductions and scans take a step for each power of two that the
// subgroup or the cluster has, not a turn of a loop for each fiber: shfl reads the fiber that is so far away.

// togetherIn reports of each operation whether all fibers that its subgroup has run it together: in a compute shader, where no fiber
// ends early, that is where no branch has parted them.
func togetherIn(s *ir.Shader, impl *ir.Impl, ops []*ir.Instr) []bool {
	together := make([]bool, len(ops))
	if s.Stage != ir.StageCompute {
		return together
	}
	for i, in := range ops {
		switch in.Intr {
		case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
			analysis.RequireDivergence(impl)
			together[i] = !in.Block.Divergent
		}
	}
	return together
}

// scanTogether makes a reduction or a scan of fibers that are all there, nil if it does not know that each has a partner.
func (l *subgroups) scanTogether(op ir.Op, v []*ir.Def, start, cluster uint64) []*ir.Def {
	if l.in.Intr == ir.IntrReduce {
		return l.reduceTogether(op, v, cluster)
	}
	b, id := l.b, l.id()
	if l.in.Intr == ir.IntrExclusiveScan {
		some := b.Ine(id, b.Imm32(0))
		for k := range v {
			v[k] = b.Bcsel(some, l.distant(ir.IntrShuffleUp, v[k], 1), b.Const(v[k].BitSize, start))
		}
	}
	most := uint64(2 * l.gpu.Fibers)
	if n := l.invocations(); n > 0 {
		most = min(most, n)
	}
	for d := uint64(1); d < most; d *= 2 {
		below := b.Uge(id, b.Imm32(uint32(d))) // who is so far before it
		for k := range v {
			v[k] = b.Bcsel(below, b.ALU(op, l.distant(ir.IntrShuffleUp, v[k], d), v[k]), v[k])
		}
	}
	return v
}

// reduceTogether reduces clusters, 0 for the whole subgroup, that have all of their fibers: each fiber and the one at the distance of a
// power of two make the same of their two values, so that all end with one result.
func (l *subgroups) reduceTogether(op ir.Op, v []*ir.Def, cluster uint64) []*ir.Def {
	n, fibers := l.invocations(), uint64(l.gpu.Fibers)
	whole := l.whole(cluster)
	if whole {
		cluster = min(n, 2*fibers)
	}
	if cluster == 0 || n%cluster != 0 || cluster&(cluster-1) != 0 {
		return nil
	}
	b := l.b
	for d := uint64(1); d < cluster; d *= 2 {
		for k := range v {
			r := b.ALU(op, v[k], l.distant(ir.IntrShuffleXor, v[k], d))
			if d >= fibers { // subgroups may have no more
				r = b.Bcsel(b.Ult(b.Imm32(uint32(fibers)), l.size()), r, v[k])
			}
			v[k] = r
		}
	}
	if whole {
		for k := range v {
			v[k] = l.first(v[k])
		}
	}
	return v
}

// mostPartners is the largest cluster whose fibers each read all others.
const mostPartners = 16

// reduceApart reduces small clusters of which some fibers may not be there: a fiber reads each of the others, which is start where
// there is none. All join the same halves of the cluster, and so have one result.
func (l *subgroups) reduceApart(op ir.Op, v *ir.Def, start, cluster uint64) *ir.Def {
	b := l.b
	parts := make([]*ir.Def, cluster)
	parts[0] = v
	for d := range parts[1:] {
		parts[d+1] = &b.Intrinsic(ir.IntrShuffleXorUniformIr3, 1, v.BitSize, v, b.Imm32(uint32(d+1)), b.Const(v.BitSize, start)).Def
	}
	for ; len(parts) > 1; parts = parts[:len(parts)/2] {
		for i := range len(parts) / 2 {
			parts[i] = b.ALU(op, parts[2*i], parts[2*i+1])
		}
	}
	return parts[0]
}

// distant is the value of the fiber at a distance.
func (l *subgroups) distant(how ir.Intrinsic, v *ir.Def, distance uint64) *ir.Def {
	return &l.b.Intrinsic(how, 1, v.BitSize, v, l.b.Imm32(uint32(distance))).Def
}

// invocations is the number of invocations of a workgroup, 0 if it is not known.
func (l *subgroups) invocations() uint64 {
	z := &l.s.Info.WorkgroupSize
	return uint64(z[0]) * uint64(z[1]) * uint64(z[2])
}
