package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
	"nirc/passes"
)

// Geometry shaders are no stage of the hardware (agx.md §11.6):
// the same code becomes programs for compute, which count and which leave an index buffer,
// and a vertex shader that runs it again for one of its vertices. Package abi says how
// a driver joins them.

// geometryForm is one of those programs.
type geometryForm uint8

const (
	geometryMain geometryForm = iota
	geometryCount
	geometryRaster
)

// geometry is the lowering of a geometry shader to one of its programs under way.
type geometry struct {
	stageMemory
	form  geometryForm
	impl  *ir.Impl
	modes *abi.Geometry
	// unit and invocation are the numbers of the invocation, number that of its primitive in
	// the draw and primitive in the instance, first that of the instance's first vertex.
	unit, invocation, number, primitive, first *ir.Def
	// vertex is the one that the raster program keeps, sums are the words of the units before.
	vertex *ir.Def
	sums   [abi.CountWords]*ir.Def
	// cur holds the components of outputs that were stored last, kept those of the raster
	// program's vertex, back those of the one and of the two vertices before; half tells
	// which are floats of 16 bits.
	cur, kept [4 * ir.NumVaryingSlots]*ir.Variable
	back      [2][4 * ir.NumVaryingSlots]*ir.Variable
	half      [4 * ir.NumVaryingSlots]bool
	streamOf  [4 * ir.NumVaryingSlots]int // of captured ones
	used      []int
	// padded: the words of the index buffer were not counted, and have their most.
	padded bool
	// words are those of the whole unit; of the count program, stores are what leaves them.
	words  [abi.CountWords]*ir.Def
	stores [abi.CountWords]*ir.Instr
	lists  passes.Lists
}

// lowerGeometry rewrites a geometry shader to one of its programs. The main program comes last:
// what the others have left in modes says what it does.
func (c *compiler) lowerGeometry(form geometryForm, modes *abi.Geometry, padded bool) (*geometry, error) {
	s := c.s
	impl := s.Entry().Impl
	if j := impl.Body.LastBlock().Jump(); j != nil {
		return nil, backend.Refuse(TargetName, s, j, "a geometry shader that ends in a jump is not supported")
	}
	g := &geometry{stageMemory: stageMemory{s: s, meta: &c.meta, b: ir.NewBuilder(ir.AtStart(impl.Start()))}, form: form, impl: impl, modes: modes, padded: padded, lists: c.opts.lists()}
	list := backend.Intrinsics(impl)
	for _, in := range list {
		g.scan(in)
	}
	g.start()
	for _, in := range list {
		if g.err != nil {
			return nil, g.err
		}
		g.b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
		g.intrinsic(in)
	}
	if g.err != nil {
		return nil, g.err
	}
	g.b = ir.NewBuilder(ir.AtEnd(impl.Body.LastBlock()))
	g.finish()
	impl.Preserve(ir.MetaNone)
	s.Info.WorkgroupSize = [3]uint32{abi.WaveSize, 1, 1}
	s.Stage = ir.StageCompute
	if form == geometryRaster {
		s.Stage, s.Info.WorkgroupSize = ir.StageVertex, [3]uint32{}
	}
	if err := g.lists.Run(s, "agx_geometry"); err != nil || form == geometryMain {
		return g, err
	}
	return g, g.strip()
}

// strip removes what writes memory, whose results nobody uses any more: the main
// program alone does it.
func (g *geometry) strip() error {
	for {
		n := 0
		for _, in := range backend.Intrinsics(g.impl) {
			if writesMemory(in.Intr) && (!in.HasDef() || in.Def.Unused()) {
				in.Remove()
				n++
			}
		}
		if n == 0 {
			return nil
		}
		g.impl.Preserve(ir.MetaControlFlow)
		if err := g.lists.Run(g.s, "agx_geometry"); err != nil {
			return err
		}
	}
}

// repeats reports whether a program that strip has left runs like the main program, whose
// shader writes memory or not.
func (g *geometry) repeats(writes bool) bool {
	for _, in := range backend.Intrinsics(g.impl) {
		switch {
		case writesMemory(in.Intr), looksAtLanes(in.Intr), comparesLanes(in.Intr):
			return false
		case writes && readsWritten(in):
			return false
		}
	}
	return true
}

// comparesLanes reports whether an intrinsic gives what depends on the lane that runs it,
// beyond looksAtLanes.
func comparesLanes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrLoadSubgroupInvocation, ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask,
		ir.IntrLoadSubgroupLtMask, ir.IntrReadInvocation, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate,
		ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal:
		return true
	}
	return false
}

// readsWritten reports whether an intrinsic reads memory that a shader could have written.
func readsWritten(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadSsbo, ir.IntrLoadGlobal, ir.IntrLoadGlobal2x32, ir.IntrImageDerefLoad:
		return ir.Access(in.Get(ir.IdxAccess))&(ir.AccessNonWriteable|ir.AccessCanReorder) == 0
	}
	return false
}

