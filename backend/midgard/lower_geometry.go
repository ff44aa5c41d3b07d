package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// geometry is the lowering of a geometry shader under way.
type geometry struct {
	stageMemory
	impl *ir.Impl
	info abi.Geometry
	// primitive is the number of the primitive in the draw, invocation that of the invocation; first is the number of its first vertex,
	// words that of its first word of an index buffer.
	primitive, invocation, first, words *ir.Def
	// cur holds the components of outputs that were stored last.
	cur [4 * ir.NumVaryingSlots]*ir.Variable
	// used is, by stream, the number of words written.
	used [ir.NumXfbBuffers]*ir.Variable
}

// lowerGeometry: a thread of compute for each invocation, which leaves vertices and indices in memory (midgard.md §9.9).
func (c *compiler) lowerGeometry() error {
	s, impl := c.s, c.impl()
	if j := impl.Body.LastBlock().Jump(); j != nil {
		return backend.Refuse(TargetName, s, j, "a geometry shader that ends in a jump is not supported")
	}
	// Fewer vertices than the shader declares may be all that there are.
	if err := backend.CountEmits(TargetName, s, c.job.Lists, "midgard_emits"); err != nil {
		return err
	}
	g := &geometry{stageMemory: stageMemory{s: s, b: ir.NewBuilder(ir.AtStart(impl.Start()))}, impl: impl,
		info: abi.Geometry{Modes: s.Info.Geom, Captures: s.Captures, Strides: s.Info.XfbStrides}}
	i := &g.info.Modes
	switch i.Invocations = max(1, i.Invocations); {
	case i.InPrimitive < 1 || i.InPrimitive == 5 || i.InPrimitive > 6 || i.MaxVertices > 1024 || i.Invocations > 127 || i.OutPrimitive > 2:
		return backend.Refuse(TargetName, s, nil, "a geometry shader that takes primitives of %d vertices, of %d vertices, %d invocations and output primitive %d is not supported",
			i.InPrimitive, i.MaxVertices, i.Invocations, i.OutPrimitive)
	}
	list := backend.Intrinsics(impl)
	g.findReads(list)
	for _, in := range list {
		g.scan(in)
	}
	g.start()
	for _, in := range list {
		if g.err != nil {
			return g.err
		}
		g.b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
		g.intrinsic(in)
	}
	if g.err != nil {
		return g.err
	}
	g.b = ir.NewBuilder(ir.AtEnd(impl.Body.LastBlock()))
	g.finish()
	impl.Preserve(ir.MetaNone)
	s.Stage, s.Info.WorkgroupSize, s.Captures = ir.StageCompute, [3]uint32{1, 1, 1}, nil
	c.stage = stageMeta{reads: g.reads, geometry: &g.info}
	for _, slot := range g.info.Vertices {
		mask := uint8(0)
		for comp := range 4 {
			if g.cur[4*int(slot)+comp] != nil {
				mask |= 1 << comp
			}
		}
		c.stage.masks = append(c.stage.masks, mask)
	}
	return c.job.Lists.Run(s, "midgard_stages")
}

func (g *geometry) local(name string) *ir.Variable {
	return g.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), name)
}

// zero makes a variable that is 0 where the shader begins.
func (g *geometry) zero(name string) *ir.Variable {
	v := g.local(name)
	g.b.StoreVar(v, g.b.Imm32(0), 1)
	return v
}

// scan makes the variables of the output components that in accesses, and finds the streams.
func (g *geometry) scan(in *ir.Instr) {
	var d *ir.Def
	switch in.Intr {
	case ir.IntrStoreOutput:
		d = in.Srcs[0].Def
	case ir.IntrLoadOutput:
		d = &in.Def
	case ir.IntrEmitVertexWithCounter:
		g.info.Streams |= 1 << in.Get(ir.IdxStreamId)
		return
	default:
		return
	}
	at, ok := g.component(in)
	for k := at; ok && k < at+int(d.NumComponents); k++ {
		if slot, n := ir.Slot(k/4), len(g.info.Vertices); g.cur[k] == nil && (n == 0 || g.info.Vertices[n-1] != slot) {
			g.keep(slot)
		}
		if g.cur[k] == nil {
			g.cur[k] = g.zero("out")
		}
	}
}

