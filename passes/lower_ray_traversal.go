package passes

import (
	"nirc/internal/raytrace"
	"nirc/internal/raytrace/a7xx"
	"nirc/ir"
)

// outside is rayOuter where the ray is in no instance.
const outside = 0xffffffff

// traverse makes the loop of rq_proceed: it ends at a candidate that the shader decides about, or, with rayActive false, at the
// end of the traversal.
func (q *rayState) traverse() {
	loop := q.PushLoop()
	none := q.PushIf(q.is(q.get(rayNode), a7xx.NoNode))
	q.ascend()
	q.PushElse(none)
	q.num(rayLast, a7xx.NoNode)
	q.PopIf(none)

	node, last := q.get(rayNode), q.get(rayLast)
	q.set(rayLast, node)
	q.num(rayNode, a7xx.NoNode)
	r := q.intersect(node)
	leaf := q.PushIf(q.has(q.Channel(r, 0), a7xx.ResultLeaf))
	q.leaf(node, r)
	q.PushElse(leaf)
	q.then(q.Ine(q.count(r), q.Imm32(0)), func() { q.inner(r, last) })
	q.PopIf(leaf)
	q.PopLoop(loop)
}

// leave ends the loop where the condition is true, and the traversal too if it is over.
func (q *rayState) leave(cond *ir.Def, over bool) {
	q.then(cond, func() {
		if over {
			q.set(rayActive, q.ImmBool(false))
		}
		q.Jump(ir.JumpBreak)
	})
}

// intersect tests the ray, up to the closest hit so far, against a node.
func (q *rayState) intersect(node *ir.Def) *ir.Def {
	o, d := q.get(rayCandidate+hitOrigin), q.get(rayCandidate+hitDirection)
	ch := q.Channel
	ray := q.Vec(ch(o, 0), ch(o, 1), ch(o, 2), q.get(rayTMin), ch(d, 0), ch(d, 1), ch(d, 2), q.get(rayCommitted+hitT))
	return &q.Intrinsic(ir.IntrRayIntersectionIr3, 5, 32, q.get(rayBase), node, ray, q.get(rayFlags)).Def
}

func (q *rayState) count(r *ir.Def) *ir.Def {
	return q.bits(q.Ushr(q.Channel(r, 0), q.Imm32(a7xx.ResultCountShift)), 0xf)
}

// ascend finds the node after a subtree that is done: from the stack, or, where the stack has lost it, from the parent,
// whose children are then tested again.
func (q *rayState) ascend() {
	depth := q.get(rayDepth)
	q.leave(q.is(depth, 0), true)

	outer := q.get(rayOuter)
	inside, done := q.Ine(outer, q.Imm32(outside)), q.Ior(q.Ige(outer, depth), q.is(q.get(rayLast), 0))
	q.then(q.Iand(inside, done), func() {
		q.num(rayOuter, outside)
		q.set(rayLast, q.get(rayOuterNode))
		q.set(rayBase, q.get(rayRoot))
		q.set(rayCandidate+hitOrigin, q.get(rayOrigin))
		q.set(rayCandidate+hitDirection, q.get(rayDirection))
	})

	lost := q.PushIf(q.Ige(q.get(rayLost), depth))
	parent := q.parent()
	q.leave(q.is(parent, a7xx.NoNode), true)
	q.set(rayNode, parent)
	q.PushElse(lost)
	q.pop(depth)
	q.num(rayLast, a7xx.NoNode)
	q.PopIf(lost)
}

// parent reads the number of the parent of rayLast, which stands before the nodes.
func (q *rayState) parent() *ir.Def {
	before := q.IAddImm(q.Ishl(q.get(rayLast), q.Imm32(2)), 4)
	at := q.Isub(q.Pack64_2x32(q.get(rayBase)), q.U2u64(before))
	x := q.Intrinsic(ir.IntrLoadGlobal, 1, 32, at)
	x.Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable))
	return &x.Def
}

// slot is the deref of the stack's entry with a number.
func (q *rayState) slot(n *ir.Def) *ir.Def {
	return q.DerefArray(q.ref(rayStack), q.bits(n, stackSize-1))
}

// pop takes the next child of the entry on top of the stack; the entry goes with its last child.
func (q *rayState) pop(depth *ir.Def) {
	top := q.IAddImm(depth, -1)
	entry := q.LoadDeref(q.slot(top), 0)
	first, list := q.Channel(entry, 0), q.Channel(entry, 1)
	at := q.IAddImm(q.bits(list, a7xx.ChildShift), -a7xx.ChildBits)
	q.set(rayNode, q.Iadd(first, q.bits(q.Ushr(list, at), 1<<a7xx.ChildBits-1)))
	i := q.PushIf(q.is(at, a7xx.ChildLast))
	q.set(rayDepth, top)
	q.PushElse(i)
	list = q.Ior(q.bits(list, ^uint32(a7xx.ChildShift)), at)
	q.StoreDeref(q.slot(top), q.Vec(first, list), 0, 0)
	q.PopIf(i)
}

