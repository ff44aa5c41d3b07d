package emu

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"reflect"
	"strings"
	"testing"

	"nirc/ir"
)

func TestAssemble(t *testing.T) {
	for _, c := range []struct {
		topo Topology
		last bool
		n    uint32
		want [][4]uint32 // vertices and provoking
	}{
		{PointList, false, 2, [][4]uint32{{0, 0, 0, 0}, {1, 1, 1, 0}}},
		{LineList, false, 5, [][4]uint32{{0, 1, 1, 0}, {2, 3, 3, 0}}},
		{LineStrip, true, 3, [][4]uint32{{0, 1, 1, 1}, {1, 2, 2, 1}}},
		{TriangleList, false, 7, [][4]uint32{{0, 1, 2, 0}, {3, 4, 5, 0}}},
		{TriangleStrip, false, 5, [][4]uint32{{0, 1, 2, 0}, {1, 3, 2, 0}, {2, 3, 4, 0}}},
		{TriangleStrip, true, 4, [][4]uint32{{0, 1, 2, 2}, {1, 3, 2, 1}}},
		{TriangleFan, false, 4, [][4]uint32{{1, 2, 0, 0}, {2, 3, 0, 0}}},
		{LineListAdjacency, false, 8, [][4]uint32{{1, 2, 2, 0}, {5, 6, 6, 0}}},
		{LineStripAdjacency, false, 5, [][4]uint32{{1, 2, 2, 0}, {2, 3, 3, 0}}},
		{TriangleListAdjacency, false, 11, [][4]uint32{{0, 2, 4, 0}}},
		{TriangleStripAdjacency, false, 10, [][4]uint32{{0, 2, 4, 0}, {2, 6, 4, 0}, {4, 6, 8, 0}}},
	} {
		a := assembler{topo: c.topo, last: c.last}
		var got [][4]uint32
		for i := range c.n {
			if a.push(i) {
				v := a.prim.v
				got = append(got, [4]uint32{v[0], v[1], v[2], uint32(a.prim.provoking)})
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("topology %d: %v, want %v", c.topo, got, c.want)
		}
	}
}

// TestFetch reads bindings of all rates through an indexed, instanced draw.
func TestFetch(t *testing.T) {
	type seen struct {
		v    VertexLane
		in   [3]Vec4
		wide [2]Vec4
	}
	var got []seen
	vs := &fakeProgram{stage: ir.StageVertex, wave: 64}
	for _, s := range []ir.Slot{0, 1, 2, 4, 5} {
		vs.io.Inputs = append(vs.io.Inputs, InputSlot{Slot: s, Mask: 15})
	}
	vs.io.Inputs[2].Bits = 16
	vs.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			in := l.Inputs[i]
			got = append(got, seen{l.Vertex[i], [3]Vec4{in[0], in[1], in[2]}, [2]Vec4{in[4], in[5]}})
		}
		return StatusDone, nil
	}
	u8 := FormatByName("R8G8_UINT")
	p := &Pipeline{Vertex: vs, Env: &Env{}, Topology: TriangleStrip, PrimitiveRestart: true, Raster: RasterState{Discard: true},
		Bindings: []VertexBinding{
			{Binding: 0, Data: []byte{0, 1, 2, 3, 4, 5, 6, 7}, Stride: 2},
			{Binding: 7, Data: []byte{10, 11, 12, 13}, Stride: 1, Instance: true, Divisor: 2},
			{Binding: 2, Data: floatBytes(1, 2, 3, 4), Stride: 0},
		},
		Attributes: []VertexAttribute{
			{Location: 0, Binding: 0, Format: u8},
			{Location: 1, Binding: 7, Format: FormatByName("R8_UINT")},
			{Location: 2, Binding: 2, Format: FormatByName("R32G32_SFLOAT"), Offset: 4},
			{Location: 4, Binding: 0, Format: FormatByName("R64G64B64_UINT")},
		},
	}
	idx := &IndexBuffer{Data: []byte{9, 0, 1, 255, 2, 7}, Bytes: 1}
	var st DrawStats
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 5, FirstVertex: 1, InstanceCount: 3, FirstInstance: 1, Index: idx, VertexOffset: 1, Stats: &st}); err != nil {
		t.Fatal(err)
	}
	if st.Primitives != 0 {
		t.Errorf("%d primitives across the restart", st.Primitives)
	}
	// Indices 0 1 restart 2 7, each plus one, for three instances.
	if len(got) != 12 {
		t.Fatalf("%d vertices shaded, want 12", len(got))
	}
	for i, g := range got {
		n, inst := []uint32{1, 2, 3, 8}[i%4], uint32(1+i/4)
		if g.v.VertexIndex != n || g.v.InstanceIndex != inst || g.v.BaseInstance != 1 || g.v.BaseVertex != 1 || !g.v.IsIndexed {
			t.Errorf("vertex %d: %+v", i, g.v)
		}
		want := Vec4{2 * n, 2*n + 1, 0, 1}
		if n == 8 {
			want = Vec4{0, 0, 0, 1} // beyond the buffer
		}
		if g.in[0] != want {
			t.Errorf("vertex %d: attribute 0 is %v, want %v", i, g.in[0], want)
		}
		if want := (Vec4{11 + (inst-1)/2, 0, 0, 1}); g.in[1] != want {
			t.Errorf("vertex %d: attribute 1 is %v, want %v", i, g.in[1], want)
		}
		if want := (Vec4{0x4000, 0x4200, 0, 0x3c00}); g.in[2] != want {
			t.Errorf("vertex %d: halves %x, want %x", i, g.in[2], want)
		}
		if g.wide != ([2]Vec4{}) { // 24 bytes do not fit in the buffer
			t.Errorf("vertex %d: wide attribute %v", i, g.wide)
		}
	}
}

