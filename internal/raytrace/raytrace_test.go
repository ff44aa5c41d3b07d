package raytrace

import (
	"math"
	"math/rand/v2"
	"testing"
)

var ahead = Ray{Origin: Vec3{0.25, 0.25, -1}, Direction: Vec3{0, 0, 2}, TMin: 0, TMax: 10}

// A triangle is met where its plane is crossed, at the weights of its vertices, and faces the ray by its winding.
func TestTriangle(t *testing.T) {
	tri := Triangle{{0, 0, 1}, {1, 0, 1}, {0, 2, 1}}
	back := Triangle{tri[0], tri[2], tri[1]}
	for _, x := range []struct {
		what string
		tri  Triangle
		ray  Ray
		want Crossing
		ok   bool
	}{
		{"met", tri, ahead, Crossing{1, 0.25, 0.125, false}, true},
		{"other side", back, ahead, Crossing{1, 0.125, 0.25, true}, true},
		{"on an edge", tri, Ray{Vec3{0.5, 1, 0}, Vec3{0, 0, 1}, 0, 10}, Crossing{1, 0.5, 0.5, false}, true},
		{"beside", tri, Ray{Vec3{0.75, 1, 0}, Vec3{0, 0, 1}, 0, 10}, Crossing{}, false},
		{"at the start", tri, Ray{Vec3{0, 0, 0}, Vec3{0, 0, 1}, 1, 10}, Crossing{}, false},
		{"at the end", tri, Ray{Vec3{0, 0, 0}, Vec3{0, 0, 1}, 0, 1}, Crossing{}, false},
		{"parallel", tri, Ray{Vec3{0, 0, 1}, Vec3{1, 0, 0}, 0, 10}, Crossing{}, false},
		{"behind", tri, Ray{Vec3{0, 0, 2}, Vec3{0, 0, 1}, 0, 10}, Crossing{}, false},
	} {
		c, ok := x.ray.Triangle(&x.tri)
		if ok != x.ok || ok && c != x.want {
			t.Errorf("%s: %v %t, want %v %t", x.what, c, ok, x.want, x.ok)
		}
	}
}

// A box is met when any of the ray's range is inside, its faces included.
func TestBox(t *testing.T) {
	b := Box{Vec3{0, 0, 1}, Vec3{1, 1, 2}}
	for _, x := range []struct {
		what string
		ray  Ray
		want bool
	}{
		{"met", ahead, true},
		{"from inside", Ray{Vec3{0.5, 0.5, 1.5}, Vec3{1, 1, 1}, 0, 0.1}, true},
		{"along a face", Ray{Vec3{0, 0.5, 0}, Vec3{0, 0, 1}, 0, 10}, true},
		{"beside", Ray{Vec3{-0.1, 0.5, 0}, Vec3{0, 0, 1}, 0, 10}, false},
		{"ends before", Ray{Vec3{0.5, 0.5, 0}, Vec3{0, 0, 1}, 0, 0.9}, false},
		{"begins after", Ray{Vec3{0.5, 0.5, 0}, Vec3{0, 0, 1}, 2.1, 10}, false},
		{"past a corner", Ray{Vec3{-1, 0.5, 0}, Vec3{1, 0, 0.4}, 0, 10}, false},
		{"no number", Ray{Vec3{float32(math.NaN()), 0.5, 0}, Vec3{0, 0, 1}, 0, 10}, false},
	} {
		if got := x.ray.Box(&b); got != x.want {
			t.Errorf("%s: %t", x.what, got)
		}
	}
}

// The inverse of a transform takes points back.
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var m Matrix
		for i := range m {
			for j := range m[i] {
				m[i][j] = r.Float32()*4 - 2
			}
			m[i][i] += 5
		}
		p := Vec3{r.Float32(), r.Float32(), r.Float32()}
		back := m.Inverse()
		for k, x := range back.Point(m.Point(p)) {
			if !(math.Abs(float64(x-p[k])) <= 1e-5) {
				t.Fatalf("%v goes to %v and back to %v", p, m.Point(p), back.Point(m.Point(p)))
			}
		}
		if d := m.Direction(p); m.Point(p) == d {
			t.Fatal("a direction was moved")
		}
	}
}

