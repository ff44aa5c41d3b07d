package emu

import (
	"math"
	"testing"
)

// floatImage makes an R32_SFLOAT image whose texels are f(x, y, z or layer, mip).
func floatImage(t *testing.T, d ImageDesc, f func(x, y, z, mip int) float32) *ImageView {
	t.Helper()
	d.Format = FormatByName("R32_SFLOAT")
	img, err := NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img}
	for mip := range v.NumMips() {
		w, h, depth := v.Size(mip)
		for z := range max(depth, v.NumLayers()) {
			for y := range h {
				for x := range w {
					v.Store(x, y, z, mip, 0, [4]uint32{math.Float32bits(f(x, y, z, mip))})
				}
			}
		}
	}
	return v
}

func compOf(t [4]uint32, c int) float64 { return float64(math.Float32frombits(t[c])) }

func near(got, want float64) bool { return math.Abs(got-want) < 1e-5 }

func TestWrap(t *testing.T) {
	// Texels -4..7 of an axis of 4, by the definitions of Vulkan's modes.
	for mode, want := range map[AddressMode][12]int{
		AddressRepeat:            {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
		AddressMirroredRepeat:    {3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0},
		AddressClampToEdge:       {0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3},
		AddressClampToBorder:     {-1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1},
		AddressMirrorClampToEdge: {3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3},
	} {
		for i, w := range want {
			if got := mode.wrap(i-4, 4); got != w {
				t.Errorf("mode %d texel %d: %d, want %d", mode, i-4, got, w)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 4, Height: 2}, func(x, y, _, _ int) float32 { return float32(10*y + x) })
	for _, c := range []struct {
		s    Sampler
		x, y float32
		want float64
	}{
		{Sampler{}, 0.3, 0.6, 11},
		{Sampler{}, 1.3, -0.4, 11},
		{Sampler{Mag: FilterLinear}, 0.5, 0.5, 6.5},        // between four texels
		{Sampler{Mag: FilterLinear}, 0.375, 0.25, 1},       // a centre
		{Sampler{Mag: FilterLinear}, 0.40625, 0.25, 1.125}, // an eighth on
		{Sampler{Mag: FilterLinear}, 0, 0.25, 1.5},         // repeats: texels 3 and 0
		{Sampler{Mag: FilterLinear, Address: [3]AddressMode{2, 2, 2}}, 0, 0.25, 0},
		{Sampler{Mag: FilterLinear, Address: [3]AddressMode{3, 3, 3}, Border: BorderFloatOpaqueWhite}, 0, 0.25, 0.5},
		{Sampler{Unnormalized: true}, 2.9, 1.5, 12},
		{Sampler{Unnormalized: true, Mag: FilterLinear, Address: [3]AddressMode{2, 2, 2}}, 2, 0.5, 1.5},
		{Sampler{Mag: FilterLinear, Reduction: ReductionMin}, 0.5, 0.5, 1},
		{Sampler{Mag: FilterLinear, Reduction: ReductionMax}, 0.5, 0.5, 12},
		{Sampler{}, float32(math.NaN()), 0.25, 0},
		{Sampler{Address: [3]AddressMode{2, 2, 2}}, float32(math.Inf(1)), 0.25, 3},
	} {
		got := v.Sample(&c.s, &SampleOp{Dim: Tex2D, Coord: [3]float32{c.x, c.y}})
		if !near(compOf(got, 0), c.want) || compOf(got, 3) != 1 && c.s.Border == 0 {
			t.Errorf("%+v at %g,%g: %v, want %g", c.s, c.x, c.y, compOf(got, 0), c.want)
		}
	}
	op := SampleOp{Dim: Tex2D, Coord: [3]float32{0.125, 0.25}, Offset: [3]int32{2, 1}}
	if got := v.Sample(&Sampler{}, &op); compOf(got, 0) != 12 {
		t.Errorf("offset: %v", compOf(got, 0))
	}
	if v.Sample(nil, &op) != ([4]uint32{}) || (*ImageView)(nil).Sample(&Sampler{}, &op) != ([4]uint32{}) {
		t.Error("sampling nothing gives something")
	}
}

func TestShapes(t *testing.T) {
	line := floatImage(t, ImageDesc{Width: 4, Layers: 3, Height: 1}, func(x, _, l, _ int) float32 { return float32(10*l + x) })
	for _, c := range []struct {
		layer float32
		want  float64
	}{{-3, 2}, {0.5, 2}, {0.6, 12}, {1.5, 22}, {9, 22}, {float32(math.NaN()), 2}} {
		if got := line.Sample(&Sampler{}, &SampleOp{Dim: Tex1D, Array: true, Layer: c.layer, Coord: [3]float32{0.6, 7, 7}}); compOf(got, 0) != c.want {
			t.Errorf("layer %g: %g, want %g", c.layer, compOf(got, 0), c.want)
		}
	}
	cube := floatImage(t, ImageDesc{Width: 2, Height: 2, Depth: 2}, func(x, y, z, _ int) float32 { return float32(100*z + 10*y + x) })
	if got := cube.Sample(&Sampler{Mag: FilterLinear}, &SampleOp{Dim: Tex3D, Coord: [3]float32{0.5, 0.25, 0.5}}); !near(compOf(got, 0), 50.5) {
		t.Errorf("3D: %g", compOf(got, 0))
	}
}

func TestLod(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 16, Height: 8, Mips: 5}, func(_, _, _, mip int) float32 { return float32(mip) })
	grad := func(dx, dy float32) SampleOp {
		return SampleOp{Dim: Tex2D, Gradient: true, Ddx: [3]float32{dx, 0}, Ddy: [3]float32{0, dy}}
	}
	lod := func(l float32) SampleOp { return SampleOp{Dim: Tex2D, Lod: l} }
	free := Sampler{MaxLod: LodNone}
	linear := Sampler{MaxLod: LodNone, Mip: MipLinear}
	bias := func(op SampleOp, b, minLod float32) SampleOp {
		op.Bias, op.MinLod = b, minLod
		return op
	}
	for i, c := range []struct {
		s             Sampler
		op            SampleOp
		want, lev, lo float64
	}{
		{free, grad(1.0/16, 1.0/8), 0, 0, 0},
		{free, grad(4.0/16, 1.0/8), 2, 2, 2}, // the longer of the two counts
		{free, grad(1.0/16, 8.0/8), 3, 3, 3},
		{free, grad(0, 0), 0, 0, leastLod},
		{linear, bias(grad(0, 0), 2.5-leastLod, 0), 2.5, 2.5, 2.5},
		{free, lod(1.5), 1, 1, 1.5}, // halves go down
		{free, lod(1.51), 2, 2, 1.51},
		{linear, lod(1.25), 1.25, 1.25, 1.25},
		{linear, lod(9), 4, 4, 9},
		{linear, lod(-9), 0, 0, -9},
		{linear, bias(lod(1), 0.5, 0), 1.5, 1.5, 1.5},
		{linear, bias(lod(1), 0, 2.5), 2.5, 2.5, 1},
		{Sampler{MaxLod: LodNone, Mip: MipLinear, LodBias: 1}, grad(2.0/16, 0), 2, 2, 2},
		{Sampler{MinLod: 1, MaxLod: 2, Mip: MipLinear}, lod(0), 1, 1, 0},
		{Sampler{MinLod: 1, MaxLod: 2, Mip: MipLinear}, lod(3), 2, 2, 3},
		{Sampler{}, lod(3), 0, 0, 3},
	} {
		got := v.Sample(&c.s, &c.op)
		level, raw := v.QueryLod(&c.s, &c.op)
		if !near(compOf(got, 0), c.want) || !near(float64(level), c.lev) || float64(raw) != float64(float32(c.lo)) {
			t.Errorf("%d: %g level %g lod %g, want %g %g %g", i, compOf(got, 0), level, raw, c.want, c.lev, c.lo)
		}
	}
	// The view's base level is level 0.
	part := &ImageView{Image: v.Image, BaseMip: 2, Mips: 2}
	if got := part.Sample(&linear, &SampleOp{Dim: Tex2D, Lod: 7}); compOf(got, 0) != 3 {
		t.Errorf("view: %g", compOf(got, 0))
	}
}

