package emu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// TestMask: a set of lanes has what was put in and not taken out, and goes through it in order, as it was at the start.
func TestMask(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 200 {
		var m Mask
		has := make(map[int]bool)
		for range n {
			l := r.IntN(MaxLanes)
			if r.IntN(4) == 0 {
				m.Clear(l)
				delete(has, l)
			} else {
				m.Set(l)
				has[l] = true
			}
		}
		var want, got []int
		for l := range MaxLanes {
			if m.Get(l) != has[l] {
				t.Fatalf("lane %d: %v", l, m.Get(l))
			}
			if has[l] {
				want = append(want, l)
			}
		}
		if m.Any() != (len(want) > 0) {
			t.Fatalf("%v has a lane: %v", want, m.Any())
		}
		for l := range m.Lanes() {
			got = append(got, l)
			m.Clear((l + 1) % MaxLanes)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("lanes %v, want %v", got, want)
		}
	}
	var m Mask
	for _, l := range []int{3, 70, 90} {
		m.Set(l)
	}
	var got []int
	for l := range m.Lanes() {
		if got = append(got, l); l == 70 {
			break
		}
	}
	if !slices.Equal(got, []int{3, 70}) {
		t.Errorf("up to lane 70: %v", got)
	}
}

// TestWideTexels: channels of 32 bits are the words, and of 64 bits the first two are two words each; the others are not
// looked at and become 0.
func TestWideTexels(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	wide := 0
	for _, f := range Formats() {
		if len(f.Channels) == 0 || slices.ContainsFunc(f.Channels, func(c Channel) bool { return c.Width < 32 }) {
			continue
		}
		src, dst := make([]byte, f.Bytes), make([]byte, f.Bytes)
		for i := range src {
			src[i], dst[i] = byte(r.Uint32()), 0xff
		}
		var v [4]uint32
		f.Unpack(src, &v)
		n := int(f.Channels[0].Width) / 32
		for i := range min(f.Bytes/4, 4) {
			if want := uint32(loadBytes(src[4*i:], 4)); v[i] != want {
				t.Errorf("%s: word %d is %#x, want %#x", f.Name, i, v[i], want)
			}
		}
		f.Pack(dst, &v)
		if want := append(slices.Clone(src[:min(16, f.Bytes)]), make([]byte, max(0, f.Bytes-16))...); !slices.Equal(dst, want) {
			t.Errorf("%s: packed %x, want %x", f.Name, dst, want)
		}
		if wide += n - 1; n == 1 && len(f.Channels) < 4 && v[3] != 1 && v[3] != fb(1) {
			t.Errorf("%s: the component that is not there is %#x", f.Name, v[3])
		}
	}
	if wide == 0 {
		t.Error("no format has channels of 64 bits")
	}
}

func loadBytes(b []byte, n int) (v uint64) {
	for i := range n {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// TestFullCoverage: a pixel that a primitive covers has the bits of its samples and no others, and quads that no sample is left
// of are not shaded.
func TestFullCoverage(t *testing.T) {
	for _, samples := range []int{1, 2, 4, 8, 16} {
		seen := 0
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			if !l.Helper {
				if seen++; l.Coverage != 1<<samples-1 {
					t.Errorf("%d samples: pixel (%d, %d) has %#x", samples, l.X, l.Y, l.Coverage)
				}
			}
			return true
		})
		p := testPipeline(t, 24, 24, samples, "R8_UNORM", 1, quad(0.5), fs)
		p.Topology = TriangleList
		p.Bindings[0].Data = floatBytes(-1, -1, 0.5, 1, 7, -1, 0.5, 1, -1, 7, 0.5, 1)
		if draw(t, p, 3); seen != 24*24 {
			t.Errorf("%d samples: %d pixels", samples, seen)
		}
	}
	ran := 0
	fs := fragmentShader(4, func(*FragmentLane, *Slots) bool { ran++; return true })
	p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, quad(0.5), fs)
	p.Topology = TriangleStrip
	p.DepthStencil.View = mustImage(t, ImageDesc{Width: 8, Height: 8, Format: FormatByName("D32_SFLOAT")})
	p.Depth = DepthState{Test: true, Compare: CompareNever}
	if st := draw(t, p, 4); ran != 0 || st.FragmentInvocations != 0 || st.SamplesPassed != 0 {
		t.Errorf("%d lanes of fragments that fail ran, %+v", ran, st)
	}
}

