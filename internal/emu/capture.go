package emu

import (
	"fmt"

	"nirc/ir"
)

// Hardware without transform feedback runs the vertex shader once more for it, as a program that writes
// memory (Pipeline.Capture). What a driver does around it is done here.

// CaptureLaunch is what waves of such a program get.
type CaptureLaunch struct {
	// Buffers are the addresses where each transform feedback buffer goes on.
	Buffers [ir.NumXfbBuffers]uint64
	// Vertices is how many vertices an instance has.
	Vertices uint32
}

// captureVertices runs the capturing program on the vertices of those primitives for which there is room.
func (d *drawer) captureVertices() error {
	f, p := d.params.Feedback, d.p.Capture
	if f == nil || p == nil {
		return nil
	}
	n := uint32(d.p.Topology.primVertices())
	switch d.p.Topology {
	case PointList, LineList, TriangleList:
	default:
		return unsupported("transform feedback of strips, fans and patches is not supported by a program of its own: a driver draws lists")
	}
	if d.params.Index != nil {
		return unsupported("transform feedback of indexed draws is not supported by a program of its own: a driver draws lists without indices")
	}
	vertices := d.params.VertexCount / n * n
	total := uint64(vertices) * uint64(d.params.InstanceCount)
	io, fits := p.IO(), total/uint64(n)
	l := &CaptureLaunch{Vertices: vertices}
	var mem [ir.NumXfbBuffers]*Buffer
	for _, c := range io.Captures {
		b := c.Buffer
		if mem[b] == nil {
			mem[b] = d.p.Env.Mem.Alloc(len(f.Buffers[b]))
			copy(mem[b].Data, f.Buffers[b])
			l.Buffers[b] = mem[b].Addr + f.Offsets[b]
		}
		room := max(uint64(len(f.Buffers[b])), f.Offsets[b]) - f.Offsets[b]
		fits = min(fits, room/(uint64(io.XfbStrides[b])*uint64(n)))
	}
	if err := d.captureWaves(p, l, fits*uint64(n)); err != nil {
		return fmt.Errorf("transform feedback: %w", err)
	}
	f.Generated[0] += total / uint64(n)
	f.Written[0] += fits
	for b, m := range mem {
		if m != nil {
			copy(f.Buffers[b], m.Data)
			f.Offsets[b] += fits * uint64(n) * uint64(io.XfbStrides[b])
		}
	}
	return nil
}

// captureWaves runs the program on the first vertices of the draw, counted over its instances.
func (d *drawer) captureWaves(p Program, c *CaptureLaunch, vertices uint64) error {
	for at := uint64(0); at < vertices; at++ {
		lane := d.firstLane(uint32(at / uint64(c.Vertices)))
		lane.VertexIndex = d.params.FirstVertex + uint32(at%uint64(c.Vertices))
		inputs := make([]Vec4, d.fetcher.slots)
		d.fetcher.fetch(&lane, inputs)
		l := &Launch{Env: d.p.Env, NumLanes: 1, Check: d.params.Check, Approx: d.params.ApproxSeed(), Seed: d.garbage.Long(), swap: d.swaps.of(ir.StageVertex), Draw: d.p,
			Viewport: d.viewport, Vertex: []VertexLane{lane}, Inputs: [][]Vec4{inputs}, Out: make([]Slots, 1), Capture: c}
		if err := d.runWave(p.NewWave(l), l); err != nil {
			return err
		}
	}
	return nil
}