// TestBatches draws a strip longer than a batch through few lanes and counts
// coverage and primitive ids.
func TestBatches(t *testing.T) {
	const cells = 3000
	var data []float32
	for i := range cells + 1 {
		x := float32(i)*2/cells - 1
		data = append(data, x, -1, 0, 1, x, 1, 0, 1)
	}
	var ids [2 * cells]bool
	fs := fragmentShader(8, func(l *FragmentLane, out *Slots) bool {
		ids[l.Prim.PrimitiveID] = true
		out[ir.SlotData0] = Vec4{fb(1)}
		return true
	})
	p := testPipeline(t, cells, 2, 1, "R32_SFLOAT", 1, data, fs)
	p.Vertex = vertexShader(5, 1)
	p.Topology = TriangleStrip
	p.Blend.Attachments = []AttachmentBlend{additive}
	st := draw(t, p, 2*(cells+1))
	for i := range 2 * cells {
		if c := bf(p.Color[0].View.Load(i/2, i%2, 0, 0, 0)[0]); c != 1 {
			t.Fatalf("pixel %d,%d is covered %v times", i/2, i%2, c)
		}
		if !ids[i] {
			t.Fatalf("primitive %d drew nothing", i)
		}
	}
	if st.Primitives != 2*cells || st.PrimitivesDrawn != 2*cells || st.VertexInvocations < 2*(cells+1) || st.VertexInvocations > 2*(cells+1)+50 {
		t.Errorf("stats %+v", st)
	}
}