// keep adds a slot to those of a vertex, which are in order.
func (g *geometry) keep(slot ir.Slot) {
	list := g.info.Vertices
	at := len(list)
	for at > 0 && list[at-1] >= slot {
		if at--; list[at] == slot {
			return
		}
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = slot
	g.info.Vertices = list
}

// component is the first output component that in accesses.
func (g *geometry) component(in *ir.Instr) (int, bool) {
	a, ok := g.outputOf(in)
	if ok && a.Index != nil {
		g.fail(in, "%s with an indirect slot is not supported: it must be lowered", in.Intr)
	}
	return 4*int(a.Slot) + int(a.Comp), g.err == nil
}

// outputOf is access of an output, which in geometry shaders is of no vertex.
func (g *geometry) outputOf(in *ir.Instr) (a backend.StageAccess, ok bool) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	off := in.Srcs[len(in.Srcs)-1].Def
	a = backend.StageAccess{Slot: sem.Location, Count: 1, Comp: uint32(in.Get(ir.IdxComponent))}
	d := &in.Def
	if !in.HasDef() {
		d = in.Srcs[0].Def
	}
	if k, constant := off.Const(0); constant {
		a.Slot += ir.Slot(min(k, ir.NumVaryingSlots))
	} else {
		a.Index = off
	}
	switch {
	case a.Slot >= ir.SlotPatch0 || a.Comp+uint32(d.NumComponents) > 4:
		g.fail(in, "%s of slot %d, components from %d on, is not supported", in.Intr, a.Slot, a.Comp)
	case d.BitSize != 32 && d.BitSize != 16 || sem.High16:
		g.fail(in, "%s of %d bits is not supported: inputs and outputs must be lowered to words", in.Intr, d.BitSize)
	}
	return a, g.err == nil
}

// start finds the invocation's place.
func (g *geometry) start() {
	b, i := g.b, &g.info.Modes
	group := &b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def
	g.primitive, g.invocation = b.Channel(group, 0), b.Channel(group, 1)
	unit := b.Iadd(b.Imul(g.primitive, b.Imm32(i.Invocations)), g.invocation)
	g.first, g.words = b.Imul(unit, b.Imm32(i.MaxVertices)), b.Imul(unit, b.Imm32(g.info.Words()))
	for n := range g.used {
		if g.info.Streams>>n&1 != 0 {
			g.used[n] = g.zero("words")
		}
	}
}

func (g *geometry) intrinsic(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		g.replace(in, g.invocation)
	case ir.IntrLoadPrimitiveId:
		g.replace(in, g.entry(g.primitive, nil))
	case ir.IntrLoadPerVertexInput:
		if a, ok := g.access(in); ok {
			g.replace(in, g.record(in, &a, g.primitive))
		}
	case ir.IntrStoreOutput:
		at, ok := g.component(in)
		if !ok {
			return
		}
		val := in.Srcs[0].Def
		for c := range int(val.NumComponents) {
			if in.Get(ir.IdxWriteMask)>>c&1 != 0 {
				g.b.StoreVar(g.cur[at+c], backend.StageWord(g.b, in, g.b.Channel(val, c)), 1)
			}
		}
		in.Remove()
	case ir.IntrLoadOutput:
		at, ok := g.component(in)
		if !ok {
			return
		}
		parts := make([]*ir.Def, in.Def.NumComponents)
		for c := range parts {
			parts[c] = g.b.LoadVar(g.cur[at+c])
		}
		g.replace(in, g.b.Vec(parts...))
	case ir.IntrEmitVertexWithCounter:
		g.emit(int(in.Get(ir.IdxStreamId)), in.Srcs[0].Def)
		in.Remove()
	case ir.IntrEndPrimitiveWithCounter:
		g.endStrip(int(in.Get(ir.IdxStreamId)), in.Srcs[1].Def)
		in.Remove()
	case ir.IntrSetVertexAndPrimitiveCount:
		in.Remove()
	}
}

