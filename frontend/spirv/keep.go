package spirv

import (
	"sync"

	"nirc/frontend/spirv/spv"
	"nirc/internal/slab"
	"nirc/ir"
)

// kept is the memory of a translation that the next one uses again. Nothing of
// it is in the shader that comes out.
type kept struct {
	// By definition, as in translator.
	vals          []value
	decHead       []int32 // first decoration + 1
	names         []int32 // index in Insts of the OpName + 1
	extSets       []spv.ExtSet
	labels, phiOf []int32 // block + 1; phi of the function + 1
	used          []bool  // global variables that the entry point uses

	decs    []decoration
	funcs   []*function
	order   []*function // reachable ones, callees first
	globals []int32     // used global variables, in module order
	// pointerInits are the variables that start as a pointer, each with the variable that it leads to.
	pointerInits [][2]uint32
	// heapViews are the variables by which the IR sees descriptor heaps.
	heapViews []heapView
	caseOf    []int32 // by block: case of the OpSwitch being read + 1
	entries   []EntryPoint
	// operands are those of one instruction.
	operands []spv.Operand

	typs      slab.Slab[typ]
	consts    slab.Slab[cnst]
	variables slab.Slab[variable]
	pointers  slab.Slab[pointer]
	functions slab.Slab[function]
	refs      slab.Slab[uint32]  // arguments of entries that are no decorations
	leaves    slab.Slab[*ir.Def] // short slices of values
	nodes     slab.Slab[node]    // of regions

	// decl is the declaration, body the instruction of a function under translation, ctx the function.
	decl, body inst
	ctx        fctx
}

// translators keeps the memory of translations that are over.
var translators = sync.Pool{New: func() any { return new(translator) }}

// tables makes the tables by definition that are filled from the start.
func (t *translator) tables() {
	n := len(t.m.Insts)
	t.vals = slab.Zeroed(t.vals, n)
	t.decHead, t.names = slab.Zeroed(t.decHead, n), slab.Zeroed(t.names, n)
	t.extSets = slab.Zeroed(t.extSets, n)
	t.labels, t.phiOf = t.labels[:0], slab.Zeroed(t.phiOf, n)
}

// free gives the memory of a translation to the next one. It keeps no pointer to the module or the shader.
func (t *translator) free() {
	k := &t.kept
	clear(k.vals)
	clear(k.decs)
	clear(k.funcs)
	clear(k.order)
	clear(k.entries)
	clear(k.heapViews)
	k.decs, k.funcs, k.order, k.globals, k.entries = k.decs[:0], k.funcs[:0], k.order[:0], k.globals[:0], k.entries[:0]
	k.pointerInits, k.heapViews = k.pointerInits[:0], k.heapViews[:0]
	k.decl, k.body = inst{}, inst{}
	k.ctx.reset(nil)
	k.typs.Reset()
	k.consts.Reset()
	k.variables.Reset()
	k.pointers.Reset()
	k.functions.Reset()
	k.refs.Reset()
	k.leaves.Reset()
	k.nodes.Reset()
	*t = translator{kept: *k}
	translators.Put(t)
}

// ref returns the arguments of an entry that is no decoration.
func (t *translator) ref(i int) []uint32 {
	s := t.refs.Slice(1)
	s[0] = uint32(i)
	return s
}

// leaf returns the leaves of a value that has one.
func (t *translator) leaf(d *ir.Def) []*ir.Def {
	s := t.leaves.Slice(1)
	s[0] = d
	return s
}

// newPointer returns p in memory of the translation.
func (t *translator) newPointer(p pointer) *pointer {
	n := t.pointers.New()
	*n = p
	return n
}

// newConst is newPointer of constants.
func (t *translator) newConst(c cnst) *cnst {
	n := t.consts.New()
	*n = c
	return n
}
