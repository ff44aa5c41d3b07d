// Package rays proves ray queries: the interpreter and Adreno's code, whose loops follow trees in memory node by node, find
// in random scenes what a plain walk over all primitives finds.
package rays

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/raytrace"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// module follows a ray an invocation, with a query of an array, one that ends at the first hit and one that nobody asks, and stores all that
// can be asked of the query.
//
//go:embed testdata/rays.spvasm
var module []byte

const (
	numRays  = 64
	rayBytes = 48
	words    = 32 // of the result of a ray
)

// ray is what an invocation is given: the ray, its flags and mask, and the scene.
type ray struct {
	raytrace.Ray
	flags raytrace.RayFlags
	mask  uint32
	scene int
}

// coarse is a number that is a multiple of a step, so that sums and products of few such are exact.
func coarse(r *rand.Rand, n int, step float32) float32 { return float32(r.IntN(2*n+1)-n) * step }

func coarseVec(r *rand.Rand, n int, step float32) raytrace.Vec3 {
	return raytrace.Vec3{coarse(r, n, step), coarse(r, n, step), coarse(r, n, step)}
}

// transform is a turn by right angles, a reflection, a scale by a power of two and a move: rays go through it without rounding.
func transform(r *rand.Rand) (m raytrace.Matrix) {
	p := r.Perm(3)
	for i := range m {
		m[i][p[i]] = float32(math.Ldexp(float64(1-2*r.IntN(2)), r.IntN(3)-1))
		m[i][3] = coarse(r, 16, 0.5)
	}
	return m
}

// randomScene makes a scene whose geometries have up to most primitives.
func randomScene(r *rand.Rand, most int) *raytrace.Scene {
	s := &raytrace.Scene{}
	var bottoms []*raytrace.Bottom
	for range 1 + r.IntN(4) {
		b := &raytrace.Bottom{}
		boxes := r.IntN(3) == 0
		for range 1 + r.IntN(2) {
			g := raytrace.Geometry{Opaque: r.IntN(2) == 0}
			for range r.IntN(1 + r.IntN(most)) {
				at, size := coarseVec(r, 32, 0.25), 1+r.Float32()*8
				corner := func() (v raytrace.Vec3) {
					for k := range v {
						v[k] = at[k] + (r.Float32()-0.5)*size
					}
					return v
				}
				a, b := corner(), corner()
				if !boxes {
					g.Triangles = append(g.Triangles, raytrace.Triangle{a, b, corner()})
					continue
				}
				x := raytrace.Box{Min: a, Max: a}
				g.Boxes = append(g.Boxes, x.Union(raytrace.Box{Min: b, Max: b}))
			}
			b.Geometries = append(b.Geometries, g)
		}
		bottoms = append(bottoms, b)
	}
	for range r.IntN(10) {
		in := raytrace.Instance{Bottom: bottoms[r.IntN(len(bottoms))], Transform: transform(r), CustomIndex: r.Uint32N(1 << 24), SBTOffset: r.Uint32N(1 << 24), Mask: uint8(r.Uint32())}
		if r.IntN(2) == 0 {
			in.Flags = raytrace.InstanceFlags(r.UintN(8)) // not both opacities
		}
		s.Instances = append(s.Instances, in)
	}
	return s
}

func randomRay(r *rand.Rand) ray {
	x := ray{mask: r.Uint32(), scene: r.IntN(2)}
	x.Origin, x.Direction = coarseVec(r, 64, 0.25), coarseVec(r, 16, 0.125)
	x.TMin, x.TMax = coarse(r, 4, 0.25)+1, 200
	if r.IntN(4) == 0 {
		x.TMax = 8
	}
	if r.IntN(2) == 0 {
		x.flags = []raytrace.RayFlags{raytrace.RayOpaque, raytrace.RayNoOpaque, raytrace.RayCullBackFacing, raytrace.RayCullFrontFacing, raytrace.RayCullOpaque,
			raytrace.RayCullNoOpaque, raytrace.RaySkipTriangles, raytrace.RaySkipAABBs, raytrace.RaySkipClosestHit, raytrace.RayNoOpaque | raytrace.RayCullBackFacing}[r.IntN(10)]
	}
	return x
}

// step is how far apart the hits that are generated in boxes lie, before the end of the ray.
const step = 1.0 / 1024

// farBox reports whether the ray enters a box so late that its hit, if it came first, would leave it out: then the order of
// the boxes shows.
func farBox(s *raytrace.Scene, x *ray) bool {
	for i := range s.Instances {
		in := &s.Instances[i]
		back := in.Transform.Inverse()
		own := raytrace.Ray{Origin: back.Point(x.Origin), Direction: back.Direction(x.Direction), TMin: x.TMin, TMax: x.TMax}
		for _, g := range in.Bottom.Geometries {
			for k := range g.Boxes {
				if t, ok := own.Near(&g.Boxes[k]); ok && t > float64(x.TMax)-20000*step {
					return true
				}
			}
		}
	}
	return false
}