// TestDepthBoundsEnds: the bounds of depths are among what passes.
func TestDepthBoundsEnds(t *testing.T) {
	for _, c := range []struct {
		stored float32
		pass   bool
	}{{0.25, true}, {0.5, true}, {0.375, true}, {0.24999, false}, {0.50001, false}, {0, false}, {1, false}} {
		p := onePixel(t, "R8_UNORM", [4]uint32{}, constantColor(1, 1, 1, 1))
		p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("D32_SFLOAT")})
		if err := p.DepthStencil.View.Clear([4]uint32{fb(c.stored)}); err != nil {
			t.Fatal(err)
		}
		p.Depth = DepthState{BoundsTest: true, MinBounds: 0.25, MaxBounds: 0.5}
		if st := draw(t, p, 4); (st.SamplesPassed == 1) != c.pass {
			t.Errorf("depth %v: %d samples pass", c.stored, st.SamplesPassed)
		}
	}
}

// TestEachStageFails: what a program of any stage reports ends the draw, and the error says of which stage it is; a barrier where no
// workgroup is is one.
func TestEachStageFails(t *testing.T) {
	failing := errors.New("the core is at its end")
	outer, inner := [4]float32{2, 2, 2, 2}, [2]float32{2, 2}
	for stage := range 5 {
		for _, barrier := range []bool{false, true} {
			p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, quad(0.5), constantColor(1, 1, 1, 1))
			p.Bindings[0].Data = floatBytes(1, -1, 0.5, 1, -1, 1, 0.5, 1, 1, 1, 0.5, 1, -1, -1, 0.5, 1)
			p.Topology, p.PatchControlPoints = PatchList, 4
			ctrl, eval := tessShaders(4, TessIO{OutputVertices: 4, Domain: ir.DomainQuads}, outer, inner)
			geom := geometryShader(4, GeomIO{Invocations: 1, MaxVertices: 3, InPrimitive: 3, OutPrimitive: 2}, func(l *GeometryLane) {
				for k := range 3 {
					v := *l.V[k]
					l.Emitted.Emit(&v)
				}
			})
			p.TessCtrl, p.TessEval, p.Geometry = ctrl, eval, geom
			all := []*fakeProgram{p.Vertex.(*fakeProgram), ctrl, eval, geom, p.Fragment.(*fakeProgram)}
			bad := *all[stage]
			want := failing.Error()
			bad.run = func(*Launch, int) (Status, error) { return StatusDone, failing }
			if barrier {
				if bad.stage == ir.StageTessCtrl {
					continue // whose invocations may wait for each other
				}
				bad.run, want = func(*Launch, int) (Status, error) { return StatusBarrier, nil }, "barrier"
			}
			switch stage {
			case 0:
				p.Vertex = &bad
			case 1:
				p.TessCtrl = &bad
			case 2:
				p.TessEval = &bad
			case 3:
				p.Geometry = &bad
			case 4:
				p.Fragment = &bad
			}
			name := []string{"vertex stage", "tessellation control stage", "tessellation evaluation stage", "geometry stage", "fragment stage"}[stage]
			err := Draw(context.Background(), p, DrawParams{VertexCount: 4, InstanceCount: 1})
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, barrier %v: %v", name, barrier, err)
			}
		}
	}
}