// inner goes on to the first of the children that were met, or to the one after last, if that is not none.
func (q *rayState) inner(r, last *ir.Def) {
	first, list := q.Channel(r, 1), q.Channel(r, 3)
	child := func(at *ir.Def) *ir.Def { return q.Iadd(first, q.bits(q.Ushr(list, at), 1<<a7xx.ChildBits-1)) }
	start := q.bits(list, a7xx.ChildShift)

	down := q.PushIf(q.is(last, a7xx.NoNode))
	q.set(rayNode, child(start))
	q.then(q.Ult(q.Imm32(1), q.count(r)), func() {
		depth := q.get(rayDepth)
		q.StoreDeref(q.slot(depth), q.Vec(first, list), 0, 0)
		more := q.IAddImm(depth, 1)
		q.set(rayDepth, more)
		q.set(rayLost, q.Imax(q.get(rayLost), q.IAddImm(more, -stackSize)))
	})
	q.PushElse(down)
	at, found := q.place(q.Isub(last, first), list, start)
	next := child(q.IAddImm(at, -a7xx.ChildBits))
	found = q.Iand(found, q.Ine(at, q.Imm32(a7xx.ChildLast)))
	q.set(rayNode, q.Bcsel(found, next, q.Imm32(a7xx.NoNode)))
	q.PopIf(down)
}

// place finds the bit at which a child stands in a list, and whether it does: one that is now beyond the closest hit is not
// in the list any more, and neither are those after it, which are further off.
func (q *rayState) place(child, list, start *ir.Def) (at, found *ir.Def) {
	low := uint32(0) // the lowest bit of each place
	for k := a7xx.ChildLast; k < 32; k += a7xx.ChildBits {
		low |= 1 << k
	}
	// Places that hold the child become 0, and the lowest group of bits that is 0 is the first to borrow.
	diff := q.Ixor(list, q.Imul(child, q.Imm32(low)))
	zero := q.bits(q.Iand(q.Isub(diff, q.Imm32(low)), q.Inot(diff)), low<<(a7xx.ChildBits-1))
	at = q.IAddImm(q.FindLsb(zero), -(a7xx.ChildBits - 1))
	return at, q.Iand(q.Ine(zero, q.Imm32(0)), q.Uge(start, at))
}

// leaf looks at what of a leaf was met. Parts of the leaf that are left are looked at next.
func (q *rayState) leaf(node, r *ir.Def) {
	kind := q.Channel(r, 0)
	parts := q.bits(kind, a7xx.ResultParts)
	all := q.is(parts, 0)
	q.set(rayNode, q.Bcsel(all, q.Imm32(a7xx.NoNode), node))
	flags := q.bits(q.get(rayFlags), ^uint32(a7xx.FlagsParts))
	q.set(rayFlags, q.Ior(flags, q.Bcsel(all, q.Imm32(a7xx.FlagsParts), parts)))
	q.then(q.Ine(q.count(r), q.Imm32(0)), func() {
		top := q.PushIf(q.has(kind, a7xx.ResultTop))
		q.enter(node, q.Channel(r, 1))
		q.PushElse(top)
		q.primitive(node, r)
		q.PopIf(top)
	})
}

// enter goes into an instance: to the root of its bottom level, with the ray in its space.
func (q *rayState) enter(node, instance *ir.Def) {
	q.set(rayCandidate+hitInstance, instance)
	flags := q.bits(q.record(instance, a7xx.InstanceSBTFlags, 1), 0xff<<a7xx.FlagsInstance)
	q.set(rayFlags, q.Ior(q.bits(q.get(rayFlags), 1<<a7xx.FlagsInstance-1), flags))
	q.set(rayBase, q.record(instance, a7xx.InstanceNodes, 2))
	q.set(rayOuter, q.get(rayDepth))
	q.set(rayOuterNode, node)
	q.num(rayNode, 0)
	o, d := q.get(rayOrigin), q.get(rayDirection)
	var at, to [3]*ir.Def
	for i := range at {
		row := q.record(instance, a7xx.InstanceWorldToObject+int64(16*i), 4)
		at[i] = q.Channel(row, 3)
		for j := range 3 {
			m := q.Channel(row, j)
			at[i] = q.Fadd(at[i], q.Fmul(q.Channel(o, j), m))
			p := q.Fmul(q.Channel(d, j), m)
			if j > 0 {
				p = q.Fadd(to[i], p)
			}
			to[i] = p
		}
	}
	q.set(rayCandidate+hitOrigin, q.Vec(at[:]...))
	q.set(rayCandidate+hitDirection, q.Vec(to[:]...))
}

// primitive makes a triangle or box the candidate. The loop goes on after an opaque triangle, which is committed.
func (q *rayState) primitive(node, r *ir.Def) {
	kind := q.Channel(r, 0)
	q.set(rayCandidate+hitKind, q.bits(kind, a7xx.ResultBox|a7xx.ResultNonOpaque|a7xx.ResultBack))
	q.set(rayCandidate+hitPrimitive, q.Channel(r, 1))
	q.set(rayCandidate+hitNode, node)
	geometry := q.IAddImm(q.IMulImm(node, a7xx.NodeSize), a7xx.LeafGeometry)
	q.set(rayCandidate+hitGeometry, q.load(q.get(rayBase), geometry, 1))
	q.leave(q.has(kind, a7xx.ResultBox), false)
	q.set(rayCandidate+hitT, q.Channel(r, 2))
	q.set(rayCandidate+hitBarycentric, q.Vec(q.Channel(r, 3), q.Channel(r, 4)))
	q.leave(q.has(kind, a7xx.ResultNonOpaque), false)
	for f := range numHitFields {
		q.set(rayCommitted+f, q.get(rayCandidate+f))
	}
	q.leave(q.has(q.get(rayFlags), uint32(raytrace.RayTerminateOnFirstHit)<<a7xx.FlagsRayShift), true)
}
