package emu

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc/internal/refs"
	"nirc/ir"
)

// TestLineInterpolation carries the clip position along lines, one of which
// starts behind the eye: it must give back the pixel.
func TestLineInterpolation(t *testing.T) {
	const size = 64
	for _, verts := range [][2][4]float32{
		{{-0.8, -0.6, 0.2, 1}, {2.4, 1.2, 1.5, 3}},
		{{-0.8, 0.1, -0.5, -0.5}, {0.9, 0.3, 0.6, 1.2}},
		{{-8, 0.2, 0.5, 1}, {8, 0.3, 0.5, 1}},
	} {
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
			x, w := interp(l, ir.SlotVar0, 0, BaryPixel, true), interp(l, ir.SlotVar0, 3, BaryPixel, true)
			z := interp(l, ir.SlotVar0, 2, BaryPixel, true)
			// The lines are flat, so x alone tells the place except for the
			// distance of the centre from the line.
			if got := (x/w + 1) * size / 2; !(math.Abs(float64(got-l.Coord[0])) <= 0.75) {
				t.Errorf("line %v pixel %d,%d: x is %v", verts, l.X, l.Y, got)
			}
			if !(math.Abs(float64(z/w-l.Coord[2])) <= 1e-5) || !(math.Abs(float64(1/w-l.Coord[3])) <= 1e-4) {
				t.Errorf("line %v pixel %d,%d: z %v w %v at %v", verts, l.X, l.Y, z/w, w, l.Coord)
			}
			return true
		})
		p := testPipeline(t, size, size, 1, "R8_UNORM", 2, data, fs)
		p.Topology = LineList
		if draw(t, p, 2); n < 20 {
			t.Errorf("line %v: only %d fragments", verts, n)
		}
	}
}

// TestDepthOrder draws near, far and middle in one draw, with tests before and
// after shading.
func TestDepthOrder(t *testing.T) {
	var data []float32
	for _, z := range []float32{0.2, 0.8, 0.1, 0.5} {
		q := quad(z)
		data = append(data, q[0:12]...)
		data = append(data, q[4:16]...)
	}
	for _, late := range []bool{false, true} {
		shaded := 0
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			if !l.Helper {
				shaded++
			}
			out[ir.SlotData0] = Vec4{l.Prim.PrimitiveID / 2}
			return true
		})
		fs.io.UsesDiscard = late
		p := testPipeline(t, 4, 4, 1, "R32_UINT", 1, data, fs)
		p.DepthStencil.View = mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("D32_SFLOAT")})
		if err := p.DepthStencil.View.Clear([4]uint32{fb(1)}); err != nil {
			t.Fatal(err)
		}
		p.Depth = DepthState{Test: true, Write: true, Compare: CompareLess}
		st := draw(t, p, 24)
		want := 32
		if late {
			want = 64
		}
		if st.SamplesPassed != 32 || shaded != want {
			t.Errorf("late %v: %d samples passed, %d shaded, want 32 and %d", late, st.SamplesPassed, shaded, want)
		}
		for i := range 16 {
			if got := p.Color[0].View.Load(i&3, i>>2, 0, 0, 0)[0]; got != 2 {
				t.Errorf("late %v: pixel %d is primitive %d's, want 2", late, i, got)
			}
			if z := bf(p.DepthStencil.View.Load(i&3, i>>2, 0, 0, 0)[0]); z != 0.1 {
				t.Errorf("late %v: depth %v", late, z)
			}
		}
		// Without a fragment stage only the depth changes.
		p.Fragment = nil
		if err := p.DepthStencil.View.Clear([4]uint32{fb(0.3)}); err != nil {
			t.Fatal(err)
		}
		if st := draw(t, p, 24); st.SamplesPassed != 32 {
			t.Errorf("depth only: %d samples passed", st.SamplesPassed)
		}
	}
}