// TestRayLaunches: each point of a launch runs once, with its place, in waves of the program's size; what is too large, or has no
// program, is refused, and errors say which point.
func TestRayLaunches(t *testing.T) {
	env := &Env{Mem: NewMemory(), Bindings: &Bindings{}}
	for _, c := range []struct {
		size [3]uint32
		ok   bool
	}{
		{[3]uint32{1, 1, 1}, true}, {[3]uint32{5, 3, 2}, true}, {[3]uint32{65535, 0, 1}, true}, {[3]uint32{65536, 0, 1}, false}, {[3]uint32{0, 65535, 1}, true},
		{[3]uint32{0, 65536, 1}, false}, {[3]uint32{0, 0, 1 << 30}, true}, {[3]uint32{0, 0, 1<<30 + 1}, false}, {[3]uint32{1 << 15, 1 << 15, 2}, false},
		{[3]uint32{1 << 10, 1 << 10, 1<<10 + 1}, false},
	} {
		seen := make(map[[3]uint32]int)
		p := &fakeProgram{stage: ir.StageRaygen, wave: 4}
		p.run = func(l *Launch, pc int) (Status, error) {
			if pc < 2 {
				return StatusYield, nil
			}
			for i := range l.Rays {
				x := &l.Rays[i]
				if seen[x.LaunchID]++; x.LaunchSize != c.size || x.Record != 77 || len(l.Rays) > 4 || len(l.Rays) != l.NumLanes {
					t.Errorf("%v: %+v", c.size, x)
				}
			}
			return StatusDone, nil
		}
		err := TraceRays(context.Background(), &RayPipeline{Env: env, Raygen: ShaderGroup{General: p, Record: 77}}, c.size, Limits{})
		if (err == nil) != c.ok {
			t.Errorf("%v: %v", c.size, err)
			continue
		}
		for at, n := range seen {
			if n != 1 || at[0] >= c.size[0] || at[1] >= c.size[1] || at[2] >= c.size[2] {
				t.Errorf("%v: point %v ran %d times", c.size, at, n)
			}
		}
		if n := int(c.size[0] * c.size[1] * c.size[2]); c.ok && len(seen) != n {
			t.Errorf("%v: %d points", c.size, len(seen))
		}
	}
	failing := &fakeProgram{stage: ir.StageRaygen, wave: 1}
	failing.run = func(l *Launch, _ int) (Status, error) {
		if l.Rays[0].LaunchID == [3]uint32{1, 2, 0} {
			return StatusBarrier, nil
		}
		return StatusDone, nil
	}
	err := TraceRays(context.Background(), &RayPipeline{Env: env, Raygen: ShaderGroup{General: failing}}, [3]uint32{3, 3, 1}, Limits{})
	if err == nil || !strings.Contains(err.Error(), "launch [1 2 0]") || !strings.Contains(err.Error(), "barrier") {
		t.Error(err)
	}
	for _, p := range []*RayPipeline{{Env: env}, {Raygen: ShaderGroup{General: failing}}} {
		if err := TraceRays(context.Background(), p, [3]uint32{1, 1, 1}, Limits{}); err == nil {
			t.Error("a launch without a program or environment")
		}
	}
	if err := LaunchRays(context.Background(), nil, env, [3]uint32{1, 1, 1}, 0, Limits{}, nil); err == nil {
		t.Error("a launch without a program")
	}
	if err := LaunchRays(context.Background(), failing, nil, [3]uint32{1, 1, 1}, 0, Limits{}, nil); err == nil {
		t.Error("a launch without an environment")
	}
}