func TestClipAndCullDistances(t *testing.T) {
	for _, c := range []struct {
		clip, cull uint8
		dist       func(x, y float32) [2]float32
		want       uint64
	}{
		{1, 0, func(x, y float32) [2]float32 { return [2]float32{x} }, 128},
		{2, 0, func(x, y float32) [2]float32 { return [2]float32{x, -y} }, 64},
		{0, 1, func(x, y float32) [2]float32 { return [2]float32{x} }, 256},
		{0, 1, func(x, y float32) [2]float32 { return [2]float32{-1} }, 0},
		{1, 1, func(x, y float32) [2]float32 { return [2]float32{x, 1} }, 128},
	} {
		vs := vertexShader(64, 1)
		vs.io.ClipDistances, vs.io.CullDistances = c.clip, c.cull
		inner := vs.run
		vs.run = func(l *Launch, pc int) (Status, error) {
			for i := range l.NumLanes {
				d := c.dist(bf(l.Inputs[i][0][0]), bf(l.Inputs[i][0][1]))
				l.Out[i][ir.SlotClipDist0] = Vec4{fb(d[0]), fb(d[1])}
			}
			return inner(l, pc)
		}
		p := testPipeline(t, 16, 16, 1, "R32_SFLOAT", 1, quad(0), constantColor(1, 0, 0, 0))
		p.Vertex, p.Topology = vs, TriangleStrip
		if st := draw(t, p, 4); st.SamplesPassed != c.want {
			t.Errorf("%d clip, %d cull: %d pixels, want %d", c.clip, c.cull, st.SamplesPassed, c.want)
		}
	}
}

// TestViewVolume clips a plane that goes through near and far.
func TestViewVolume(t *testing.T) {
	data := []float32{-1, -1, -1, 1, 1, -1, 2, 1, -1, 1, -1, 1, 1, 1, 2, 1} // z from -1 to 2 along x
	p := testPipeline(t, 48, 4, 1, "R32_SFLOAT", 1, data, constantColor(1, 0, 0, 0))
	p.Topology = TriangleStrip
	if st := draw(t, p, 4); st.SamplesPassed != 16*4 {
		t.Errorf("%d pixels between near and far, want 64", st.SamplesPassed)
	}
	for x := range 48 {
		want := x >= 16 && x < 32
		if got := p.Color[0].View.Load(x, 1, 0, 0, 0)[0] != 0; got != want {
			t.Errorf("column %d drawn: %v", x, got)
		}
	}
	p.Raster.DepthClamp = true
	if st := draw(t, p, 4); st.SamplesPassed != 48*4 {
		t.Errorf("%d pixels with depth clamp, want 192", st.SamplesPassed)
	}
}

func TestFacesAndCulling(t *testing.T) {
	// Clockwise on a screen with y down.
	data := []float32{-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1}
	for i, c := range []struct {
		cw   bool
		cull CullMode
		flip bool
		draw bool
	}{{true, CullBack, false, true}, {true, CullFront, false, false}, {false, CullBack, false, false}, {false, CullFront, false, true}, {true, CullFront, true, true}, {true, CullBoth, false, false}} {
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			if l.Prim.FrontFacing != (c.cull == CullBack) {
				t.Errorf("case %d: front facing is %v", i, l.Prim.FrontFacing)
			}
			return true
		})
		p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, data, fs)
		p.Raster.FrontClockwise, p.Raster.Cull = c.cw, c.cull
		if c.flip {
			p.Viewports = []Viewport{{0, 8, 8, -8, 0, 1}}
		}
		if got := draw(t, p, 3).SamplesPassed != 0; got != c.draw {
			t.Errorf("case %d: drawn %v", i, got)
		}
	}
}

