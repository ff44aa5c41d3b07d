package emu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"nirc/ir"
)

// drawer is one draw under way: the vertex batch in front, then primitive
// set-up, rasteriser and fragment batch.
type drawer struct {
	p      *Pipeline
	params *DrawParams
	meter  *meter
	stats  DrawStats
	area   bounds
	// viewport is the transform that vertex programs may be asked to do.
	viewport *ViewportTransform
	samples  int

	fetcher *fetcher
	batch   vertexBatch
	tess    *tessStage     // nil without tessellation
	geom    *geometryStage // nil without a geometry stage
	last    Program        // the last stage before the rasteriser
	setup   setup
	raster  *rasteriser
	frag    fragmentStage
	out     outputs
	view    uint32 // of multiview
	garbage Garbage
	swaps   *drawSwaps // nil: the garbage is that of the seed
}

// Draw runs a draw through the pipeline: vertex fetch and stage, assembly,
// clipping, rasterisation, fragment stage, tests and blending, into the
// attachments. Primitives take effect in order. It returns an error for what
// the pipeline cannot do, for what a wave did wrong, and ErrTimeout.
func Draw(ctx context.Context, p *Pipeline, params DrawParams) error {
	d := newDrawer(ctx, p, &params)
	if err := d.prepare(); err != nil {
		return err
	}
	if params.Check && ctx.Value(onceKey{}) == nil && d.twiceSmall() {
		return d.twice(ctx)
	}
	return d.once()
}

func newDrawer(ctx context.Context, p *Pipeline, params *DrawParams) *drawer {
	return &drawer{p: p, params: params, meter: newMeter(ctx, &params.Limits), garbage: Poison(params.seed())}
}

// once runs the draw, which is prepared.
func (d *drawer) once() error {
	err := d.captureVertices()
	if err == nil {
		err = d.run()
	}
	if err == nil {
		err = d.empty()
	}
	if err == nil {
		err = d.out.resolve(d.p)
	}
	if s := d.params.Stats; s != nil {
		s.VertexInvocations += d.stats.VertexInvocations
		s.FragmentInvocations += d.stats.FragmentInvocations
		s.Primitives += d.stats.Primitives
		s.PrimitivesDrawn += d.stats.PrimitivesDrawn
		s.SamplesPassed += d.stats.SamplesPassed
		s.Waves += d.stats.Waves
	}
	return err
}

// prepare checks the pipeline and builds the stages' state.
func (d *drawer) prepare() error {
	p := d.p
	if err := checkStages(p); err != nil {
		return err
	}
	if b := d.params.Index; b != nil && b.Bytes != 1 && b.Bytes != 2 && b.Bytes != 4 {
		return unsupported("indices of %d bytes are not supported", b.Bytes)
	}
	if err := d.findArea(); err != nil {
		return err
	}
	if _, ok := sampleTables.Get()[d.samples]; !ok {
		return unsupported("%d samples a pixel are not supported", d.samples)
	}
	var err error
	if d.fetcher, err = newFetcher(p); err != nil {
		return err
	}
	d.batch.init(d.params.VertexCount)
	d.initStages()
	if err := d.checkFeedback(); err != nil {
		return err
	}
	if err := d.setup.init(d); err != nil {
		return err
	}
	if err := d.out.init(d); err != nil {
		return err
	}
	d.raster = newRasteriser(d.samples)
	d.raster.poll = d.meter.poll
	d.raster.emit = d.frag.quad
	return d.frag.init(d)
}

func checkStages(p *Pipeline) error {
	switch {
	case p.Env == nil:
		return errors.New("emu: pipeline without an environment")
	case p.Vertex == nil:
		return errors.New("emu: pipeline without a vertex stage is not supported")
	case p.Vertex.Stage() != ir.StageVertex:
		return fmt.Errorf("emu: the vertex stage's program is of stage %v", p.Vertex.Stage())
	case p.Fragment != nil && p.Fragment.Stage() != ir.StageFragment:
		return fmt.Errorf("emu: the fragment stage's program is of stage %v", p.Fragment.Stage())
	case p.Topology > PatchList:
		return fmt.Errorf("emu: topology %d is unknown", p.Topology)
	}
	if err := checkMiddle(p); err != nil {
		return err
	}
	for _, s := range []Program{p.Vertex, p.TessCtrl, p.TessEval, p.Geometry, p.Fragment} {
		if s == nil {
			continue
		}
		if n := s.WaveSize(); n < 1 || n > MaxLanes {
			return fmt.Errorf("emu: %v stage: wave size %d is outside 1..%d", s.Stage(), n, MaxLanes)
		}
		if s.IO() == nil {
			return fmt.Errorf("emu: %v stage: program without an interface", s.Stage())
		}
	}
	return nil
}

