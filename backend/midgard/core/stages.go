package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// The stages between vertex and fragment shaders run as jobs that there are (package abi): the core plays the driver,
// and lays out what that allocates for them in memory of its own.

// driverMemory is that memory, and what the system values say.
type driverMemory struct {
	regions  [numRegions]region
	sizes    [2]uint32 // of a patch and of the record of a vertex in it
	entry    uint32    // words of an entry of the list of primitives
	vertices uint32    // of a patch that comes in
	view     uint32
	places   [ir.NumVaryingSlots]uint32
}

// region is a piece of it; shaders count from base on, for they count from the first patch or primitive of the draw,
// and the region has only those of the wave.
type region struct {
	base, addr uint64
	data       []byte
}

// The regions; each vertex stream has its indices.
const (
	regionRecords = iota
	regionPrimitives
	regionPatches
	regionPoints
	regionVertices
	regionIndices
	numRegions = regionIndices + ir.NumXfbBuffers
)

// hold makes a region of some bytes that stand skip bytes after its base.
func (d *driverMemory) hold(r int, data []byte, skip uint32) []byte {
	at := stageBase | uint64(r)<<40 | 1<<36
	d.regions[r] = region{at - uint64(skip), at, data}
	return data
}

// bytes is what is at an address, nil outside.
func (d *driverMemory) bytes(a uint64, n int) []byte {
	if d == nil {
		return nil
	}
	for i := range d.regions {
		if r := &d.regions[i]; a >= r.addr && a-r.addr+uint64(n) <= uint64(len(r.data)) {
			return r.data[a-r.addr:][:n]
		}
	}
	return nil
}

// sysval is a system value of the stages; ok is false if k is none.
func (d *driverMemory) sysval(k abi.SysvalKind, element uint32) (v [4]uint32, ok bool) {
	addr := func(r int) {
		v[0], v[1] = uint32(d.regions[r].base), uint32(d.regions[r].base>>32)
	}
	switch {
	case d == nil:
		return v, false
	case k == abi.SysvalStageInput:
		addr(regionRecords)
	case k == abi.SysvalPrimitives:
		addr(regionPrimitives)
		v[2] = d.entry
	case k == abi.SysvalPatches:
		addr(regionPatches)
		v[2], v[3] = d.sizes[0], d.sizes[1]
	case k == abi.SysvalPatchVertices:
		v[0] = d.vertices
	case k == abi.SysvalPatchSlot:
		v[0] = d.places[element%ir.NumVaryingSlots]
	case k == abi.SysvalTessPoints:
		addr(regionPoints)
	case k == abi.SysvalStageVertices:
		addr(regionVertices)
	case k == abi.SysvalStageIndices:
		addr(regionIndices + int(element%ir.NumXfbBuffers))
	default:
		return v, false
	}
	return v, true
}

func putSlot(b []byte, v *emu.Vec4) {
	for c, x := range v {
		binary.LittleEndian.PutUint32(b[4*c:], x)
	}
}

func getSlot(b []byte, v *emu.Vec4) {
	for c := range v {
		v[c] = binary.LittleEndian.Uint32(b[4*c:])
	}
}

// before is how many records of other vertices stand before those of a primitive, which are in reverse.
const before = 2

// input lays out the records of a patch's or primitive's vertices, and its entry in the list.
func (d *driverMemory) input(m *abi.Meta, v []*emu.Slots, number, id uint32) {
	size := 16 * len(m.Reads)
	records := d.hold(regionRecords, make([]byte, size*(before+len(v))), 0)
	d.entry = uint32(1 + len(v))
	list := d.hold(regionPrimitives, make([]byte, 4*d.entry), 4*number*d.entry)
	binary.LittleEndian.PutUint32(list, id)
	for k := range v {
		n := before + len(v) - 1 - k
		binary.LittleEndian.PutUint32(list[4+4*k:], uint32(n))
		for i, slot := range m.Reads {
			putSlot(records[size*n+16*i:], &v[k][slot])
		}
	}
}

// startStage gives a wave of a stage that is none of the hardware the lanes of its job.
func (w *wave) startStage() error {
	l, m := w.l, w.p.meta
	switch n := len(w.threads); {
	case m.Tess == nil || n == 0:
		return nil
	case m.Stage == ir.StageCompute && len(l.TessCtrl) >= n && l.TessCtrl[0].Patch != nil:
		w.startControl(&l.TessCtrl[0])
	case m.Stage == ir.StageVertex && len(l.TessEval) >= n && l.TessEval[0].Patch != nil:
		return w.startEvaluation(&l.TessEval[0])
	default:
		return fmt.Errorf("the launch lacks the lanes of stage %s", m.API())
	}
	return nil
}

