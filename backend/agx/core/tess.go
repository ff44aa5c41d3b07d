package core

import (
	"encoding/binary"
	"fmt"
	"math"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// driverMemory is what a driver allocates for the stages that it builds of others:
// regions of words at abi.StageAddr.
type driverMemory struct {
	regions [numRegions]region
	// values are what uniforms have, known which of them it says.
	values [abi.NumUniformKinds]uint64
	known  [abi.NumUniformKinds]bool
}

// region is a piece of that memory.
type region struct {
	addr uint64
	data []byte
}

// The regions: vertex records, patches, first points of patches, points; the
// input assembly block of a linked vertex shader, and its indices; what geometry has.
const (
	regionRecords = iota
	regionPatches
	regionFirst
	regionPoints
	regionAssembly
	regionIndices
	// Of geometry: numbers of primitives, counts, the index buffer, vertices, transform feedback.
	regionPrimitives
	regionCounts
	regionDraw
	regionVertices
	regionXfb
	numRegions = regionXfb + ir.NumXfbBuffers
)

// alloc makes region r of some words and returns the address that the index first
// of words has to be added to for its first word: shaders count from the first patch of
// the draw, memory has only those of the wave.
func (d *driverMemory) alloc(r, words int, first uint32) uint64 {
	at := abi.StageAddr + uint64(r)<<40 + 1<<36
	d.regions[r] = region{at, make([]byte, 4*words)}
	return at - 4*uint64(first)
}

// bytes is what is at an address, nil outside.
func (d *driverMemory) bytes(addr uint64) []byte {
	if d == nil {
		return nil
	}
	for i := range d.regions {
		if r := &d.regions[i]; addr >= r.addr && addr-r.addr < uint64(len(r.data)) {
			return r.data[addr-r.addr:]
		}
	}
	return nil
}

func (d *driverMemory) set(r, word int, v uint32) {
	binary.LittleEndian.PutUint32(d.regions[r].data[4*word:], v)
}

func (d *driverMemory) get(r, word int) uint32 {
	return binary.LittleEndian.Uint32(d.regions[r].data[4*word:])
}

// slot stores or loads the four words of a slot.
func (d *driverMemory) setSlot(r, word int, v *emu.Vec4) {
	for c := range v {
		d.set(r, word+c, v[c])
	}
}

func (d *driverMemory) slot(r, word int) (v emu.Vec4) {
	for c := range v {
		v[c] = d.get(r, word+c)
	}
	return v
}

// fill fills a uniform of tessellation; false if k is none.
func (d *driverMemory) fill(k abi.UniformKind, to []uint32) bool {
	if d == nil {
		return false
	}
	if !d.known[k] {
		return false
	}
	to[0] = uint32(d.values[k])
	if u := (abi.Uniform{Kind: k}); u.Halves() == 4 {
		to[1] = uint32(d.values[k] >> 32)
	}
	return true
}

// uniform says what a uniform has.
func (d *driverMemory) uniform(k abi.UniformKind, v uint64) { d.values[k], d.known[k] = v, true }

// recordSlots is a record that a shader can read: the slots that it reads, the position
// and one that it does not know of.
func recordSlots(reads []ir.Slot) (list []ir.Slot, mask uint64) {
	mask = 1<<ir.SlotPos | 1<<ir.SlotPointSize
	for _, s := range reads {
		mask |= 1 << s
	}
	for s := range ir.SlotPatch0 {
		if mask>>s&1 != 0 {
			list = append(list, s)
		}
	}
	return list, mask
}

// tessWaves runs the lanes of a launch of a tessellation stage as a driver does: patch
// after patch.
type tessWaves struct {
	p     *program
	l     *emu.Launch
	first int // lane of the patch under way
	end   int
	w     *wave
}

// patchOf is the patch of a lane.
func (t *tessWaves) patchOf(lane int) *emu.Patch {
	if t.p.api == ir.StageTessCtrl {
		return t.l.TessCtrl[lane].Patch
	}
	return t.l.TessEval[lane].Patch
}

// Run runs what is left of the patches.
func (t *tessWaves) Run(fuel int) (emu.Status, error) {
	l := t.l
	if n := l.NumLanes; l.Env == nil || t.p.api == ir.StageTessCtrl && len(l.TessCtrl) < n || t.p.api == ir.StageTessEval && (len(l.TessEval) < n || len(l.Out) < n) {
		return emu.StatusDone, fmt.Errorf("agx core: the launch lacks the lanes of stage %s", t.p.api)
	}
	ran := 0
	for {
		if t.w == nil {
			if t.first >= l.NumLanes {
				return emu.StatusDone, nil
			}
			if err := t.start(); err != nil {
				return emu.StatusDone, fmt.Errorf("agx core: %w", err)
			}
		}
		if st, err := t.w.part(t.l, fuel, &ran); err != nil || st != emu.StatusDone {
			return st, err
		}
		if t.p.api == ir.StageTessCtrl {
			t.finish()
		}
		t.w, t.first = nil, t.end
	}
}

// start makes the wave of the next patch.
func (t *tessWaves) start() error {
	p := t.patchOf(t.first)
	if p == nil {
		return fmt.Errorf("lane %d has no patch", t.first)
	}
	for t.end = t.first; t.end < t.l.NumLanes && t.patchOf(t.end) == p; t.end++ {
	}
	n := t.end - t.first
	d := &driverMemory{}
	d.uniform(abi.UniformPatchCount, uint64(p.PrimitiveID)+1)
	d.uniform(abi.UniformViewIndex, uint64(p.ViewIndex))
	l := &emu.Launch{Env: t.l.Env, NumLanes: n, Check: t.l.Check, Approx: t.l.Approx, Draw: t.l.Draw}
	if t.p.api == ir.StageTessCtrl {
		t.control(p, l, d)
	} else if err := t.evaluation(p, l, d); err != nil {
		return err
	}
	t.w = t.p.newWave(l)
	t.w.driver = d
	if t.p.meta.Next != ir.StageNone {
		t.w.ownGrid()
	}
	return nil
}

// control gives a patch its workgroup and the records of its vertices.
func (t *tessWaves) control(p *emu.Patch, l *emu.Launch, d *driverMemory) {
	m := t.p.meta
	c := &emu.ComputeLaunch{WorkgroupID: [3]uint32{p.PrimitiveID, 0, 0}, NumWorkgroups: [3]uint32{p.PrimitiveID + 1, 1, 1}, NumSubgroups: 1,
		Shared: make([]byte, m.SharedSize)}
	for lane := t.first; lane < t.end; lane++ {
		c.LocalID = append(c.LocalID, [3]uint32{t.l.TessCtrl[lane].InvocationID, 0, 0})
	}
	c.FirstLocalInvocationIndex = c.LocalID[0][0]
	l.Compute = c
	slots, mask := recordSlots(m.Reads)
	d.uniform(abi.UniformRecordSlots, mask)
	d.uniform(abi.UniformPatchVertices, uint64(len(p.In)))
	d.uniform(abi.UniformGridVertices, uint64(len(p.In)))
	record := 4 * len(slots)
	d.uniform(abi.UniformRecords, d.alloc(regionRecords, record*len(p.In), p.PrimitiveID*uint32(len(p.In)*record)))
	for k, v := range p.In {
		for i, slot := range slots {
			d.setSlot(regionRecords, record*k+4*i, &v[slot])
		}
	}
	size := abi.PatchWords(m.PatchSlots, len(m.Record), int(m.WorkgroupSize[0]))
	d.uniform(abi.UniformPatches, d.alloc(regionPatches, size, p.PrimitiveID*uint32(size)))
}

// finish takes what control left of a patch.
func (t *tessWaves) finish() {
	p, d, m := t.patchOf(t.first), t.w.driver, t.p.meta
	copy(p.PerPatch[ir.SlotTessLevelOuter][:], []uint32{d.get(regionPatches, 0), d.get(regionPatches, 1), d.get(regionPatches, 2), d.get(regionPatches, 3)})
	copy(p.PerPatch[ir.SlotTessLevelInner][:], []uint32{d.get(regionPatches, abi.PatchInner), d.get(regionPatches, abi.PatchInner+1)})
	at := abi.PatchConstants
	for k := range m.PatchSlots {
		p.PerPatch[ir.SlotPatch0+ir.Slot(k)] = d.slot(regionPatches, at)
		at += 4
	}
	for v := range p.Out[:min(len(p.Out), int(m.WorkgroupSize[0]))] {
		for _, slot := range m.Record {
			p.Out[v][slot] = d.slot(regionPatches, at)
			at += 4
		}
	}
}

// evaluation gives the points of a patch their vertex indices, and the patch.
func (t *tessWaves) evaluation(p *emu.Patch, l *emu.Launch, d *driverMemory) error {
	if p.PrimitiveID >= 1<<(32-abi.PatchShift) {
		return &emu.Unsupported{What: fmt.Sprintf("the tessellation of more than %d patches is not supported", 1<<(32-abi.PatchShift))}
	}
	l.Out = t.l.Out[t.first:t.end]
	// Other points of the patch, and of other patches, come before.
	const before = 5
	d.uniform(abi.UniformPatchPoints, d.alloc(regionFirst, 1, p.PrimitiveID))
	d.set(regionFirst, 0, before)
	n := t.end - t.first
	d.uniform(abi.UniformTessPoints, d.alloc(regionPoints, 2*(before+n), 0))
	for k := range n {
		c := &t.l.TessEval[t.first+k].Coord
		for i := range 2 {
			d.set(regionPoints, 2*(before+k)+i, uint32(math.RoundToEven(float64(c[i])*(1<<abi.PointShift))))
		}
		l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: p.PrimitiveID<<abi.PatchShift | uint32(k), ViewIndex: p.ViewIndex})
	}
	slots, mask := recordSlots(t.p.meta.Reads)
	const patchSlots = int(ir.NumVaryingSlots - ir.SlotPatch0)
	size := abi.PatchWords(patchSlots, len(slots), len(p.Out))
	d.uniform(abi.UniformPatchRecord, mask)
	d.uniform(abi.UniformPatchSlots, uint64(patchSlots))
	d.uniform(abi.UniformPatchVertices, uint64(len(p.Out)))
	d.uniform(abi.UniformPatches, d.alloc(regionPatches, size, p.PrimitiveID*uint32(size)))
	d.setSlot(regionPatches, 0, &p.PerPatch[ir.SlotTessLevelOuter])
	inner := &p.PerPatch[ir.SlotTessLevelInner]
	d.set(regionPatches, abi.PatchInner, inner[0])
	d.set(regionPatches, abi.PatchInner+1, inner[1])
	at := abi.PatchConstants
	for k := range patchSlots {
		d.setSlot(regionPatches, at, &p.PerPatch[ir.SlotPatch0+ir.Slot(k)])
		at += 4
	}
	for v := range p.Out {
		for _, slot := range slots {
			d.setSlot(regionPatches, at, &p.Out[v][slot])
			at += 4
		}
	}
	return nil
}

