package passes

import (
	"cmp"
	"math"
	"slices"

	"nirc/ir"
)

// laneTest is what conditions say of the lane that they let through. It takes the divergence analysis.
type laneTest struct {
	at   *ir.Block
	size [3]uint32 // of the workgroup, 0 where it is not known
	// pinned are the dimensions in which the local id is one for all lanes of a subgroup.
	pinned [3]bool
	one    bool // a single lane
}

// maxLaneTest bounds how deep conditions and numbers are followed.
const maxLaneTest = 8

// oneLane reports whether the conditions around a block let a single lane of a subgroup through.
func oneLane(b *ir.Block) bool {
	t := laneTest{at: b}
	if info := &b.Impl().Shader.Info; !info.WorkgroupSizeVariable {
		t.size = info.WorkgroupSize
	}
	for k, n := range t.size {
		t.pinned[k] = n == 1
	}
	for n := ir.Node(b); n != nil; n = ir.Parent(n) {
		if x, ok := ir.Parent(n).(*ir.If); ok {
			t.holds(x.Cond.Def, 0, ir.ParentList(n) == &x.Then, maxLaneTest)
		}
	}
	return t.one || t.pinned == [3]bool{true, true, true}
}

// holds adds that component c of a boolean is as wanted.
func (t *laneTest) holds(d *ir.Def, c int, want bool, depth int) {
	if depth == 0 {
		return
	}
	d, c = scalarValue(d, c)
	in := d.Instr
	both := func() {
		for i := range in.Srcs {
			t.holds(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(c), want, depth-1)
		}
	}
	switch {
	case in.IsIntrinsic(ir.IntrElect):
		t.one = t.one || want && t.sameRound(in)
	case in.Kind == ir.KindPhi:
		t.came(in, c, want, depth)
	case in.IsALU(ir.OpInot):
		t.holds(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(c), !want, depth-1)
	case in.IsALU(ir.OpIand) && want, in.IsALU(ir.OpIor) && !want:
		both()
	case (in.IsALU(ir.OpIeq) && want || in.IsALU(ir.OpIne) && !want) && t.sameRound(in):
		for k := range 2 {
			if a, b := &in.Srcs[k], &in.Srcs[1-k]; !b.Def.Divergent {
				t.equal(a.Def, a.Swizzle.Lane(c))
			}
		}
	}
}

// sameRound reports whether all lanes that are at the place have what an instruction made at one time: outside of its loop each
// has what its own last round made.
func (t *laneTest) sameRound(in *ir.Instr) bool {
	n := ir.Parent(in.Block)
	for ; n != nil; n = ir.Parent(n) {
		if _, ok := n.(*ir.Loop); ok {
			break
		}
	}
	for x := ir.Node(t.at); x != n; x = ir.Parent(x) {
		if x == nil {
			return false
		}
	}
	return true
}

// came adds what a phi after an if says: where one way gives the constant that is not wanted, the lane came the other way.
func (t *laneTest) came(phi *ir.Instr, c int, want bool, depth int) {
	x, ok := ir.Prev(phi.Block).(*ir.If)
	if !ok || len(phi.Srcs) != 2 {
		return
	}
	for k, pred := range phi.PhiInfo().Preds {
		v, known := phi.Srcs[k].Def.Const(c)
		if !known || (v != 0) == want {
			continue
		}
		t.holds(x.Cond.Def, 0, pred == x.Else.LastBlock(), depth-1)
		t.holds(phi.Srcs[1-k].Def, c, want, depth-1)
	}
}

// equal adds that a number is the same in all lanes that are let through.
func (t *laneTest) equal(d *ir.Def, c int) {
	d, c = scalarValue(d, c)
	in := d.Instr
	if in.IsIntrinsic(ir.IntrLoadSubgroupInvocation) || in.IsIntrinsic(ir.IntrLoadLocalInvocationIndex) || in.IsIntrinsic(ir.IntrLoadGlobalInvocationIndex) {
		t.one = true
		return
	}
	var f localSum
	if f.add(t.size, d, c, 1, maxLaneTest) {
		f.pin(t)
	}
}

// localSum is a sum of components of the local id by factors, and of what is uniform.
type localSum [3]uint32

// add adds component c of a number by a factor; false if it is no such sum.
func (f *localSum) add(size [3]uint32, d *ir.Def, c int, by uint32, depth int) bool {
	d, c = scalarValue(d, c)
	in := d.Instr
	switch {
	case !d.Divergent:
		return true
	case d.BitSize != 32 || depth == 0:
		return false
	case in.IsIntrinsic(ir.IntrLoadLocalInvocationId), in.IsIntrinsic(ir.IntrLoadGlobalInvocationId):
		f[c] += by // the rest of the global id is the workgroup's
		return true
	case in.Kind != ir.KindALU:
		return false
	}
	part := func(i int, by uint32) bool {
		return f.add(size, in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(c), by, depth-1)
	}
	switch in.Op {
	case ir.OpVec2, ir.OpVec3, ir.OpVec4:
		return f.add(size, in.Srcs[c].Def, in.Srcs[c].Swizzle.Lane(0), by, depth-1)
	case ir.OpIadd:
		return part(0, by) && part(1, by)
	case ir.OpImul:
		for k := range 2 {
			if n, ok := scalarConst(&in.Srcs[k], c); ok {
				return part(1-k, by*uint32(n))
			}
		}
	case ir.OpIshl:
		if n, ok := scalarConst(&in.Srcs[1], c); ok {
			return part(0, by<<(n&31))
		}
	}
	return false
}

// scalarConst is component c of a source that is constant, after moves too.
func scalarConst(s *ir.Src, c int) (uint64, bool) {
	d, c := scalarValue(s.Def, s.Swizzle.Lane(c))
	return d.Const(c)
}

// pin pins the dimensions of a sum that is uniform, if it tells their ids apart.
func (f *localSum) pin(t *laneTest) {
	var dims []int
	for k, by := range f {
		if by != 0 && t.size[k] != 1 {
			dims = append(dims, k)
		}
	}
	slices.SortFunc(dims, func(a, b int) int { return cmp.Compare(f[a], f[b]) })
	reach := uint64(0)
	for _, k := range dims {
		if t.size[k] == 0 || uint64(f[k]) <= reach {
			return
		}
		reach += uint64(f[k]) * uint64(t.size[k]-1)
		if reach > math.MaxUint32 {
			return
		}
	}
	for _, k := range dims {
		t.pinned[k] = true
	}
}
