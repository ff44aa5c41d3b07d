package core

import (
	"encoding/binary"
	"fmt"
	"math"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

// geometryDraw runs the programs of a geometry shader on some units, as a driver does: the
// count program and the sums of what it left, the main program, then the raster program on
// every vertex that stands in the index buffer.
type geometryDraw struct {
	p      *program // the main program
	modes  *abi.Geometry
	env    *emu.Env
	check  bool
	approx uint64 // Launch.Approx
	d      *driverMemory
	// Units are numbered first to end-1; perInstance of them are an instance.
	first, end, perInstance uint32
	view                    uint32
	feedback                *emu.Feedback
	pipeline                *emu.Pipeline // nil outside of draws

	phase  int
	at     uint32 // unit, or vertex, that the next wave begins with
	starts []uint32
	fits   [ir.NumXfbBuffers]uint32 // primitives, by stream, for which there is room
	base   [ir.NumXfbBuffers]uint32 // number of the first one
	totals [abi.CountWords]uint32
	ids    []uint32 // vertices in the index buffer, each once
	place  map[uint32]int
	out    []emu.Slots
}

// The phases of a geometryDraw.
const (
	phaseCount = iota
	phaseMain
	phaseRaster
	phaseEnd
)

// newGeometryDraw begins a draw whose records and primitives d tells.
func newGeometryDraw(p *program, d *driverMemory, first, end, perInstance uint32) (*geometryDraw, error) {
	m := p.meta.Geometry
	if uint64(end)<<m.VertexShift() >= math.MaxUint32 || uint64(end) > 1<<20 {
		return nil, &emu.Unsupported{What: fmt.Sprintf("a geometry stage of %d units with %d vertices each is not supported", end, m.MaxVertices)}
	}
	return &geometryDraw{p: p, modes: m, d: d, first: first, at: first, end: end, perInstance: perInstance}, nil
}

// next makes the next wave, nil at the end. The one before has ended.
func (g *geometryDraw) next() (*wave, error) {
	for {
		switch g.phase {
		case phaseCount:
			if g.at == g.first {
				g.d.uniform(abi.UniformViewIndex, uint64(g.view))
				if g.p.count != nil {
					g.d.uniform(abi.UniformCounts, g.d.alloc(regionCounts, int(g.end)*abi.CountWords, 0))
				}
			}
			if g.p.count != nil && g.at < g.end {
				return g.compute(g.p.count), nil
			}
			if err := g.sums(); err != nil {
				return nil, err
			}
		case phaseMain:
			if g.at < g.end {
				return g.compute(g.p), nil
			}
			g.collect()
		case phaseRaster:
			if int(g.at) < len(g.ids) {
				return g.raster(), nil
			}
			g.phase = phaseEnd
		default:
			return nil, nil
		}
	}
}

// wave makes a wave of a program.
func (g *geometryDraw) wave(p *program, l *emu.Launch) *wave {
	l.Env, l.Check, l.Approx, l.Draw = g.env, g.check, g.approx, g.pipeline
	w := p.newWave(l)
	w.driver = g.d
	return w
}

// compute makes a wave of units.
func (g *geometryDraw) compute(p *program) *wave {
	c := &emu.ComputeLaunch{NumWorkgroups: [3]uint32{1, 1, 1}, NumSubgroups: 1}
	for ; g.at < g.end && len(c.LocalID) < lanes; g.at++ {
		c.LocalID = append(c.LocalID, [3]uint32{g.at % g.perInstance, g.at / g.perInstance, 0})
	}
	return g.wave(p, &emu.Launch{NumLanes: len(c.LocalID), Compute: c})
}

// sums puts sums in place of counts, and allocates what the main program writes.
func (g *geometryDraw) sums() error {
	d, m := g.d, g.modes
	if n := uint64(g.end-g.first) << m.VertexShift() * uint64(len(m.Vertices)); n > 1<<24 {
		return &emu.Unsupported{What: fmt.Sprintf("%d slots of vertices that the geometry stage keeps are not supported", n)}
	}
	g.starts = make([]uint32, 0, g.end-g.first+1)
	if g.p.count == nil {
		for k := range g.totals {
			g.totals[k] = m.Counts[k] * (g.end - g.first)
			if k > 0 {
				g.base[k-1] = m.Counts[k] * g.first
			}
		}
		for u := g.first; u <= g.end; u++ {
			g.starts = append(g.starts, u*m.Counts[0])
		}
	} else {
		for u := g.first; u < g.end; u++ {
			g.starts = append(g.starts, g.totals[0])
			for k := range g.totals {
				at := int(u)*abi.CountWords + k
				n := d.get(regionCounts, at)
				if n > 2*m.MaxVertices && g.counted(k) {
					return fmt.Errorf("agx core: unit %d counts %d words or primitives of %d vertices", u, n, m.MaxVertices)
				}
				d.set(regionCounts, at, g.totals[k])
				g.totals[k] += n
			}
		}
		g.starts = append(g.starts, g.totals[0])
	}
	d.uniform(abi.UniformIndices, d.alloc(regionDraw, int(g.totals[0]), g.starts[0]))
	if n := 4 * len(m.Vertices); n > 0 {
		d.uniform(abi.UniformVertices, d.alloc(regionVertices, n*int(g.end-g.first)<<m.VertexShift(), g.first<<m.VertexShift()*uint32(n)))
	}
	g.room()
	g.phase, g.at = phaseMain, g.first
	return nil
}

// counted reports whether the count program writes word k of a unit.
func (g *geometryDraw) counted(k int) bool {
	if k == 0 {
		return true
	}
	_, any := g.captured(k - 1)
	return any
}

// captured reports whether transform feedback takes a stream, and to which buffers.
func (g *geometryDraw) captured(stream int) (buffers [ir.NumXfbBuffers]bool, any bool) {
	for i := range g.modes.Captures {
		if c := &g.modes.Captures[i]; int(c.Stream) == stream {
			buffers[c.Buffer], any = true, true
		}
	}
	return buffers, any
}

// primitiveBytes is what a primitive takes in a buffer.
func (g *geometryDraw) primitiveBytes(buffer int) uint64 {
	return (uint64(g.modes.OutPrimitive) + 1) * uint64(g.modes.Strides[buffer])
}

// room finds out for how many primitives there is room, and makes the place for them.
func (g *geometryDraw) room() {
	for s := range g.fits {
		buffers, any := g.captured(s)
		if !any {
			continue
		}
		n := uint64(0)
		if f := g.feedback; f != nil {
			n = uint64(g.totals[1+s])
			for b, on := range buffers {
				if size := g.primitiveBytes(b); on && size > 0 {
					n = min(n, (uint64(len(f.Buffers[b]))-min(f.Offsets[b], uint64(len(f.Buffers[b]))))/size)
				}
			}
		}
		g.fits[s] = uint32(n)
		g.d.uniform(abi.UniformXfbLimit0+abi.UniformKind(s), uint64(g.base[s])+n)
		for b, on := range buffers {
			if on {
				size := g.primitiveBytes(b)
				at := g.d.alloc(regionXfb+b, int(n*size+3)/4, 0)
				g.d.uniform(abi.UniformXfbBuffer0+abi.UniformKind(b), at-uint64(g.base[s])*size)
			}
		}
	}
}

// collect takes what the main program left: transform feedback, and the vertices
// that the raster program has to run on.
func (g *geometryDraw) collect() {
	if f := g.feedback; f != nil {
		for s, n := range g.fits {
			buffers, any := g.captured(s)
			if !any {
				continue
			}
			f.Generated[s] += uint64(g.totals[1+s])
			f.Written[s] += uint64(n)
			for b, on := range buffers {
				if size := uint64(n) * g.primitiveBytes(b); on && size > 0 {
					copy(f.Buffers[b][f.Offsets[b]:], g.d.regions[regionXfb+b].data[:size])
					f.Offsets[b] += size
				}
			}
		}
	}
	g.place = map[uint32]int{}
	data := g.d.regions[regionDraw].data
	for at := 0; at+4 <= len(data); at += 4 {
		id := binary.LittleEndian.Uint32(data[at:])
		if _, seen := g.place[id]; id != abi.Restart && !seen {
			g.place[id] = len(g.ids)
			g.ids = append(g.ids, id)
		}
	}
	g.out = make([]emu.Slots, len(g.ids))
	g.phase, g.at = phaseRaster, 0
}

// raster makes a wave of vertices.
func (g *geometryDraw) raster() *wave {
	end := min(int(g.at)+lanes, len(g.ids))
	l := &emu.Launch{Out: g.out[g.at:end]}
	for _, id := range g.ids[g.at:end] {
		l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: id, IsIndexed: true, ViewIndex: g.view})
	}
	l.NumLanes = len(l.Vertex)
	g.at = uint32(end)
	return g.wave(g.p.raster, l)
}

