package passes

import (
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

var lowerVarsToSSAPass = &Pass{
	Name: "lower_vars_to_ssa", For: ir.HasTemp, Class: "A", Run: implPass(ir.MetaControlFlow, lowerVarsToSSA), Idempotent: true,
	Doc: "Turns function_temp variables that are only accessed directly, with constant indices, into SSA values with phis. Reads before any store are undef. Needs no continue lists for good code.",
}

// lowerVarsToSSA turns function_temp variables that are only accessed
// directly into SSA values.
func lowerVarsToSSA(impl *ir.Impl) bool {
	if len(impl.Locals) == 0 {
		return false
	}
	v := varTrees.Get().(*varsToSSA)
	*v = varsToSSA{impl: impl, nodes: v.nodes[:0], roots: slab.Zeroed(v.roots, int(maxVarID(impl.Locals))+1)}
	progress := v.run()
	clear(v.nodes)
	*v = varsToSSA{nodes: v.nodes, roots: v.roots}
	varTrees.Put(v)
	return progress
}

// varTrees keeps the memory of trees of accesses.
var varTrees = sync.Pool{New: func() any { return new(varsToSSA) }}

func (v *varsToSSA) run() bool {
	impl := v.impl
	for _, l := range impl.Locals {
		v.roots[l.ID] = v.newNode(l.Type, -1) + 1
	}
	progress := v.expandCopies()
	v.buildTree()
	if !v.chooseLeaves() {
		return progress
	}
	v.ssa = newSSABuilder(impl)
	for i := range v.nodes {
		if n := &v.nodes[i]; n.value == 0 {
			n.value = v.ssa.newValue(n.typ.Rows, n.typ.Bits)
		} else {
			n.value = -1
		}
	}
	v.gather()
	v.ssa.placePhis()
	v.ssa.walk(v.block)
	v.ssa.release()
	return true
}

// varsToSSA holds the tree of accesses: a node for each variable, member and
// constant element that a deref names.
type varsToSSA struct {
	impl  *ir.Impl
	roots []int32 // by variable ID: node + 1
	nodes []varNode
	// far are the children of nodes that have more than maxChildren, as node + 1.
	far map[farChild]int32
	ssa *ssaBuilder
}

// maxChildren bounds the nodes that keep their children in a list.
const maxChildren = 4096

// farChild names a child of a node.
type farChild struct{ node, index int32 }

// varNode is one object. value is 0 for leaves to lower and -1 otherwise,
// until values are numbered.
type varNode struct {
	typ      *ir.Type
	parent   int32   // node, -1 of a variable
	children []int32 // node + 1 by member or element, made on demand
	accessed bool
	blocked  bool // some access may reach it in another way
	value    int32
}

// What Flags of a deref hold: node + 2, or one of these.
const (
	derefForeign = 0 // not a local variable's
	derefOOB     = 1 // constant index out of bounds
)

func (v *varsToSSA) newNode(t *ir.Type, parent int32) int32 {
	v.nodes = append(v.nodes, varNode{typ: t, parent: parent, value: -1})
	return int32(len(v.nodes) - 1)
}

func (v *varsToSSA) child(n int32, i, count int) int32 {
	at := farChild{n, int32(i)}
	if count > maxChildren {
		if c := v.far[at]; c != 0 {
			return c - 1
		}
	} else {
		if v.nodes[n].children == nil {
			v.nodes[n].children = make([]int32, count)
		}
		if c := v.nodes[n].children[i]; c != 0 {
			return c - 1
		}
	}
	var t *ir.Type
	if p := v.nodes[n].typ; p.IsStruct() {
		t = p.Fields[i].Type
	} else {
		t = p.Child()
	}
	c := v.newNode(t, n)
	switch {
	case count <= maxChildren:
		v.nodes[n].children[i] = c + 1
	case v.far == nil:
		v.far = map[farChild]int32{at: c + 1}
	default:
		v.far[at] = c + 1
	}
	return c
}

// expandCopies writes out the copies that touch a variable without indirect
// or complex accesses: its leaves are going to be values.
func (v *varsToSSA) expandCopies() (progress bool) {
	var copies []*ir.Instr
	eachCopy(v.impl, func(in *ir.Instr) { copies = append(copies, in) })
	if len(copies) == 0 {
		return false
	}
	direct := make([]bool, len(v.roots))
	for _, l := range v.impl.Locals {
		direct[l.ID] = true
	}
	for b := range v.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			if root := rootVar(in); root != nil && root.Mode == ir.ModeFunctionTemp && !directDeref(in) {
				direct[root.ID] = false
			}
		}
	}
	total := 0
	for _, in := range copies {
		for i := range in.Srcs {
			r := derefVar(in.Srcs[i].Def.Instr)
			if r == nil || r.Mode != ir.ModeFunctionTemp || !direct[r.ID] {
				continue
			}
			if total += copiedVectors(in); total <= maxCopied { // else lower_var_copies refuses them
				expandCopy(in)
				progress = true
			}
			break
		}
	}
	return progress
}

// directDeref reports whether a deref and its uses leave its object lowerable.
func directDeref(in *ir.Instr) bool {
	switch in.Deref {
	case ir.DerefCast, ir.DerefPtrAsArray:
		return false
	case ir.DerefArray:
		if !in.Srcs[1].Def.IsConst() {
			return false
		}
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if isComplexUse(u) {
			return false
		}
	}
	return true
}

// buildTree gives each deref its node and notes what blocks nodes.
func (v *varsToSSA) buildTree() {
	for b := range v.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind == ir.KindDeref {
				v.deref(in)
			}
		}
	}
}