// stack is a scene of three triangles and a box, one after the other along z: opaque and facing the ray at 1, not opaque and
// facing away at 2, the same again in another instance at 3, a box at 4.
func stack() *Scene {
	front := Triangle{{-4, -4, 0}, {0, 4, 0}, {4, -4, 0}}
	back := Triangle{front[0], front[2], front[1]}
	at := func(z float32) Matrix { return Matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, z}} }
	away := &Bottom{[]Geometry{{Triangles: []Triangle{back}}}}
	return &Scene{[]Instance{
		{Bottom: &Bottom{[]Geometry{{Boxes: []Box{{Vec3{-4, -4, 0}, Vec3{4, 4, 1}}}, Opaque: true}}}, Transform: at(4), Mask: 8},
		{Bottom: away, Transform: at(3), Mask: 4, Flags: FlipFacing | ForceOpaque},
		{},
		{Bottom: away, Transform: at(2), Mask: 2},
		{Bottom: &Bottom{[]Geometry{{}, {Triangles: []Triangle{{{float32(math.NaN())}}, front}, Opaque: true}}}, Transform: at(1), Mask: 1},
	}}
}

// Flags of rays and instances, masks and decisions choose what is committed.
func TestQuery(t *testing.T) {
	for _, x := range []struct {
		what       string
		flags      RayFlags
		mask       uint32
		accept     bool // what Proceed stops at is committed, boxes at 4.5
		want       float32
		kind       Kind
		candidates int
	}{
		{"closest", 0, 0xff, true, 1, HitTriangle, 2},
		{"high bits of the mask", 0, 0xf02, true, 2, HitTriangle, 1},
		{"rejected", 0, 2, false, 100, None, 1},
		{"opaque by the ray", RayOpaque, 2, false, 2, HitTriangle, 0},
		{"opaque by the instance", 0, 4, false, 3, HitTriangle, 0},
		{"not opaque by the ray", RayNoOpaque, 4, false, 100, None, 1},
		{"back faces", RayCullBackFacing, 7, true, 1, HitTriangle, 0},
		{"front faces", RayCullFrontFacing, 7, true, 2, HitTriangle, 1},
		{"opaque left out", RayCullOpaque, 15, true, 2, HitTriangle, 1},
		{"opaque alone", RayCullNoOpaque, 6, true, 3, HitTriangle, 0},
		{"first", RayTerminateOnFirstHit, 15, true, 4.5, HitBox, 1},
		{"no triangles", RaySkipTriangles, 15, true, 4.5, HitBox, 1},
		{"no boxes", RaySkipAABBs, 8, true, 100, None, 0},
	} {
		var q Query
		q.Initialize(stack(), x.flags, x.mask, Ray{Direction: Vec3{0, 0, 1}, TMax: 100})
		n := 0
		for q.Proceed() {
			n++
			if x.accept && q.Candidate().Kind == HitBox {
				q.Generate(4.5)
			} else if x.accept {
				q.Confirm()
			}
		}
		if h := q.Committed(); h.T != x.want || h.Kind != x.kind || n != x.candidates {
			t.Errorf("%s: kind %d at %g after %d candidates, want kind %d at %g after %d", x.what, h.Kind, h.T, n, x.kind, x.want, x.candidates)
		}
		if q.Proceed() {
			t.Errorf("%s: goes on after its end", x.what)
		}
	}
	var q Query
	q.Initialize(stack(), 0, 0xff, Ray{Direction: Vec3{0, 0, float32(math.Inf(1))}, TMax: 100})
	if q.Proceed() {
		t.Error("an infinite ray meets something")
	}
	q.Initialize(nil, 0, 0xff, Ray{Direction: Vec3{0, 0, 1}, TMax: 100})
	if q.Proceed() {
		t.Error("a ray meets something where no scene is")
	}
}

// What a box holds is never missed for the box.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	vec := func() Vec3 { return Vec3{r.Float32() - 0.5, r.Float32() - 0.5, r.Float32() - 0.5} }
	met := 0
	for range 20000 {
		tri := Triangle{vec(), vec(), vec()}
		for k := range 3 { // one of the vertices, an edge's middle, flat triangles
			switch r.IntN(4) {
			case 0:
				tri[1][k] = tri[0][k]
			case 1:
				tri[1][k], tri[2][k] = tri[0][k], tri[0][k]
			}
		}
		ray := Ray{Origin: vec(), TMax: 100}
		to := tri[r.IntN(3)]
		for k := range to {
			ray.Direction[k] = to[k] - ray.Origin[k]
		}
		if _, ok := ray.Triangle(&tri); ok {
			met++
			b := tri.Bounds()
			if _, ok := ray.Near(&b); !ok {
				t.Fatalf("%v meets %v, but not its box", ray, tri)
			}
		}
	}
	if met < 2000 {
		t.Errorf("only %d were met", met)
	}
}
