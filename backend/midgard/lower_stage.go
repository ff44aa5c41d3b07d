package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// stageMemory is what the lowerings of stages that are none of the hardware have in common: a builder, what the driver
// says, and records of vertices. Package abi says how a driver joins the stages.
type stageMemory struct {
	s *ir.Shader
	b *ir.Builder
	// reads are the slots of vertices that the shader reads, rank their places in a record.
	reads []ir.Slot
	rank  [ir.NumVaryingSlots]uint32
	err   error
}

// stageMeta is what the metadata say of a tessellation or geometry shader; masks are the components of the slots of a
// geometry shader's vertices.
type stageMeta struct {
	reads    []ir.Slot
	tess     *abi.Tess
	geometry *abi.Geometry
	masks    []uint8
}

// lowerStage turns what a shader of a stage between vertex and fragment shaders reads and writes into accesses to
// memory, and the shader into one of the stage that its job has.
func (c *compiler) lowerStage() error {
	switch c.s.Stage {
	case ir.StageTessCtrl, ir.StageTessEval:
		return c.lowerTess()
	case ir.StageGeometry:
		return c.lowerGeometry()
	}
	return nil
}

func (t *stageMemory) fail(in *ir.Instr, format string, args ...any) {
	backend.Note(&t.err, backend.Refuse(TargetName, t.s, in, format, args...))
}

// access reads what in accesses.
func (t *stageMemory) access(in *ir.Instr) (a backend.StageAccess, ok bool) {
	a, why := backend.StageAccessOf(in)
	if why != "" {
		t.fail(in, "%s", why)
	}
	return a, t.err == nil
}

// slotSet is a set of slots of vertices.
type slotSet [ir.SlotPatch0]bool

func (l *slotSet) add(a *backend.StageAccess) {
	for slot := a.Slot; slot < min(a.Slot+a.Count, ir.SlotPatch0); slot++ {
		l[slot] = true
	}
}

// list lists the slots of the set in order, and gives each its place.
func (l *slotSet) list(rank *[ir.NumVaryingSlots]uint32) (list []ir.Slot) {
	for slot, in := range l {
		if in {
			rank[slot] = uint32(len(list))
			list = append(list, ir.Slot(slot))
		}
	}
	return list
}

// findReads finds the records that the shader reads.
func (t *stageMemory) findReads(list []*ir.Instr) {
	var set slotSet
	for _, in := range list {
		if in.Intr == ir.IntrLoadPerVertexInput {
			if a, ok := t.access(in); ok {
				set.add(&a)
			}
		}
	}
	t.reads = set.list(&t.rank)
}

// value is what the driver says: component comp of a system value.
func (t *stageMemory) value(k abi.SysvalKind, element uint32, comp int) *ir.Def {
	return t.b.Channel(&t.b.Intrinsic(ir.IntrLoadStageValuePan, 4, 32).Set(ir.IdxFlags, uint64(k)).Set(ir.IdxBase, uint64(element)).Def, comp)
}

// load loads n words at a byte of what a system value has the address of.
func (t *stageMemory) load(op ir.Intrinsic, k abi.SysvalKind, at *ir.Def, n uint8) *ir.Def {
	return &t.b.Intrinsic(op, n, 32, at).Set(ir.IdxFlags, uint64(k)).Def
}

// constant is load of what nobody writes meanwhile.
func (t *stageMemory) constant(k abi.SysvalKind, at *ir.Def, n uint8) *ir.Def {
	return t.load(ir.IntrLoadStageConstantPan, k, at, n)
}

// store stores words there.
func (t *stageMemory) store(k abi.SysvalKind, element uint32, at, val *ir.Def, mask uint64) {
	t.b.Effect(ir.IntrStoreStagePan, val, at).Set(ir.IdxFlags, uint64(k)).Set(ir.IdxBase, uint64(element)).Set(ir.IdxWriteMask, mask)
}

// replace puts d, words as they stand between stages, in place of what in gives.
func (t *stageMemory) replace(in *ir.Instr, d *ir.Def) {
	if t.err == nil {
		in.Def.RewriteUses(backend.FromStageWord(t.b, in, d))
		in.Remove()
	}
}

// entry is a word of what the list of primitives has of primitive p: PrimitiveId without a vertex, else the number of its record.
func (t *stageMemory) entry(p, vertex *ir.Def) *ir.Def {
	b := t.b
	at := b.Imul(p, t.value(abi.SysvalPrimitives, 0, 2))
	if vertex != nil {
		at = b.Iadd(at, b.IAddImm(vertex, 1))
	}
	return t.constant(abi.SysvalPrimitives, b.Ishl(at, b.Imm32(2)), 1)
}

// record reads what in gives of vertex v of primitive p.
func (t *stageMemory) record(in *ir.Instr, a *backend.StageAccess, p *ir.Def) *ir.Def {
	b := t.b
	number := t.entry(p, a.Vertex)
	at := b.Imul(number, b.Imm32(16*uint32(len(t.reads))))
	at = b.IAddImm(t.further(at, a.Index), int64(16*t.rank[a.Slot]+4*a.Comp))
	return t.constant(abi.SysvalStageInput, at, in.Def.NumComponents)
}

// further is the byte n slots further on; nil is none.
func (t *stageMemory) further(at, n *ir.Def) *ir.Def {
	if n == nil {
		return at
	}
	return t.b.Iadd(at, t.b.Ishl(n, t.b.Imm32(4)))
}

// stageAccess selects what the lowerings leave; false if in is none of it.
func (s *isel) stageAccess(in *ir.Instr) bool {
	sysval := func() abi.Sysval {
		return abi.Sysval{Kind: abi.SysvalKind(in.Get(ir.IdxFlags)), Element: uint32(in.Get(ir.IdxBase))}
	}
	at := func(off *ir.Def) address {
		base := s.sysval(sysval())
		a := address{pair: true, lo: base.lane(0), hi: base.lane(1), index: source{reg: regNone}}
		a.add(s.comp(off, 0))
		return a
	}
	switch in.Intr {
	case ir.IntrLoadStageValuePan:
		return s.viewOf(in, s.sysval(sysval()))
	case ir.IntrLoadStageConstantPan, ir.IntrLoadStagePan:
		s.loadAt(in, at(in.Srcs[0].Def))
	case ir.IntrStoreStagePan:
		s.storeAt(in, in.Srcs[0].Def, at(in.Srcs[1].Def))
	default:
		return false
	}
	return true
}