// TestRayCalls: a callable shader runs with its record and the caller's data, as deep as calls may go; an index beyond a table is
// an error, and in an empty table nothing runs.
func TestRayCalls(t *testing.T) {
	env := &Env{Mem: NewMemory(), Bindings: &Bindings{}}
	for _, c := range []struct {
		index, deep uint32
		tables      bool
		want        string
		runs        int
	}{
		{0, 1, true, "", 1}, {1, 1, true, "", 1}, {2, 1, true, "has 2 entries, and none of index 2", 0}, {2, 1, false, "", 0},
		{1, 64, true, "", 64}, {1, 65, true, "more than 64 deep", 64},
	} {
		runs := 0
		callable := func(record uint64) ShaderGroup {
			p := &fakeProgram{stage: ir.StageCallable, wave: 1}
			p.run = func(l *Launch, _ int) (Status, error) {
				runs++
				x := &l.Rays[0]
				if x.Record != record || x.LaunchID != [3]uint32{1, 0, 0} || x.LaunchSize != [3]uint32{2, 1, 1} || x.Data[0] != byte(runs-1) || x.Hit != nil {
					t.Errorf("%+v", x)
				}
				x.Data[0]++
				if uint32(runs) < c.deep {
					return StatusDone, x.Call(ShaderCall{Callable: true, Index: c.index}, x.Data)
				}
				return StatusDone, nil
			}
			return ShaderGroup{General: p, Record: record}
		}
		gen := &fakeProgram{stage: ir.StageRaygen, wave: 2}
		gen.run = func(l *Launch, _ int) (Status, error) {
			data := make([]byte, 4)
			err := l.Rays[1].Call(ShaderCall{Callable: true, Index: c.index}, data)
			if err == nil && int(data[0]) != c.runs {
				t.Errorf("the data are %v", data)
			}
			return StatusDone, err
		}
		p := &RayPipeline{Env: env, Raygen: ShaderGroup{General: gen}}
		if c.tables {
			p.Callable = []ShaderGroup{callable(10), callable(11)}
		}
		err := TraceRays(context.Background(), p, [3]uint32{2, 1, 1}, Limits{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || runs != c.runs {
			t.Errorf("callable %d, %d deep: %d runs, %v", c.index, c.deep, runs, err)
		}
	}
	gen := &fakeProgram{stage: ir.StageRaygen, wave: 1}
	gen.run = func(l *Launch, _ int) (Status, error) { return StatusDone, l.Rays[0].Call(ShaderCall{Accel: 64}, nil) }
	for depth, want := range []string{"more than 0 deep", "no acceleration structure at 0x40"} {
		err := TraceRays(context.Background(), &RayPipeline{Env: env, Raygen: ShaderGroup{General: gen}, MaxRecursion: depth}, [3]uint32{1, 1, 1}, Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rays %d deep: %v, want %q", depth, err, want)
		}
	}
}

// TestCubeGrad: derivatives of a face's coordinates are those of a small step along the derivative of the direction; of no
// direction there are none.
func TestCubeGrad(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		var dir, d [3]float64
		for k := range dir {
			dir[k], d[k] = r.Float64()*4-2, r.Float64()*2-1
		}
		face := r.IntN(6)
		a := &cubeAxes[face]
		dir[a.major] = a.sign * (1 + r.Float64())
		coords := func(h float64) (float64, float64) {
			x := dir
			for k := range x {
				x[k] += h * d[k]
			}
			m := a.sign * x[a.major]
			return a.sgn*x[a.s]/m/2 + 0.5, a.tgn*x[a.t]/m/2 + 0.5
		}
		const h = 1e-6
		s0, t0 := coords(-h)
		s1, t1 := coords(h)
		ds, dt := cubeGrad(face, &dir, &d)
		if math.Abs(ds-(s1-s0)/(2*h)) > 1e-6 || math.Abs(dt-(t1-t0)/(2*h)) > 1e-6 {
			t.Errorf("face %d, direction %v, step %v: %v and %v, want %v and %v", face, dir, d, ds, dt, (s1-s0)/(2*h), (t1-t0)/(2*h))
		}
	}
	for face := range 6 {
		if ds, dt := cubeGrad(face, &[3]float64{}, &[3]float64{1, 2, 3}); ds != 0 || dt != 0 {
			t.Errorf("face %d without a direction: %v and %v", face, ds, dt)
		}
	}
}

// TestLineCoverage: a pixel of a line, and of a point, has the one sample that there is.
func TestLineCoverage(t *testing.T) {
	for _, c := range []struct {
		topo   Topology
		data   []float32
		pixels int
	}{
		{LineList, []float32{-0.9, -0.4, 0.5, 1, 0.8, 0.3, 0.5, 1}, 7}, {LineList, []float32{0.3, 0.9, 0.5, 1, -0.2, -0.8, 0.5, 1}, 7},
		{PointList, []float32{0.3, 0.9, 0.5, 1, -0.2, -0.8, 0.5, 1}, 2},
	} {
		seen := 0
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			if !l.Helper {
				if seen++; l.Coverage != 1 {
					t.Errorf("topology %d: pixel (%d, %d) has %#x", c.topo, l.X, l.Y, l.Coverage)
				}
			}
			return true
		})
		p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, c.data, fs)
		p.Topology, p.Raster.LineBresenham = c.topo, true
		if draw(t, p, 2); seen != c.pixels {
			t.Errorf("topology %d: %d pixels, want %d", c.topo, seen, c.pixels)
		}
	}
}