func TestProvoking(t *testing.T) {
	data := []float32{}
	for i, v := range [][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
		data = append(data, v[0], v[1], 0, 1, float32(i), 0, 0, 0)
	}
	for last, want := range map[bool][2]uint32{false: {0, 1}, true: {2, 3}} {
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			out[ir.SlotData0][0] = uint32(bf(l.Prim.V[l.Prim.Provoking][ir.SlotVar0][0]))
			return true
		})
		p := testPipeline(t, 4, 4, 1, "R32_UINT", 2, data, fs)
		p.Topology, p.Raster.ProvokingLast = TriangleStrip, last
		draw(t, p, 4)
		v := p.Color[0].View
		if got := [2]uint32{v.Load(0, 0, 0, 0, 0)[0], v.Load(3, 3, 0, 0, 0)[0]}; got != want {
			t.Errorf("last %v: flat values %v, want %v", last, got, want)
		}
	}
}

func TestViewportIndexAndScissor(t *testing.T) {
	vs := vertexShader(64, 1)
	vs.io.Outputs = append(vs.io.Outputs, OutputSlot{Slot: ir.SlotViewport, Mask: 1})
	inner := vs.run
	vs.run = func(l *Launch, pc int) (Status, error) {
		for i := range l.NumLanes {
			l.Out[i][ir.SlotViewport][0] = 1
		}
		return inner(l, pc)
	}
	p := testPipeline(t, 16, 16, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
	p.Vertex, p.Topology = vs, TriangleStrip
	p.Viewports = []Viewport{{0, 0, 16, 16, 0, 1}, {2, 4, 6, 8, 0, 1}}
	p.Scissors = []Rect{{0, 0, 1, 1}, {3, 0, 100, 7}}
	st := draw(t, p, 4)
	if st.SamplesPassed != 5*3 {
		t.Errorf("%d pixels, want 15", st.SamplesPassed)
	}
	for _, c := range [][3]int{{3, 4, 255}, {7, 6, 255}, {2, 4, 0}, {8, 4, 0}, {3, 3, 0}, {3, 7, 0}} {
		if got := p.Color[0].View.Texel(c[0], c[1], 0, 0, 0)[0]; int(got) != c[2] {
			t.Errorf("pixel %d,%d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestViewportLimits draws a triangle far larger than the viewport.
func TestViewportLimits(t *testing.T) {
	for _, vp := range []Viewport{{4, 5, 6, 3, 0, 1}, {4, 8, 6, -3, 0, 1}, {3.75, 4.75, 6.5, 3.5, 0, 1}} {
		p := testPipeline(t, 16, 16, 1, "R8_UNORM", 1, []float32{-50, -50, 0, 1, 150, -50, 0, 1, -50, 150, 0, 1}, constantColor(1, 1, 1, 1))
		p.Viewports = []Viewport{vp}
		draw(t, p, 3)
		for y := range 16 {
			for x := range 16 {
				want := x >= 4 && x < 10 && y >= 5 && y < 8
				if got := p.Color[0].View.Texel(x, y, 0, 0, 0)[0] != 0; got != want {
					t.Errorf("viewport %v: pixel %d,%d drawn %v", vp, x, y, got)
				}
			}
		}
	}
}

// TestDiamonds starts and ends lines inside and outside of diamonds.
func TestDiamonds(t *testing.T) {
	for _, c := range []struct {
		x0, y0, x1, y1 float32
		from, to       int // columns of row 2
	}{
		{1.75, 2.5, 5.5, 2.5, 1, 5},   // starts after the centre, in the diamond
		{1.75, 2.8, 5.5, 2.8, 2, 5},   // starts after the diamond
		{1.5, 2.5, 5.25, 2.5, 1, 5},   // ends in the diamond
		{1.5, 2.5, 5.75, 2.8, 1, 6},   // ends after the diamond
		{5.25, 2.5, 1.5, 2.5, 2, 6},   // the same leftwards
		{1.6, 2.5, 1.7, 2.55, 0, 0},   // stays in a diamond
		{1.05, 2.5, 1.95, 2.95, 1, 2}, // crosses one
	} {
		at := func(x, y float32) []float32 { return []float32{x/4 - 1, y/4 - 1, 0, 1} }
		p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, append(at(c.x0, c.y0), at(c.x1, c.y1)...), constantColor(1, 1, 1, 1))
		p.Topology, p.Raster.LineBresenham = LineList, true
		draw(t, p, 2)
		for y := range 8 {
			for x := range 8 {
				want := y == 2 && x >= c.from && x < c.to
				if got := p.Color[0].View.Texel(x, y, 0, 0, 0)[0] != 0; got != want {
					t.Errorf("line %v: pixel %d,%d drawn %v", c, x, y, got)
				}
			}
		}
	}
}

// TestResolvesOfDraws: a draw that cannot resolve an attachment says which.
func TestResolvesOfDraws(t *testing.T) {
	for want, set := range map[string]func(p *Pipeline, v *ImageView){
		"colour attachment 0":      func(p *Pipeline, v *ImageView) { p.Color[0].Resolve = v },
		"depth/stencil attachment": func(p *Pipeline, v *ImageView) { p.DepthStencil.Resolve = v },
	} {
		p := onePixel(t, "R8G8B8A8_UNORM", [4]uint32{}, constantColor(1, 0, 0, 0.5))
		p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("D32_SFLOAT")})
		set(p, mustImage(t, ImageDesc{Width: 1, Height: 1, Samples: 4, Format: FormatByName("R8G8B8A8_UNORM")}))
		if err := Draw(context.Background(), p, DrawParams{VertexCount: 3, InstanceCount: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestAlphaToOneAndResolves(t *testing.T) {
	p := onePixel(t, "R8G8B8A8_UNORM", [4]uint32{}, constantColor(1, 0, 0, 0.5))
	p.Multisample.AlphaToOne = true
	draw(t, p, 4)
	if got := p.Color[0].View.Texel(0, 0, 0, 0, 0)[3]; got != 255 {
		t.Errorf("alpha is %d", got)
	}
	o := outputs{alphaToOne: true, dual: true}
	if o.load(&Slots{}); o.src1[3] != fb(1) {
		t.Errorf("alpha of the second source is %#x", o.src1[3])
	}
	for format, want := range map[string]uint32{"R32_UINT": 10, "D32_SFLOAT": fb(0.25), "R32_SFLOAT": fb(0.5)} {
		f := FormatByName(format)
		src, dst := mustImage(t, ImageDesc{Width: 1, Height: 1, Samples: 2, Format: f}), mustImage(t, ImageDesc{Width: 1, Height: 1, Format: f})
		for s := range 2 {
			v := fb(0.25 + 0.5*float32(s))
			if f.IsInteger() {
				v = uint32(10 + s)
			}
			src.Store(0, 0, 0, 0, s, [4]uint32{v})
		}
		if err := src.ResolveTo(dst); err != nil {
			t.Fatal(err)
		}
		if got := dst.Load(0, 0, 0, 0, 0)[0]; got != want {
			t.Errorf("%s resolves to %#x, want %#x", format, got, want)
		}
		if err := dst.ResolveTo(src); err == nil {
			t.Errorf("%s resolves to two samples", format)
		}
	}
}

func TestTexelBuffer(t *testing.T) {
	m := NewMemory()
	b := m.Alloc(10)
	d := &Descriptor{Type: DescStorageTexelBuffer, Addr: b.Addr, Size: 10, Format: FormatByName("R8G8B8A8_UINT")}
	d.StoreTexel(m, 1, [4]uint32{1, 2, 3, 4})
	d.StoreTexel(m, 2, [4]uint32{9, 9, 9, 9}) // half outside
	if got := d.LoadTexel(m, 1); got != [4]uint32{1, 2, 3, 4} || b.Data[8] != 0 || d.NumTexels() != 2 {
		t.Errorf("texel %v, buffer %v", got, b.Data)
	}
	if got := d.LoadTexel(m, 1<<62); got != [4]uint32{} {
		t.Errorf("outside: %v", got)
	}
}

// TestCorpusFormats finds every format that an amber script names in the table.
func TestCorpusFormats(t *testing.T) {
	re := regexp.MustCompile(`\b(?:FORMAT|DATA_TYPE)[ \t]+((?:[RGBADSXE][0-9]+)+_[A-Z0-9_]+)`)
	seen := map[string]bool{}
	err := filepath.WalkDir(refs.Path(t, "corpus"), func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".amber") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range re.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !seen[name] {
				seen[name] = true
				if FormatByName(name) == nil {
					t.Errorf("%s: format %s is not in the table", path, name)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d formats named", len(seen))
	if len(seen) < 20 {
		t.Errorf("only %d formats found: the pattern is wrong", len(seen))
	}
}
