package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// Tessellation shaders are no stages of the hardware (the project's agx
// reference, section 11.6): control runs as compute, a workgroup a patch with a lane for
// each output vertex, and leaves the patch in a buffer; evaluation runs as a vertex shader
// whose vertex index says patch and point, and reads that buffer. lowerTess turns
// what they read and write into accesses to memory and returns the stage that
// the shader then runs as.
func lowerTess(s *ir.Shader, impl *ir.Impl, meta *abi.Meta) (ir.Stage, error) {
	if s.Stage == ir.StageTessCtrl && s.Info.Tess.OutputVertices == 0 {
		return 0, backend.Refuse("agx", s, nil, "a tessellation control shader that does not say its output vertices is not supported")
	}
	t := &tess{s: s, control: s.Stage == ir.StageTessCtrl, meta: meta}
	var list []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic {
				list = append(list, in)
			}
		}
	}
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
	if err := runPasses(s, tessPasses); err != nil {
		return 0, err
	}
	if !t.control {
		return ir.StageVertex, nil
	}
	s.Info.WorkgroupSize = [3]uint32{s.Info.Tess.OutputVertices, 1, 1}
	return ir.StageCompute, nil
}

// tessPasses bring the arithmetic of addresses to the form that the rest of the shader has.
var tessPasses = passList("loop(lower_alu,lower_idiv,lower_alu_to_scalar,opt_copy_prop,opt_constant_folding,opt_cse,opt_dce)")

// tess is the lowering of a tessellation shader under way.
type tess struct {
	s       *ir.Shader
	b       *ir.Builder
	meta    *abi.Meta
	control bool
	// reads are the per-vertex slots that the shader reads, outputs those that it
	// writes (control).
	reads, outputs [ir.NumVaryingSlots]bool
	rank           [ir.NumVaryingSlots]uint32 // of outputs: place in a vertex's record
	// Of the invocation: patch is the number of its patch, first the first of
	// the patch's vertex records (control) or its first point (evaluation), id what tells
	// its lane or its point; base is the word where the patch begins, size that
	// of its vertices.
	patch, first, id, base *ir.Def
	err                    error
}

func (t *tess) fail(in *ir.Instr, format string, args ...any) {
	if t.err == nil {
		t.err = backend.Refuse("agx", t.s, in, format, args...)
	}
}

// slotList lists the slots below an end that are set.
func slotList(set [ir.NumVaryingSlots]bool, end ir.Slot) (list []ir.Slot) {
	for k := range end {
		if set[k] {
			list = append(list, k)
		}
	}
	return list
}