// TestStageLimits: what stages may have at most is taken, and one more is refused.
func TestStageLimits(t *testing.T) {
	for _, c := range []struct {
		geom       GeomIO
		clip, cull uint8
		want       string
	}{
		{GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 1024, Invocations: 127}, 4, 4, ""}, {GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 3, Invocations: 1}, 8, 0, ""},
		{GeomIO{InPrimitive: 3, OutPrimitive: 3, MaxVertices: 1024, Invocations: 127}, 0, 0, "output primitive 3"},
		{GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 1025, Invocations: 127}, 0, 0, "1025 vertices"},
		{GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 1024, Invocations: 128}, 0, 0, "128 invocations"},
		{GeomIO{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 3, Invocations: 1}, 5, 4, "9 clip and cull distances"},
	} {
		p := testPipeline(t, 8, 8, 1, "R8_UNORM", 1, quad(0.5), constantColor(1, 1, 1, 1))
		geom := geometryShader(4, c.geom, func(*GeometryLane) {})
		geom.io.ClipDistances, geom.io.CullDistances = c.clip, c.cull
		p.Geometry = geom
		err := Draw(context.Background(), p, DrawParams{VertexCount: 3, InstanceCount: 1})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %d and %d distances: %v, want %q", c.geom, c.clip, c.cull, err, c.want)
		}
	}
}

// TestNoView: texels of no view, of a view of no image and of levels that there are not are zeros.
func TestNoView(t *testing.T) {
	image := mustImage(t, ImageDesc{Width: 4, Height: 4, Mips: 2, Format: FormatByName("R32_UINT")})
	if err := image.Clear([4]uint32{7}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		v   *ImageView
		mip int
		ok  bool
	}{{nil, 0, false}, {&ImageView{}, 0, false}, {image, -1, false}, {image, 0, true}, {image, 1, true}, {image, 2, false}} {
		if _, ok := c.v.level(c.mip); ok != c.ok {
			t.Errorf("level %d: %v", c.mip, ok)
		}
	}
}

// TestUfloats: the floats of 10 and 11 bits are rounded to the nearest, of two that are as near to the even one, from below the
// smallest to beyond the largest.
func TestUfloats(t *testing.T) {
	for _, w := range []uint{10, 11} {
		last := uint32(31)<<(w-5) - 1 // the largest that is finite
		for b := range last {
			lo, hi := float64(ufloatToFloat(b, w)), float64(ufloatToFloat(b+1, w))
			middle := float32((lo + hi) / 2)
			even := b + b&1
			below, above := math.Nextafter32(middle, 0), math.Nextafter32(middle, float32(hi))
			for f, want := range map[float32]uint32{float32(lo): b, below: b, middle: even, above: b + 1, float32(hi): b + 1} {
				if got := floatToUfloat(f, w); got != want {
					t.Fatalf("%v with %d bits is %#x, want %#x", f, w, got, want)
				}
			}
		}
		most := ufloatToFloat(last, w)
		for _, c := range []struct {
			f    float64
			want uint32
		}{{float64(most) * 2, last}, {1e38, last}, {math.Inf(1), last + 1}, {math.Inf(-1), 0}, {-1, 0}, {math.Copysign(0, -1), 0}} {
			if got := floatToUfloat(float32(c.f), w); got != c.want {
				t.Errorf("%v with %d bits is %#x, want %#x", c.f, w, got, c.want)
			}
		}
		if got := floatToUfloat(float32(math.NaN()), w); got <= last+1 || got >= 1<<w {
			t.Errorf("NaN with %d bits is %#x", w, got)
		}
	}
}
