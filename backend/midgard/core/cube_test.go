package core

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cubeFaces are the faces as Vulkan selects them (Cube Map Face Selection): the major axis, and what s and t are made of.
var cubeFaces = [6]struct{ major, s, t func(d [3]float64) float64 }{
	{func(d [3]float64) float64 { return d[0] }, func(d [3]float64) float64 { return -d[2] }, func(d [3]float64) float64 { return -d[1] }},
	{func(d [3]float64) float64 { return -d[0] }, func(d [3]float64) float64 { return d[2] }, func(d [3]float64) float64 { return -d[1] }},
	{func(d [3]float64) float64 { return d[1] }, func(d [3]float64) float64 { return d[0] }, func(d [3]float64) float64 { return d[2] }},
	{func(d [3]float64) float64 { return -d[1] }, func(d [3]float64) float64 { return d[0] }, func(d [3]float64) float64 { return -d[2] }},
	{func(d [3]float64) float64 { return d[2] }, func(d [3]float64) float64 { return d[0] }, func(d [3]float64) float64 { return -d[1] }},
	{func(d [3]float64) float64 { return -d[2] }, func(d [3]float64) float64 { return -d[0] }, func(d [3]float64) float64 { return -d[1] }},
}

// TestCubeFaces: a direction becomes the face that it goes through and the place there, and that again the direction, on the unit cube.
func TestCubeFaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	seen := [6]int{}
	for range 600 {
		var d [3]float64
		var v [4]uint32
		for i := range d {
			f := float32(r.NormFloat64() * math.Exp2(float64(r.IntN(9)-4)))
			d[i], v[i] = float64(f), fbits(f)
		}
		got := cubePair(v)
		face := got[1] & 7
		seen[face]++
		f := &cubeFaces[face]
		m := f.major(d)
		if m != max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])) {
			t.Fatalf("%v goes through face %d", d, face)
		}
		s, u := 0.5*f.s(d)/m+0.5, 0.5*f.t(d)/m+0.5
		if math.Abs(float64(f32(got[0]))-s) > 1e-6 || math.Abs(float64(f32(got[1]&^7))-u) > 1e-6 {
			t.Errorf("%v is at %g, %g of face %d, want %g, %g", d, f32(got[0]), f32(got[1]&^7), face, s, u)
		}
		for i, x := range cubeDirection(got[0], got[1]) {
			if math.Abs(float64(x)-d[i]/m) > 3e-6 {
				t.Errorf("%v comes back with %g as component %d, want %g", d, x, i, d[i]/m)
			}
		}
	}
	for face, n := range seen {
		if n < 20 {
			t.Errorf("%d directions go through face %d", n, face)
		}
	}
	// Two faces have no number: they are taken for the first.
	if cubeDirection(fbits(0.25), fbits(0.75)&^7|6) != cubeDirection(fbits(0.25), fbits(0.75)&^7) {
		t.Error("a face that there is not is none")
	}
}