// TestMinMag tells the filters apart at a texel where they differ.
func TestMinMag(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 2, Height: 1, Mips: 2}, func(x, _, _, mip int) float32 { return float32(x) })
	s := Sampler{Mag: FilterLinear, Min: FilterNearest, MaxLod: 0.4, Address: [3]AddressMode{2, 2, 2}}
	op := SampleOp{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}}
	if got := v.Sample(&s, &op); compOf(got, 0) != 0.5 {
		t.Errorf("magnified: %g", compOf(got, 0))
	}
	op.Lod = 0.3
	if got := v.Sample(&s, &op); compOf(got, 0) != 1 {
		t.Errorf("minified: %g", compOf(got, 0))
	}
}

func TestCube(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 4, Height: 4, Layers: 12}, func(x, y, l, _ int) float32 { return float32(100*l + 10*y + x) })
	faces := floatImage(t, ImageDesc{Width: 4, Height: 4, Layers: 6}, func(_, _, l, _ int) float32 { return float32(int(1) << l) })
	sample := func(v *ImageView, s Sampler, x, y, z float32) float64 {
		return compOf(v.Sample(&s, &SampleOp{Dim: TexCube, Coord: [3]float32{x, y, z}}), 0)
	}
	// Vulkan's table of faces: in each the direction towards texel (3, 0).
	for face, r := range [6][3]float32{{1, .9, -.9}, {-1, .9, .9}, {.9, 1, -.9}, {.9, -1, .9}, {.9, .9, 1}, {-.9, .9, -1}} {
		if got := sample(v, Sampler{}, r[0], r[1], r[2]); got != float64(100*face+3) {
			t.Errorf("face %d: %g", face, got)
		}
	}
	linear := Sampler{Mag: FilterLinear}
	if got := sample(faces, linear, 1, 0.1, 1); !near(got, (1+16)/2.0) {
		t.Errorf("edge +X +Z: %g", got)
	}
	if got := sample(faces, linear, -1, -1, 0.2); !near(got, (2+8)/2.0) {
		t.Errorf("edge -X -Y: %g", got)
	}
	if got := sample(faces, linear, 1, 1, 1); !near(got, (1+4+16)/3.0) {
		t.Errorf("corner: %g", got)
	}
	if got := sample(faces, Sampler{Mag: FilterLinear, NonSeamlessCube: true, Address: [3]AddressMode{2, 2, 2}}, 1, 0.1, 0.999); got != 1 {
		t.Errorf("not seamless: %g", got)
	}
	op := SampleOp{Dim: TexCube, Array: true, Layer: 1, Coord: [3]float32{0, 0, 1}}
	if got := compOf(v.Sample(&Sampler{}, &op), 0); got != 1022 {
		t.Errorf("cube array: %g", got)
	}
	// The derivative of a direction: across a face of 4 texels by half of it.
	op = SampleOp{Dim: TexCube, Coord: [3]float32{0, 0, 1}, Gradient: true, Ddx: [3]float32{1, 0, 0}, Ddy: [3]float32{0, 0, 5}}
	if _, lod := v.QueryLod(&Sampler{}, &op); lod != 1 {
		t.Errorf("cube LOD: %g", lod)
	}
}

