package emu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/internal/raytrace"
	"nirc/ir"
)

// hitScene has, along z, a triangle at 3 that is not opaque, an opaque one at 5, and in a second instance a box from 1 to 2.
func hitScene() *raytrace.Scene {
	tri := func(z float32) raytrace.Triangle { return raytrace.Triangle{{-1, -1, z}, {3, -1, z}, {-1, 3, z}} }
	return &raytrace.Scene{Instances: []raytrace.Instance{
		{Transform: raytrace.Identity, Mask: 1, Bottom: &raytrace.Bottom{Geometries: []raytrace.Geometry{
			{Triangles: []raytrace.Triangle{tri(3)}}, {Triangles: []raytrace.Triangle{tri(5)}, Opaque: true}}}},
		{Transform: raytrace.Identity, Mask: 2, SBTOffset: 4, Bottom: &raytrace.Bottom{Geometries: []raytrace.Geometry{
			{Boxes: []raytrace.Box{{Min: raytrace.Vec3{-1, -1, 1}, Max: raytrace.Vec3{1, 1, 2}}}}}}},
	}}
}

// hitRun is a ray through hitScene, and what its shaders do.
type hitRun struct {
	name   string
	flags  raytrace.RayFlags
	mask   uint32
	tmax   float32
	anyHit func(h *RayHit)
	report []float32 // that the intersection shader reports, one after the other
	groups int
	index  uint32 // of the miss shader
	log    []string
	err    string
}

// run traces the ray and returns which shaders ran, with what they knew.
func (c *hitRun) run(t *testing.T) (log []string, err error) {
	note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	shader := func(stage ir.Stage, f func(x *RayLane) error) *fakeProgram {
		p := &fakeProgram{stage: stage, wave: 1}
		p.run = func(l *Launch, _ int) (Status, error) {
			if x := &l.Rays[0]; x.LaunchID != [3]uint32{} || x.LaunchSize != [3]uint32{1, 1, 1} || x.Data[0] != 9 {
				t.Errorf("%s: %+v", c.name, x)
			}
			return StatusDone, f(&l.Rays[0])
		}
		return p
	}
	triangle := func(h *RayHit) string {
		if len(h.Attributes) != 8 {
			return ""
		}
		u, v := math.Float32frombits(uint32(loadBytes(h.Attributes, 4))), math.Float32frombits(uint32(loadBytes(h.Attributes[4:], 4)))
		return fmt.Sprintf(" at %v %v", u, v)
	}
	var p RayPipeline
	for k := range c.groups {
		p.Hit = append(p.Hit, ShaderGroup{Record: uint64(100 + k),
			AnyHit: shader(ir.StageAnyHit, func(x *RayLane) error {
				note("any %d t=%v kind %d of %d", x.Record, x.Hit.TMax, x.Hit.Kind, x.Hit.CullMask)
				c.anyHit(x.Hit)
				return nil
			}),
			ClosestHit: shader(ir.StageClosestHit, func(x *RayLane) error {
				note("closest %d t=%v kind %d%s", x.Record, x.Hit.TMax, x.Hit.Kind, triangle(x.Hit))
				return nil
			}),
			Intersection: shader(ir.StageIntersection, func(x *RayLane) error {
				note("box %d up to %v", x.Record, x.Hit.TMax)
				for i, at := range c.report {
					accepted, ends, err := x.Hit.Report(at, uint32(7+i), []byte{1, byte(i)})
					note("reported %v: %v, %v, up to %v", at, accepted, ends, x.Hit.TMax)
					if err != nil || ends {
						return err
					}
				}
				return nil
			})})
	}
	for k := range 2 {
		p.Miss = append(p.Miss, ShaderGroup{Record: uint64(200 + k), General: shader(ir.StageMiss, func(x *RayLane) error {
			note("miss %d after %v, %v", x.Record, x.Hit.TMax, x.Hit.Hit == nil)
			return nil
		})})
	}
	p.Env, p.MaxRecursion = &Env{Mem: NewMemory(), Bindings: &Bindings{}}, 1
	accel := p.Env.Mem.Accel(p.Raygen.General, hitScene())
	gen := &fakeProgram{stage: ir.StageRaygen, wave: 1}
	gen.run = func(l *Launch, _ int) (Status, error) {
		return StatusDone, l.Rays[0].Call(ShaderCall{Index: c.index, Accel: accel.Addr, Flags: uint32(c.flags), CullMask: c.mask, SBTOffset: 0x11, SBTStride: 0x12,
			Origin: [3]float32{0, 0, 0}, Direction: [3]float32{0, 0, 1}, TMin: 0.5, TMax: c.tmax}, []byte{9})
	}
	p.Raygen.General = gen
	err = TraceRays(context.Background(), &p, [3]uint32{1, 1, 1}, Limits{})
	return log, err
}

