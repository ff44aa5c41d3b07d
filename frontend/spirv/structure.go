package spirv

import "nirc/frontend/spirv/spv"

// The structuriser makes a tree of a function's blocks by recursive descent
// from the entry block: each open construct marks the blocks that a branch may
// leave it to (its merge, its continue target, the next cases), and a branch
// to a marked block is an exit. The tree is resolved once (which exits need a
// jump, see flow.go) before it is translated.

// ctKind is the kind of a construct.
type ctKind uint8

const (
	ctSelection ctKind = iota // also: a case, a continue construct
	ctLoop
)

// construct is a place that control can leave.
type construct struct {
	kind ctKind
	// uses counts exits to the merge; contUses those to the continue target.
	uses, contUses int
	// needLoop: a selection is left from where no fall-through leads out, so it
	// becomes a loop that runs once. contJumps: so many exits need a continue.
	needLoop  bool
	contJumps int
	wrapCont  bool // the continue construct may leave the function
	sw        *switchInfo
	caseNum   int32 // of a case: its number
}

// switchInfo belongs to the construct of an OpSwitch.
type switchInfo struct {
	cases   []swCase
	current int32
	falls   bool // some case falls through
	ft      flagVar
}

// swCase is a distinct target of an OpSwitch.
type swCase struct {
	target int32
	vals   []uint64
	deflt  bool
	ct     *construct
	body   []node
	fall   int32 // the case it falls into, -1 none
	fallen bool  // a case falls into it
}

// exitKind says how a construct is left.
type exitKind uint8

const (
	exMerge exitKind = iota
	exContinue
)

// target is what a branch to a block means: an exit of a construct.
type target struct {
	ct   *construct
	kind exitKind
	// route is what the exit stores first, a place in cfg.routes; 0: nothing.
	route int32
	// sw is the switch whose case (ct) the block begins.
	sw *switchInfo
}

type nodeKind uint8

const (
	nBlock  nodeKind = iota // the block's instructions
	nIf                     // on the condition of the block's terminator: a, b
	nGroup                  // a, with ct's merge after it
	nLoop                   // a: body, b: continue construct
	nSwitch                 // ct.sw
	nExit
	nRoute // stores a path's number: the route is block
	nPick  // on whether the path is below that of route block: a, b
)

// node is a node of the tree.
type node struct {
	kind    nodeKind
	exit    exitKind
	natural bool // an exit that falls through to where it goes
	block   int32
	ct      *construct
	fallTo  *switchInfo // the exit falls into the next case
	a, b    []node
}

// Limits of nesting: of constructs, and up to where code after an early exit
// is nested in the other side instead of jumped over.
const (
	maxNesting  = 5000
	maxEarlyOut = 500
)

// regionNodes is room for the nodes of most regions.
const regionNodes = 4

// structurize builds and resolves the function's tree.
func (t *translator) structurize() {
	f := t.f
	clear(t.caseOf)
	build := func() { f.tree = t.region(0, false, false) }
	if t.guard(build) != nil {
		// Sides of a selection may meet before its merge block; finding where
		// takes dominators, so it is only tried when a block was met twice.
		for i := range f.blocks {
			f.blocks[i].visited, f.blocks[i].target = false, target{}
		}
		clear(t.caseOf)
		f.depth, f.exits, f.soft, f.premerge = 0, 0, 0, true
		build()
	}
	t.resolve(f.tree, nil)
}

// mark sets what a branch to block b means and returns what it meant before.
func (t *translator) mark(b int32, tg target) target {
	old := t.f.blocks[b].target
	t.f.blocks[b].target = tg
	return old
}

// exitTo makes the exit node of a branch to a marked block.
func (t *translator) exitTo(b int32) node {
	tg := t.f.blocks[b].target
	n := node{kind: nExit, exit: tg.kind, ct: tg.ct}
	if tg.kind == exContinue {
		tg.ct.contUses++
		return n
	}
	if tg.sw != nil { // into a case: leaves the current one
		i := tg.sw.current
		c := &tg.sw.cases[i]
		if j := tg.ct.caseNum; c.fall != j {
			if c.fall >= 0 || i == j || tg.sw.cases[j].fallen {
				t.fail(t.f.blocks[b].label, "cases fall through to themselves, to more than one case, or more than one to the same")
			}
			c.fall = j
			tg.sw.cases[j].fallen, tg.sw.falls = true, true
		}
		n.ct, n.fallTo = c.ct, tg.sw
	}
	n.ct.uses++
	if n.ct.kind != ctLoop {
		t.f.soft++
	}
	return n
}

