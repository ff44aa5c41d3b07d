package emu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"nirc/internal/raytrace"
)

// ShaderGroup is an entry of a shader binding table: a general shader (ray generation, miss, callable), or those of a hit. Those
// that are nil are not there, and Record is the address of the shader record.
type ShaderGroup struct {
	General, AnyHit, ClosestHit, Intersection Program
	Record                                    uint64
}

// RayPipeline is a ray tracing pipeline and its binding tables. Nothing is called in a table without entries, as Vulkan has it of
// one without an address; an index beyond a table that has some is an error.
type RayPipeline struct {
	Env                 *Env
	Raygen              ShaderGroup
	Miss, Hit, Callable []ShaderGroup
	// MaxRecursion is how deep shaders that a ray has reached may trace others: 1 if only ray generation does.
	MaxRecursion int
}

// maxCalls bounds shaders that call each other.
const maxCalls = 64

// Hit kinds of triangles (Vulkan, HitKindKHR); those of boxes are the intersection shaders' own.
const (
	hitFront = 0xfe
	hitBack  = 0xff
)

// RayHit is what shaders know of the ray that has reached them, and what they decide about it.
type RayHit struct {
	Query    *raytrace.Query
	CullMask uint32
	// Hit is the intersection, nil in miss shaders. Of an intersection shader it is the box.
	Hit *raytrace.Hit
	// TMax is RayTmax: how far away the intersection is, or how far the ray goes.
	TMax float32
	Kind uint32
	// Attributes are those of the hit.
	Attributes []byte
	// Ignored and Ended are an any-hit shader's verdict: the hit does not count; it does, and no other is looked for.
	Ignored, Ended bool
	// Report offers a hit of an intersection shader. It returns whether it counts, and whether the shader ends.
	Report func(t float32, kind uint32, attributes []byte) (accepted, ends bool, err error)
}

// rayRun is a launch of a ray tracing pipeline.
type rayRun struct {
	p     *RayPipeline
	m     *meter
	l     *Limits
	calls uint64
}

// TraceRays runs a pipeline's ray generation shader for each point of a launch, and whatever that calls.
func TraceRays(ctx context.Context, p *RayPipeline, size [3]uint32, l Limits) error {
	r := &rayRun{p: p, m: newMeter(ctx, &l), l: &l}
	if p.Raygen.General == nil || p.Env == nil {
		return errors.New("emu: a launch without a program or environment")
	}
	if err := checkRays(size); err != nil {
		return err
	}
	return launchRays(r.m, p.Raygen.General, p.Env, size, p.Raygen.Record, &l, func(lane RayLane, c ShaderCall, data []byte) error {
		return r.call(lane, callDepth{}, c, data)
	})
}

// callDepth is how many rays, and calls of any kind, are under way.
type callDepth struct{ rays, calls int }

// call runs what a lane calls.
func (r *rayRun) call(from RayLane, d callDepth, c ShaderCall, data []byte) error {
	if d.calls++; d.calls > maxCalls {
		return fmt.Errorf("emu: shaders call each other more than %d deep", maxCalls)
	}
	if c.Callable {
		g, err := entryOf(r.p.Callable, uint64(c.Index), "callable")
		if err != nil {
			return err
		}
		return r.run(g.General, g.Record, from, d, data, nil)
	}
	if d.rays++; d.rays > r.p.MaxRecursion {
		return fmt.Errorf("emu: rays are traced more than %d deep, which is the pipeline's limit", r.p.MaxRecursion)
	}
	scene := r.p.Env.Mem.Scene(c.Accel)
	if scene == nil {
		return fmt.Errorf("emu: there is no acceleration structure at %#x", c.Accel)
	}
	t := &tracing{r: r, from: from, depth: d, call: &c, data: data}
	ray := raytrace.Ray{Origin: c.Origin, TMin: c.TMin, Direction: c.Direction, TMax: c.TMax}
	t.query.Initialize(scene, raytrace.RayFlags(c.Flags), c.CullMask, ray)
	return t.trace()
}

// run runs a shader in one lane; nil is none.
func (r *rayRun) run(p Program, record uint64, from RayLane, d callDepth, data []byte, hit *RayHit) error {
	if p == nil {
		return nil
	}
	r.calls++
	lane := RayLane{LaunchID: from.LaunchID, LaunchSize: from.LaunchSize, Record: record, Data: data, Hit: hit}
	lane.Call = func(c ShaderCall, data []byte) error { return r.call(lane, d, c, data) }
	l := &Launch{Env: r.p.Env, NumLanes: 1, Check: r.l.Check, Seed: fork(r.l.seed(), ^r.calls), Rays: []RayLane{lane}}
	if err := runRays(r.m, p, l); err != nil {
		return fmt.Errorf("%s: %w", p.Stage(), err)
	}
	return nil
}

