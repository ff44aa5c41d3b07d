package interp

import (
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestCubeFaces asks for the LOD of a cube by Vulkan's derivatives of directions and by differences on the face.
func TestCubeFaces(t *testing.T) {
	s, b, in, out := newFragment()
	x := b.Channel(b.LoadVar(in), 0) // 0.5 and 1.5
	tv := s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampledImage, Dim: ir.DimCube, Texel: ir.BaseFloat, TexelBits: 32}, "tex")
	d := b.DerefVar(tv)
	dir := b.Vec(b.Fmul(x, b.ImmFloat(0.5, 32)), b.ImmFloat(0, 32), b.Fadd(x, b.ImmFloat(1, 32)))
	lod := insertTex(b, texDesc{op: ir.TexOpLod, dim: ir.DimCube, class: ir.ClassFloat, comps: 2},
		texSrc{ir.TexSrcTextureDeref, d}, texSrc{ir.TexSrcSamplerDeref, d}, texSrc{ir.TexSrcCoord, dir})
	b.StoreVar(out, b.Vec(b.Channel(lod, 1), b.ImmFloat(0, 32), b.ImmFloat(0, 32), b.ImmFloat(0, 32)), 0)
	view := picture(t, emu.ImageDesc{Width: 16, Height: 16, Layers: 6, Mips: 5}, "R32G32_SFLOAT")
	for _, faces := range []bool{false, true} {
		l := fragmentWith(t, s, Options{CubeFaces: faces}, func(bind *emu.Bindings) {
			bind.Set(0, 0, []emu.Descriptor{{Image: view, Sampler: &emu.Sampler{MaxLod: emu.LodNone}}})
		})
		// On the face s is half of 0.25/1.5 and 0.75/2.5; the direction changes by (0.5, 0, 1).
		step := 0.5 * (1.5*0.5 - 0.25) / (1.5 * 1.5)
		if faces {
			step = 0.5 * (0.75/2.5 - 0.25/1.5)
		}
		if got, want := float64(math.Float32frombits(l.Out[0][ir.SlotData0][0])), math.Log2(16*step); math.Abs(got-want) > 1e-5 {
			t.Errorf("by faces %v: %g, want %g", faces, got, want)
		}
	}
}