// region makes the nodes from block b on until control leaves. enter: b is
// taken although it is marked; header: b is the header of a loop being made.
func (t *translator) region(b int32, enter, header bool) []node {
	f := t.f
	if f.depth++; f.depth > maxNesting {
		t.fail(f.blocks[b].label, "control flow is nested more than %d deep", maxNesting)
	}
	defer func() { f.depth-- }()
	out := t.nodes.Slice(regionNodes)[:0]
	for {
		blk := &f.blocks[b]
		if !enter && !header && blk.target.ct != nil {
			return append(out, t.exitTo(b))
		}
		if blk.kind == mergeLoop && !header {
			n, next := t.loop(b)
			out = append(out, n)
			if next < 0 {
				return out
			}
			b, enter = next, false
			continue
		}
		enter, header = false, false
		t.word = int(t.m.Insts[blk.term].Offset)
		if blk.visited {
			t.fail(blk.label, "the control flow is not structured: the block is reached from more than one place")
		}
		blk.visited = true
		out = append(out, node{kind: nBlock, block: b})
		next := int32(-1)
		switch term := &t.m.Insts[blk.term]; term.Op {
		case spv.OpBranch:
			next = t.blockOf(term.Arg(0))
		case spv.OpBranchConditional:
			out, next = t.conditional(out, b)
		case spv.OpSwitch:
			out, next = t.switchOf(out, b)
		default:
			f.exits++
		}
		if next < 0 {
			return out
		}
		b = next
	}
}

// loop makes the loop with header b. next is where control goes on, -1 if
// nowhere.
func (t *translator) loop(b int32) (n node, next int32) {
	f := t.f
	h := f.blocks[b]
	ct := &construct{kind: ctLoop}
	oldMerge := t.mark(h.merge, target{ct: ct})
	var oldCont target
	if h.cont != b {
		oldCont = t.mark(h.cont, target{ct: ct, kind: exContinue})
	}
	var head target
	if h.cont == b {
		head = target{ct: ct, kind: exContinue}
	}
	oldHead := t.mark(b, head)
	if h.merge == h.cont {
		t.fail(h.label, "the loop's merge block is its continue target")
	}
	t.checkLoop(b)
	n = node{kind: nLoop, block: b, ct: ct}
	n.a = t.region(b, false, true)
	if h.cont != b {
		t.mark(h.cont, oldCont)
		if ct.contUses > 0 && !f.blocks[h.cont].visited {
			// Back edges leave the continue construct, which is a group of its own.
			back := &construct{}
			t.mark(b, target{ct: back})
			exits := f.exits
			n.b = []node{{kind: nGroup, ct: back, a: t.region(h.cont, true, false)}}
			ct.wrapCont = f.exits != exits
		}
	}
	t.mark(b, oldHead)
	t.mark(h.merge, oldMerge)
	if ct.uses == 0 {
		return n, -1
	}
	return n, h.merge
}

// conditional makes the nodes of a conditional branch and returns where
// control goes on in the same list, -1 if nowhere.
func (t *translator) conditional(out []node, b int32) ([]node, int32) {
	f := t.f
	in := &t.m.Insts[f.blocks[b].term]
	x, y := t.blockOf(in.Arg(1)), t.blockOf(in.Arg(2))
	merge := f.blocks[b].merge
	if x == y {
		return out, x
	}
	n := node{kind: nIf, block: b}
	if f.blocks[b].kind != mergeSelection {
		ex, ey := f.blocks[x].target.ct, f.blocks[y].target.ct
		switch {
		case ex != nil && ey != nil:
			n.a, n.b = t.region(x, false, false), t.region(y, false, false)
			return append(out, n), -1
		case ex != nil && (ex.kind == ctLoop || f.depth > maxEarlyOut):
			n.a = t.region(x, false, false)
			return append(out, n), y
		case ey != nil && (ey.kind == ctLoop || f.depth > maxEarlyOut):
			n.b = t.region(y, false, false)
			return append(out, n), x
		case ex != nil || ey != nil:
			n.a, n.b = t.region(x, false, false), t.region(y, false, false)
			return append(out, n), -1
		}
		if merge = t.meeting(b, x, y); merge < 0 {
			n.a, n.b = t.region(x, false, false), t.region(y, false, false)
			return append(out, n), -1
		}
	}
	ct := &construct{}
	old := t.mark(merge, target{ct: ct})
	soft := f.soft
	if f.premerge && f.blocks[b].kind == mergeSelection {
		if j := t.meeting(b, x, y); j >= 0 {
			return t.premerged(out, n, b, j, ct, old)
		}
	}
	n.a = t.region(x, false, false)
	usesA, softA := ct.uses, f.soft-soft-ct.uses
	n.b = t.region(y, false, false)
	usesB, softB := ct.uses-usesA, f.soft-soft-ct.uses-softA
	t.mark(merge, old)
	switch {
	case f.depth > maxEarlyOut:
	case usesA == 0 && usesB > 0 && softA > 0:
		n.b = append([]node{{kind: nGroup, ct: ct, a: n.b}}, t.region(merge, false, false)...)
		return append(out, n), -1
	case usesB == 0 && usesA > 0 && softB > 0:
		n.a = append([]node{{kind: nGroup, ct: ct, a: n.a}}, t.region(merge, false, false)...)
		return append(out, n), -1
	}
	out = append(out, node{kind: nGroup, block: b, ct: ct, a: []node{n}})
	if ct.uses == 0 {
		return out, -1
	}
	return out, merge
}