// follow does with a query what the shader does.
func follow(s *raytrace.Scene, x *ray, flags raytrace.RayFlags) *raytrace.Query {
	q := new(raytrace.Query)
	q.Initialize(s, flags, x.mask, x.Ray)
	for q.Proceed() {
		switch h := q.Candidate(); {
		case h.Kind == raytrace.HitBox && (h.Opaque || h.Primitive&1 != 0):
			q.Generate(x.TMax - float32(h.Primitive*16+h.Instance*2+h.Geometry)*step)
		case h.Kind == raytrace.HitTriangle && (h.Primitive+h.Geometry)&1 != 0:
			q.Confirm()
		}
	}
	return q
}

// expected are the words of a ray's result.
func expected(s *raytrace.Scene, x *ray) (w [words]uint32) {
	q := follow(s, x, x.flags)
	h := q.Committed()
	one := uint32(0)
	if follow(s, x, x.flags|raytrace.RayTerminateOnFirstHit).Committed().Kind != raytrace.None {
		one = 1
	}
	b := math.Float32bits
	put := func(k int, v ...uint32) { copy(w[4*k:], v) }
	put(0, uint32(h.Kind), b(h.T), uint32(x.flags), one)
	put(1, b(x.Origin[0]), b(x.Origin[1]), b(x.Direction[2]), b(x.TMin))
	if h.Kind == raytrace.None {
		return w
	}
	in := q.Instance(h)
	m, back := &in.Transform, in.Transform.Inverse()
	put(2, in.CustomIndex, uint32(h.Instance), in.SBTOffset, uint32(h.Geometry))
	put(3, uint32(h.Primitive), b(h.Object.Direction[0]), b(h.Object.Direction[1]), b(h.Object.Direction[2]))
	put(4, b(h.Object.Origin[0]), b(h.Object.Origin[1]), b(h.Object.Origin[2]), b(m[0][0]+m[0][1]+m[0][2]))
	put(5, b(m[0][3]), b(m[1][3]), b(m[2][3]), b(back[2][0]+back[2][1]+back[2][2]))
	if h.Kind == raytrace.HitBox {
		return w
	}
	front, t := uint32(0), q.Vertices(h)
	if h.Front {
		front = 1
	}
	put(6, b(h.U), b(h.V), front, b(back[1][3]))
	put(7, b(t[0][0]), b(t[1][1]), b(t[2][0]), b(t[2][2]))
	return w
}

// program is the shader for a target.
type program struct {
	name string
	emu.Program
}

func programs(t *testing.T) (list []program) {
	m, err := nirc.Load(module, "rays.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a740", Level: passes.O2}, {Target: "ir3", GPU: "a740", Level: passes.O0}, {Target: "ir3", GPU: "a750", Level: passes.O2}} {
		p, _, err := exec.Executable(context.Background(), m, o)
		if err != nil {
			t.Fatalf("%s: %v", o.GPU, err)
		}
		list = append(list, program{fmt.Sprintf("%s %s -%s", o.Target, o.GPU, o.Level), p})
	}
	return list
}