// entryOf is an entry of a table, an empty group of an empty one.
func entryOf(table []ShaderGroup, index uint64, what string) (g ShaderGroup, err error) {
	switch {
	case index < uint64(len(table)):
		g = table[index]
	case len(table) > 0:
		err = fmt.Errorf("emu: the binding table of %s shaders has %d entries, and none of index %d", what, len(table), index)
	}
	return g, err
}

// tracing is a ray on its way.
type tracing struct {
	r     *rayRun
	from  RayLane
	depth callDepth
	call  *ShaderCall
	data  []byte
	query raytrace.Query
	// Of the closest hit that an intersection shader has reported.
	kind       uint32
	attributes []byte
}

// trace meets all that the ray reaches, and then calls the shader of the closest hit or of a miss.
func (t *tracing) trace() error {
	for t.query.Proceed() {
		g, err := t.group(t.query.Candidate())
		if err != nil {
			return err
		}
		if t.query.Candidate().Kind == raytrace.HitBox {
			err = t.intersect(&g)
		} else {
			err = t.triangle(&g)
		}
		if err != nil {
			return err
		}
	}
	h := t.query.Committed()
	if h.Kind == raytrace.None {
		g, err := entryOf(t.r.p.Miss, uint64(t.call.Index&0xffff), "miss")
		if err != nil {
			return err
		}
		return t.r.run(g.General, g.Record, t.from, t.depth, t.data, t.hit(nil, t.call.TMax))
	}
	if t.query.Flags()&raytrace.RaySkipClosestHit != 0 {
		return nil
	}
	g, err := t.group(h)
	if err != nil {
		return err
	}
	hit := t.hit(h, h.T)
	if h.Kind == raytrace.HitBox {
		hit.Kind, hit.Attributes = t.kind, t.attributes
	}
	return t.r.run(g.ClosestHit, g.Record, t.from, t.depth, t.data, hit)
}

// group is the hit group of an intersection (Vulkan, "Hit Shader Binding Table Indexing Rules").
func (t *tracing) group(h *raytrace.Hit) (ShaderGroup, error) {
	index := uint64(t.query.Instance(h).SBTOffset) + uint64(t.call.SBTOffset&15) + uint64(t.call.SBTStride&15)*uint64(h.Geometry)
	return entryOf(t.r.p.Hit, index, "hit")
}

// hit is what shaders know of an intersection at t; of triangles its kind and attributes too.
func (t *tracing) hit(h *raytrace.Hit, at float32) *RayHit {
	hit := &RayHit{Query: &t.query, CullMask: t.call.CullMask & 0xff, Hit: h, TMax: at}
	if h != nil && h.Kind == raytrace.HitTriangle {
		if hit.Kind = hitBack; h.Front {
			hit.Kind = hitFront
		}
		hit.Attributes = make([]byte, 8)
		StoreBytes(hit.Attributes, 4, uint64(math.Float32bits(h.U)))
		StoreBytes(hit.Attributes[4:], 4, uint64(math.Float32bits(h.V)))
	}
	return hit
}

// triangle asks the any-hit shader about a triangle that is not opaque. Without one the hit counts.
func (t *tracing) triangle(g *ShaderGroup) error {
	h := t.query.Candidate()
	hit := t.hit(h, h.T)
	if err := t.r.run(g.AnyHit, g.Record, t.from, t.depth, t.data, hit); err != nil || hit.Ignored {
		return err
	}
	t.query.Confirm()
	if hit.Ended {
		t.query.Terminate()
	}
	return nil
}

// intersect runs the intersection shader of a box.
func (t *tracing) intersect(g *ShaderGroup) error {
	hit := t.hit(t.query.Candidate(), t.query.Committed().T)
	hit.Report = func(at float32, kind uint32, attributes []byte) (accepted, ends bool, err error) {
		if !(at >= t.query.World().TMin && at <= t.query.Committed().T) {
			return false, false, nil
		}
		offered := *t.query.Candidate()
		offered.T = at
		report := t.hit(&offered, at)
		report.Kind, report.Attributes = kind, attributes
		if !offered.Opaque {
			if err := t.r.run(g.AnyHit, g.Record, t.from, t.depth, t.data, report); err != nil || report.Ignored {
				return false, false, err
			}
		}
		t.query.Generate(at)
		t.kind, t.attributes, hit.TMax = kind, bytes.Clone(attributes), at
		if report.Ended {
			t.query.Terminate()
		}
		return true, report.Ended || t.query.Flags()&raytrace.RayTerminateOnFirstHit != 0, nil
	}
	return t.r.run(g.Intersection, g.Record, t.from, t.depth, t.data, hit)
}