// startControl: the threads of a patch, each a wave, share its memory.
func (w *wave) startControl(lane *emu.TessCtrlLane) {
	m, p := w.p.meta, lane.Patch
	d := &driverMemory{vertices: uint32(len(p.In)), view: p.ViewIndex}
	w.driver = d
	w.l.Compute = &emu.ComputeLaunch{WorkgroupID: [3]uint32{p.PrimitiveID}, NumWorkgroups: [3]uint32{p.PrimitiveID + 1, 1, 1}, NumSubgroups: 1,
		LocalID: [][3]uint32{{lane.InvocationID}}, FirstLocalInvocationIndex: lane.InvocationID}
	d.input(m, p.In, p.PrimitiveID, p.PrimitiveID)
	size := abi.PatchBytes(m.Tess.PatchSlots, len(m.Tess.Record), int(m.WorkgroupSize[0]))
	fresh := p.Memory == nil
	if fresh {
		p.Memory = make([]byte, size)
	}
	d.hold(regionPatches, p.Memory, p.PrimitiveID*size)
	if fresh {
		w.eachPatchSlot(putSlot)
	}
}

// eachPatchSlot goes through what a control shader leaves of its patch: in memory, and for the stages after it.
func (w *wave) eachPatchSlot(f func(b []byte, v *emu.Vec4)) {
	t, p := w.p.meta.Tess, w.l.TessCtrl[0].Patch
	f(p.Memory, &p.PerPatch[ir.SlotTessLevelOuter])
	f(p.Memory[abi.PatchInner:], &p.PerPatch[ir.SlotTessLevelInner])
	at := abi.PatchHeader
	for k := range t.PatchSlots {
		f(p.Memory[at:], &p.PerPatch[ir.SlotPatch0+ir.Slot(k)])
		at += 16
	}
	for v := range p.Out {
		for _, slot := range t.Record {
			if at+16 <= len(p.Memory) {
				f(p.Memory[at:], &p.Out[v][slot])
			}
			at += 16
		}
	}
}

// startEvaluation lays out the patch as no control shader does, for those say where they leave what.
func (w *wave) startEvaluation(lane *emu.TessEvalLane) error {
	p := lane.Patch
	const patchSlots = int(ir.NumVaryingSlots - ir.SlotPatch0)
	if p.PrimitiveID >= 1<<16 {
		return &emu.Unsupported{What: "the tessellation of more than 65536 patches is not supported"}
	}
	t := &abi.Tess{Record: append([]ir.Slot{abi.InsideSlot0 + 1}, w.p.meta.Reads...), PatchSlots: patchSlots}
	size, record := abi.PatchBytes(patchSlots, len(t.Record), len(p.Out)), 16*len(t.Record)
	d := &driverMemory{vertices: uint32(len(p.Out)), view: p.ViewIndex, sizes: [2]uint32{size, uint32(record)}, entry: 3}
	w.driver = d
	for slot := range ir.Slot(ir.NumVaryingSlots) {
		d.places[slot], _ = t.PlaceOf(slot)
	}
	patch := d.hold(regionPatches, make([]byte, size), p.PrimitiveID*size)
	putSlot(patch, &p.PerPatch[ir.SlotTessLevelOuter])
	putSlot(patch[abi.PatchInner:], &p.PerPatch[ir.SlotTessLevelInner])
	for k := range patchSlots {
		putSlot(patch[abi.PatchHeader+16*k:], &p.PerPatch[ir.SlotPatch0+ir.Slot(k)])
	}
	for v := range p.Out {
		for k, slot := range t.Record {
			putSlot(patch[abi.PatchHeader+16*patchSlots+record*v+16*k:], &p.Out[v][slot])
		}
	}
	binary.LittleEndian.PutUint32(d.hold(regionPrimitives, make([]byte, 4*d.entry), 4*p.PrimitiveID*d.entry), p.PrimitiveID)
	point := d.hold(regionPoints, make([]byte, 16), 16*point0)
	for c, x := range lane.Coord {
		binary.LittleEndian.PutUint32(point[4*c:], math.Float32bits(x))
	}
	binary.LittleEndian.PutUint32(point[12:], p.PrimitiveID)
	w.l.Vertex = []emu.VertexLane{{VertexIndex: point0, IsIndexed: true}}
	return nil
}

// point0 is the number of the point that a wave runs for: others come before.
const point0 = 5

// geometryWave runs one invocation of the geometry stage as a driver does: the thread that leaves vertices and indices, then
// the raster program for each vertex that the indices of stream 0 name, and for those of the others.
type geometryWave struct {
	p      *program
	l      *emu.Launch
	driver *driverMemory
	w      *wave
	first  uint32 // number of the invocation's first vertex
	// out are the vertices that the raster program has made, todo those that it has to.
	out  map[uint32]*emu.Slots
	todo []uint32
	main bool // the thread has ended
}