func TestMultisampleResolve(t *testing.T) {
	// The left half of a pixel column: coverage follows the sample positions.
	data := []float32{-1, -1, 0, 1, 0.25, -1, 0, 1, -1, 1, 0, 1, 0.25, 1, 0, 1} // to x = 2.5 of 4
	p := testPipeline(t, 4, 4, 4, "R8G8B8A8_UNORM", 1, data, constantColor(1, 1, 1, 1))
	p.Topology = TriangleStrip
	p.Color[0].Resolve = mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R8G8B8A8_UNORM")})
	st := draw(t, p, 4)
	if st.SamplesPassed != 4*(4+4+2) || st.FragmentInvocations < 12 || st.FragmentInvocations > 16 { // both triangles shade the diagonal
		t.Errorf("stats %+v", st)
	}
	for x, want := range []byte{255, 255, 128, 0} {
		if got := p.Color[0].Resolve.Texel(x, 1, 0, 0, 0)[0]; got != want {
			t.Errorf("column %d resolves to %d, want %d", x, got, want)
		}
	}
	// Sample shading runs once a sample at its position, the mask drops one.
	var positions [4]int
	p.Fragment = fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		if !l.Helper {
			x, y := SamplePosition(4, int(l.SampleID))
			if l.Coverage != 1<<l.SampleID || l.Coord[0] != float32(l.X)+x || l.Coord[1] != float32(l.Y)+y {
				t.Errorf("sample %d: coverage %b at %v", l.SampleID, l.Coverage, l.Coord)
			}
			positions[l.SampleID]++
		}
		return true
	})
	p.Multisample.SampleShading = true
	mask := uint32(0b1011)
	p.Multisample.Mask = &mask
	if draw(t, p, 4); positions != [4]int{12, 8, 0, 8} {
		t.Errorf("invocations by sample: %v", positions)
	}
}

func TestAlphaToCoverage(t *testing.T) {
	for alpha, want := range map[float32]uint64{0: 0, 0.5: 2, 1: 4, 0.3: 1} {
		p := testPipeline(t, 1, 1, 4, "R8G8B8A8_UNORM", 1, quad(0), constantColor(1, 1, 1, alpha))
		p.Topology = TriangleStrip
		p.Multisample.AlphaToCoverage = true
		if st := draw(t, p, 4); st.SamplesPassed != want {
			t.Errorf("alpha %v covers %d samples, want %d", alpha, st.SamplesPassed, want)
		}
		// Alpha to one comes after the coverage: it changes what is stored alone.
		p = testPipeline(t, 1, 1, 4, "R8G8B8A8_UNORM", 1, quad(0), constantColor(1, 1, 1, alpha))
		p.Topology = TriangleStrip
		p.Multisample.AlphaToCoverage, p.Multisample.AlphaToOne = true, true
		st := draw(t, p, 4)
		stored := 0
		for s := range 4 {
			if p.Color[0].View.Texel(0, 0, 0, 0, s)[3] == 255 {
				stored++
			}
		}
		if st.SamplesPassed != want || stored != int(want) {
			t.Errorf("alpha %v to coverage and to one covers %d samples and stores one to %d, want %d", alpha, st.SamplesPassed, stored, want)
		}
	}
}

// TestCentroid: the centroid of partly covered pixels lies in the triangle.
func TestCentroid(t *testing.T) {
	data := []float32{-1, -1, 0, 1, 0.3, -1, 0, 1, -1, 1, 0, 1}
	moved := 0
	fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		if l.Helper {
			return true
		}
		b := l.Persp[BaryCentroid]
		if b[0] < 0 || b[1] < 0 || b[0]+b[1] > 1 {
			t.Errorf("pixel %d,%d: centroid %v is outside", l.X, l.Y, b)
		}
		if b != l.Persp[BaryPixel] {
			moved++
		}
		return true
	})
	draw(t, testPipeline(t, 16, 16, 4, "R8_UNORM", 1, data, fs), 3)
	if moved < 5 {
		t.Errorf("%d centroids differ from the centre", moved)
	}
}

