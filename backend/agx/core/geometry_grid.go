package core

import (
	"context"
	"errors"
	"fmt"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// Geometry is a draw with geometry as a driver runs it: the vertex shader on the whole
// draw, then the programs of the geometry shader on all its primitives, found by the
// topology of the pipeline. RunGeometry plays the driver.
type Geometry struct {
	// Grid is the draw of the vertex shader.
	Grid Grid
	// Vertex and Geometry are programs.
	Vertex, Geometry emu.Program
	// Feedback, unless nil, takes transform feedback.
	Feedback *emu.Feedback
}

// RunGeometry returns what each invocation of the geometry shader emits on stream 0: instance
// by instance, primitive by primitive.
func RunGeometry(ctx context.Context, x *Geometry) ([]*emu.Emission, error) {
	vertex, ok := x.Vertex.(*program)
	if !ok || vertex.meta.Next != ir.StageGeometry {
		return nil, errors.New("agx core: the vertex program is none for compute")
	}
	p, ok := x.Geometry.(*program)
	if !ok || p.api != ir.StageGeometry {
		return nil, errors.New("agx core: the draw has no geometry program")
	}
	g := &x.Grid
	if g.Pipeline == nil || g.Pipeline.Env == nil || g.Pipeline.Env.Mem == nil {
		return nil, errors.New("agx core: the draw has no environment")
	}
	if g.Pipeline.PrimitiveRestart {
		return nil, &emu.Unsupported{What: "primitive restart is not supported before it is unrolled"}
	}
	size, n, err := primitives(g.Pipeline.Topology, g.Draw.VertexCount)
	if m := p.meta.Geometry; err != nil || size != m.InPrimitive {
		return nil, errors.Join(fmt.Errorf("agx core: the geometry shader takes primitives of %d vertices, the topology gives %d", m.InPrimitive, size), err)
	}
	records, err := g.run(ctx, vertex)
	if err != nil {
		return nil, err
	}
	d := &driverMemory{}
	d.uniform(abi.UniformRecords, records)
	d.uniform(abi.UniformRecordSlots, slotMask(vertex.meta.Record))
	d.uniform(abi.UniformGridVertices, uint64(g.Draw.VertexCount))
	d.uniform(abi.UniformTopology, uint64(g.Pipeline.Topology))
	d.uniform(abi.UniformPrimitives, uint64(n))
	d.uniform(abi.UniformPrimitiveIDs, 0)
	per := n * p.meta.Geometry.Invocations
	draw, err := newGeometryDraw(p, d, 0, per*g.Draw.InstanceCount, per)
	if err != nil || per == 0 {
		return nil, err
	}
	draw.env, draw.check, draw.approx, draw.feedback = g.Pipeline.Env, g.Draw.Check, g.Draw.ApproxSeed(), x.Feedback
	if err := draw.run(ctx, g.Draw.Budget); err != nil {
		return nil, err
	}
	out := make([]*emu.Emission, draw.end)
	for u := range out {
		out[u] = emu.NewEmission(int(p.meta.Geometry.MaxVertices))
		draw.emit(uint32(u), out[u])
	}
	return out, nil
}

// run runs all waves of a draw.
func (g *geometryDraw) run(ctx context.Context, budget uint64) error {
	for {
		w, err := g.next()
		if w == nil || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.whole(budget); err != nil {
			return err
		}
	}
}

// primitives is the number of vertices of a topology's primitives, and of those that some
// vertices make.
func primitives(t emu.Topology, vertices uint32) (size uint8, n uint32, err error) {
	list := func(size uint32) (uint8, uint32, error) { return uint8(size), vertices / size, nil }
	strip := func(size uint8, step, least uint32) (uint8, uint32, error) {
		if vertices < least {
			return size, 0, nil
		}
		return size, (vertices-least)/step + 1, nil
	}
	switch t {
	case emu.PointList:
		return list(1)
	case emu.LineList:
		return list(2)
	case emu.LineStrip:
		return strip(2, 1, 2)
	case emu.TriangleList:
		return list(3)
	case emu.TriangleStrip, emu.TriangleFan:
		return strip(3, 1, 3)
	case emu.LineListAdjacency:
		return list(4)
	case emu.LineStripAdjacency:
		return strip(4, 1, 4)
	case emu.TriangleListAdjacency:
		return list(6)
	case emu.TriangleStripAdjacency:
		return strip(6, 2, 6)
	}
	return 0, 0, fmt.Errorf("agx core: topology %d has no primitives for geometry", t)
}