// ownGrid makes the lanes of a launch of vertices that go to memory a grid of their own.
func (w *wave) ownGrid() {
	if w.driver == nil {
		w.driver = &driverMemory{}
	}
	w.driver.uniform(abi.UniformRecords, w.driver.alloc(regionRecords, 4*len(w.p.meta.Record)*w.n, 0))
	w.grid = &gridWave{own: true, lanes: w.l.Vertex}
	if w.p.meta.Part == abi.PartLinked && len(w.l.Vertex) >= w.n {
		w.ownIndices()
	}
}

// ownIndices makes the indices that a prolog fetches the vertices of the lanes by.
// The grid has no width: records lie in order of lanes, whatever their instances.
func (w *wave) ownIndices() {
	indices := w.driver.alloc(regionIndices, w.n, 0)
	for lane := range w.n {
		v := &w.l.Vertex[lane]
		w.driver.set(regionIndices, lane, v.VertexIndex-v.BaseVertex)
	}
	w.grid.assembly = w.driver.alloc(regionAssembly, abi.AssemblySize/4, 0)
	block := w.driver.regions[regionAssembly].data
	binary.LittleEndian.PutUint64(block[abi.AssemblyIndices:], indices)
	binary.LittleEndian.PutUint32(block[abi.AssemblyRange:], uint32(w.n))
}

// finishGrid takes what the vertices of such a grid left.
func (w *wave) finishGrid() {
	at := 0
	for lane := range w.n {
		for _, slot := range w.p.meta.Record {
			w.l.Out[lane][slot] = w.driver.slot(regionRecords, at)
			at += 4
		}
	}
}