// emit ends vertex n of those of all streams.
func (g *geometry) emit(stream int, n *ir.Def) {
	b := g.b
	id := b.Iadd(g.first, n)
	g.index(stream, id)
	at := b.Imul(id, b.Imm32(16*uint32(len(g.info.Vertices))))
	for k, slot := range g.info.Vertices {
		var v [4]*ir.Def
		mask := uint64(0)
		for c := range v {
			if x := g.cur[4*int(slot)+c]; x != nil {
				v[c] = b.LoadVar(x)
				mask |= 1 << c
			} else {
				v[c] = b.Imm32(0)
			}
		}
		g.store(abi.SysvalStageVertices, 0, b.IAddImm(at, int64(16*k)), b.Vec(v[:]...), mask)
	}
}

// index writes a word of the index buffer of a stream.
func (g *geometry) index(stream int, v *ir.Def) {
	b := g.b
	n := b.LoadVar(g.used[stream])
	g.store(abi.SysvalStageIndices, uint32(stream), b.Ishl(b.Iadd(g.words, n), b.Imm32(2)), v, 1)
	b.StoreVar(g.used[stream], b.IAddImm(n, 1), 1)
}

// endStrip ends the strip of a stream, if there is one. Points have none.
func (g *geometry) endStrip(stream int, inStrip *ir.Def) {
	if g.info.Modes.OutPrimitive == ir.OutPoints || g.used[stream] == nil {
		return
	}
	b := g.b
	i := b.PushIf(b.Ine(inStrip, b.Imm32(0)))
	g.index(stream, b.Imm32(abi.Restart))
	b.PopIf(i)
}

// finish fills the invocation's part of the index buffers up.
func (g *geometry) finish() {
	b := g.b
	for stream, used := range g.used {
		if used == nil {
			continue
		}
		loop := b.PushLoop()
		i := b.PushIf(b.Uge(b.LoadVar(used), b.Imm32(g.info.Words())))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		g.index(stream, b.Imm32(abi.Restart))
		b.PopLoop(loop)
	}
}

// raster compiles the raster program of a geometry shader, which fetches the vertices that it leaves; nil of others.
func (c *compiler) raster() (*Binary, error) {
	g := c.stage.geometry
	if g == nil {
		return nil, nil
	}
	s := ir.NewShader(ir.StageVertex, c.s.Options)
	defer s.Release()
	s.Name = c.s.Name
	s.Info.ClipDistances, s.Info.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
	f := s.NewFunction("main")
	f.IsEntry = true
	t := stageMemory{s: s, b: ir.NewBuilder(ir.AtEnd(f.Impl.Start()))}
	b := t.b
	at := b.Imul(&b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def, b.Imm32(16*uint32(len(g.Vertices))))
	for k, slot := range g.Vertices {
		v := t.constant(abi.SysvalStageVertices, b.IAddImm(at, int64(16*k)), 4)
		sem := ir.IOSemantics{Location: slot, NumSlots: 1}
		b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, uint64(c.stage.masks[k])).Set(ir.IdxIoSemantics, sem.Pack()).
			Set(ir.IdxBase, uint64(slot)).Set(ir.IdxRange, 1).Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
	}
	o := c.opts
	o.Next, o.plan = ir.StageNone, ""
	bin, err := Compile(s, o)
	if err != nil {
		return nil, err
	}
	g.Raster = &bin.Meta
	return bin, nil
}

// append puts the code of a raster program after that of a geometry shader.
func (b *Binary) append(raster *Binary) {
	at := len(b.Code)
	b.Meta.Geometry.At = uint32(at)
	b.Code = append(b.Code, raster.Code...)
	for _, l := range raster.Lines {
		b.Lines = append(b.Lines, backend.CodeLine{Offset: l.Offset + at, Loc: l.Loc})
	}
	b.Stats.add(&raster.Stats)
}
