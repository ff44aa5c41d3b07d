package emu

import (
	"math"
	"testing"

	"nirc/ir"
)

// TestDepthRange: the shader sees the depth as it was computed; what the
// attachment gets is clamped to the viewport's range by DepthClamp, and to 0..1
// unless depth is unrestricted.
func TestDepthRange(t *testing.T) {
	const z = 2 // 0.1 + 0.8 * 2 in the viewport
	data := []float32{-1, -1, z, 1, 1, -1, z, 1, -1, 1, z, 1, 1, 1, z, 1}
	for i, c := range []struct {
		clamp, free bool
		format      string
		frag        float32 // what the shader writes, 0 for nothing
		want        float64
	}{
		{true, false, "D32_SFLOAT", 0, 0.9},
		{true, true, "D32_SFLOAT", 0, 0.9},
		{true, false, "D32_SFLOAT", 0.05, 0.1},
		{true, false, "D16_UNORM", 0, 58981.0 / 65535},
		{false, false, "D32_SFLOAT", 1.5, 1},
		{false, true, "D32_SFLOAT", 1.5, 1.5},
		{false, true, "D16_UNORM", 1.5, 1},
	} {
		seen := float32(0)
		fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
			seen = l.Coord[2]
			out[ir.SlotDepth][0] = math.Float32bits(c.frag)
			return true
		})
		fs.io.WritesDepth = c.frag != 0
		d := data
		if !c.clamp {
			d = []float32{-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1}
		}
		p := testPipeline(t, 4, 4, 1, "R8_UNORM", 1, d, fs)
		p.Topology = TriangleStrip
		p.Viewports = []Viewport{{0, 0, 4, 4, 0.1, 0.9}}
		p.Raster.DepthClamp, p.Raster.DepthUnrestricted = c.clamp, c.free
		img, err := NewImage(ImageDesc{Width: 4, Height: 4, Format: FormatByName(c.format)})
		if err != nil {
			t.Fatal(err)
		}
		p.DepthStencil.View = &ImageView{Image: img}
		p.Depth = DepthState{Test: true, Write: true, Compare: CompareAlways}
		draw(t, p, 4)
		if got := float64(math.Float32frombits(p.DepthStencil.View.Load(1, 1, 0, 0, 0)[0])); !(math.Abs(got-c.want) <= 1e-6) {
			t.Errorf("case %d: depth %g, want %g", i, got, c.want)
		}
		if want := map[bool]float32{true: 1.7, false: 0.1}[c.clamp]; !(math.Abs(float64(seen-want)) <= 1e-6) {
			t.Errorf("case %d: FragCoord.z %g, want %g", i, seen, want)
		}
	}
}