// TestRayHits: which shaders of which groups run for what a ray meets, in which order, what they know, and what they decide. The
// offset and the stride of the binding table have four bits, the miss index sixteen, the mask eight.
func TestRayHits(t *testing.T) {
	accept := func(*RayHit) {}
	ignore := func(h *RayHit) { h.Ignored = true }
	end := func(h *RayHit) { h.Ended = true }
	far := "closest 103 t=5 kind 255 at 0.25 0.25"
	for _, c := range []hitRun{
		{name: "ignored", mask: 0x1ff, tmax: 10, anyHit: ignore, groups: 6, log: []string{"any 101 t=3 kind 255 of 255", "box 105 up to 5", far}},
		{name: "taken", mask: 3, tmax: 10, anyHit: accept, groups: 6, log: []string{"any 101 t=3 kind 255 of 3", "box 105 up to 3", "closest 101 t=3 kind 255 at 0.25 0.25"}},
		{name: "ended", mask: 3, tmax: 10, anyHit: end, groups: 6, log: []string{"any 101 t=3 kind 255 of 3", "closest 101 t=3 kind 255 at 0.25 0.25"}},
		{name: "boxes alone", mask: 2, tmax: 10, anyHit: accept, report: []float32{0.25, 1.5, 1.75, 1.25}, groups: 6, log: []string{"box 105 up to 10",
			"reported 0.25: false, false, up to 10", "any 105 t=1.5 kind 8 of 2", "reported 1.5: true, false, up to 1.5", "reported 1.75: false, false, up to 1.5",
			"any 105 t=1.25 kind 10 of 2", "reported 1.25: true, false, up to 1.25", "closest 105 t=1.25 kind 10"}},
		{name: "the ends of the ray", mask: 2, tmax: 1.5, anyHit: accept, report: []float32{1.5, 0.5}, groups: 6, log: []string{"box 105 up to 1.5",
			"any 105 t=1.5 kind 7 of 2", "reported 1.5: true, false, up to 1.5", "any 105 t=0.5 kind 8 of 2", "reported 0.5: true, false, up to 0.5", "closest 105 t=0.5 kind 8"}},
		{name: "box behind what was hit", mask: 3, tmax: 10, anyHit: accept, report: []float32{4}, groups: 6, log: []string{"any 101 t=3 kind 255 of 3", "box 105 up to 3",
			"reported 4: false, false, up to 3", "closest 101 t=3 kind 255 at 0.25 0.25"}},
		{name: "box that is ignored", mask: 2, tmax: 10, anyHit: ignore, report: []float32{1.5}, groups: 6, log: []string{"box 105 up to 10", "any 105 t=1.5 kind 7 of 2",
			"reported 1.5: false, false, up to 10", "miss 201 after 10, true"}, index: 0x10001},
		{name: "box that ends", mask: 2, tmax: 10, anyHit: end, report: []float32{1.5, 1.25}, groups: 6, log: []string{"box 105 up to 10", "any 105 t=1.5 kind 7 of 2",
			"reported 1.5: true, true, up to 1.5", "closest 105 t=1.5 kind 7"}},
		{name: "opaque by the ray", flags: raytrace.RayOpaque, mask: 3, tmax: 10, report: []float32{1.5}, groups: 6, log: []string{"box 105 up to 3", "reported 1.5: true, false, up to 1.5",
			"closest 105 t=1.5 kind 7"}},
		{name: "the first hit", flags: raytrace.RayTerminateOnFirstHit, mask: 2, tmax: 10, anyHit: accept, report: []float32{1.5, 1.25}, groups: 6, log: []string{"box 105 up to 10",
			"any 105 t=1.5 kind 7 of 2", "reported 1.5: true, true, up to 1.5", "closest 105 t=1.5 kind 7"}},
		{name: "no closest hit", flags: raytrace.RaySkipClosestHit, mask: 1, tmax: 10, anyHit: accept, groups: 6, log: []string{"any 101 t=3 kind 255 of 1"}},
		{name: "no closest hit, missed", flags: raytrace.RaySkipClosestHit, mask: 1, tmax: 2, groups: 6, log: []string{"miss 200 after 2, true"}},
		{name: "no miss shader", mask: 1, tmax: 2, groups: 6, index: 2, err: "miss shaders has 2 entries, and none of index 2"},
		{name: "no group", mask: 3, tmax: 10, anyHit: accept, groups: 5, log: []string{"any 101 t=3 kind 255 of 3"}, err: "hit shaders has 5 entries, and none of index 5"},
		{name: "no groups", mask: 1, tmax: 10},
	} {
		log, err := c.run(t)
		if !slices.Equal(log, c.log) {
			t.Errorf("%s:\n\t%s\nwant\n\t%s", c.name, strings.Join(log, "\n\t"), strings.Join(c.log, "\n\t"))
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
	}
}
