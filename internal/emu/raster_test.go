package emu

import (
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

var additive = AttachmentBlend{Enable: true, SrcColor: ir.BlendOne, DstColor: ir.BlendOne, SrcAlpha: ir.BlendOne, DstAlpha: ir.BlendOne, WriteMask: WriteAll}

// covered is the brute-force reference: whether the point (x, y), in
// subpixels, is in the triangle by the top-left rule. It nudges the point by
// an infinitesimal step right and a yet smaller one down, which is that rule
// in other words.
func covered(p [3]point, x, y int64) bool {
	var sign [3]int
	for k := range p {
		a, b := p[k], p[(k+1)%3]
		dx, dy := b.x-a.x, b.y-a.y
		e := dx*(y-a.y) - dy*(x-a.x)
		switch {
		case e > 0 || e == 0 && (-dy > 0 || dy == 0 && dx > 0):
			sign[k] = 1
		default:
			sign[k] = -1
		}
	}
	return sign[0] == sign[1] && sign[1] == sign[2]
}

// TestCoverage compares random triangles, some beyond the viewport, with the
// reference at every sample.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const size = 32
	total := 0
	for _, samples := range []int{1, 2, 4, 8, 16} {
		for range 60 {
			var pts [3]point
			var data []float32
			for k := range pts {
				// Multiples of 1/256 pixel, so that snapping changes nothing.
				pts[k] = point{int64(r.IntN(size*512)) - size*128, int64(r.IntN(size*512)) - size*128}
				if r.IntN(3) == 0 { // hit sample positions
					pts[k].x &^= 15
					pts[k].y &^= 15
				}
				data = append(data, float32(pts[k].x)/(size*128)-1, float32(pts[k].y)/(size*128)-1, 0, 1)
			}
			p := testPipeline(t, size, size, samples, "R32_SFLOAT", 1, data, constantColor(1, 0, 0, 0))
			draw(t, p, 3)
			v := p.Color[0].View
			for y := range size {
				for x := range size {
					for s, o := range sampleTables.Get()[samples] {
						want := float32(0)
						if covered(pts, int64(x)*256+int64(o.x)*16, int64(y)*256+int64(o.y)*16) && area(pts[:]) != 0 {
							want = 1
							total++
						}
						if got := bf(v.Load(x, y, 0, 0, s)[0]); got != want {
							t.Fatalf("%d samples, triangle %v: pixel %d,%d sample %d is %v, want %v", samples, pts, x, y, s, got, want)
						}
					}
				}
			}
		}
	}
	if total < 10000 {
		t.Errorf("only %d samples covered: the test proves little", total)
	}
}

// TestSharedEdges draws a mesh of jittered cells that covers more than the
// viewport: every sample is covered exactly once, whatever the winding, with
// w other than 1 and clipping.
func TestSharedEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 9
	for _, samples := range []int{1, 4} {
		for round := range 10 {
			var grid [n + 1][n + 1][4]float32
			for i := range grid {
				for j := range grid[i] {
					w := 0.5 + 2*r.Float32()
					x := (float32(j)-n/2.0)/3 + 0.2*r.Float32()
					y := (float32(i)-n/2.0)/3 + 0.2*r.Float32()
					grid[i][j] = [4]float32{x * w, y * w, 0.5 * w, w}
				}
			}
			var data []float32
			vertices := 0
			tri := func(a, b, c [4]float32) {
				if r.IntN(2) == 0 {
					b, c = c, b
				}
				data = append(data, a[:]...)
				data = append(append(data, b[:]...), c[:]...)
				vertices += 3
			}
			for i := range n {
				for j := range n {
					tri(grid[i][j], grid[i][j+1], grid[i+1][j])
					tri(grid[i+1][j+1], grid[i][j+1], grid[i+1][j])
				}
			}
			p := testPipeline(t, 48, 48, samples, "R32_SFLOAT", 1, data, constantColor(1, 0, 0, 0))
			p.Blend.Attachments = []AttachmentBlend{additive}
			if round&1 != 0 { // edges at fractions of a pixel: clip exactly
				p.Viewports = []Viewport{{-0.5, -0.5, 49, 49, 0, 1}}
			}
			draw(t, p, vertices)
			for y := range 48 {
				for x := range 48 {
					for s := range samples {
						if got := bf(p.Color[0].View.Load(x, y, 0, 0, s)[0]); got != 1 {
							t.Fatalf("round %d: pixel %d,%d sample %d is covered %v times", round, x, y, s, got)
						}
					}
				}
			}
		}
	}
}