// Run runs what is left.
func (g *geometryWave) Run(fuel int) (emu.Status, error) {
	if g.driver == nil {
		if err := g.start(); err != nil {
			return emu.StatusDone, fmt.Errorf("midgard core: %w", err)
		}
	}
	ran := 0
	for {
		if g.w == nil && !g.next() {
			g.emit()
			return emu.StatusDone, nil
		}
		if ran >= fuel {
			return emu.StatusYield, nil
		}
		st, err := g.w.Run(fuel - ran)
		ran += g.w.l.Ran
		g.l.Ran = ran
		switch {
		case err != nil:
			return st, err
		case st == emu.StatusBarrier:
			return st, errors.New("midgard core: a geometry shader stands at a barrier")
		case st == emu.StatusYield:
			if ran >= fuel {
				return st, nil
			}
			continue
		}
		g.w = nil
	}
}

// start lays out the memory of the invocation.
func (g *geometryWave) start() error {
	l, m := g.l, g.p.meta.Geometry
	if l.Env == nil || len(l.Geometry) < 1 || l.NumLanes < 1 {
		return fmt.Errorf("the launch lacks the lanes of stage %s", ir.StageGeometry)
	}
	lane := &l.Geometry[0]
	if lane.InvocationID >= m.Modes.Invocations || len(lane.V) != int(m.Modes.InPrimitive) {
		return fmt.Errorf("the lane has %d vertices and invocation %d", len(lane.V), lane.InvocationID)
	}
	// Other primitives of the draw come before.
	const number = 1
	unit := number*m.Modes.Invocations + lane.InvocationID
	g.first = unit * m.Modes.MaxVertices
	d := &driverMemory{view: lane.ViewIndex}
	g.driver = d
	d.input(g.p.meta, lane.V, number, lane.PrimitiveID)
	garbage := l.Garbage()
	vertex := 16 * uint32(len(m.Vertices))
	garbage.Fill(d.hold(regionVertices, make([]byte, vertex*m.Modes.MaxVertices), vertex*g.first))
	for n := range ir.NumXfbBuffers {
		if m.Streams>>n&1 != 0 {
			words := m.Words()
			garbage.Fill(d.hold(regionIndices+n, make([]byte, 4*words), 4*words*unit))
		}
	}
	return nil
}

// next makes the next wave; false if there is none.
func (g *geometryWave) next() bool {
	l := *g.l
	l.Geometry, l.Out = nil, nil
	lane := &g.l.Geometry[0]
	if !g.main {
		g.main = true
		l.Compute = &emu.ComputeLaunch{WorkgroupID: [3]uint32{1, lane.InvocationID}, NumWorkgroups: [3]uint32{2, g.p.meta.Geometry.Modes.Invocations, 1},
			LocalID: [][3]uint32{{}}, NumSubgroups: 1}
		g.w = &wave{p: g.p, l: &l, check: l.Check, threads: make([]thread, 1), driver: g.driver}
		return true
	}
	if g.out == nil {
		g.collect()
	}
	if len(g.todo) == 0 {
		return false
	}
	id := g.todo[0]
	g.todo = g.todo[1:]
	out := make([]emu.Slots, 1)
	g.out[id] = &out[0]
	l.Vertex, l.Out = []emu.VertexLane{{VertexIndex: id, IsIndexed: true}}, out
	g.w = &wave{p: g.p.raster, l: &l, check: l.Check, threads: make([]thread, 1), driver: g.driver}
	return true
}

// indices are those of a stream.
func (g *geometryWave) indices(stream int) (list []uint32) {
	data := g.driver.regions[regionIndices+stream].data
	for at := 0; at < len(data); at += 4 {
		list = append(list, binary.LittleEndian.Uint32(data[at:]))
	}
	return list
}

// collect finds the vertices that the raster program has to run for.
func (g *geometryWave) collect() {
	g.out = map[uint32]*emu.Slots{}
	for _, id := range g.indices(0) {
		if _, seen := g.out[id]; id != abi.Restart && !seen {
			g.out[id] = nil
			g.todo = append(g.todo, id)
		}
	}
}

// emit hands on what the invocation left: of stream 0 what the raster program made of it, to transform feedback the
// vertices of all streams as they are.
func (g *geometryWave) emit() {
	e, raw := g.l.Geometry[0].Emitted, emu.NewEmission(int(g.p.meta.Geometry.Modes.MaxVertices))
	for stream := range ir.NumXfbBuffers {
		for _, id := range g.indices(stream) {
			switch {
			case id == abi.Restart:
				e.EndPrimitiveOf(stream)
				raw.EndPrimitiveOf(stream)
			default:
				if raw.EmitTo(stream, g.vertex(id)); stream == 0 {
					e.Emit(g.out[id])
				}
			}
		}
	}
	if f := g.l.Feedback; f != nil {
		f.CaptureStrips(&g.p.io, raw)
	}
}

// vertex is a vertex as the geometry shader left it.
func (g *geometryWave) vertex(id uint32) *emu.Slots {
	v, m := new(emu.Slots), g.p.meta.Geometry
	size := 16 * len(m.Vertices)
	data := g.driver.regions[regionVertices].data
	at := int(id-g.first) * size
	for k, slot := range m.Vertices {
		if end := at + 16*k + 16; at >= 0 && end <= len(data) {
			getSlot(data[end-16:], &v[slot])
		}
	}
	return v
}