// scan makes the variables of the output components that in accesses.
func (g *geometry) scan(in *ir.Instr) {
	var d *ir.Def
	switch in.Intr {
	case ir.IntrStoreOutput:
		d = in.Srcs[0].Def
	case ir.IntrLoadOutput:
		d = &in.Def
	default:
		return
	}
	at, ok := g.component(in, d)
	for k := at; ok && k < at+int(d.NumComponents); k++ {
		if g.cur[k] == nil {
			g.cur[k] = g.local("out")
			g.used = append(g.used, k)
		}
		g.half[k] = g.half[k] || in.Intr == ir.IntrStoreOutput && d.BitSize == 16 && ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat
	}
}

func (g *geometry) local(name string) *ir.Variable {
	return g.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), name)
}

// component is the first output component that in accesses, whose value is d.
func (g *geometry) component(in *ir.Instr, d *ir.Def) (int, bool) {
	off, ok := in.Srcs[len(in.Srcs)-1].Def.Const(0)
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	slot, comp := uint64(sem.Location)+off, int(in.Get(ir.IdxComponent))
	switch {
	case !ok:
		g.fail(in, "%s with an indirect slot is not supported: it must be lowered", in.Intr)
	case slot >= uint64(ir.SlotPatch0) || comp+int(d.NumComponents) > 4:
		g.fail(in, "%s of slot %d, components from %d on, is not supported", in.Intr, slot, comp)
	case d.BitSize != 32 && d.BitSize != 16 || sem.High16:
		g.fail(in, "%s of %d bits is not supported: inputs and outputs must be lowered to words", in.Intr, d.BitSize)
	}
	return 4*int(slot) + comp, g.err == nil
}

// start finds the invocation's place, and gives the variables their first values.
func (g *geometry) start() {
	b := g.b
	shape := g.modes.Invocations
	for _, k := range g.used {
		b.StoreVar(g.cur[k], b.Imm32(0), 1)
	}
	if g.form == geometryRaster {
		id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
		shift := uint32(g.modes.VertexShift())
		g.unit, g.vertex = b.Ushr(id, b.Imm32(shift)), b.Iand(id, b.Imm32(1<<shift-1))
		g.number, g.invocation = g.divide(g.unit, shape)
		instance := b.Udiv(g.number, g.word(abi.UniformPrimitives))
		g.primitive = b.Isub(g.number, b.Imul(instance, g.word(abi.UniformPrimitives)))
		g.first = b.Imul(instance, g.word(abi.UniformGridVertices))
		for _, k := range g.used {
			g.kept[k] = g.local("kept")
			b.StoreVar(g.kept[k], b.Imm32(0), 1)
		}
		return
	}
	place := &b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def
	x, y := b.Channel(place, 0), b.Channel(place, 1)
	before := b.Imul(y, g.word(abi.UniformPrimitives))
	g.unit = b.Iadd(b.IMulImm(before, int64(shape)), x)
	g.primitive, g.invocation = g.divide(x, shape)
	g.number = b.Iadd(before, g.primitive)
	g.first = b.Imul(y, g.word(abi.UniformGridVertices))
	if g.form == geometryMain {
		g.startMain()
	}
}

// divide splits a number of invocations, of which a primitive has n.
func (g *geometry) divide(x *ir.Def, n uint32) (primitive, invocation *ir.Def) {
	if n == 1 {
		return x, g.b.Imm32(0)
	}
	return g.b.Udiv(x, g.b.Imm32(n)), g.b.Umod(x, g.b.Imm32(n))
}

// counts reports whether word k of those of a unit is of interest.
func (g *geometry) counts(k int) bool {
	if k == 0 {
		return true
	}
	for i := range g.modes.Captures {
		if int(g.modes.Captures[i].Stream) == k-1 {
			return true
		}
	}
	return false
}

func (g *geometry) intrinsic(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		g.replace(in, g.invocation)
	case ir.IntrLoadPrimitiveId:
		g.replace(in, g.primitiveID())
	case ir.IntrLoadPerVertexInput:
		if a, ok := g.access(in); ok {
			g.replace(in, g.record(in, &a, g.b.Iadd(g.first, g.inputVertex(a.Vertex))))
		}
	case ir.IntrStoreOutput:
		g.storeOutput(in)
	case ir.IntrLoadOutput:
		g.loadOutput(in)
	case ir.IntrEmitVertexWithCounter:
		g.emit(in, countersOf(in))
		in.Remove()
	case ir.IntrEndPrimitiveWithCounter:
		g.endStrip(countersOf(in))
		in.Remove()
	case ir.IntrSetVertexAndPrimitiveCount:
		g.total(in)
		in.Remove()
	}
}

// counters are those of a stream that lower_gs_intrinsics has made, before a vertex or the end of a strip.
type counters struct {
	stream                                int
	vertices, inStrip, strips, primitives *ir.Def
}

