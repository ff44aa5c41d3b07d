package a7xx

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/internal/raytrace"
)

// memory is what a builder has allocated, in a row.
type memory struct{ data []byte }

const origin = 1 << 33

func (m *memory) alloc(size int) (uint64, []byte) {
	at := (len(m.data) + 255) &^ 255
	m.data = append(m.data, make([]byte, at+size-len(m.data))...)
	return origin + uint64(at), m.data[at:]
}

func (m *memory) at(addr uint64) []byte { return m.data[addr-origin:] }

// A builder writes to what Alloc gave it, so memory must not move: it is reserved at once.
func build(s *raytrace.Scene, width int) (*memory, uint64) {
	m := &memory{make([]byte, 0, 1<<22)}
	addr, _ := Build(m.alloc, s, width)
	return m, addr
}

// walker follows a ray through a structure in memory by Intersect alone, all children in their order.
type walker struct {
	t      *testing.T
	m      *memory
	header uint64
	best   float32
	prim   [3]uint32 // instance, geometry, primitive
	seen   int
}

func (w *walker) node(base uint64, n, parent uint32, ray raytrace.Ray, flags uint32, inst uint32) {
	w.seen++
	if got := order.Uint32(w.m.at(base - 4*uint64(n) - 4)); got != parent {
		w.t.Fatalf("the parent of node %d is %d, not %d", n, got, parent)
	}
	ray.TMax = w.best
	r := Intersect(w.m.at(base + NodeSize*uint64(n))[:NodeSize], &ray, flags, 0)
	count := r[0] >> ResultCountShift & 0xf
	switch {
	case count == 0:
	case r[0]&ResultLeaf == 0:
		for at := r[3] & ChildShift; at >= ChildLast; at -= ChildBits {
			w.node(base, r[1]+r[3]>>at&7, n, ray, flags, inst)
			count--
		}
		if count != 0 {
			w.t.Fatalf("the list %#x does not have as many children as it says", r[3])
		}
	case r[0]&ResultTop != 0:
		rec := w.m.at(w.header + RecordSize*uint64(r[1]+1))
		var back raytrace.Matrix
		for i := range back {
			for j := range back[i] {
				back[i][j] = math.Float32frombits(order.Uint32(rec[InstanceWorldToObject+16*i+4*j:]))
			}
		}
		o := raytrace.Ray{Origin: back.Point(ray.Origin), Direction: back.Direction(ray.Direction), TMin: ray.TMin}
		w.node(order.Uint64(rec[InstanceNodes:]), 0, NoNode, o, flags&0xffffff|order.Uint32(rec[InstanceSBTFlags:])&0xff000000, r[1])
	case r[0]&ResultBox == 0:
		w.best = math.Float32frombits(r[2])
		w.prim = [3]uint32{inst, order.Uint32(w.m.at(base + NodeSize*uint64(n))[LeafGeometry:]), r[1]}
	}
}

func randomScene(r *rand.Rand, instances, triangles int) *raytrace.Scene {
	vec := func(size float32) raytrace.Vec3 {
		return raytrace.Vec3{(r.Float32() - 0.5) * size, (r.Float32() - 0.5) * size, (r.Float32() - 0.5) * size}
	}
	s := &raytrace.Scene{}
	for range instances {
		b := &raytrace.Bottom{}
		for range 1 + r.IntN(2) {
			g := raytrace.Geometry{Opaque: true}
			for range r.IntN(triangles) {
				c, t := vec(8), raytrace.Triangle{vec(8), vec(8), vec(8)}
				for v := range t {
					for k := range c {
						t[v][k] += c[k]
					}
				}
				g.Triangles = append(g.Triangles, t)
			}
			b.Geometries = append(b.Geometries, g)
		}
		in := raytrace.Instance{Bottom: b, Transform: raytrace.Identity, Mask: uint8(r.Uint32()), Flags: raytrace.InstanceFlags(r.UintN(4))}
		for i := range in.Transform {
			for j := range in.Transform[i] {
				in.Transform[i][j] += (r.Float32() - 0.5) * 0.8
			}
			in.Transform[i][3] *= 10
		}
		s.Instances = append(s.Instances, in)
	}
	return s
}

