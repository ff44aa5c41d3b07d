package emu

import (
	"fmt"

	"nirc/ir"
)

// geometryStage collects primitives into waves of the geometry stage and draws
// what they emit, in order.
type geometryStage struct {
	d           *drawer
	prog        Program
	invocations int
	limit       int // vertices a lane
	out         uint8
	lanes       []GeometryLane
	emitted     []Emission // by lane
	launch      Launch
}

func newGeometryStage(d *drawer) *geometryStage {
	io := d.p.Geometry.IO()
	return &geometryStage{
		d: d, prog: d.p.Geometry, invocations: int(max(1, io.Geom.Invocations)), limit: int(io.Geom.MaxVertices), out: io.Geom.OutPrimitive,
		emitted: make([]Emission, d.p.Geometry.WaveSize()),
	}
}

// add takes a primitive; v is the stage's until the next flush.
func (g *geometryStage) add(v []*Slots, id uint32) error {
	for i := range g.invocations {
		e := &g.emitted[len(g.lanes)]
		e.reset(g.limit)
		g.lanes = append(g.lanes, GeometryLane{V: v, PrimitiveID: id, InvocationID: uint32(i), ViewIndex: g.d.view, Emitted: e})
		if len(g.lanes) == g.prog.WaveSize() {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush runs the lanes collected so far.
func (g *geometryStage) flush() error {
	n := len(g.lanes)
	if n == 0 {
		return nil
	}
	g.launch = Launch{Env: g.d.p.Env, NumLanes: n, Check: g.d.params.Check, Approx: g.d.params.ApproxSeed(), Seed: g.d.garbage.Long(), swap: g.d.swaps.of(ir.StageGeometry), Geometry: g.lanes, Draw: g.d.p, Viewport: g.d.viewport, Feedback: g.d.params.Feedback}
	if err := g.d.runWave(g.prog.NewWave(&g.launch), &g.launch); err != nil {
		return fmt.Errorf("geometry stage: %w", err)
	}
	for i := range g.lanes {
		if err := g.strips(&g.lanes[i]); err != nil {
			return err
		}
		if g.d.params.Feedback != nil {
			g.captureStrips(g.lanes[i].Emitted)
		}
	}
	g.lanes = g.lanes[:0]
	// The fragments in flight point at what was emitted.
	return g.d.frag.drain()
}

// strips draws the strips that a lane emitted.
func (g *geometryStage) strips(l *GeometryLane) error {
	size := int(g.out) + 1
	return l.Emitted.each(size, func(v [3]*Slots, odd bool) error {
		if odd {
			return g.oddTriangle(&v, l.PrimitiveID)
		}
		return g.d.rasterise(v[:size], size, l.PrimitiveID)
	})
}

// oddTriangle draws every second triangle of a strip, whose vertices are
// swapped to keep the orientation but not the provoking one.
func (g *geometryStage) oddTriangle(v *[3]*Slots, id uint32) error {
	p := shadedPrim{v: [3]*Slots{v[0], v[2], v[1]}, n: 3, id: id}
	g.d.capture(0, p.v[:])
	if g.d.p.Raster.Discard {
		return nil
	}
	if g.d.p.Raster.ProvokingLast {
		p.provoking = 1
	}
	return g.d.setup.primitive(g.d, &p)
}
