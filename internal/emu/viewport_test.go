package emu

import (
	"math"
	"testing"
)

// TestViewports: what is seen of a viewport: the middle and the ends of the view volume go to those of the rectangle and of
// the range of depths, whichever way round they are; pixels end with the viewport where that ends at whole ones, and with the
// scissor and the area everywhere.
func TestViewports(t *testing.T) {
	area := bounds{0, 0, 100, 80}
	for _, c := range []struct {
		name       string
		v          Viewport
		both       bool // depths of -1 to 1
		scissor    *Rect
		lo, hi     [3]float64 // where (-1, -1, 0 or -1) and (1, 1, 1) lie
		limit, cut bounds
	}{
		{"upright", Viewport{X: 10, Y: 20, Width: 40, Height: 30, MinDepth: 0.25, MaxDepth: 0.75}, false, nil,
			[3]float64{10, 20, 0.25}, [3]float64{50, 50, 0.75}, bounds{10, 20, 50, 50}, area},
		{"depths of both signs", Viewport{X: 10, Y: 20, Width: 40, Height: 30, MinDepth: 0.25, MaxDepth: 0.75}, true, nil,
			[3]float64{10, 20, 0.25}, [3]float64{50, 50, 0.75}, bounds{10, 20, 50, 50}, area},
		{"upside down", Viewport{X: 10, Y: 50, Width: 40, Height: -30, MinDepth: 0.75, MaxDepth: 0.25}, false, nil,
			[3]float64{10, 50, 0.75}, [3]float64{50, 20, 0.25}, bounds{10, 20, 50, 50}, area},
		{"upside down, both signs", Viewport{X: 10, Y: 50, Width: 40, Height: -30, MinDepth: 1, MaxDepth: 0.5}, true, nil,
			[3]float64{10, 50, 1}, [3]float64{50, 20, 0.5}, bounds{10, 20, 50, 50}, area},
		{"beyond the area", Viewport{X: -20, Y: -10, Width: 200, Height: 300, MaxDepth: 1}, false, nil,
			[3]float64{-20, -10, 0}, [3]float64{180, 290, 1}, area, area},
		{"between pixels", Viewport{X: 10.5, Y: 20, Width: 40, Height: 30, MaxDepth: 1}, false, nil,
			[3]float64{10.5, 20, 0}, [3]float64{50.5, 50, 1}, area, area},
		{"ends between pixels", Viewport{X: 10, Y: 20, Width: 40.25, Height: 30, MaxDepth: 1}, false, nil,
			[3]float64{10, 20, 0}, [3]float64{50.25, 50, 1}, area, area},
		{"begins between rows", Viewport{X: 10, Y: 20.5, Width: 40, Height: 30, MaxDepth: 1}, false, nil,
			[3]float64{10, 20.5, 0}, [3]float64{50, 50.5, 1}, area, area},
		{"ends between rows", Viewport{X: 10, Y: 20, Width: 40, Height: 30.5, MaxDepth: 1}, false, nil,
			[3]float64{10, 20, 0}, [3]float64{50, 50.5, 1}, area, area},
		{"a scissor", Viewport{X: 10, Y: 20, Width: 40, Height: 30, MaxDepth: 1}, false, &Rect{X: 30, Y: 5, Width: 60, Height: 20},
			[3]float64{10, 20, 0}, [3]float64{50, 50, 1}, bounds{30, 20, 50, 25}, bounds{30, 5, 90, 25}},
		{"nothing wide", Viewport{X: 10, Y: 20, Height: 30, MaxDepth: 1}, false, nil,
			[3]float64{10, 20, 0}, [3]float64{10, 50, 1}, area, area},
	} {
		d := &drawer{p: &Pipeline{}, area: area}
		d.p.Raster.DepthMinusOneToOne = c.both
		if c.scissor != nil {
			d.p.Scissors = []Rect{*c.scissor}
		}
		v, err := newViewport(&c.v, 0, d)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		scale, offset := v.transform()
		near := 0.0
		if c.both {
			near = -1
		}
		for i, from := range [3]float64{-1, -1, near} {
			if lo, hi := from*scale[i]+offset[i], scale[i]+offset[i]; lo != c.lo[i] || hi != c.hi[i] {
				t.Errorf("%s: coordinate %d goes from %v to %v, want %v to %v", c.name, i, lo, hi, c.lo[i], c.hi[i])
			}
		}
		if z := [2]float64{min(c.lo[2], c.hi[2]), max(c.lo[2], c.hi[2])}; v.minZ != z[0] || v.maxZ != z[1] {
			t.Errorf("%s: depths from %v to %v", c.name, v.minZ, v.maxZ)
		}
		if v.limit != c.limit || v.scissor != c.cut {
			t.Errorf("%s: pixels %v of %v, want %v of %v", c.name, v.limit, v.scissor, c.limit, c.cut)
		}
		if v.gx < 1 || v.gy < 1 || math.Abs(v.cx)+v.gx*math.Abs(v.hw) > maxCoord || math.Abs(v.cy)+v.gy*math.Abs(v.hh) > maxCoord {
			t.Errorf("%s: a guard band of %v and %v", c.name, v.gx, v.gy)
		}
		at := clipVertex{x: offset[0], y: offset[1], z: offset[2], w: 0.5}
		if v.toClip(&at); at.x != 0 || at.y != 0 || at.z != 0 || at.w != 2 {
			t.Errorf("%s: the middle is at %v in clip coordinates", c.name, at)
		}
		if v.hw != 0 {
			at = clipVertex{x: scale[0]/2 + offset[0], y: scale[1]/4 + offset[1], z: scale[2]/8 + offset[2], w: 0.25}
			if v.toClip(&at); at.x != 2 || at.y != 1 || at.z != 0.5 || at.w != 4 {
				t.Errorf("%s: a point is at %v in clip coordinates", c.name, at)
			}
		}
	}
	for _, v := range []Viewport{{X: -65537, Width: 1, Height: 1}, {Y: 65537, Width: 1, Height: 1}, {Width: 65537, Height: 1}, {Width: 1, Height: -65537}, {X: float32(math.NaN()), Width: 1, Height: 1}} {
		if _, err := newViewport(&v, 0, &drawer{p: &Pipeline{}, area: area}); err == nil {
			t.Errorf("%v is taken", v)
		}
	}
	for _, v := range []Viewport{{X: -65536, Y: 65536, Width: 65536, Height: -65536}} {
		if _, err := newViewport(&v, 0, &drawer{p: &Pipeline{}, area: area}); err != nil {
			t.Error(err)
		}
	}
}