// The tree in memory gives what the scene gives, whatever its width.
func TestTraversal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	met, culled := 0, 0
	for n := range 60 {
		s := randomScene(r, r.IntN(12), 1+r.IntN(60))
		m, header := build(s, 2+n%7)
		for range 40 {
			var ray raytrace.Ray
			for k := range ray.Origin {
				ray.Origin[k], ray.Direction[k] = (r.Float32()-0.5)*20, r.Float32()-0.5
			}
			ray.TMax = 100
			mask := r.Uint32() & 0xff
			flags := raytrace.RayFlags(0)
			if f := raytrace.RayFlags(1) << r.UintN(8); f&(raytrace.RayCullBackFacing|raytrace.RayCullFrontFacing|raytrace.RayCullNoOpaque|raytrace.RayCullOpaque) != 0 {
				flags = f
			}
			var q raytrace.Query
			q.Initialize(s, flags, mask, ray)
			for q.Proceed() {
			}
			w := walker{t: t, m: m, header: header, best: ray.TMax}
			w.node(order.Uint64(m.at(header)[HeaderNodes:]), 0, NoNode, ray, uint32(flags)<<FlagsRayShift|mask<<FlagsMask|FlagsParts, 0)
			h := q.Committed()
			if h.T != w.best || h.Kind != raytrace.None && w.prim != [3]uint32{uint32(h.Instance), uint32(h.Geometry), uint32(h.Primitive)} {
				t.Fatalf("scene %d: %v at %g, the scene has %d %d %d at %g", n, w.prim, w.best, h.Instance, h.Geometry, h.Primitive, h.T)
			}
			if h.Kind != raytrace.None {
				met++
			}
			if w.seen < 3 {
				culled++
			}
		}
	}
	if met < 300 || culled < 100 {
		t.Errorf("%d rays met something, %d nothing near", met, culled)
	}
}

// A structure of nothing is met by nothing, one of a single primitive is a leaf.
func TestSmall(t *testing.T) {
	for _, s := range []*raytrace.Scene{{}, {Instances: []raytrace.Instance{{}}}, {Instances: []raytrace.Instance{{Bottom: &raytrace.Bottom{}, Transform: raytrace.Identity, Mask: 1}}}} {
		m, header := build(s, 8)
		root := m.at(order.Uint64(m.at(header)[HeaderNodes:]))
		ray := raytrace.Ray{Direction: raytrace.Vec3{0, 0, 1}, TMax: 1}
		if r := Intersect(root[:NodeSize], &ray, 0xff000f, 0); r[0] != ResultTop || r[3] != 0 {
			t.Errorf("an empty root gives %#x", r)
		}
		if order.Uint64(m.at(header)[HeaderSelf:]) != header || order.Uint64(m.at(header)[HeaderCount:]) != uint64(len(s.Instances)) {
			t.Error("the header does not name itself and its instances")
		}
	}
	tri := raytrace.Triangle{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}
	b := &raytrace.Bottom{Geometries: []raytrace.Geometry{{}, {Triangles: []raytrace.Triangle{tri}}}}
	m, header := build(&raytrace.Scene{Instances: []raytrace.Instance{{Bottom: b, Transform: raytrace.Identity, Mask: 0x10, CustomIndex: 7, SBTOffset: 9, Flags: raytrace.FlipFacing}}}, 8)
	rec := m.at(header + RecordSize)
	if order.Uint32(rec[InstanceCustomIndex:]) != 7 || order.Uint32(rec[InstanceSBTFlags:]) != 9|2<<24 {
		t.Error("the instance's record is wrong")
	}
	ray := raytrace.Ray{Origin: raytrace.Vec3{0.25, 0.5, 0}, Direction: raytrace.Vec3{0, 0, 1}, TMax: 10}
	leaf := m.at(order.Uint64(rec[InstanceNodes:]))[:NodeSize]
	want := [5]uint32{ResultLeaf | ResultNonOpaque | 1<<ResultCountShift, 0, math.Float32bits(1), math.Float32bits(0.25), math.Float32bits(0.5)}
	if r := Intersect(leaf, &ray, uint32(raytrace.FlipFacing)<<FlagsInstance|FlagsParts, 0); r != want {
		t.Errorf("the triangle gives %#x, want %#x", r, want)
	}
	want[0] |= ResultBack
	if r := Intersect(leaf, &ray, FlagsParts, 0); r != want {
		t.Errorf("the triangle from behind gives %#x, want %#x", r, want)
	}
	if r := Intersect(leaf, &ray, 0, 0); r[0]>>ResultCountShift&0xf != 0 {
		t.Error("a leaf none of whose parts is wanted is met")
	}
}
