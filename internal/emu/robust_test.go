package emu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

// hardFloats are values that upset arithmetic.
var hardFloats = []float32{0, 1, -1, 0.5, 2, -3, 1e-38, 1e38, -1e38, 1e-12, 1e-45, 65536, -65536, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}

// TestRandomState draws with random state and positions: nothing may panic or
// write outside, and a sample is never covered more than once a primitive.
func TestRandomState(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	number := func() float32 {
		if r.IntN(24) == 0 {
			return hardFloats[r.IntN(len(hardFloats))]
		}
		return r.Float32()*4 - 2
	}
	formats := []string{"R8G8B8A8_UNORM", "B10G11R11_UFLOAT_PACK32", "R16G16_SNORM", "R8G8B8A8_SRGB", "R32G32B32A32_SFLOAT", "A2B10G10R10_UNORM_PACK32"}
	depths := []string{"", "D16_UNORM", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"}
	drawn := 0
	for range 1500 {
		samples := 1 << r.IntN(5)
		var data []float32
		for range 4 * 12 {
			data = append(data, number())
		}
		color := [4]float32{number(), number(), number(), number()}
		fs := fragmentShader(16, func(l *FragmentLane, out *Slots) bool {
			for c := range color {
				out[ir.SlotData0][c] = fb(color[c])
			}
			return l.X&1 == 0
		})
		fs.io.UsesDiscard = r.IntN(2) == 0
		p := testPipeline(t, 13, 9, samples, formats[r.IntN(len(formats))], 1, data, fs)
		if d := depths[r.IntN(len(depths))]; d != "" {
			p.DepthStencil.View = mustImage(t, ImageDesc{Width: 16, Height: 9, Samples: samples, Format: FormatByName(d)})
		}
		p.Topology = Topology(r.IntN(int(PatchList)))
		p.Raster = RasterState{Polygon: PolygonMode(r.IntN(3)), Cull: CullMode(r.IntN(3)), DepthClamp: r.IntN(2) == 0, DepthBias: r.IntN(2) == 0,
			BiasConstant: number(), BiasClamp: number(), BiasSlope: number(), LineBresenham: r.IntN(2) == 0, DepthMinusOneToOne: r.IntN(2) == 0}
		face := StencilFace{StencilOp(r.IntN(8)), StencilOp(r.IntN(8)), StencilOp(r.IntN(8)), CompareOp(r.IntN(8)), r.Uint32(), r.Uint32(), r.Uint32()}
		p.Depth = DepthState{Test: r.IntN(2) == 0, Write: true, Compare: CompareOp(r.IntN(8)), BoundsTest: r.IntN(4) == 0, MinBounds: number(), MaxBounds: number(), StencilTest: true, Front: face, Back: face}
		p.Multisample.SampleShading = r.IntN(3) == 0
		p.Multisample.AlphaToCoverage = r.IntN(3) == 0
		p.Blend.Attachments = []AttachmentBlend{{Enable: r.IntN(2) == 0, SrcColor: ir.BlendFactor(r.IntN(19)), DstColor: ir.BlendFactor(r.IntN(19)), SrcAlpha: ir.BlendFactor(r.IntN(19)),
			DstAlpha: ir.BlendFactor(r.IntN(19)), ColorOp: ir.BlendOp(r.IntN(5)), AlphaOp: ir.BlendOp(r.IntN(5)), WriteMask: uint8(r.IntN(16))}}
		p.Blend.LogicEnable, p.Blend.Logic = r.IntN(4) == 0, ir.LogicOp(r.IntN(16))
		if r.IntN(2) == 0 {
			p.Viewports = []Viewport{{r.Float32()*40 - 20, r.Float32()*40 - 20, r.Float32() * 30, r.Float32()*60 - 30, r.Float32(), r.Float32()}}
			p.Scissors = []Rect{{r.IntN(20) - 5, r.IntN(20) - 5, r.IntN(20), r.IntN(20)}}
		}
		var st DrawStats
		if err := Draw(context.Background(), p, DrawParams{VertexCount: 12, InstanceCount: 2, Stats: &st}); err != nil {
			t.Fatal(err)
		}
		if most := st.PrimitivesDrawn * 13 * 9 * uint64(samples); p.Raster.Polygon == PolygonFill && st.SamplesPassed > most {
			t.Fatalf("%d samples passed of at most %d", st.SamplesPassed, most)
		}
		if st.SamplesPassed > 0 {
			drawn++
		}
	}
	if drawn < 200 {
		t.Errorf("only %d of 1500 draws drew something", drawn)
	}
	t.Logf("%d of 1500 draws drew something", drawn)
}
