package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
	"nirc/passes"
)

// Tessellation shaders are no stages of the hardware
// (agx.md §11.6): control runs as compute, a workgroup a patch with a lane for
// each output vertex, and leaves the patch in a buffer; evaluation runs as a vertex shader
// whose vertex index says patch and point, and reads that buffer. lowerTess turns
// what they read and write into accesses to memory and returns the stage that
// the shader then runs as.
func lowerTess(s *ir.Shader, impl *ir.Impl, meta *abi.Meta, lists passes.Lists) (ir.Stage, error) {
	if s.Stage == ir.StageTessCtrl && s.Info.Tess.OutputVertices == 0 {
		return 0, backend.Refuse(TargetName, s, nil, "a tessellation control shader that does not say its output vertices is not supported")
	}
	t := &tess{stageMemory: stageMemory{s: s, meta: meta}, control: s.Stage == ir.StageTessCtrl}
	list := backend.Intrinsics(impl)
	if t.control {
		t.layOut(list)
	}
	t.start(impl)
	for _, in := range list {
		t.b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
		if t.intrinsic(in); t.err != nil {
			return 0, t.err
		}
	}
	modes := abi.Tess(s.Info.Tess)
	meta.Tess = &modes
	meta.Reads = slotList(t.reads, ir.SlotPatch0)
	impl.Preserve(ir.MetaControlFlow)
	if err := lists.Run(s, "agx_tess"); err != nil {
		return 0, err
	}
	if !t.control {
		return ir.StageVertex, nil
	}
	s.Info.WorkgroupSize = [3]uint32{s.Info.Tess.OutputVertices, 1, 1}
	return ir.StageCompute, nil
}

// tess is the lowering of a tessellation shader under way.
type tess struct {
	stageMemory
	control bool
	outputs [ir.NumVaryingSlots]bool   // slots that control writes
	rank    [ir.NumVaryingSlots]uint32 // of outputs: place in a vertex's record
	// Of the invocation: patch is the number of its patch, first the first of
	// the patch's vertex records (control) or its first point (evaluation), id what tells
	// its lane or its point; base is the word where the patch begins, size that
	// of its vertices.
	patch, first, id, base *ir.Def
}

// layOut gives the outputs of control their places.
func (t *tess) layOut(list []*ir.Instr) {
	for _, in := range list {
		switch in.Intr {
		case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput, ir.IntrLoadOutput, ir.IntrLoadPerVertexOutput:
			a, ok := t.access(in)
			if !ok {
				return
			}
			for slot := a.Slot; slot < a.Slot+a.Count; slot++ {
				t.outputs[slot] = true
				if slot >= ir.SlotPatch0 {
					t.meta.PatchSlots = max(t.meta.PatchSlots, int(slot-ir.SlotPatch0)+1)
				}
			}
		}
	}
	t.outputs[ir.SlotTessLevelOuter], t.outputs[ir.SlotTessLevelInner] = false, false
	t.meta.Record = slotList(t.outputs, ir.SlotPatch0)
	for k, slot := range t.meta.Record {
		t.rank[slot] = uint32(k)
	}
}

// start finds the invocation's place before the shader.
func (t *tess) start(impl *ir.Impl) {
	t.b = ir.NewBuilder(ir.AtStart(impl.Start()))
	b := t.b
	if t.control {
		group := &b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def
		x, y := b.Channel(group, 0), b.Channel(group, 1)
		t.id = b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		t.patch = b.Iadd(b.Imul(y, t.word(abi.UniformPatchCount)), x)
		t.first = b.Iadd(b.Imul(y, t.word(abi.UniformGridVertices)), b.Imul(x, t.word(abi.UniformPatchVertices)))
		size := abi.PatchWords(t.meta.PatchSlots, len(t.meta.Record), int(t.s.Info.Tess.OutputVertices))
		t.base = b.Imul(t.patch, b.Imm32(uint32(size)))
		return
	}
	id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	t.patch = b.Ushr(id, b.Imm32(abi.PatchShift))
	t.id = b.Iand(id, b.Imm32(1<<abi.PatchShift-1))
	vertices := b.Imul(b.Ishl(t.slots(abi.UniformPatchRecord), b.Imm32(2)), t.word(abi.UniformPatchVertices))
	t.base = b.Imul(t.patch, b.Iadd(t.vertices(), vertices))
}

// vertices is the word of a patch where the records of its vertices begin.
func (t *tess) vertices() *ir.Def {
	return t.b.Iadd(t.b.Ishl(t.word(abi.UniformPatchSlots), t.b.Imm32(2)), t.b.Imm32(abi.PatchConstants))
}

func (t *tess) intrinsic(in *ir.Instr) {
	if !backend.TessellationHas(in.Intr, t.control) { // selection refuses it
		return
	}
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		t.replace(in, t.id)
	case ir.IntrLoadPatchVerticesIn:
		t.replace(in, t.word(abi.UniformPatchVertices))
	case ir.IntrLoadPrimitiveId:
		t.replace(in, t.primitive())
	case ir.IntrLoadTessCoord:
		if t.s.Info.Tess.Domain == ir.DomainNone {
			t.fail(in, "%s of a shader that does not say its domain is not supported", in.Intr)
		}
		x, y, z := t.coord()
		t.replace(in, t.b.Vec(x, y, z))
	case ir.IntrLoadTessCoordXy:
		x, y, _ := t.coord()
		t.replace(in, t.b.Vec(x, y))
	case ir.IntrLoadTessLevelOuter:
		t.replace(in, t.load(in, abi.UniformPatches, t.at(0), ir.IntrLoadAgx))
	case ir.IntrLoadTessLevelInner:
		t.replace(in, t.load(in, abi.UniformPatches, t.at(abi.PatchInner), ir.IntrLoadAgx))
	case ir.IntrLoadPerVertexInput, ir.IntrLoadInput, ir.IntrLoadPerVertexOutput, ir.IntrLoadOutput:
		t.read(in)
	case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput:
		if t.control {
			t.write(in)
		}
	case ir.IntrBarrier:
		if t.control {
			t.barrier(in)
		}
	}
}