// findArea works out the pixels and samples that the attachments share.
func (d *drawer) findArea() error {
	p := d.p
	box := bounds{0, 0, math.MaxInt32, math.MaxInt32}
	d.samples = p.Multisample.Samples
	found := false
	add := func(v *ImageView) error {
		if v == nil {
			return nil
		}
		if v.Image == nil || v.TexelFormat() == nil {
			return errors.New("emu: attachment without an image or format")
		}
		found = true
		w, h, _ := v.Size(0)
		box = box.intersect(bounds{0, 0, w, h})
		n := max(1, v.Image.Samples)
		if d.samples == 0 {
			d.samples = n
		}
		if n != d.samples {
			return fmt.Errorf("emu: attachment has %d samples, the pipeline %d", n, d.samples)
		}
		return nil
	}
	for i := range p.Color {
		if err := add(p.Color[i].View); err != nil {
			return err
		}
	}
	if err := add(p.DepthStencil.View); err != nil {
		return err
	}
	if p.Area != (Rect{}) {
		box = box.intersect(p.Area.bounds())
	} else if !found && !p.Raster.Discard {
		return errors.New("emu: draw without attachments needs an area")
	}
	d.area = box.intersect(bounds{0, 0, 1 << 16, 1 << 16})
	d.samples = max(d.samples, 1)
	return nil
}

// run draws every view and instance.
func (d *drawer) run() error {
	if d.params.VertexCount == 0 {
		return nil
	}
	views := d.p.ViewMask
	if views == 0 {
		views = 1
	}
	for v := range uint32(32) {
		if views>>v&1 == 0 {
			continue
		}
		d.view = v
		for i := range d.params.InstanceCount {
			if err := d.instance(i); err != nil {
				return err
			}
		}
		if err := d.flushVertices(); err != nil {
			return err
		}
		if err := d.frag.drain(); err != nil {
			return err
		}
	}
	return nil
}

// instance streams the vertices of one instance through assembly.
func (d *drawer) instance(i uint32) error {
	pr := d.params
	if d.tess != nil || d.geom != nil {
		return d.wideInstance(i)
	}
	a := assembler{topo: d.p.Topology, last: d.p.Raster.ProvokingLast}
	lane := d.firstLane(i)
	d.batch.newInstance()
	for n := range pr.VertexCount {
		idx, restart := d.indexOf(n)
		if restart {
			a.restart()
			continue
		}
		// A primitive may need its three vertices again after a flush.
		if d.batch.room() < 4 {
			if err := d.flushVertices(); err != nil {
				return err
			}
		}
		lane.VertexIndex = idx
		d.batch.vertex(&lane)
		if a.push(idx) {
			d.batch.primitive(&a.prim, &lane)
		}
	}
	return nil
}

// firstLane returns what the vertices of an instance have in common.
func (d *drawer) firstLane(instance uint32) VertexLane {
	pr := d.params
	lane := VertexLane{InstanceIndex: pr.FirstInstance + instance, BaseInstance: pr.FirstInstance, DrawIndex: pr.DrawIndex, ViewIndex: d.view}
	if lane.BaseVertex = pr.FirstVertex; pr.Index != nil {
		lane.IsIndexed = true
		lane.BaseVertex = uint32(pr.VertexOffset)
	}
	return lane
}

// indexOf returns the index of vertex n of the draw, or that it restarts the
// primitive.
func (d *drawer) indexOf(n uint32) (idx uint32, restart bool) {
	pr := d.params
	if pr.Index == nil {
		return pr.FirstVertex + n, false
	}
	idx = pr.Index.indexAt(uint64(pr.FirstVertex) + uint64(n))
	if d.p.PrimitiveRestart && idx == math.MaxUint32>>(32-8*pr.Index.Bytes) {
		return 0, true
	}
	return idx + uint32(pr.VertexOffset), false
}

// flushVertices runs the vertex stage on the batch and draws its primitives.
func (d *drawer) flushVertices() error {
	b := &d.batch
	if len(b.lanes) == 0 {
		return nil
	}
	if err := b.shade(d); err != nil {
		return fmt.Errorf("vertex stage: %w", err)
	}
	d.stats.VertexInvocations += uint64(len(b.lanes))
	if d.tess != nil || d.geom != nil {
		if err := d.runStages(); err != nil {
			return err
		}
		b.reset()
		return nil
	}
	d.stats.Primitives += uint64(len(b.prims))
	if !d.p.Raster.Discard || d.params.Feedback != nil {
		n := d.p.Topology.primVertices()
		for i := range b.prims {
			p := &b.prims[i]
			v := [3]*Slots{&b.slots[p.v[0]], &b.slots[p.v[1]], &b.slots[p.v[2]]}
			d.capture(0, v[:n])
			if d.p.Raster.Discard {
				continue
			}
			if err := d.setup.primitive(d, &shadedPrim{v: v, n: n, provoking: p.provoking, id: p.id}); err != nil {
				return err
			}
		}
		// The fragments in flight point at the batch's vertices.
		if err := d.frag.drain(); err != nil {
			return err
		}
	}
	b.reset()
	return nil
}

var errGraphicsBarrier = errors.New("emu: a graphics stage stands at a workgroup barrier")

// runWave runs a wave of a graphics stage to its end.
func (d *drawer) runWave(w Wave, l *Launch) error {
	d.stats.Waves++
	if err := d.meter.poll(); err != nil {
		return err
	}
	for {
		fuel := d.meter.fuel(l.NumLanes)
		st, err := w.Run(fuel)
		if err != nil {
			return err
		}
		switch st {
		case StatusDone:
			return d.meter.ended(l)
		case StatusBarrier:
			return errGraphicsBarrier
		}
		if err := d.meter.yielded(l.NumLanes, fuel); err != nil {
			return err
		}
	}
}