// TestInterpolation compares smooth and noperspective values of a slanted
// triangle, which is clipped in half of the cases, with the exact solution.
func TestInterpolation(t *testing.T) {
	const size = 32
	for _, clip := range []bool{false, true} {
		// Position and a varying of x/w, y/w as planes: smooth interpolation of
		// the clip position (X, Y, W) gives back the pixel.
		verts := [][4]float32{{-0.9, -0.8, 0.1, 1}, {2.5, -2, 1.5, 3}, {-0.5, 1.8, 0.4, 2}}
		if clip {
			verts[1] = [4]float32{4, -1, -0.5, -0.5} // behind the eye
		}
		var data []float32
		for _, v := range verts {
			data = append(append(data, v[:]...), v[:]...)
		}
		n := 0
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			if l.Helper {
				return true
			}
			n++
			x, y := interp(l, ir.SlotVar0, 0, BaryPixel, true), interp(l, ir.SlotVar0, 1, BaryPixel, true)
			z, w := interp(l, ir.SlotVar0, 2, BaryPixel, true), interp(l, ir.SlotVar0, 3, BaryPixel, true)
			near := func(what string, got, want float32) {
				if d := got - want; !(d < 0.01 && d > -0.01) {
					t.Errorf("clip %v pixel %d,%d: %s is %v, want %v", clip, l.X, l.Y, what, got, want)
				}
			}
			near("x", (x/w+1)*size/2, float32(l.X)+0.5)
			near("y", (y/w+1)*size/2, float32(l.Y)+0.5)
			near("z", z/w, l.Coord[2])
			near("1/w", 1/w, l.Coord[3])
			i, j := l.Prim.Bary(l.Coord[0], l.Coord[1], true)
			if l.Persp[BaryPixel] != [2]float32{i, j} {
				t.Errorf("Bary gives %v,%v, the lane %v", i, j, l.Persp[BaryPixel])
			}
			if !clip { // linear weights are those of the window triangle
				b := l.Linear[BaryPixel]
				sx := func(k int) float32 { return (verts[k][0]/verts[k][3] + 1) * size / 2 }
				near("linear x", sx(0)+b[0]*(sx(1)-sx(0))+b[1]*(sx(2)-sx(0)), l.Coord[0])
			}
			return true
		})
		p := testPipeline(t, size, size, 1, "R8_UNORM", 2, data, fs)
		draw(t, p, 3)
		if n < 50 {
			t.Errorf("clip %v: only %d fragments", clip, n)
		}
	}
}

func TestHelperLanes(t *testing.T) {
	helpers, live := 0, 0
	fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		if l.Helper {
			helpers++
		} else {
			live++
		}
		out[ir.SlotData0] = Vec4{fb(1)}
		return true
	})
	inner := fs.run
	fs.run = func(l *Launch, pc int) (Status, error) {
		for q := 0; q < l.NumLanes; q += 4 {
			x, y := l.Fragment[q].X, l.Fragment[q].Y
			for k := range int32(4) {
				f := &l.Fragment[q+int(k)]
				if x&1 != 0 || y&1 != 0 || f.X != x+k&1 || f.Y != y+k>>1 || f.Prim != l.Fragment[q].Prim {
					t.Errorf("lane %d of quad %d,%d is pixel %d,%d", k, x, y, f.X, f.Y)
				}
			}
		}
		return inner(l, pc)
	}
	// One pixel: three helpers.
	p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, quad(0), fs)
	p.Topology = TriangleStrip
	p.Scissors = []Rect{{3, 3, 1, 1}}
	st := draw(t, p, 4)
	if helpers != 3 || live != 1 || st.FragmentInvocations != 1 || st.SamplesPassed != 1 {
		t.Errorf("%d helpers, %d live, stats %+v", helpers, live, st)
	}
	if c := p.Color[0].View.Load(3, 3, 0, 0, 0)[0]; c != fb(1) {
		t.Error("the pixel is not written")
	}
}

