package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// What only the main program of a geometry shader does: index buffer, vertices and transform
// feedback; and input topologies, which all of them resolve.

// startMain reads where the unit's part begins of what the main program writes.
func (g *geometry) startMain() {
	b := g.b
	at := b.Imul(g.unit, b.Imm32(abi.CountWords))
	for k := range g.sums {
		switch {
		case !g.counts(k):
		case g.modes.Count == nil:
			g.sums[k] = b.Imul(g.unit, b.Imm32(g.modes.Counts[k]))
		default:
			g.sums[k] = b.Channel(g.fetch(abi.UniformCounts, b.Iadd(at, b.Imm32(uint32(k))), 1, ir.IntrLoadConstantAgx), 0)
		}
	}
	for i := range g.modes.Captures {
		c := &g.modes.Captures[i]
		for comp := range int(c.Count) {
			k := 4*int(c.Slot) + int(c.First) + comp
			g.streamOf[k] = int(c.Stream)
			for n := range int(g.modes.OutPrimitive) {
				if g.back[n][k] == nil {
					g.back[n][k] = g.local("back")
					b.StoreVar(g.back[n][k], b.Imm32(0), 1)
				}
			}
		}
	}
}

// index writes word n of the unit's part of the index buffer.
func (g *geometry) index(n, v *ir.Def) {
	g.store(abi.UniformIndices, g.b.Iadd(g.sums[0], n), v, isa.FormatI32)
}

// pad fills the unit's part of an index buffer whose words were not counted.
func (g *geometry) pad() {
	if !g.padded {
		return
	}
	b := g.b
	at := g.local("words")
	b.StoreVar(at, g.wordsOf(0), 1)
	loop := b.PushLoop()
	n := b.LoadVar(at)
	i := b.PushIf(b.Uge(n, b.Imm32(g.modes.Counts[0])))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	g.index(n, b.Imm32(abi.Restart))
	b.StoreVar(at, b.IAddImm(n, 1), 1)
	b.PopLoop(loop)
}

// leave writes what a vertex of the unit leaves.
func (g *geometry) leave(in *ir.Instr, n counters) {
	b := g.b
	if n.stream == 0 {
		id := b.Ior(b.Ishl(g.unit, b.Imm32(uint32(g.modes.VertexShift()))), n.vertices)
		g.index(g.indices(n.vertices, n.strips), id)
		g.keep(id)
	}
	if !g.counts(1 + n.stream) {
		return
	}
	number := b.Iadd(g.sums[1+n.stream], n.primitives)
	whole := b.Uge(n.inStrip, b.Imm32(uint32(g.modes.OutPrimitive)))
	i := b.PushIf(b.Iand(whole, b.Ult(number, g.word(abi.UniformXfbLimit0+abi.UniformKind(n.stream)))))
	for k := range g.modes.Captures {
		if c := &g.modes.Captures[k]; int(c.Stream) == n.stream {
			g.capture(in, c, number, n.inStrip)
		}
	}
	b.PopIf(i)
	g.shift(n.stream)
}

// keep leaves the vertex for a raster program that does not run the shader again.
func (g *geometry) keep(id *ir.Def) {
	b := g.b
	slots := uint32(len(g.modes.Vertices))
	for k, slot := range g.modes.Vertices {
		at := b.Ishl(b.Iadd(b.Imul(id, b.Imm32(slots)), b.Imm32(uint32(k))), b.Imm32(2))
		var v [4]*ir.Def
		for c := range v {
			if v[c] = b.Imm32(0); g.cur[4*int(slot)+c] != nil {
				v[c] = b.LoadVar(g.cur[4*int(slot)+c])
			}
		}
		g.store(abi.UniformVertices, at, b.Vec(v[:]...), isa.FormatI32)
	}
}