// TestCubeEdges walks over all edges of a cube: the texel across an edge is
// the one whose centre is nearest, and the way back leads home.
func TestCubeEdges(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		centre := func(f, x, y int) (r [3]float64) {
			a := cubeAxes[f]
			r[a.major] = a.sign
			r[a.s] = a.sgn * (float64(2*x+1)/float64(n) - 1)
			r[a.t] = a.tgn * (float64(2*y+1)/float64(n) - 1)
			return r
		}
		for face := range 6 {
			for k := range 4 * n {
				at := k % n
				i, j := [4]int{-1, n, at, at}[k/n], [4]int{at, at, -1, n}[k/n]
				f, x, y, ok := cubeNeighbour(face, i, j, n)
				in := centre(face, min(max(i, 0), n-1), min(max(j, 0), n-1))
				out := centre(f, x, y)
				d := math.Hypot(math.Hypot(in[0]-out[0], in[1]-out[1]), in[2]-out[2])
				if !ok || f == face || f == face^1 || !near(d, math.Sqrt2/float64(n)) {
					t.Fatalf("n %d face %d %d,%d: face %d %d,%d distance %g", n, face, i, j, f, x, y, d)
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	img, err := NewImage(ImageDesc{Width: 2, Height: 1, Format: FormatByName("D16_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img}
	v.Store(0, 0, 0, 0, 0, [4]uint32{math.Float32bits(0.25)})
	v.Store(1, 0, 0, 0, 0, [4]uint32{math.Float32bits(1)})
	for _, c := range []struct {
		s      Sampler
		x, ref float32
		want   float64
	}{
		{Sampler{CompareOp: CompareLess}, 0.25, 0.2, 1},
		{Sampler{CompareOp: CompareLess}, 0.25, 0.3, 0},
		{Sampler{CompareOp: CompareGreater}, 0.25, 0.3, 1},
		{Sampler{CompareOp: CompareLessOrEqual}, 0.75, 7, 1}, // clamped to 1
		{Sampler{CompareOp: CompareLess, Mag: FilterLinear}, 0.5, 0.5, 0.5},
	} {
		if got := v.Sample(&c.s, &SampleOp{Dim: Tex2D, Coord: [3]float32{c.x, 0.5}, Compare: true, Ref: c.ref}); compOf(got, 0) != c.want {
			t.Errorf("%+v: %g", c, compOf(got, 0))
		}
	}
	got := v.Gather(&Sampler{CompareOp: CompareLess}, &SampleOp{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}, Compare: true, Ref: 0.5}, 0, nil)
	if compOf(got, 0) != 0 || compOf(got, 1) != 1 || compOf(got, 2) != 1 || compOf(got, 3) != 0 {
		t.Errorf("gather %v", got)
	}
}

func TestGather(t *testing.T) {
	img, err := NewImage(ImageDesc{Width: 4, Height: 4, Format: FormatByName("R8G8_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img}
	for i := range 16 {
		v.Store(i%4, i/4, 0, 0, 0, [4]uint32{uint32(i), uint32(100 + i)})
	}
	s := Sampler{Address: [3]AddressMode{AddressClampToBorder, AddressClampToEdge}, Border: BorderIntOpaqueWhite}
	op := SampleOp{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}}
	if got := v.Gather(&s, &op, 1, nil); got != [4]uint32{109, 110, 106, 105} {
		t.Errorf("%v", got)
	}
	op.Offset = [3]int32{1, -1}
	if got := v.Gather(&s, &op, 0, nil); got != [4]uint32{6, 7, 3, 2} {
		t.Errorf("offset: %v", got)
	}
	op.Offset = [3]int32{}
	if got := v.Gather(&s, &op, 0, &[4][2]int32{{0, 0}, {-1, 1}, {3, 2}, {-2, 0}}); got != [4]uint32{5, 8, 1, 1} {
		t.Errorf("offsets: %v", got) // texels (1,1) (0,2) and two on the border
	}
	if got := v.Gather(&s, &op, 3, nil); got != [4]uint32{1, 1, 1, 1} {
		t.Errorf("alpha: %v", got)
	}
}

func TestFetchAndQueries(t *testing.T) {
	img, err := NewImage(ImageDesc{Width: 4, Height: 2, Layers: 12, Mips: 3, Format: FormatByName("R8_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img, BaseLayer: 0, Swizzle: [4]Select{SelectOne, SelectIdentity, SelectR, SelectZero}}
	v.Store(1, 0, 7, 1, 0, [4]uint32{42})
	if got := v.Fetch(Tex2D, 1, 0, 0, 7, 1, 0); got != [4]uint32{1, 0, 42, 0} {
		t.Errorf("%v", got)
	}
	if got := v.Fetch(TexCube, 1, 0, 1, 1, 1, 0); got[2] != 42 {
		t.Errorf("cube: %v", got)
	}
	v.Swizzle = [4]Select{}
	for _, c := range [][6]int{{-1, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 1, 0}, {0, 2, 0, 0, 0, 0}, {0, 0, 0, 12, 0, 0}, {0, 0, 0, 0, 3, 0}, {0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 1}} {
		if got := v.Fetch(Tex2D, c[0], c[1], c[2], c[3], c[4], c[5]); got != [4]uint32{0, 0, 0, 1} {
			t.Errorf("%v: %v", c, got)
		}
	}
	if got := v.QuerySize(Tex2D, true, 1); got != [4]uint32{2, 1, 12, 0} {
		t.Errorf("%v", got)
	}
	if got := v.QuerySize(TexCube, true, 0); got != [4]uint32{4, 2, 2, 0} {
		t.Errorf("%v", got)
	}
	if got := v.QuerySize(Tex1D, true, 0); got != [4]uint32{4, 12, 0, 0} {
		t.Errorf("%v", got)
	}
	if v.QuerySize(Tex2D, false, 3) != [4]uint32{} || v.QueryLevels() != 3 || v.QuerySamples() != 1 {
		t.Error("queries")
	}
	var none *ImageView
	if none.Fetch(Tex2D, 0, 0, 0, 0, 0, 0) != [4]uint32{} || none.QueryLevels() != 0 || none.QuerySamples() != 0 || none.QuerySize(Tex2D, true, 0) != [4]uint32{} {
		t.Error("queries of no view")
	}
}

// TestSampleFormats: sRGB is filtered linearly, integers not at all, and the
// border fills only what the format has.
func TestSampleFormats(t *testing.T) {
	two := func(name string, a, b [4]uint32) *ImageView {
		img, err := NewImage(ImageDesc{Width: 2, Height: 1, Format: FormatByName(name)})
		if err != nil {
			t.Fatal(err)
		}
		v := &ImageView{Image: img}
		v.Store(0, 0, 0, 0, 0, a)
		v.Store(1, 0, 0, 0, 0, b)
		return v
	}
	one := math.Float32bits(1)
	linear := Sampler{Mag: FilterLinear}
	op := SampleOp{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}}
	if got := two("R8G8B8A8_SRGB", [4]uint32{}, [4]uint32{one, one, one, one}).Sample(&linear, &op); compOf(got, 0) != 0.5 || compOf(got, 3) != 0.5 {
		t.Errorf("sRGB: %g %g", compOf(got, 0), compOf(got, 3))
	}
	if got := two("R32G32_SINT", [4]uint32{5, 6}, [4]uint32{^uint32(6), 8}).Sample(&linear, &op); got != [4]uint32{^uint32(6), 8, 0, 1} {
		t.Errorf("integers: %v", got)
	}
	border := Sampler{Address: [3]AddressMode{3, 3, 3}, Border: BorderFloatOpaqueWhite}
	op.Coord[0] = -1
	if got := two("R8G8_UNORM", [4]uint32{}, [4]uint32{}).Sample(&border, &op); got != [4]uint32{one, one, 0, one} {
		t.Errorf("border: %v", got)
	}
	border.Border, border.Custom = BorderCustom, [4]uint32{7, 8, 9, 10}
	if got := two("R8G8_UINT", [4]uint32{}, [4]uint32{}).Sample(&border, &op); got != [4]uint32{7, 8, 0, 1} {
		t.Errorf("custom border: %v", got)
	}
	ds := two("D24_UNORM_S8_UINT", [4]uint32{one, 77}, [4]uint32{})
	op.Coord[0] = 0.25
	if got := ds.Sample(&Sampler{}, &op); got != [4]uint32{one, 0, 0, one} {
		t.Errorf("depth: %v", got)
	}
	ds.Stencil = true
	if got := ds.Sample(&Sampler{}, &op); got != [4]uint32{77, 0, 0, 1} {
		t.Errorf("stencil: %v", got)
	}
}

func TestAnisotropy(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 64, Height: 64, Mips: 7}, func(x, y, _, mip int) float32 { return float32(mip) })
	op := SampleOp{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}, Gradient: true, Ddx: [3]float32{16.0 / 64, 0}, Ddy: [3]float32{0, 2.0 / 64}}
	s := Sampler{Mag: FilterLinear, Min: FilterLinear, Mip: MipLinear, MaxLod: LodNone}
	if got := compOf(v.Sample(&s, &op), 0); !near(got, 4) {
		t.Errorf("isotropic: level %g", got)
	}
	s.Anisotropy = 4
	if got := compOf(v.Sample(&s, &op), 0); !near(got, 2) { // 16 / 4
		t.Errorf("4:1 : level %g", got)
	}
	s.Anisotropy = 16
	if got := compOf(v.Sample(&s, &op), 0); !near(got, 1) { // as short as the other axis
		t.Errorf("16:1 : level %g", got)
	}
	// A ramp along the long axis: the samples spread evenly around the middle.
	ramp := floatImage(t, ImageDesc{Width: 64, Height: 64}, func(x, _, _, _ int) float32 { return float32(x) })
	if got := compOf(ramp.Sample(&s, &op), 0); !near(got, 31.5) {
		t.Errorf("ramp: %g", got)
	}
}

// TestAnisotropicSamples: a footprint that is n times as long as wide has the mean of n samples, which stand evenly along it
// (Vulkan 1.3, Texel Anisotropic Filtering); a part of one counts as one.
func TestAnisotropicSamples(t *testing.T) {
	square := func(x float64) float64 { return (x - 31.5) * (x - 31.5) }
	v := floatImage(t, ImageDesc{Width: 64, Height: 64}, func(x, _, _, _ int) float32 { return float32(square(float64(x))) })
	s := Sampler{Mag: FilterLinear, Min: FilterLinear, Mip: MipLinear, Anisotropy: 16}
	for _, c := range []struct {
		wide float32 // of 16 texels
		n    int
	}{{16, 1}, {8, 2}, {6.5, 3}, {4, 4}, {2, 8}, {1, 16}, {0.5, 16}} {
		want := 0.0
		for i := 1; i <= c.n; i++ {
			x := 31.5 + 16*(float64(i)/float64(c.n+1)-0.5)
			left := math.Floor(x)
			want += (square(left) + (x-left)*(square(left+1)-square(left))) / float64(c.n)
		}
		for _, op := range []SampleOp{
			{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}, Gradient: true, Ddx: [3]float32{16.0 / 64, 0}, Ddy: [3]float32{0, c.wide / 64}},
			{Dim: Tex2D, Coord: [3]float32{0.5, 0.5}, Gradient: true, Ddx: [3]float32{0, c.wide / 64}, Ddy: [3]float32{16.0 / 64, 0}},
		} {
			if c.wide == 16 && op.Ddy[0] != 0 {
				continue // neither is the longer one
			}
			if got := compOf(v.Sample(&s, &op), 0); math.Abs(float64(got)-want) > 1e-3 {
				t.Errorf("16 by %g: %g, want %g", c.wide, got, want)
			}
		}
	}
}

func TestAtomicTexel(t *testing.T) {
	m := NewMemory()
	b := m.Alloc(8)
	d := Descriptor{Addr: b.Addr, Size: 8, Format: FormatByName("R32_UINT")}
	add := func(old uint64) uint64 { return old + 5 }
	if d.AtomicTexel(m, 1, add) != 0 || d.AtomicTexel(m, 1, add) != 5 || d.LoadTexel(m, 1)[0] != 10 {
		t.Error("atomics do not add up")
	}
	if d.AtomicTexel(m, 2, add) != 0 || d.LoadTexel(m, 0)[0] != 0 {
		t.Error("out of bounds")
	}
	d.Format = FormatByName("R8_UINT")
	if d.AtomicTexel(m, 0, add) != 0 || d.LoadTexel(m, 0)[0] != 0 {
		t.Error("a texel of one byte has no atomics")
	}
}

// BenchmarkSample is trilinear sampling of an 8-bit texture.
func BenchmarkSample(b *testing.B) {
	img, err := NewImage(ImageDesc{Width: 256, Height: 256, Mips: 9, Format: FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		b.Fatal(err)
	}
	v := &ImageView{Image: img}
	s := Sampler{Mag: FilterLinear, Min: FilterLinear, Mip: MipLinear, MaxLod: LodNone}
	op := SampleOp{Dim: Tex2D, Gradient: true, Ddx: [3]float32{3.0 / 256, 0}, Ddy: [3]float32{0, 2.0 / 256}}
	for i := range b.N {
		op.Coord[0] = float32(i) / 1000
		v.Sample(&s, &op)
	}
}