func TestLayersAndViews(t *testing.T) {
	vs := vertexShader(64, 1)
	vs.io.Outputs = append(vs.io.Outputs, OutputSlot{Slot: ir.SlotLayer, Mask: 1})
	inner := vs.run
	vs.run = func(l *Launch, pc int) (Status, error) {
		for i := range l.NumLanes {
			l.Out[i][ir.SlotLayer][0] = l.Vertex[i].InstanceIndex
		}
		return inner(l, pc)
	}
	p := testPipeline(t, 4, 4, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
	p.Topology = TriangleStrip
	img := mustImage(t, ImageDesc{Width: 8, Height: 8, Layers: 3, Mips: 2, Format: FormatByName("R8_UNORM")}).Image
	p.Color[0].View = &ImageView{Image: img, BaseMip: 1, BaseLayer: 1}
	p.Vertex = vs
	// Layer 2 of the view does not exist.
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 4, InstanceCount: 2, FirstInstance: 1}); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(img.Data, []byte{255}); n != 16 || img.Data[img.Offset(3, 3, 0, 2, 1, 0)] != 255 {
		t.Errorf("%d texels written, want the 16 of layer 2", n)
	}
	p.Vertex = vertexShader(64, 1)
	p.ViewMask = 0b10
	clear(img.Data)
	draw(t, p, 4)
	if n := bytes.Count(img.Data, []byte{255}); n != 16 || img.Data[img.Offset(0, 0, 0, 2, 1, 0)] != 255 {
		t.Errorf("multiview: %d texels written", n)
	}
}

func TestDrawErrors(t *testing.T) {
	base := func() *Pipeline {
		p := testPipeline(t, 4, 4, 1, "R8G8B8A8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
		p.Topology = TriangleStrip
		return p
	}
	for _, c := range []struct {
		why string
		set func(p *Pipeline)
	}{
		{"tessellation", func(p *Pipeline) { p.Topology = PatchList }},
		{"geometry", func(p *Pipeline) { p.Geometry = p.Vertex }},
		{"without a vertex stage", func(p *Pipeline) { p.Vertex = nil }},
		{"needs an area", func(p *Pipeline) { p.Color = nil }},
		{"not bound", func(p *Pipeline) { p.Bindings = nil }},
		{"has 1 samples", func(p *Pipeline) { p.Multisample.Samples = 4 }},
		{"depth/stencil attachment", func(p *Pipeline) { p.DepthStencil = p.Color[0] }},
		{"does not fit", func(p *Pipeline) { p.Color[0].View.Image.Data = nil }},
		{"needs quads", func(p *Pipeline) {
			p.Fragment.(*fakeProgram).wave = 1
			p.Fragment.(*fakeProgram).io.NeedsQuads = true
		}},
		{"not supported as a colour", func(p *Pipeline) { p.Color[0].View.Format = FormatByName("X8_D24_UNORM_PACK32") }},
		{"viewport", func(p *Pipeline) { p.Viewports = []Viewport{{Width: float32(math.NaN())}} }},
		{"fragment stage: oops", func(p *Pipeline) {
			p.Fragment.(*fakeProgram).run = func(*Launch, int) (Status, error) { return 0, errors.New("oops") }
		}},
	} {
		p := base()
		c.set(p)
		err := Draw(context.Background(), p, DrawParams{VertexCount: 4, InstanceCount: 1})
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("want an error with %q, got %v", c.why, err)
		}
	}
	p := base()
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 4, InstanceCount: 1, Index: &IndexBuffer{Bytes: 3}}); err == nil || !strings.Contains(err.Error(), "indices of 3 bytes") {
		t.Errorf("indices of 3 bytes: %v", err)
	}
	p.Fragment.(*fakeProgram).run = func(*Launch, int) (Status, error) { return StatusYield, nil }
	err := Draw(context.Background(), p, DrawParams{VertexCount: 4, InstanceCount: 1, Limits: Limits{Budget: 1 << 20}})
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("endless fragment stage: %v", err)
	}
	// Positions that are no numbers draw nothing.
	p = base()
	nan := float32(math.NaN())
	p.Bindings[0].Data = floatBytes(nan, nan, 0, 1, 1e38, -1e38, 0, 1e-38, 0, 0, 0, 0, 3, float32(math.Inf(1)), 0, 1)
	draw(t, p, 4)
}