// capture writes a run of components of all vertices of a primitive that the vertex under
// way completes. Every second triangle of a strip has its last vertices swapped.
func (g *geometry) capture(in *ir.Instr, c *ir.Capture, number, inStrip *ir.Def) {
	b := g.b
	size, unit := uint32(g.modes.OutPrimitive)+1, uint32(c.Bits)/8
	stride := g.modes.Strides[c.Buffer]
	if unit != 2 && unit != 4 || stride%unit != 0 || c.Offset%unit != 0 {
		g.fail(in, "transform feedback of %d bits at byte %d of %d is not supported", c.Bits, c.Offset, stride)
		return
	}
	odd := b.Iand(inStrip, b.Imm32(1))
	format := isa.FormatI32
	if unit == 2 {
		format = isa.FormatI16
	}
	for v := range size {
		place := b.Imm32(v)
		switch {
		case size == 3 && v == 1:
			place = b.Iadd(place, odd)
		case size == 3 && v == 2:
			place = b.Isub(place, odd)
		}
		from := &g.cur
		if v < size-1 {
			from = &g.back[size-2-v]
		}
		vertex := b.Iadd(b.Imul(number, b.Imm32(size)), place)
		at := b.Iadd(b.Imul(vertex, b.Imm32(stride/unit)), b.Imm32(c.Offset/unit))
		list := make([]*ir.Def, c.Count)
		for k := range list {
			list[k] = g.captured(from, 4*int(c.Slot)+int(c.First)+k, c.Bits)
		}
		g.store(abi.UniformXfbBuffer0+abi.UniformKind(c.Buffer), at, b.Vec(list...), format)
	}
}

// captured is an output component as a capture of some bits wants it.
func (g *geometry) captured(from *[4 * ir.NumVaryingSlots]*ir.Variable, k int, bits uint8) *ir.Def {
	b := g.b
	v := b.Imm32(0)
	if g.cur[k] != nil {
		v = b.LoadVar(from[k])
	}
	switch {
	case bits != 16:
		return v
	case g.half[k]:
		return b.F2f16(v)
	}
	return b.U2u16(v)
}

// shift makes the vertex under way the one before.
func (g *geometry) shift(stream int) {
	for n := int(g.modes.OutPrimitive) - 1; n >= 0; n-- {
		from := &g.cur
		if n > 0 {
			from = &g.back[n-1]
		}
		for k, v := range g.back[n] {
			if v != nil && from[k] != nil && g.streamOf[k] == stream {
				g.b.StoreVar(v, g.b.LoadVar(from[k]), 1)
			}
		}
	}
}

// inputVertex is the number, in its instance, of vertex v of the invocation's primitive.
// The orders are those of the Vulkan specification, section Primitive Topologies.
func (g *geometry) inputVertex(v *ir.Def) *ir.Def {
	b, p := g.b, g.primitive
	is := func(t emu.Topology) *ir.Def { return b.Ieq(g.word(abi.UniformTopology), b.Imm32(uint32(t))) }
	n := uint32(g.modes.InPrimitive)
	list := b.Iadd(b.Imul(p, b.Imm32(n)), v)
	strip := b.Iadd(p, v)
	odd := b.Ine(b.Iand(p, b.Imm32(1)), b.Imm32(0))
	switch n {
	case 2:
		return b.Bcsel(is(emu.LineStrip), strip, list)
	case 3:
		// The last two of v are swapped in every second triangle.
		swapped := b.Bcsel(b.Iand(odd, b.Ine(v, b.Imm32(0))), b.Iadd(p, b.Isub(b.Imm32(3), v)), strip)
		fan := b.Bcsel(b.Ieq(v, b.Imm32(2)), b.Imm32(0), b.Iadd(strip, b.Imm32(1)))
		return b.Bcsel(is(emu.TriangleStrip), swapped, b.Bcsel(is(emu.TriangleFan), fan, list))
	case 4:
		return b.Bcsel(is(emu.LineStripAdjacency), strip, list)
	case 6:
		return b.Bcsel(is(emu.TriangleStripAdjacency), g.adjacent(v, odd), list)
	}
	return list
}

// adjacent is inputVertex for triangle strips with adjacency: from vertex 2p on, the first
// triangle's edge has its neighbour before it, the last one's after it.
func (g *geometry) adjacent(v, odd *ir.Def) *ir.Def {
	b, p := g.b, g.primitive
	before := b.Bcsel(b.Ieq(p, b.Imm32(0)), b.Imm32(1), b.ImmInt(-2, 32))
	last := b.Ieq(b.Iadd(p, b.Imm32(1)), g.word(abi.UniformPrimitives))
	far := b.Bcsel(last, b.Imm32(5), b.Imm32(6))
	even := []*ir.Def{b.Imm32(0), before, b.Imm32(2), far, b.Imm32(4), b.Imm32(3)}
	other := []*ir.Def{b.Imm32(0), b.Imm32(3), b.Imm32(4), far, b.Imm32(2), before}
	at := b.Imm32(0)
	for k := range even {
		at = b.Bcsel(b.Ieq(v, b.Imm32(uint32(k))), b.Bcsel(odd, other[k], even[k]), at)
	}
	return b.Iadd(b.Ishl(p, b.Imm32(1)), at)
}