// emit hands what a unit emits on stream 0 on, a strip after the other.
func (g *geometryDraw) emit(unit uint32, e *emu.Emission) {
	from := g.starts[0]
	for at := g.starts[unit-g.first]; at < g.starts[unit-g.first+1]; at++ {
		if id := g.d.get(regionDraw, int(at-from)); id == abi.Restart {
			e.EndPrimitive()
		} else {
			e.Emit(&g.out[g.place[id]])
		}
	}
}

// geometryWaves runs the lanes of a launch of the geometry stage as a draw of their own.
type geometryWaves struct {
	p    *program
	l    *emu.Launch
	draw *geometryDraw
	w    *wave
}

// Run runs what is left of the draw.
func (g *geometryWaves) Run(fuel int) (emu.Status, error) {
	if g.draw == nil {
		if err := g.start(); err != nil {
			return emu.StatusDone, fmt.Errorf("agx core: %w", err)
		}
	}
	ran := 0
	for {
		if g.w == nil {
			var err error
			if g.w, err = g.draw.next(); err != nil {
				return emu.StatusDone, err
			}
		}
		if g.w == nil {
			g.finish()
			return emu.StatusDone, nil
		}
		if st, err := g.w.part(g.l, fuel, &ran); err != nil || st != emu.StatusDone {
			return st, err
		}
		g.w = nil
	}
}