func (v *varsToSSA) deref(in *ir.Instr) {
	in.Flags = derefForeign
	if in.Deref == ir.DerefVar {
		if root := in.DerefInfo().Var; root.Mode == ir.ModeFunctionTemp {
			in.Flags = uint32(v.roots[root.ID]-1) + 2
			v.uses(in)
		}
		return
	}
	p := derefParent(in)
	if p == nil || p.Flags == derefForeign {
		return
	}
	if p.Flags == derefOOB {
		in.Flags = derefOOB
		return
	}
	n := int32(p.Flags - 2)
	t := v.nodes[n].typ
	switch {
	case in.Deref == ir.DerefStruct:
		in.Flags = uint32(v.child(n, in.DerefInfo().Field, len(t.Fields))) + 2
	case in.Deref == ir.DerefArray && !isLeafType(t):
		c, ok := firstConst(in.Srcs[1].Def)
		if !ok {
			v.nodes[n].blocked = true
			return
		}
		if c >= uint64(t.ChildCount()) {
			in.Flags = derefOOB
			return
		}
		in.Flags = uint32(v.child(n, int(c), t.ChildCount())) + 2
	default:
		// Wildcards, components of vectors, casts and pointer arithmetic.
		v.blockNode(n)
		return
	}
	v.uses(in)
}

// uses notes loads and stores of a deref, and blocks its node for other uses.
func (v *varsToSSA) uses(in *ir.Instr) {
	n := &v.nodes[in.Flags-2]
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		switch {
		case isComplexUse(u):
			v.blockNode(int32(in.Flags - 2))
		case u.Instr.IsIntrinsic(ir.IntrCopyDeref):
			n.blocked = true
		case u.Instr.Kind == ir.KindIntrinsic:
			n.accessed = true
			if ir.Access(u.Instr.Get(ir.IdxAccess))&ir.AccessVolatile != 0 || isLeafType(n.typ) && valueBits(u.Instr) != n.typ.Bits {
				n.blocked = true
			}
		}
	}
}

// blockNode blocks a node. In kernels a pointer to a part may lead to the rest of the object too, which is blocked with it.
func (v *varsToSSA) blockNode(n int32) {
	v.nodes[n].blocked = true
	if !v.impl.Shader.Info.Kernel {
		return
	}
	for ; n >= 0; n = v.nodes[n].parent {
		v.nodes[n].blocked = true
	}
}

// chooseLeaves marks the leaves to lower: accessed, and neither they nor what
// they are part of blocked.
func (v *varsToSSA) chooseLeaves() (any bool) {
	for _, l := range v.impl.Locals {
		if l.Init != nil || l.PointerInit != nil {
			v.nodes[v.roots[l.ID]-1].blocked = true
		}
	}
	for i := range v.nodes { // parents stand before their children
		n := &v.nodes[i]
		n.blocked = n.blocked || n.parent >= 0 && v.nodes[n.parent].blocked
		if n.accessed && !n.blocked && isLeafType(n.typ) {
			n.value = 0
			any = true
		}
	}
	return any || v.hasOOB()
}

// hasOOB reports whether something is accessed out of bounds.
func (v *varsToSSA) hasOOB() bool {
	for b := range v.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if v.access(in) == accessOOB {
				return true
			}
		}
	}
	return false
}

// What access returns besides a value's number.
const (
	accessOther = -1
	accessOOB   = -2
)

// access returns the value that a load or store accesses.
func (v *varsToSSA) access(in *ir.Instr) int32 {
	if in.Kind != ir.KindIntrinsic || in.Intr != ir.IntrLoadDeref && in.Intr != ir.IntrStoreDeref {
		return accessOther
	}
	d := derefOf(in.Srcs[0].Def)
	switch {
	case d == nil || d.Flags == derefForeign:
		return accessOther
	case d.Flags == derefOOB:
		return accessOOB
	}
	return v.nodes[d.Flags-2].value
}

func (v *varsToSSA) gather() {
	for b := range v.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			val := v.access(in)
			if val < 0 {
				continue
			}
			if in.Intr == ir.IntrLoadDeref {
				v.ssa.read(val, b)
				continue
			}
			full := uint64(1)<<in.Srcs[1].Def.NumComponents - 1
			if in.Get(ir.IdxWriteMask)&full != full {
				v.ssa.read(val, b)
			}
			v.ssa.assigned(val, b)
		}
	}
}

// block rewrites the accesses of one block.
func (v *varsToSSA) block(b *ir.Block) {
	for in := range b.Instrs() {
		val := v.access(in)
		if val == accessOther {
			continue
		}
		d := in.Srcs[0].Def.Instr
		switch {
		case in.Intr == ir.IntrLoadDeref && val == accessOOB:
			in.Def.RewriteUses(undefAtStart(v.impl, in.Def.NumComponents, in.Def.BitSize))
		case in.Intr == ir.IntrLoadDeref:
			in.Def.RewriteUses(v.ssa.get(val))
		case val != accessOOB:
			v.store(in, val)
		}
		in.Remove()
		removeDeadDerefs(d)
	}
}

func (v *varsToSSA) store(in *ir.Instr, val int32) {
	src := in.Srcs[1].Def
	mask := in.Get(ir.IdxWriteMask)
	if full := uint64(1)<<src.NumComponents - 1; mask&full != full {
		src = blend(builderBefore(in), v.ssa.get(val), src, mask)
	}
	v.ssa.set(val, src)
}