// primitive counts the patches of an instance.
func (t *tess) primitive() *ir.Def {
	if t.control {
		return t.b.Channel(&t.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	}
	return t.b.Umod(t.patch, t.word(abi.UniformPatchCount))
}

// coord fetches what the tessellator left of the point.
func (t *tess) coord() (u, v, w *ir.Def) {
	b := t.b
	first := b.Channel(t.fetch(abi.UniformPatchPoints, t.patch, 1, ir.IntrLoadConstantAgx), 0)
	at := b.Ishl(b.Iadd(first, t.id), b.Imm32(1))
	p := t.fetch(abi.UniformTessPoints, at, 2, ir.IntrLoadConstantAgx)
	scale := b.ImmFloat(1.0/(1<<abi.PointShift), 32)
	u, v, w = b.Fmul(b.U2f32(b.Channel(p, 0)), scale), b.Fmul(b.U2f32(b.Channel(p, 1)), scale), b.ImmFloat(0, 32)
	if t.s.Info.Tess.Domain == ir.DomainTriangles {
		w = b.Fsub(b.Fsub(b.ImmFloat(1, 32), u), v)
	}
	return u, v, w
}

// at is a word of the patch.
func (t *tess) at(n uint32) *ir.Def { return t.b.Iadd(t.base, t.b.Imm32(n)) }

// place is the word of the patches where component comp of what is accessed is.
func (t *tess) place(a *backend.StageAccess, comp uint32) *ir.Def {
	b := t.b
	// further adds four words for each slot or record.
	further := func(at, n *ir.Def) *ir.Def {
		if n == nil {
			return at
		}
		return b.Iadd(at, b.Ishl(n, b.Imm32(2)))
	}
	switch {
	case a.Slot == ir.SlotTessLevelOuter:
		return t.at(comp)
	case a.Slot == ir.SlotTessLevelInner:
		return t.at(abi.PatchInner + comp)
	case a.Vertex == nil:
		return further(t.at(abi.PatchConstants+4*uint32(a.Slot-ir.SlotPatch0)+comp), a.Index)
	case t.control:
		at := t.at(abi.PatchConstants + 4*uint32(t.meta.PatchSlots) + 4*t.rank[a.Slot] + comp)
		return further(b.Iadd(at, b.Imul(a.Vertex, b.Imm32(4*uint32(len(t.meta.Record))))), a.Index)
	}
	slots := b.Iadd(b.Imul(a.Vertex, t.slots(abi.UniformPatchRecord)), t.below(abi.UniformPatchRecord, a))
	return further(b.Iadd(b.Iadd(t.base, t.vertices()), b.Imm32(comp)), slots)
}

// read fetches an input, or an output of control.
func (t *tess) read(in *ir.Instr) {
	a, ok := t.access(in)
	if !ok {
		return
	}
	switch {
	case in.Intr == ir.IntrLoadPerVertexInput && t.control:
		t.replace(in, t.record(in, &a, t.b.Iadd(t.first, a.Vertex)))
	case in.Intr == ir.IntrLoadPerVertexInput:
		for slot := a.Slot; slot < a.Slot+a.Count; slot++ {
			t.reads[slot] = true
		}
		fallthrough
	case !t.control:
		t.replace(in, t.load(in, abi.UniformPatches, t.place(&a, a.Comp), ir.IntrLoadConstantAgx))
	default: // other lanes write it
		t.replace(in, t.load(in, abi.UniformPatches, t.place(&a, a.Comp), ir.IntrLoadAgx))
	}
}

// write stores an output of control.
func (t *tess) write(in *ir.Instr) {
	a, ok := t.access(in)
	if !ok {
		return
	}
	val := backend.StageWord(t.b, in, in.Srcs[0].Def)
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		t.store(abi.UniformPatches, t.place(&a, a.Comp+uint32(first)), t.b.Channels(val, first, n), isa.FormatI32)
	})
	in.Remove()
}

// barrier removes the wait for the other lanes of a patch, which are those of
// the SIMD-group: they never are apart.
func (t *tess) barrier(in *ir.Instr) {
	if n := t.s.Info.Tess.OutputVertices; n > abi.WaveSize {
		t.fail(in, "a barrier among %d output vertices is not supported: a patch must fit in a SIMD-group of %d lanes", n, abi.WaveSize)
		return
	}
	if in.Get(ir.IdxExecutionScope) > uint64(ir.ScopeSubgroup) {
		in.Set(ir.IdxExecutionScope, uint64(ir.ScopeSubgroup))
	}
	if faults.has(faultPatchBarrier) {
		return
	}
	// What the lanes tell each other stands in memory.
	in.Set(ir.IdxMemoryScope, max(in.Get(ir.IdxMemoryScope), uint64(ir.ScopeSubgroup)))
	in.Set(ir.IdxMemorySemantics, in.Get(ir.IdxMemorySemantics)|uint64(ir.SemAcquire|ir.SemRelease))
	in.Set(ir.IdxMemoryModes, in.Get(ir.IdxMemoryModes)|uint64(ir.ModeGlobal))
}
