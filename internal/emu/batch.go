package emu

import (
	"math"

	"nirc/ir"
)

const (
	// batchVertices bounds the vertices shaded before they are drawn.
	batchVertices = 1024
	// batchPrims bounds the primitives of a batch.
	batchPrims = 4096
	// reuseSlots bounds the table that finds a vertex again.
	reuseSlots = 4096
)

// vertexBatch collects vertices, each once, and the primitives made of them.
type vertexBatch struct {
	lanes  []VertexLane
	prims  []primRef // v are indices into lanes
	wide   []uint32  // vertices of primitives for the stages in between, one after the other
	wideID []uint32  // their numbers
	slots  []Slots   // outputs by lane
	inputs [][]Vec4
	store  []Vec4 // what inputs are slices of
	launch Launch
	reuse  []reuseEntry
	gen    uint32
	size   int
}

// reuseEntry remembers where a vertex index stands in the batch; it is valid
// when its generation is the batch's.
type reuseEntry struct{ index, place, gen uint32 }

func (b *vertexBatch) init(vertices uint32) {
	n := uint32(16)
	for n < reuseSlots && n < vertices {
		n *= 2
	}
	b.reuse = make([]reuseEntry, n)
	b.size = batchVertices
}

// newInstance forgets which vertices are there already.
func (b *vertexBatch) newInstance() {
	b.gen++
	if b.gen == math.MaxUint32 {
		clear(b.reuse)
		b.gen = 1
	}
}

func (b *vertexBatch) reset() {
	b.lanes, b.prims, b.wide, b.wideID = b.lanes[:0], b.prims[:0], b.wide[:0], b.wideID[:0]
	b.newInstance()
}

// room returns how many more vertices fit.
func (b *vertexBatch) room() int {
	if len(b.prims)+len(b.wideID) >= batchPrims {
		return 0
	}
	return b.size - len(b.lanes)
}

// vertex returns the place of a vertex in the batch, adding it when it is new.
func (b *vertexBatch) vertex(l *VertexLane) uint32 {
	e := &b.reuse[l.VertexIndex%uint32(len(b.reuse))]
	if e.gen == b.gen && e.index == l.VertexIndex {
		return e.place
	}
	*e = reuseEntry{index: l.VertexIndex, place: uint32(len(b.lanes)), gen: b.gen}
	b.lanes = append(b.lanes, *l)
	return e.place
}

// primitive adds a primitive given by vertex indices; l gives the rest of the
// vertices' state.
func (b *vertexBatch) primitive(p *primRef, l *VertexLane) {
	q := *p
	for k, idx := range p.v {
		v := *l
		v.VertexIndex = idx
		q.v[k] = b.vertex(&v)
	}
	b.prims = append(b.prims, q)
}

// widePrimitive adds a primitive for the stages in between.
func (b *vertexBatch) widePrimitive(a *wideAssembler, l *VertexLane) {
	v := *l
	for _, idx := range a.v[:a.size] {
		v.VertexIndex = idx
		b.wide = append(b.wide, b.vertex(&v))
	}
	b.wideID = append(b.wideID, a.id)
}

// shade runs the vertex stage on all vertices of the batch.
func (b *vertexBatch) shade(d *drawer) error {
	n := len(b.lanes)
	if cap(b.slots) < n {
		b.slots = make([]Slots, max(n, min(2*cap(b.slots), b.size)))
	}
	b.slots = b.slots[:n]
	d.garbage.fillSlots(b.slots, ir.NumVaryingSlots)
	wave := d.p.Vertex.WaveSize()
	width := d.fetcher.slots
	if len(b.inputs) == 0 {
		lanes := min(wave, b.size)
		b.inputs = make([][]Vec4, lanes)
		b.store = make([]Vec4, lanes*width)
		for i := range b.inputs {
			b.inputs[i] = b.store[i*width : (i+1)*width : (i+1)*width]
		}
	}
	for first := 0; first < n; first += wave {
		lanes := b.lanes[first:min(first+wave, n)]
		for i := range lanes {
			d.fetcher.fetch(&lanes[i], b.inputs[i])
		}
		b.launch = Launch{Env: d.p.Env, NumLanes: len(lanes), Check: d.params.Check, Approx: d.params.ApproxSeed(), Seed: d.garbage.Long(), swap: d.swaps.of(ir.StageVertex), Draw: d.p, Viewport: d.viewport, Vertex: lanes, Inputs: b.inputs[:len(lanes)], Out: b.slots[first : first+len(lanes)]}
		if err := d.runWave(d.p.Vertex.NewWave(&b.launch), &b.launch); err != nil {
			return err
		}
	}
	return nil
}