// isLevel tells whether a slot holds tessellation levels.
func isLevel(slot ir.Slot) bool {
	return slot == ir.SlotTessLevelOuter || slot == ir.SlotTessLevelInner
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
			for slot := a.slot; slot < a.slot+a.count; slot++ {
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

// tessAccess is what an instruction accesses: component comp of a slot, or of one of
// the count slots from it on that index tells, of a vertex or of the patch (nil).
type tessAccess struct {
	slot, count   ir.Slot
	comp          uint32
	index, vertex *ir.Def
}

func (t *tess) access(in *ir.Instr) (a tessAccess, ok bool) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	off := in.Srcs[len(in.Srcs)-1].Def
	a = tessAccess{slot: sem.Location, count: 1, comp: uint32(in.Get(ir.IdxComponent))}
	k, constant := off.Const(0)
	if constant {
		a.slot += ir.Slot(min(k, ir.NumVaryingSlots))
	} else {
		a.index, a.count = off, ir.Slot(max(1, sem.NumSlots))
	}
	val := &in.Def
	if !in.HasDef() {
		val = in.Srcs[0].Def
	}
	switch in.Intr {
	case ir.IntrLoadPerVertexInput, ir.IntrLoadPerVertexOutput:
		a.vertex = in.Srcs[0].Def
	case ir.IntrStorePerVertexOutput:
		a.vertex = in.Srcs[1].Def
	}
	switch end := a.slot + a.count; {
	case end > ir.NumVaryingSlots || (a.vertex != nil) != (end <= ir.SlotPatch0 && !isLevel(a.slot)) || a.index != nil && a.slot < ir.SlotVar0:
		t.fail(in, "%s of slots %d to %d is not supported", in.Intr, a.slot, end-1)
	case val.BitSize != 32 && val.BitSize != 16 || sem.High16:
		t.fail(in, "%s of %d bits is not supported: inputs and outputs must be lowered to words", in.Intr, val.BitSize)
	}
	return a, t.err == nil
}

// sysval reads what the driver puts into uniform registers.
func (t *tess) sysval(k abi.UniformKind, bits uint8) *ir.Def {
	return &t.b.Intrinsic(ir.IntrLoadSysvalAgx, 1, bits).Set(ir.IdxFlags, uint64(k)).Def
}

func (t *tess) word(k abi.UniformKind) *ir.Def { return t.sysval(k, 32) }

// start finds the invocation's place in front of the shader.
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

// slots is the number of slots of a record, below that of them that stand before one.
func (t *tess) slots(k abi.UniformKind) *ir.Def {
	b, mask := t.b, t.sysval(k, 64)
	return b.Iadd(b.BitCount(b.Unpack64_2x32SplitX(mask)), b.BitCount(b.Unpack64_2x32SplitY(mask)))
}

func (t *tess) below(k abi.UniformKind, a *tessAccess) *ir.Def {
	b, mask := t.b, t.sysval(k, 64)
	lo, hi := b.Unpack64_2x32SplitX(mask), b.Unpack64_2x32SplitY(mask)
	switch {
	case a.index != nil: // of those from SlotVar0 on
		n := b.Iadd(a.index, b.Imm32(uint32(a.slot-ir.SlotVar0)))
		hi = b.Iand(hi, b.Isub(b.Ishl(b.Imm32(1), n), b.Imm32(1)))
	case a.slot < 32:
		return b.BitCount(b.Iand(lo, b.Imm32(1<<a.slot-1)))
	default:
		hi = b.Iand(hi, b.Imm32(1<<(a.slot-32)-1))
	}
	return b.Iadd(b.BitCount(lo), b.BitCount(hi))
}

func (t *tess) intrinsic(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		t.replace(in, t.id)
	case ir.IntrLoadPatchVerticesIn:
		t.replace(in, t.word(abi.UniformPatchVertices))
	case ir.IntrLoadPrimitiveId:
		t.replace(in, t.primitive())
	case ir.IntrLoadTessCoord:
		if t.s.Info.Tess.Domain == 0 {
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

func (t *tess) replace(in *ir.Instr, d *ir.Def) {
	if t.err == nil {
		in.Def.RewriteUses(d)
		in.Remove()
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
	if t.s.Info.Tess.Domain == 1 {
		w = b.Fsub(b.Fsub(b.ImmFloat(1, 32), u), v)
	}
	return u, v, w
}

// fetch loads words from an index on of what a uniform has the address of.
func (t *tess) fetch(k abi.UniformKind, at *ir.Def, n uint8, op ir.Intrinsic) *ir.Def {
	return &t.b.Intrinsic(op, n, 32, t.sysval(k, 64), at).Set(ir.IdxFormat, uint64(isa.FormatI32)).Def
}

// load makes what in gives of words in memory. Inputs and outputs between stages
// always are words, see setInput.
func (t *tess) load(in *ir.Instr, k abi.UniformKind, at *ir.Def, op ir.Intrinsic) *ir.Def {
	d := t.fetch(k, at, in.Def.NumComponents, op)
	switch {
	case in.Def.BitSize != 16:
		return d
	case ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat:
		return t.b.F2f16(d)
	}
	return t.b.U2u16(d)
}

// at is a word of the patch.
func (t *tess) at(n uint32) *ir.Def { return t.b.Iadd(t.base, t.b.Imm32(n)) }

// place is the word of the patches where component comp of what is accessed is.
func (t *tess) place(a *tessAccess, comp uint32) *ir.Def {
	b := t.b
	// further adds four words for each slot or record.
	further := func(at, n *ir.Def) *ir.Def {
		if n == nil {
			return at
		}
		return b.Iadd(at, b.Ishl(n, b.Imm32(2)))
	}
	switch {
	case a.slot == ir.SlotTessLevelOuter:
		return t.at(comp)
	case a.slot == ir.SlotTessLevelInner:
		return t.at(abi.PatchInner + comp)
	case a.vertex == nil:
		return further(t.at(abi.PatchConstants+4*uint32(a.slot-ir.SlotPatch0)+comp), a.index)
	case t.control:
		at := t.at(abi.PatchConstants + 4*uint32(t.meta.PatchSlots) + 4*t.rank[a.slot] + comp)
		return further(b.Iadd(at, b.Imul(a.vertex, b.Imm32(4*uint32(len(t.meta.Record))))), a.index)
	}
	slots := b.Iadd(b.Imul(a.vertex, t.slots(abi.UniformPatchRecord)), t.below(abi.UniformPatchRecord, a))
	return further(b.Iadd(b.Iadd(t.base, t.vertices()), b.Imm32(comp)), slots)
}

// read fetches an input, or an output of control.
func (t *tess) read(in *ir.Instr) {
	a, ok := t.access(in)
	if !ok {
		return
	}
	if in.Intr == ir.IntrLoadPerVertexInput {
		for slot := a.slot; slot < a.slot+a.count; slot++ {
			t.reads[slot] = true
		}
	}
	b := t.b
	switch {
	case !t.control:
		t.replace(in, t.load(in, abi.UniformPatches, t.place(&a, a.comp), ir.IntrLoadConstantAgx))
	case in.Intr == ir.IntrLoadPerVertexInput:
		record := b.Imul(b.Iadd(t.first, a.vertex), t.slots(abi.UniformRecordSlots))
		at := b.Iadd(b.Ishl(b.Iadd(record, t.below(abi.UniformRecordSlots, &a)), b.Imm32(2)), b.Imm32(a.comp))
		t.replace(in, t.load(in, abi.UniformRecords, at, ir.IntrLoadConstantAgx))
	default: // other lanes write it
		t.replace(in, t.load(in, abi.UniformPatches, t.place(&a, a.comp), ir.IntrLoadAgx))
	}
}

// write stores an output of control.
func (t *tess) write(in *ir.Instr) {
	a, ok := t.access(in)
	if !ok {
		return
	}
	b, val := t.b, in.Srcs[0].Def
	if val.BitSize == 16 {
		if ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat {
			val = b.F2f32(val)
		} else {
			val = b.U2u32(val)
		}
	}
	backend.Runs(in.Get(ir.IdxWriteMask), func(first, n int) {
		at := t.place(&a, a.comp+uint32(first))
		b.Intrinsic(ir.IntrStoreAgx, 0, 0, b.Channels(val, first, n), t.sysval(abi.UniformPatches, 64), at).Set(ir.IdxFormat, uint64(isa.FormatI32))
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
}

// loadSysval selects a value that the driver puts into uniform registers.
func (s *isel) loadSysval(in *ir.Instr) {
	u := abi.Uniform{Kind: abi.UniformKind(in.Get(ir.IdxFlags))}
	budget := uniformHalves
	if uniformRank(u.Kind) < 2 {
		budget = baseHalves
	}
	n, ok := s.uni.take(u, budget)
	if !ok {
		s.fail(in, "more addresses than uniform registers can hold are not supported")
		return
	}
	ops := []opnd{{kind: opUniform, bits: n}, {kind: opUniform, bits: n + 2}}
	s.setComps(&in.Def, ops[:in.Def.BitSize/32]...)
}

// storeFormatted selects a store that converts to a memory format: of elements from
// an index on, counted in elements of the format.
func (s *isel) storeFormatted(in *ir.Instr) {
	s.meta.WritesMemory = true
	n := int(in.Srcs[0].Def.NumComponents)
	t := isa.Instr{Op: isa.OpDeviceStore, Format: isa.Format(in.Get(ir.IdxFormat)), Mask: 1<<n - 1, Flags: isa.Unsigned}
	uses := s.register(&t, 0, s.data(in.Srcs[0].Def, 0, n), nil)
	uses = s.baseSource(&t, 1, s.global(in, in.Srcs[1].Def), uses)
	uses = s.index(&t, 2, s.comp(in.Srcs[2].Def, 0), uses)
	s.add(t, 0, uses...)
}
