package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/ir"
)

// geometry compiles a geometry shader: its programs, one after the other. The raster and
// the count program come first, for the main program does what they cannot.
func (c *compiler) geometry() (*Binary, error) {
	s := c.s
	if e := s.Entry(); e == nil || e.Impl == nil {
		return c.run() // which says so
	}
	// Fewer vertices than the shader declares may be all that there are.
	if err := backend.CountEmits(TargetName, s, c.opts.lists(), "agx_emits"); err != nil {
		return nil, err
	}
	i := &s.Info.Geom
	modes := &abi.Geometry{Invocations: max(1, i.Invocations), MaxVertices: i.MaxVertices, InPrimitive: i.InPrimitive, OutPrimitive: i.OutPrimitive,
		Feedback: abi.Feedback{Captures: s.Captures, Strides: s.Info.XfbStrides}}
	switch n := i.InPrimitive; {
	case n < 1 || n == 5 || n > 6:
		return nil, backend.Refuse(TargetName, s, nil, "a geometry shader that takes primitives of %d vertices is not supported", n)
	case i.MaxVertices > 1024 || modes.Invocations > 127 || i.OutPrimitive > 2:
		return nil, backend.Refuse(TargetName, s, nil, "a geometry shader of %d vertices, %d invocations and output primitive %d is not supported",
			i.MaxVertices, modes.Invocations, i.OutPrimitive)
	}
	raster, err := c.raster(modes)
	if err != nil {
		return nil, err
	}
	count, padded, err := c.count(modes)
	if err != nil {
		return nil, err
	}
	if count != nil {
		modes.Count = &count.Meta
	}
	main, err := c.program(geometryMain, modes, padded, nil)
	if err != nil {
		return nil, err
	}
	for _, b := range []*Binary{count, raster} {
		if b == nil {
			continue
		}
		b.Meta.Feedback = nil
		if err := main.append(b); err != nil {
			return nil, err
		}
	}
	modes.Raster = &raster.Meta
	main.Meta.Stage, main.Meta.Geometry, main.Meta.Feedback = ir.StageGeometry, modes, nil
	return main, main.Meta.Check()
}

// program lowers and compiles one of the programs. With ask, that decides: nil asks for
// another way.
func (c *compiler) program(form geometryForm, modes *abi.Geometry, padded bool, ask func(g *geometry) bool) (*Binary, error) {
	s := ir.Clone(c.s)
	defer s.Release()
	p := &compiler{s: s, gpu: c.gpu, opts: c.opts}
	g, err := p.lowerGeometry(form, modes, padded)
	if err != nil || ask != nil && !ask(g) {
		return nil, err
	}
	b, err := p.run()
	if form == geometryMain && err == nil {
		b.Meta.Reads = slotList(g.reads, ir.SlotPatch0)
	}
	return b, err
}

// raster compiles the raster program: the shader again, or one that fetches what the main
// program leaves.
func (c *compiler) raster(modes *abi.Geometry) (*Binary, error) {
	b, err := c.program(geometryRaster, modes, false, func(g *geometry) bool {
		if g.repeats(c.writes()) {
			return true
		}
		for k := range g.cur {
			if slot, n := ir.Slot(k/4), len(modes.Vertices); g.cur[k] != nil && (n == 0 || modes.Vertices[n-1] != slot) {
				modes.Vertices = append(modes.Vertices, slot)
			}
		}
		return false
	})
	if b != nil || err != nil {
		return b, err
	}
	return c.fetchVertices(modes)
}

// writes reports whether the shader writes memory.
func (c *compiler) writes() bool {
	for _, in := range backend.Intrinsics(c.s.Entry().Impl) {
		if writesMemory(in.Intr) {
			return true
		}
	}
	return false
}

// fetchVertices compiles the raster program that fetches vertices.
func (c *compiler) fetchVertices(modes *abi.Geometry) (*Binary, error) {
	s, b := newPart(ir.StageVertex, c.s.Name)
	s.Info.ClipDistances, s.Info.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
	starts := outputStarts(c.s)
	for _, slot := range modes.Vertices {
		declareOutputs(s, slot, starts[slot])
	}
	g := &geometry{stageMemory: stageMemory{s: s, b: b}}
	id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	for k, slot := range modes.Vertices {
		at := b.Iadd(b.Imul(id, b.Imm32(uint32(len(modes.Vertices)))), b.Imm32(uint32(k)))
		v := g.fetch(abi.UniformVertices, b.Ishl(at, b.Imm32(2)), 4, ir.IntrLoadConstantAgx)
		for comp := range 4 {
			g.output(4*int(slot)+comp, b.Channel(v, comp))
		}
	}
	return compilePart(s, CompileOptions{GPU: c.opts.GPU, Job: c.opts.Job})
}

// count compiles the count program, unless the counts are the same for all units or, for
// shaders that cannot run twice, taken as their most (padded).
func (c *compiler) count(modes *abi.Geometry) (bin *Binary, padded bool, err error) {
	known := false
	b, err := c.program(geometryCount, modes, false, func(g *geometry) bool {
		if modes.Counts, known = g.constants(); known {
			return false
		}
		padded = !g.repeats(c.writes())
		return !padded
	})
	if err != nil || known || !padded {
		return b, false, err
	}
	if len(modes.Captures) > 0 {
		return nil, false, backend.Refuse(TargetName, c.s, nil, "transform feedback of as many primitives as memory says that the shader writes is not supported")
	}
	modes.Counts = [abi.CountWords]uint32{2 * modes.MaxVertices}
	if modes.OutPrimitive == 0 {
		modes.Counts[0] = modes.MaxVertices
	}
	return nil, true, nil
}

// append puts the code of another program after that of b.
func (b *Binary) append(o *Binary) (err error) {
	if b.Code, err = align(b.Code); err != nil {
		return err
	}
	at := len(b.Code)
	o.Meta.Entry += uint32(at)
	if o.Meta.HasPreamble {
		o.Meta.Preamble += uint32(at)
	}
	for _, l := range o.Lines {
		b.Lines = append(b.Lines, backend.CodeLine{Offset: l.Offset + at, Loc: l.Loc})
	}
	b.Code = append(b.Code, o.Code...)
	b.Stats.add(&o.Stats)
	return nil
}
