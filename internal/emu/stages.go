package emu

import (
	"errors"
	"fmt"

	"nirc/ir"
)

// The stages between vertex stage and rasteriser: the wide primitives of a
// vertex batch go through tessellation, then the geometry stage, to set-up.

// checkMiddle checks the tessellation and geometry stages of a pipeline.
func checkMiddle(p *Pipeline) error {
	for _, s := range []struct {
		p     Program
		stage ir.Stage
	}{{p.TessCtrl, ir.StageTessCtrl}, {p.TessEval, ir.StageTessEval}, {p.Geometry, ir.StageGeometry}} {
		if s.p == nil {
			continue
		}
		if s.p.Stage() != s.stage {
			return fmt.Errorf("emu: the %v stage's program is of stage %v", s.stage, s.p.Stage())
		}
		if s.p.IO() == nil {
			return fmt.Errorf("emu: %v stage: program without an interface", s.stage)
		}
	}
	if err := checkTess(p); err != nil || p.Geometry == nil {
		return err
	}
	g := &p.Geometry.IO().Geom
	switch {
	case g.OutPrimitive > 2 || g.MaxVertices > 1024 || g.Invocations > 127:
		return fmt.Errorf("emu: geometry stage with output primitive %d, %d vertices and %d invocations is not supported", g.OutPrimitive, g.MaxVertices, g.Invocations)
	case p.TessEval == nil && p.primSize() != int(g.InPrimitive):
		return fmt.Errorf("emu: the geometry stage takes primitives of %d vertices, the topology gives %d", g.InPrimitive, p.primSize())
	case p.TessEval != nil && tessPrimVertices(&p.TessEval.IO().Tess) != int(g.InPrimitive):
		return fmt.Errorf("emu: the geometry stage takes primitives of %d vertices, tessellation gives %d", g.InPrimitive, tessPrimVertices(&p.TessEval.IO().Tess))
	}
	return nil
}

func checkTess(p *Pipeline) error {
	if (p.TessCtrl == nil) != (p.TessEval == nil) {
		return errors.New("emu: only one of the two tessellation stages is there")
	}
	switch patches := p.Topology == PatchList; {
	case p.TessCtrl == nil && patches:
		return errors.New("emu: the topology is a list of patches, and there are no tessellation stages")
	case p.TessCtrl == nil:
		return nil
	case !patches:
		return errors.New("emu: there are tessellation stages, and the topology is not a list of patches")
	}
	m := p.tessMode()
	switch {
	case p.PatchControlPoints < 1 || p.PatchControlPoints > MaxPatchVertices:
		return fmt.Errorf("emu: patches of %d control points are not supported", p.PatchControlPoints)
	case m.OutputVertices < 1 || m.OutputVertices > MaxPatchVertices:
		return fmt.Errorf("emu: a tessellation control stage of %d output vertices is not supported", m.OutputVertices)
	case m.Domain < ir.DomainTriangles || m.Domain > ir.DomainIsolines || m.Spacing > ir.SpacingFractionalOdd:
		return fmt.Errorf("emu: tessellation with domain %d and spacing %d is not supported", m.Domain, m.Spacing)
	}
	return nil
}

// tessMode joins the modes that either tessellation stage may declare.
func (p *Pipeline) tessMode() TessIO {
	m, c := p.TessEval.IO().Tess, p.TessCtrl.IO().Tess
	m.OutputVertices = c.OutputVertices
	if m.Domain == ir.DomainNone {
		m.Domain = c.Domain
	}
	if m.Spacing == ir.SpacingEqual {
		m.Spacing = c.Spacing
	}
	m.CCW, m.PointMode = m.CCW || c.CCW, m.PointMode || c.PointMode
	return m
}

func tessPrimVertices(m *TessIO) int {
	switch {
	case m.PointMode:
		return 1
	case m.Domain == ir.DomainIsolines:
		return 2
	}
	return 3
}

// initStages makes the stages of a checked pipeline.
func (d *drawer) initStages() {
	d.last = d.p.Vertex
	if d.p.TessEval != nil {
		d.last = d.p.TessEval
		d.tess = newTessStage(d)
	}
	if d.p.Geometry != nil {
		d.last = d.p.Geometry
		d.geom = newGeometryStage(d)
	}
}

// wideInstance is instance for pipelines with stages in between.
func (d *drawer) wideInstance(i uint32) error {
	a := newWideAssembler(d.p)
	lane := d.firstLane(i)
	d.batch.newInstance()
	take := func(done bool) error {
		if !done {
			return nil
		}
		if d.batch.room() < a.size {
			if err := d.flushVertices(); err != nil {
				return err
			}
		}
		d.batch.widePrimitive(&a, &lane)
		return nil
	}
	for n := range d.params.VertexCount {
		if d.batch.room() < 1 {
			if err := d.flushVertices(); err != nil {
				return err
			}
		}
		idx, restart := d.indexOf(n)
		done := false
		if restart {
			done = a.restart()
		} else {
			lane.VertexIndex = idx
			d.batch.vertex(&lane)
			done = a.push(idx)
		}
		if err := take(done); err != nil {
			return err
		}
	}
	return take(a.end())
}

// runStages runs the stages after the vertex stage on the batch.
func (d *drawer) runStages() error {
	b := &d.batch
	d.stats.Primitives += uint64(len(b.wideID))
	if len(b.wideID) == 0 {
		return nil
	}
	size := len(b.wide) / len(b.wideID)
	for i, id := range b.wideID {
		v := make([]*Slots, size)
		for k, place := range b.wide[i*size : (i+1)*size] {
			v[k] = &b.slots[place]
		}
		var err error
		if d.tess != nil {
			err = d.tess.add(v, id)
		} else {
			err = d.geom.add(v, id)
		}
		if err != nil {
			return err
		}
	}
	if d.tess != nil {
		if err := d.tess.flush(); err != nil {
			return err
		}
	}
	if d.geom != nil {
		if err := d.geom.flush(); err != nil {
			return err
		}
	}
	return d.frag.drain()
}

// rasterise hands a primitive of n vertices to set-up.
func (d *drawer) rasterise(v []*Slots, n int, id uint32) error {
	d.capture(0, v[:n])
	if d.p.Raster.Discard {
		return nil
	}
	p := shadedPrim{v: [3]*Slots{v[0], v[n-1], v[n-1]}, n: n, id: id}
	if n == 3 {
		p.v[1] = v[1]
	}
	if d.p.Raster.ProvokingLast {
		p.provoking = uint8(n - 1)
	}
	return d.setup.primitive(d, &p)
}
