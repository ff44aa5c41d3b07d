package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/internal/slab"
	"nirc/ir"
)

// mergeKind says which merge instruction a block has.
type mergeKind uint8

const (
	mergeNone mergeKind = iota
	mergeSelection
	mergeLoop
)

// block is a SPIR-V block of the function under translation.
type block struct {
	label       uint32
	first, term int32 // first instruction after the label; the terminator (indices in Insts)
	kind        mergeKind
	merge, cont int32  // blocks
	control     uint32 // the merge instruction's hints
	visited     bool   // it is in the tree
	phiOut      int32  // first of the phi stores at its end + 1
	target      target // what a branch to it means, while a construct is open
}

// cfg is a function's control flow.
type cfg struct {
	blocks  []block
	byLabel []int32 // by definition: block + 1
	tree    []node
	phis    []phi
	stores  []phiStore
	depth   int
	// leaves counts the blocks met that leave the function, soft the exits to
	// constructs that are no loops.
	exits, soft int
	// What is made when first needed: the graph, the blocks that each dominates
	// directly, and the block that does so to each (-1: unreachable).
	graph    *graph
	idom     []int32
	domKids  [][]int32
	premerge bool // selections are looked at for where their sides meet
	loops    []irLoop
	// Of functions without merge instructions: where blocks go, and what exits store
	// for the loop that they lead to.
	plan   *plan
	routes []route
}

// phi is an OpPhi: one variable a leaf.
type phi struct {
	id   uint32
	vars []*ir.Variable
}

// phiStore is a store into a phi's variables at the end of a predecessor.
type phiStore struct {
	next int32 // + 1
	phi  int32
	val  uint32
}

// findBlocks finds the function's blocks.
func (t *translator) findBlocks() {
	f := t.f
	f.byLabel = t.labelIndex()
	cur, merge := int32(-1), int32(-1)
	for i := f.fn.first; i < f.fn.last; i++ {
		in := &t.m.Insts[i]
		switch {
		case in.Op == spv.OpLabel:
			t.word = int(in.Offset)
			if cur >= 0 {
				t.fail(uint32(in.Result()), "a block begins before the one before it ends")
			}
			cur = int32(len(f.blocks))
			f.blocks = append(f.blocks, block{label: uint32(in.Result()), first: i + 1, merge: -1, cont: -1})
			f.byLabel[i] = cur + 1
		case in.Op == spv.OpSelectionMerge, in.Op == spv.OpLoopMerge:
			merge = i
		case terminates(in.Op):
			if cur < 0 {
				t.word = int(in.Offset)
				t.fail(0, "%s stands outside a block", in.Op)
			}
			f.blocks[cur].term = i
			if merge >= f.blocks[cur].first && !t.kernel { // in kernels merge instructions are hints, wherever they stand
				t.mergePlace(merge, i)
			}
			cur = -1
		}
	}
	if len(f.blocks) == 0 {
		t.refuseImport(f.fn.id)
		t.fail(f.fn.id, "the function has no body")
	}
	if cur >= 0 {
		t.fail(f.blocks[cur].label, "the block does not end")
	}
	for i := range f.blocks {
		t.findMerge(&f.blocks[i])
	}
}

// mergePlace checks that a merge instruction stands directly before a branch that it goes with.
func (t *translator) mergePlace(merge, term int32) {
	op, branch := t.m.Insts[merge].Op, t.m.Insts[term].Op
	ok := branch == spv.OpBranchConditional || op == spv.OpSelectionMerge && branch == spv.OpSwitch || op == spv.OpLoopMerge && branch == spv.OpBranch
	for i := merge + 1; i < term; i++ {
		ok = ok && (t.m.Insts[i].Op == spv.OpLine || t.m.Insts[i].Op == spv.OpNoLine)
	}
	if !ok {
		t.word = int(t.m.Insts[merge].Offset)
		t.broken(ruleMerge, 0, "%s does not stand directly before the branch that it belongs to", op)
	}
}

// labelIndex returns the table of labels, kept from function to function:
// labels of other functions stay in it but lead to no block of this one.
func (t *translator) labelIndex() []int32 {
	if len(t.labels) == 0 {
		t.labels = slab.Zeroed(t.labels, len(t.m.Insts))
	}
	return t.labels
}

func terminates(op spv.Op) bool {
	switch op {
	case spv.OpBranch, spv.OpBranchConditional, spv.OpSwitch, spv.OpKill, spv.OpReturn, spv.OpReturnValue, spv.OpUnreachable,
		spv.OpTerminateInvocation, spv.OpIgnoreIntersectionKHR, spv.OpTerminateRayKHR, spv.OpEmitMeshTasksEXT, spv.OpAbortKHR:
		return true
	}
	return false
}