func TestPointsAndLines(t *testing.T) {
	count := func(p *Pipeline) (n int) {
		for y := range 16 {
			for x := range 16 {
				if p.Color[0].View.Load(x, y, 0, 0, 0)[0] != 0 {
					n++
				}
			}
		}
		return n
	}
	at := func(x, y float32) []float32 { return []float32{x/8 - 1, y/8 - 1, 0, 1} }
	join := func(parts ...[]float32) (out []float32) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	one := constantColor(1, 1, 1, 1)
	p := testPipeline(t, 16, 16, 1, "R8_UNORM", 1, join(at(2.5, 3.5), at(7.5, 3.5), at(20, 3)), one)
	p.Topology = PointList
	draw(t, p, 3)
	if n := count(p); n != 2 || p.Color[0].View.Load(7, 3, 0, 0, 0)[0] == 0 {
		t.Errorf("two points cover %d pixels", n)
	}
	for _, bresenham := range []bool{false, true} {
		for _, c := range []struct {
			a, b []float32
			n    int
		}{{at(1.5, 2.5), at(9.5, 2.5), 8}, {at(9.5, 2.5), at(1.5, 2.5), 8}, {at(3.5, 1), at(3.5, 12), 11}, {at(1.5, 0.5), at(9.5, 0.5), 8}, {at(1.5, 15.5), at(9.5, 15.5), 8},
			{at(0.5, 1), at(0.5, 12), 11}, {at(15.5, 1), at(15.5, 12), 11}, {at(-20.5, 4.5), at(40.5, 4.5), 16}} {
			p := testPipeline(t, 16, 16, 1, "R8_UNORM", 1, join(c.a, c.b), one)
			p.Topology = LineList
			p.Raster.LineBresenham = bresenham
			draw(t, p, 2)
			if n := count(p); n != c.n {
				t.Errorf("bresenham %v: line %v-%v covers %d pixels, want %d", bresenham, c.a, c.b, n, c.n)
			}
		}
	}
	// A line that begins, or ends, before the near plane is drawn from where it crosses it.
	deep := func(x, z float32) []float32 { return []float32{x/8 - 1, 4.5/8 - 1, z, 1} }
	for _, c := range [][2][]float32{{deep(1.5, -1), deep(9.5, 1)}, {deep(9.5, 1), deep(1.5, -1)}} {
		p := testPipeline(t, 16, 16, 1, "R8_UNORM", 1, join(c[0], c[1]), one)
		p.Topology = LineList
		draw(t, p, 2)
		if n, v := count(p), p.Color[0].View; n != 4 || v.Load(5, 4, 0, 0, 0)[0] != 0 && v.Load(9, 4, 0, 0, 0)[0] != 0 || v.Load(7, 4, 0, 0, 0)[0] == 0 {
			t.Errorf("a line from %v to %v covers %d pixels, want those from 5.5 to 9.5", c[0], c[1], n)
		}
	}
	// A diagonal takes one pixel a step by the diamond-exit rule.
	p = testPipeline(t, 16, 16, 1, "R8_UNORM", 1, join(at(1.5, 1.5), at(13.5, 7.5)), one)
	p.Topology = LineList
	p.Raster.LineBresenham = true
	draw(t, p, 2)
	if n := count(p); n != 12 {
		t.Errorf("diagonal covers %d pixels, want 12", n)
	}
}

func TestPointSizeAndCoord(t *testing.T) {
	vs := vertexShader(64, 1)
	vs.io.Outputs = append(vs.io.Outputs, OutputSlot{Slot: ir.SlotPointSize, Mask: 1})
	inner := vs.run
	vs.run = func(l *Launch, pc int) (Status, error) {
		for i := range l.NumLanes {
			l.Out[i][ir.SlotPointSize][0] = fb(4)
		}
		return inner(l, pc)
	}
	fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		s, u := l.Prim.PointCoord(l.Coord[0], l.Coord[1])
		out[ir.SlotData0] = Vec4{fb(s), fb(u)}
		return true
	})
	p := testPipeline(t, 16, 16, 1, "R32G32_SFLOAT", 1, []float32{0, 0, 0, 1}, fs)
	p.Vertex, p.Topology = vs, PointList
	if st := draw(t, p, 1); st.SamplesPassed != 16 {
		t.Errorf("a point of size 4 covers %d pixels", st.SamplesPassed)
	}
	if c := p.Color[0].View.Load(6, 9, 0, 0, 0); bf(c[0]) != 0.125 || bf(c[1]) != 0.875 {
		t.Errorf("point coordinates %v %v", bf(c[0]), bf(c[1]))
	}
}

func TestPolygonModes(t *testing.T) {
	data := []float32{-0.75, -0.75, 0, 1, 0.75, -0.75, 0, 1, -0.75, 0.75, 0, 1}
	var got []uint64
	for _, m := range []PolygonMode{PolygonFill, PolygonLine, PolygonPoint} {
		p := testPipeline(t, 64, 64, 1, "R8_UNORM", 1, data, constantColor(1, 1, 1, 1))
		p.Raster.Polygon = m
		got = append(got, draw(t, p, 3).SamplesPassed)
	}
	// 48*48/2 filled; three edges of 48, 48 and about 1.41*48; three points.
	if got[0] < 1100 || got[0] > 1200 || got[1] < 140 || got[1] > 200 || got[2] != 3 {
		t.Errorf("fill, line, point: %v", got)
	}
}
