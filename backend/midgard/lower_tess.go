package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// tess is the lowering of a tessellation shader under way.
type tess struct {
	stageMemory
	control bool
	info    abi.Tess
	// place is, by slot of the outputs of control, its place in a vertex's record.
	place [ir.NumVaryingSlots]uint32
	// Of the invocation: patch is the number of its patch in the draw and base the byte where that begins, id the number of its output vertex,
	// coord TessCoord.
	patch, base, id, coord *ir.Def
}

// lowerTess: control runs as compute, a workgroup a patch with a thread for each output vertex; evaluation as a vertex
// shader of the points that the tessellator leaves (midgard.md §9.9).
func (c *compiler) lowerTess() error {
	s := c.s
	t := &tess{stageMemory: stageMemory{s: s}, control: s.Stage == ir.StageTessCtrl, info: abi.Tess{Modes: s.Info.Tess}}
	if t.control && s.Info.Tess.OutputVertices == 0 {
		return backend.Refuse(TargetName, s, nil, "a tessellation control shader that does not say its output vertices is not supported")
	}
	impl := c.impl()
	list := backend.Intrinsics(impl)
	t.findReads(list)
	if t.control {
		t.layOut(list)
	}
	if t.err == nil {
		t.start(impl)
	}
	for _, in := range list {
		if t.err != nil {
			return t.err
		}
		t.b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
		t.intrinsic(in)
	}
	if t.err != nil {
		return t.err
	}
	if !t.control && c.opts.Next == ir.StageNone {
		t.number(impl)
	}
	impl.Preserve(ir.MetaControlFlow)
	s.Stage = ir.StageVertex
	if t.control {
		s.Stage, s.Info.WorkgroupSize = ir.StageCompute, [3]uint32{s.Info.Tess.OutputVertices, 1, 1}
	}
	c.stage = stageMeta{reads: t.reads, tess: &t.info}
	return c.job.Lists.Run(s, "midgard_stages")
}

// number hands on the number of the patch, for fragments that ask for PrimitiveId.
func (t *tess) number(impl *ir.Impl) {
	at := ir.AtEnd(impl.Body.LastBlock())
	if j := impl.Body.LastBlock().Jump(); j != nil {
		at = ir.Before(j)
	}
	t.b = ir.NewBuilder(at)
	storeNumber(t.b, t.entry(t.patch, nil))
}

// storeNumber stores the output PrimitiveId.
func storeNumber(b *ir.Builder, v *ir.Def) {
	sem := ir.IOSemantics{Location: ir.SlotPrimitiveID, NumSlots: 1}
	b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem.Pack()).
		Set(ir.IdxBase, uint64(ir.SlotPrimitiveID)).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
}

// layOut gives the outputs of control their places: the slots of user outputs lie in a row, whichever are written, for
// evaluation shaders index arrays of them.
func (t *tess) layOut(list []*ir.Instr) {
	var set slotSet
	last := ir.Slot(0)
	for _, in := range list {
		switch in.Intr {
		case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput, ir.IntrLoadOutput, ir.IntrLoadPerVertexOutput:
			a, ok := t.access(in)
			switch end := a.Slot + a.Count; {
			case !ok:
				return
			case a.Slot >= ir.SlotPatch0:
				t.info.PatchSlots = max(t.info.PatchSlots, int(end-ir.SlotPatch0))
			case !backend.IsTessLevel(a.Slot):
				set.add(&a)
				last = max(last, end)
			}
		}
	}
	for slot := ir.SlotVar0; slot < last; slot++ {
		set[slot] = true
	}
	t.info.Record = set.list(&t.place)
}

// start finds the invocation's place before the shader.
func (t *tess) start(impl *ir.Impl) {
	t.b = ir.NewBuilder(ir.AtStart(impl.Start()))
	b := t.b
	if t.control {
		t.patch = b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
		t.id = b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		size := abi.PatchBytes(t.info.PatchSlots, len(t.info.Record), int(t.info.Modes.OutputVertices))
		t.base = b.Imul(t.patch, b.Imm32(size))
		return
	}
	id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	t.coord = t.constant(abi.SysvalTessPoints, b.Ishl(id, b.Imm32(4)), 4)
	t.patch = b.Channel(t.coord, 3)
	t.base = b.Imul(t.patch, t.value(abi.SysvalPatches, 0, 2))
}

func (t *tess) intrinsic(in *ir.Instr) {
	if !backend.TessellationHas(in.Intr, t.control) { // selection refuses it
		return
	}
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		t.replace(in, t.id)
	case ir.IntrLoadPatchVerticesIn:
		t.replace(in, t.value(abi.SysvalPatchVertices, 0, 0))
	case ir.IntrLoadPrimitiveId:
		t.replace(in, t.entry(t.patch, nil))
	case ir.IntrLoadTessCoord, ir.IntrLoadTessCoordXy:
		t.replace(in, t.b.Channels(t.coord, 0, int(in.Def.NumComponents)))
	case ir.IntrLoadTessLevelOuter:
		t.replace(in, t.constant(abi.SysvalPatches, t.base, in.Def.NumComponents))
	case ir.IntrLoadTessLevelInner:
		t.replace(in, t.constant(abi.SysvalPatches, t.b.IAddImm(t.base, abi.PatchInner), in.Def.NumComponents))
	case ir.IntrLoadPerVertexInput, ir.IntrLoadInput, ir.IntrLoadPerVertexOutput, ir.IntrLoadOutput:
		t.read(in)
	case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput:
		if t.control {
			t.write(in)
		}
	}
}

// at is the byte of the patches where component comp of what is accessed is.
func (t *tess) at(a *backend.StageAccess, comp uint32) *ir.Def {
	b := t.b
	if t.control {
		at := b.IAddImm(t.base, int64(4*comp+t.placeOf(a.Slot)))
		if a.Vertex != nil {
			at = b.Iadd(at, b.Imul(a.Vertex, b.Imm32(16*uint32(len(t.info.Record)))))
		}
		return t.further(at, a.Index)
	}
	at := b.IAddImm(b.Iadd(t.base, t.value(abi.SysvalPatchSlot, uint32(a.Slot), 0)), int64(4*comp))
	if a.Vertex != nil {
		at = b.Iadd(at, b.Imul(a.Vertex, t.value(abi.SysvalPatches, 0, 3)))
	}
	return t.further(at, a.Index)
}

// placeOf is the byte of a patch where control has a slot, that of a vertex in the first one.
func (t *tess) placeOf(slot ir.Slot) uint32 {
	at, _ := t.info.PlaceOf(slot)
	return at
}

// read fetches an input, or an output of control, which other threads write.
func (t *tess) read(in *ir.Instr) {
	a, ok := t.access(in)
	switch n := in.Def.NumComponents; {
	case !ok:
	case in.Intr == ir.IntrLoadPerVertexInput && t.control:
		t.replace(in, t.record(in, &a, t.patch))
	case t.control:
		t.replace(in, t.load(ir.IntrLoadStagePan, abi.SysvalPatches, t.at(&a, a.Comp), n))
	default:
		t.replace(in, t.constant(abi.SysvalPatches, t.at(&a, a.Comp), n))
	}
}

// write stores an output of control.
func (t *tess) write(in *ir.Instr) {
	if a, ok := t.access(in); ok {
		t.store(abi.SysvalPatches, 0, t.at(&a, a.Comp), backend.StageWord(t.b, in, in.Srcs[0].Def), in.Get(ir.IdxWriteMask))
		in.Remove()
	}
}