// TestSingleLanes runs the fragment stage one lane at a time.
func TestSingleLanes(t *testing.T) {
	p := testPipeline(t, 7, 5, 1, "R8_UNORM", 1, quad(0), constantColor(1, 1, 1, 1))
	p.Fragment.(*fakeProgram).wave = 1
	p.Topology = TriangleStrip
	if st := draw(t, p, 4); st.Waves != 36 || st.SamplesPassed != 35 {
		t.Errorf("stats %+v", st)
	}
}

func TestPNG(t *testing.T) {
	v := mustImage(t, ImageDesc{Width: 2, Height: 1, Format: FormatByName("B8G8R8A8_UNORM")})
	v.Store(0, 0, 0, 0, 0, [4]uint32{fb(1), fb(0.5), 0, fb(1)})
	var buf bytes.Buffer
	if err := EncodePNG(&buf, v, 0); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, 2, 1) {
		t.Errorf("the picture is %v", img.Bounds())
	}
	if r, g, b, a := img.At(0, 0).RGBA(); r != 0xffff || g != 0x8080 || b != 0 || a != 0xffff {
		t.Errorf("pixel %x %x %x %x", r, g, b, a)
	}
	ms := mustImage(t, ImageDesc{Width: 1, Height: 1, Samples: 2, Format: FormatByName("R32_SFLOAT")})
	ms.Store(0, 0, 0, 0, 0, [4]uint32{fb(0.8)})
	buf.Reset()
	if err := EncodePNG(&buf, ms, 0); err != nil {
		t.Fatal(err)
	}
	if img, err = png.Decode(&buf); err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := img.At(0, 0).RGBA(); r != 102*0x101 {
		t.Errorf("mean of the samples: %#x", r)
	}
	// Depths are grey, sRGB is stored as it is, and what has no alpha is opaque.
	for name, c := range map[string]struct {
		texel [4]uint32
		want  [4]uint32 // of 8 bits
	}{
		"D32_SFLOAT":    {[4]uint32{fb(0.2)}, [4]uint32{51, 51, 51, 255}},
		"D16_UNORM":     {[4]uint32{fb(1)}, [4]uint32{255, 255, 255, 255}},
		"R8G8B8A8_SRGB": {[4]uint32{fb(0.5), fb(0), fb(1), fb(0.2)}, [4]uint32{188, 0, 255, 51}},
		"R8G8_UNORM":    {[4]uint32{fb(0.2), fb(0.4), fb(1), fb(0.2)}, [4]uint32{51, 102, 0, 255}},
	} {
		v := mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName(name)})
		v.Store(0, 0, 0, 0, 0, c.texel)
		buf.Reset()
		if err := EncodePNG(&buf, v, 0); err != nil {
			t.Fatal(err)
		}
		if img, err = png.Decode(&buf); err != nil {
			t.Fatal(err)
		}
		got := color.NRGBAModel.Convert(img.At(0, 0)).(color.NRGBA)
		if (got != color.NRGBA{uint8(c.want[0]), uint8(c.want[1]), uint8(c.want[2]), uint8(c.want[3])}) {
			t.Errorf("%s: pixel %v, want %v", name, got, c.want)
		}
	}
	if err := EncodePNG(&buf, &ImageView{}, 0); err == nil {
		t.Error("nothing gives a PNG")
	}
	buf.Reset()
	if err := EncodePNG(&buf, v, 3); err == nil {
		t.Error("a layer that is not there gives a PNG")
	}
	if err := EncodePNG(&buf, mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("R8_UINT")}), 0); err == nil {
		t.Error("integers give a PNG")
	}
}

func BenchmarkFullScreen(b *testing.B) {
	p := testPipeline(b, 256, 256, 1, "B8G8R8A8_UNORM", 1, quad(0), constantColor(1, 0.5, 0, 1))
	p.Topology = TriangleStrip
	b.ReportAllocs()
	for b.Loop() {
		draw(b, p, 4)
	}
}