func (t *translator) findMerge(b *block) {
	for i := b.term - 1; i >= b.first; i-- {
		in := &t.m.Insts[i]
		t.word = int(in.Offset)
		switch in.Op {
		case spv.OpLine, spv.OpNoLine:
			continue
		case spv.OpSelectionMerge:
			b.kind, b.merge, b.control = mergeSelection, t.blockOf(in.Arg(0)), in.Arg(1)
		case spv.OpLoopMerge:
			b.kind, b.merge, b.cont, b.control = mergeLoop, t.blockOf(in.Arg(0)), t.blockOf(in.Arg(1)), in.Arg(2)
		}
		return
	}
}

// blockOf returns the block of the current function that a label names.
func (t *translator) blockOf(label uint32) int32 {
	i := t.index(label)
	k := t.f.byLabel[i] - 1
	if k < 0 || int(k) >= len(t.f.blocks) || t.f.blocks[k].label != label {
		t.fail(label, "the label is not of a block of this function")
	}
	return k
}

// successors calls f with each target of a block's terminator.
func (t *translator) successors(b *block, f func(int32)) {
	in := &t.m.Insts[b.term]
	t.word = int(in.Offset)
	switch in.Op {
	case spv.OpBranch:
		f(t.blockOf(in.Arg(0)))
	case spv.OpBranchConditional:
		f(t.blockOf(in.Arg(1)))
		f(t.blockOf(in.Arg(2)))
	case spv.OpSwitch:
		f(t.blockOf(in.Arg(1)))
		t.eachCase(in, func(_ uint64, target int32) { f(target) })
	}
}

// eachCase calls f with the literals and targets of an OpSwitch.
func (t *translator) eachCase(in *spv.Instruction, f func(v uint64, target int32)) {
	// The selector itself may not be translated yet.
	sel := t.index(in.Arg(0))
	ty := t.typeOf(uint32(t.m.Insts[sel].ResultType())) // an integer: spv reads no other switch
	n := 1
	if ty.bits == 64 {
		n = 2
	}
	a := in.Args()
	for k := 2; k+n < len(a); k += n + 1 {
		v := uint64(a[k])
		if n == 2 {
			v |= uint64(a[k+1]) << 32
		} else if ty.bits < 32 {
			v &= 1<<ty.bits - 1
		}
		f(v, t.blockOf(a[k+n]))
	}
}

// makePhis makes the variables of the phis of the blocks in the tree and
// notes at which blocks' ends they are stored.
func (t *translator) makePhis() {
	f := t.f
	for k := range f.blocks {
		b := &f.blocks[k]
		if !b.visited {
			continue
		}
		marked := false
		for i := b.first; i < b.term; i++ {
			in := &t.m.Insts[i]
			if in.Op == spv.OpLine || in.Op == spv.OpNoLine {
				continue
			}
			if in.Op != spv.OpPhi {
				break
			}
			t.word = int(in.Offset)
			if !marked {
				t.markParents(int32(k))
				marked = true
			}
			t.makePhi(int32(k), in)
		}
	}
}

func (t *translator) makePhi(b int32, in *spv.Instruction) {
	f := t.f
	id := uint32(in.Result())
	ty := t.typeOf(uint32(in.ResultType()))
	t.chosen(id, spv.OpPhi, ty)
	t.checkPhi(b, in, ty)
	p := phi{id: id, vars: make([]*ir.Variable, 0, 1)}
	t.leafCount(ty)
	name := t.nameOf(id)
	t.leafTypes(ty, func(lt *ir.Type) { p.vars = append(p.vars, f.b.Impl.NewLocal(lt, name)) })
	n := int32(len(f.phis))
	f.phis = append(f.phis, p)
	t.phiOf[t.index(id)] = n + 1
	a := in.Args()
	for k := 0; k+1 < len(a); k += 2 {
		pred := &f.blocks[t.blockOf(a[k+1])]
		f.stores = append(f.stores, phiStore{next: pred.phiOut, phi: n, val: a[k]})
		pred.phiOut = int32(len(f.stores))
	}
}

// leafTypes calls f with the IR type of each leaf.
func (t *translator) leafTypes(ty *typ, f func(*ir.Type)) {
	switch {
	case ty.isLeaf():
		f(ty.temp)
	case ty.kind == tStruct:
		for _, m := range ty.members {
			t.leafTypes(m, f)
		}
	default:
		for range ty.n {
			t.leafTypes(ty.elem, f)
		}
	}
}