// lists are the input topologies by the vertices of a primitive.
var lists = lazy.Value[map[uint8]emu.Topology]{Make: func() map[uint8]emu.Topology {
	return map[uint8]emu.Topology{1: emu.PointList, 2: emu.LineList, 3: emu.TriangleList, 4: emu.LineListAdjacency, 6: emu.TriangleListAdjacency}
}}

// start puts the vertices of the launch's primitives one after another.
func (g *geometryWaves) start() error {
	l, m := g.l, g.p.meta
	if l.Env == nil || len(l.Geometry) < l.NumLanes || l.NumLanes == 0 {
		return fmt.Errorf("the launch lacks the lanes of stage %s", g.p.api)
	}
	size := int(m.Geometry.InPrimitive)
	slots, mask := recordSlots(m.Reads)
	d := &driverMemory{}
	var prims []*emu.GeometryLane
	for i := range l.NumLanes {
		lane := &l.Geometry[i]
		if lane.InvocationID >= m.Geometry.Invocations || len(lane.V) != size {
			return fmt.Errorf("lane %d has %d vertices and invocation %d", i, len(lane.V), lane.InvocationID)
		}
		if i == 0 || lane.InvocationID == 0 {
			prims = append(prims, lane)
		}
	}
	words := 4 * len(slots)
	d.uniform(abi.UniformRecords, d.alloc(regionRecords, words*size*len(prims), 0))
	d.uniform(abi.UniformPrimitiveIDs, d.alloc(regionPrimitives, len(prims), 0))
	for k, lane := range prims {
		d.set(regionPrimitives, k, lane.PrimitiveID)
		for v := range lane.V {
			for i, slot := range slots {
				d.setSlot(regionRecords, words*(k*size+v)+4*i, &lane.V[v][slot])
			}
		}
	}
	d.uniform(abi.UniformRecordSlots, mask)
	d.uniform(abi.UniformGridVertices, uint64(size*len(prims)))
	d.uniform(abi.UniformTopology, uint64(lists.Get()[m.Geometry.InPrimitive]))
	d.uniform(abi.UniformPrimitives, uint64(len(prims)))
	first, per := l.Geometry[0].InvocationID, uint32(len(prims))*m.Geometry.Invocations
	draw, err := newGeometryDraw(g.p, d, first, first+uint32(l.NumLanes), per)
	if err != nil {
		return err
	}
	draw.env, draw.check, draw.approx, draw.view, draw.feedback, draw.pipeline = l.Env, l.Check, l.Approx, l.Geometry[0].ViewIndex, l.Feedback, l.Draw
	g.draw = draw
	return nil
}

func (g *geometryWaves) finish() {
	l := g.l
	for i := range l.NumLanes {
		g.draw.emit(g.draw.first+uint32(i), l.Geometry[i].Emitted)
	}
}

// geometryIO is the part of the stage's interface that geometry has.
func (p *program) geometryIO(g *abi.Geometry) {
	p.io.Geom = emu.GeomIO{Invocations: g.Invocations, MaxVertices: g.MaxVertices, InPrimitive: g.InPrimitive, OutPrimitive: g.OutPrimitive}
	p.io.Captures, p.io.XfbStrides, p.io.OwnFeedback = g.Captures, g.Strides, true
	p.io.ClipDistances, p.io.TestsCull = g.Raster.ClipDistances, g.Raster.CullDistances
}