func countersOf(in *ir.Instr) counters {
	return counters{int(in.Get(ir.IdxStreamId)), in.Srcs[0].Def, in.Srcs[1].Def, in.Srcs[2].Def, in.Srcs[3].Def}
}

// primitiveID counts the primitives of an instance, unless the driver gives their numbers.
func (g *geometry) primitiveID() *ir.Def {
	b := g.b
	list := g.sysval(abi.UniformPrimitiveIDs, 64)
	none := b.Ieq(b.Ior(b.Unpack64_2x32SplitX(list), b.Unpack64_2x32SplitY(list)), b.Imm32(0))
	// Without a list the load gives 0.
	return b.Bcsel(none, g.primitive, g.fetch(abi.UniformPrimitiveIDs, g.number, 1, ir.IntrLoadConstantAgx))
}

func (g *geometry) storeOutput(in *ir.Instr) {
	val := in.Srcs[0].Def
	at, ok := g.component(in, val)
	if !ok {
		return
	}
	for c := range int(val.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>c&1 != 0 {
			g.b.StoreVar(g.cur[at+c], backend.StageWord(g.b, in, g.b.Channel(val, c)), 1)
		}
	}
	in.Remove()
}

func (g *geometry) loadOutput(in *ir.Instr) {
	at, ok := g.component(in, &in.Def)
	if !ok {
		return
	}
	b := g.b
	parts := make([]*ir.Def, in.Def.NumComponents)
	for c := range parts {
		parts[c] = b.LoadVar(g.cur[at+c])
		switch {
		case in.Def.BitSize != 16:
		case g.half[at+c]:
			parts[c] = b.F2f16(parts[c])
		default:
			parts[c] = b.U2u16(parts[c])
		}
	}
	g.replace(in, b.Vec(parts...))
}

// emit ends a vertex. Only those of stream 0 are rasterised, and have numbers.
func (g *geometry) emit(in *ir.Instr, n counters) {
	b := g.b
	switch {
	case g.form == geometryMain:
		g.leave(in, n)
	case g.form == geometryRaster && n.stream == 0:
		mine := b.Ieq(n.vertices, g.vertex)
		for _, k := range g.used {
			b.StoreVar(g.kept[k], b.Bcsel(mine, b.LoadVar(g.cur[k]), b.LoadVar(g.kept[k])), 1)
		}
	}
}

// indices is the number of words of the index buffer that vertices and strips of stream 0 have: strips end by a word,
// of which points have none.
func (g *geometry) indices(vertices, strips *ir.Def) *ir.Def {
	if g.modes.OutPrimitive == ir.OutPoints {
		return vertices
	}
	return g.b.Iadd(vertices, strips)
}

// endStrip ends the strip of a stream, if there is one.
func (g *geometry) endStrip(n counters) {
	if g.form != geometryMain || n.stream != 0 || g.modes.OutPrimitive == ir.OutPoints {
		return
	}
	b := g.b
	i := b.PushIf(b.Ine(n.inStrip, b.Imm32(0)))
	g.index(g.indices(n.vertices, n.strips), b.Imm32(abi.Restart))
	b.PopIf(i)
}

// total notes how much there is of a stream.
func (g *geometry) total(in *ir.Instr) {
	stream := int(in.Get(ir.IdxStreamId))
	if stream == 0 {
		g.words[0] = g.indices(in.Srcs[0].Def, in.Srcs[1].Def)
	}
	g.words[1+stream] = in.Srcs[2].Def
}

// finish leaves what the program is for.
func (g *geometry) finish() {
	b := g.b
	switch g.form {
	case geometryRaster:
		for _, k := range g.used {
			g.output(k, b.LoadVar(g.kept[k]))
		}
	case geometryMain:
		g.pad()
	case geometryCount:
		at := b.Imul(g.unit, b.Imm32(abi.CountWords))
		for k := range g.words {
			if g.counts(k) {
				g.stores[k] = g.store(abi.UniformCounts, b.Iadd(at, b.Imm32(uint32(k))), g.wordsOf(k), isa.FormatI32)
			}
		}
	}
}

// wordsOf are words k of the whole unit, 0 of a stream that nothing is emitted to.
func (g *geometry) wordsOf(k int) *ir.Def {
	if g.words[k] == nil {
		return g.b.Imm32(0)
	}
	return g.words[k]
}

// output stores an output component of the raster program.
func (g *geometry) output(k int, v *ir.Def) {
	b := g.b
	sem := ir.IOSemantics{Location: ir.Slot(k / 4), NumSlots: 1}
	b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxComponent, uint64(k%4)).
		Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, uint64(k/4)).Set(ir.IdxRange, 1).
		Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
}

// constants returns the words of all units if they are the same for all.
func (g *geometry) constants() (words [abi.CountWords]uint32, ok bool) {
	for k, in := range g.stores {
		if in == nil {
			continue
		}
		v, is := in.Srcs[0].Def.Const(0)
		if !is {
			return words, false
		}
		words[k] = uint32(v)
	}
	return words, true
}
