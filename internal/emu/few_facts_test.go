package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// TestCubeCorners: at each corner of a cube, on each of its three faces, the missing texel counts as the others' average.
func TestCubeCorners(t *testing.T) {
	v := floatImage(t, ImageDesc{Width: 4, Height: 4, Layers: 6}, func(_, _, l, _ int) float32 { return float32(int(1) << l) })
	for corner := range 8 {
		for major := range 3 {
			// How far towards the next face the place is from the middle of the corner's texel, in texels, along each axis.
			far := [3]float64{0.25, 0.375, 0.125}
			var at [3]float32
			var faces [3]float64
			for k := range at {
				sign := 1 - 2*(corner>>k&1)
				at[k] = float32(sign) * float32(0.75+0.5*far[k])
				faces[k] = float64(int(1) << (2*k + corner>>k&1))
			}
			at[major] = float32(1 - 2*(corner>>major&1))
			a, b := (major+1)%3, (major+2)%3
			third := far[a] * far[b] / 3
			want := faces[major]*((1-far[a])*(1-far[b])+third) + faces[a]*(far[a]*(1-far[b])+third) + faces[b]*((1-far[a])*far[b]+third)
			if got := compOf(v.Sample(&Sampler{Mag: FilterLinear}, &SampleOp{Dim: TexCube, Coord: at}), 0); !near(got, want) {
				t.Errorf("at %v: %g, want %g", at, got, want)
			}
		}
	}
}

// TestPostDepthCoverage: a fragment is told of the samples that the primitive covers, and with PostDepthCoverage of those
// that early tests have left; late tests leave all.
func TestPostDepthCoverage(t *testing.T) {
	for _, early := range []bool{false, true} {
		for _, post := range []bool{false, true} {
			var got []uint32
			fs := fragmentShader(64, func(l *FragmentLane, _ *Slots) bool {
				if !l.Helper {
					got = append(got, l.Coverage)
				}
				return true
			})
			fs.io.UsesDiscard, fs.io.EarlyFragmentTests, fs.io.PostDepthCoverage = true, early, post
			p := testPipeline(t, 1, 1, 4, "R8_UNORM", 1, []float32{-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1}, fs)
			p.Depth = DepthState{Test: true, Compare: CompareLess}
			p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Samples: 4, Format: FormatByName("D32_SFLOAT")})
			for s := range 4 {
				p.DepthStencil.View.Store(0, 0, 0, 0, s, [4]uint32{fb(float32(1 - s&1))}) // samples 0 and 2 pass
			}
			draw(t, p, 3)
			want := uint32(15)
			if early && post {
				want = 5
			}
			if !slices.Equal(got, []uint32{want}) {
				t.Errorf("early %v, post %v: %#x, want %#x", early, post, got, want)
			}
		}
	}
}

// TestWideAttributes: 64-bit attributes of three and four components take two slots, if there is a second one, and are
// fetched for either; those of one and two take one.
func TestWideAttributes(t *testing.T) {
	const last = ir.NumAttribSlots - 1
	for n := 1; n <= 4; n++ {
		format := FormatByName("R64G64B64A64"[:3*n] + "_SFLOAT")
		words := make([]float32, 2*n)
		for i := range words {
			words[i] = float32(100 + i)
		}
		for _, c := range []struct {
			at    int
			reads []int
		}{{0, []int{0}}, {0, []int{1}}, {0, []int{0, 1}}, {last - 1, []int{last}}, {last, []int{last}}} {
			what := fmt.Sprintf("%s at %d, read %v", format.Name, c.at, c.reads)
			p := &Pipeline{Vertex: vertexShader(64, 0), Attributes: []VertexAttribute{{Location: uint32(c.at), Format: format}}}
			for _, s := range c.reads {
				io := p.Vertex.IO()
				io.Inputs = append(io.Inputs, InputSlot{Slot: ir.Slot(s), Mask: 15})
			}
			tail := n > 2 && c.at < last
			fetched := slices.Contains(c.reads, c.at) || tail && slices.Contains(c.reads, c.at+1)
			if _, err := newFetcher(p); (err != nil) != fetched || err != nil && !strings.Contains(err.Error(), "not bound") {
				t.Errorf("%s without a buffer: %v", what, err)
			}
			p.Bindings = []VertexBinding{{Data: floatBytes(words...), Stride: uint32(8 * n)}}
			f, err := newFetcher(p)
			if err != nil {
				t.Fatal(err)
			}
			slots := slices.Max(c.reads) + 1
			if fetched && tail {
				slots = max(slots, c.at+2)
			}
			want := make([]Vec4, slots)
			for i, x := range words {
				if fetched && (i < 4 || tail) {
					want[c.at+i/4][i%4] = fb(x)
				}
			}
			got := make([]Vec4, f.slots)
			if f.fetch(&VertexLane{}, got); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
	}
}
