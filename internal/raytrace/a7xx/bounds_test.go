package a7xx

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/internal/raytrace"
)

// TestWorldBounds: the box of an instance holds the eight corners, with room on each side for 2^-18 of the largest sum that
// any corner's coordinate may have on its way, and for no more than that and the rounding.
func TestWorldBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b raytrace.Box
		var m raytrace.Matrix
		for k := range b.Min {
			x, y := (r.Float32()-0.5)*20, (r.Float32()-0.5)*20
			b.Min[k], b.Max[k] = min(x, y), max(x, y)
		}
		for i := range m {
			for j := range m[i] {
				m[i][j] = (r.Float32() - 0.5) * 8
			}
		}
		got := worldBounds(&b, &m)
		for i := range m {
			lo, hi, room := math.Inf(1), math.Inf(-1), 0.0
			for corner := range 8 {
				x, size := float64(m[i][3]), math.Abs(float64(m[i][3]))
				for j := range b.Min {
					p := float64([2]float32{b.Min[j], b.Max[j]}[corner>>j&1]) * float64(m[i][j])
					x, size = x+p, size+math.Abs(p)
				}
				lo, hi, room = min(lo, x), max(hi, x), max(room, size*0x1p-18)
			}
			rounding := max(math.Abs(lo), math.Abs(hi)) * 0x1p-22
			for side, extra := range []float64{lo - float64(got.Min[i]), float64(got.Max[i]) - hi} {
				if extra < room*0.9999 || extra > room*1.0001+rounding {
					t.Fatalf("side %d of axis %d: %g beyond the corners, want %g", side, i, extra, room)
				}
			}
		}
	}
	if got := worldBounds(&nothing, &raytrace.Identity); got != nothing {
		t.Errorf("a box of nothing becomes %v", got)
	}
}