// run follows the rays on a target.
func run(t *testing.T, p emu.Program, scenes [2]*raytrace.Scene, rays []ray, seed uint64) []byte {
	limits := emu.Limits{Check: true, Seed: seed, Exact: true}
	mem := limits.NewMemory()
	in, out := mem.Alloc(rayBytes*len(rays)), mem.Alloc(4*words*len(rays))
	for i := range rays {
		x := &rays[i]
		for k, v := range []float32{x.Origin[0], x.Origin[1], x.Origin[2], x.TMin, x.Direction[0], x.Direction[1], x.Direction[2], x.TMax} {
			binary.LittleEndian.PutUint32(in.Data[rayBytes*i+4*k:], math.Float32bits(v))
		}
		for k, v := range []uint32{uint32(x.flags), x.mask, uint32(x.scene)} {
			binary.LittleEndian.PutUint32(in.Data[rayBytes*i+32+4*k:], v)
		}
	}
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{mem.Accel(p, scenes[0]), mem.Accel(p, scenes[1])})
	b.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	b.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	env := emu.Env{Mem: mem, Bindings: &b}
	if err := emu.Dispatch(context.Background(), p, &env, emu.DispatchParams{Limits: limits, Groups: [3]uint32{uint32(len(rays)) / 32, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// TestRays: all targets that have ray queries give what the plain walk gives. The trees have nodes of all widths, those of two
// children so deep that the stack of the loop forgets.
func TestRays(t *testing.T) {
	list := programs(t)
	sample := []int{0, 1, 2, 203} // in the last the stack forgets
	if prove.Full() {
		sample = sample[:0]
		for k := range 300 {
			sample = append(sample, k)
		}
	}
	met := [3]int{}
	for _, k := range sample {
		r := rand.New(rand.NewPCG(uint64(k), 7))
		most := 100
		if k%6 == 5 { // deeper than the stack
			most = 1000
		}
		scenes := [2]*raytrace.Scene{randomScene(r, most), randomScene(r, most)}
		rays := make([]ray, numRays)
		for i := range rays {
			for rays[i] = randomRay(r); farBox(scenes[rays[i].scene], &rays[i]); rays[i] = randomRay(r) {
			}
		}
		for _, p := range list {
			got := run(t, p.Program, scenes, rays, uint64(k+1))
			for i := range rays {
				want := expected(scenes[rays[i].scene], &rays[i])
				met[want[0]]++
				for w := range want {
					if x := binary.LittleEndian.Uint32(got[4*(words*i+w):]); x != want[w] {
						t.Fatalf("%s, scene %d, ray %d %+v: word %d is %#x, want %#x (%v)", p.name, k, i, rays[i], w, x, want[w], want)
					}
				}
			}
		}
	}
	for kind, count := range met {
		if count < 16 {
			t.Errorf("only %d rays of kind %d", count, kind)
		}
	}
}

// queriesInTurn asks three queries one after the other, and a fourth beside them.
const queriesInTurn = `#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
struct Ray { vec3 origin; float tmin; vec3 direction; float tmax; uint flags, mask, scene, pad; };
layout(set = 0, binding = 1, std430) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 2, std430) buffer Out { uint words[]; };
#define ASK(q, at, turn) \
  rayQueryEXT q; \
  rayQueryInitializeEXT(q, scenes[0], 0, r.mask, r.origin, r.tmin, turn * r.direction, r.tmax); \
  while (rayQueryProceedEXT(q)) if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionTriangleEXT) rayQueryConfirmIntersectionEXT(q); \
  words[32 * i + at] = rayQueryGetIntersectionTypeEXT(q, true) == 0u ? 0u : floatBitsToUint(rayQueryGetIntersectionTEXT(q, true));
void main() {
  uint i = gl_GlobalInvocationID.x;
  Ray r = rays[i];
  rayQueryEXT beside;
  rayQueryInitializeEXT(beside, scenes[1], 0, r.mask, r.origin, r.tmin, r.direction, r.tmax);
  ASK(a, 0, 1.0)
  ASK(b, 1, -1.0)
  if ((i & 1u) != 0u) { ASK(c, 2, 2.0) }
  words[32 * i + 3] = uint(rayQueryProceedEXT(beside));
  words[32 * i + 4] = rayQueryGetIntersectionTypeEXT(beside, false);
}`

// TestQueryRanges: queries that share a variable find what they find without.
func TestQueryRanges(t *testing.T) {
	m := prove.FromGLSL(t, ir.StageCompute, queriesInTurn)
	const front = "lower_continue_constructs,lower_returns,inline_functions,remove_non_entrypoints,lower_global_vars_to_local,lower_vars_to_ssa,opt_deref,remove_dead_variables"
	r := rand.New(rand.NewPCG(5, 7))
	scenes := [2]*raytrace.Scene{randomScene(r, 100), randomScene(r, 100)}
	rays := make([]ray, numRays)
	for i := range rays {
		rays[i] = randomRay(r)
	}
	var got [2][]byte
	var queries [2]int
	for k, list := range []string{front, front + ",opt_ray_query_ranges"} {
		p, err := passes.ParsePassList(list)
		if err != nil {
			t.Fatal(err)
		}
		s, err := nirc.Translate(context.Background(), m, nirc.Options{Target: nirc.IRTarget})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, passes.RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		queries[k] = strings.Count(ir.Print(s), "function_temp ray_query")
		program, err := interp.New(s, interp.Options{WaveSize: 32})
		if err != nil {
			t.Fatal(err)
		}
		got[k] = run(t, program, scenes, rays, 3)
	}
	hits := 0
	for at := 0; at < len(got[0]); at += 4 {
		if at/4%words < 3 && int32(binary.LittleEndian.Uint32(got[0][at:])) > 0 {
			hits++
		}
	}
	if !bytes.Equal(got[0], got[1]) || queries != [2]int{4, 2} || hits < 16 {
		t.Errorf("%d and %d queries, %d hits, equal %v", queries[0], queries[1], hits, bytes.Equal(got[0], got[1]))
	}
}