// premerged makes the nodes of a selection whose sides meet at block j before
// the merge block.
func (t *translator) premerged(out []node, n node, b, j int32, ct *construct, old target) ([]node, int32) {
	f := t.f
	in := &t.m.Insts[f.blocks[b].term]
	inner := &construct{}
	oldJ := t.mark(j, target{ct: inner})
	n.a = t.region(t.blockOf(in.Arg(1)), false, false)
	n.b = t.region(t.blockOf(in.Arg(2)), false, false)
	t.mark(j, oldJ)
	list := []node{{kind: nGroup, block: b, ct: inner, a: []node{n}}}
	if inner.uses > 0 {
		list = append(list, t.region(j, false, false)...)
	}
	merge := f.blocks[b].merge
	t.mark(merge, old)
	out = append(out, node{kind: nGroup, block: b, ct: ct, a: list})
	if ct.uses == 0 {
		return out, -1
	}
	return out, merge
}

// meeting finds where the sides of a branch meet: the only block, not marked,
// that the branch's block dominates directly besides its targets; -1 if they
// do not meet.
func (t *translator) meeting(b, x, y int32) int32 {
	f := t.f
	t.dominators()
	j := int32(-1)
	for _, k := range f.domKids[b] {
		if f.blocks[k].target.ct != nil || (k == x || k == y) && f.graph.edges[k] == 1 {
			continue
		}
		if j >= 0 {
			t.fail(f.blocks[b].label, "the control flow is not structured: the sides of a branch meet at more than one block")
		}
		j = k
	}
	return j
}

// switchOf makes the nodes of an OpSwitch and returns where control goes on.
func (t *translator) switchOf(out []node, b int32) ([]node, int32) {
	f := t.f
	blk := f.blocks[b]
	sw := &switchInfo{}
	ct := &construct{sw: sw}
	var old target
	if blk.kind == mergeSelection {
		old = t.mark(blk.merge, target{ct: ct})
	}
	t.findCases(sw, &t.m.Insts[blk.term])
	// A case whose target is marked already is only an exit.
	saved := make([]target, len(sw.cases))
	for i := range sw.cases {
		c := &sw.cases[i]
		c.ct = &construct{caseNum: int32(i)}
		if f.blocks[c.target].target.ct == nil {
			saved[i] = target{ct: c.ct}
		}
	}
	for i := range sw.cases {
		if saved[i].ct != nil {
			t.mark(sw.cases[i].target, target{ct: sw.cases[i].ct, sw: sw})
		}
	}
	for i := range sw.cases {
		sw.current = int32(i)
		body := t.region(sw.cases[i].target, saved[i].ct != nil, false)
		sw.cases[i].body = []node{{kind: nGroup, ct: sw.cases[i].ct, a: body}}
	}
	for i := range sw.cases {
		if saved[i].ct != nil {
			t.mark(sw.cases[i].target, target{})
		}
	}
	if blk.kind == mergeSelection {
		t.mark(blk.merge, old)
	}
	n := node{kind: nSwitch, block: b, ct: ct}
	out = append(out, node{kind: nGroup, block: b, ct: ct, a: []node{n}})
	if ct.uses == 0 {
		return out, -1
	}
	return out, blk.merge
}

// findCases gathers the distinct targets of an OpSwitch in order of their
// first literal, the default last unless a literal leads there too.
func (t *translator) findCases(sw *switchInfo, in *spv.Instruction) {
	f := t.f
	find := func(target int32) *swCase {
		if k := t.caseOf[target]; k != 0 {
			return &sw.cases[k-1]
		}
		sw.cases = append(sw.cases, swCase{target: target, fall: -1})
		t.caseOf[target] = int32(len(sw.cases))
		return &sw.cases[len(sw.cases)-1]
	}
	for len(t.caseOf) < len(f.blocks) {
		t.caseOf = append(t.caseOf, 0)
	}
	t.eachCase(in, func(v uint64, target int32) {
		c := find(target)
		c.vals = append(c.vals, v)
	})
	find(t.blockOf(in.Arg(1))).deflt = true
	for i := range sw.cases {
		t.caseOf[sw.cases[i].target] = 0
	}
}

// ordered calls f with the cases, each before the one it falls into.
func (t *translator) ordered(sw *switchInfo, f func(i int)) {
	n := 0
	for i := range sw.cases {
		if sw.cases[i].fallen {
			continue
		}
		for k := int32(i); k >= 0; k = sw.cases[k].fall {
			n++
			f(int(k))
		}
	}
	if n != len(sw.cases) {
		t.fail(0, "the cases of an OpSwitch fall through in a circle")
	}
}
