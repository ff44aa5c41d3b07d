package emu

import (
	"fmt"
	"math"
	"testing"

	"nirc/ir"
)

// onePixel draws a full-screen quad over a single pixel.
func onePixel(t *testing.T, format string, clear [4]uint32, fs Program) *Pipeline {
	t.Helper()
	p := testPipeline(t, 1, 1, 1, format, 1, quad(0.5), fs)
	p.Topology = TriangleStrip
	if err := p.Color[0].View.Clear(clear); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCompareOps(t *testing.T) {
	// Results for new value below, equal to and above the stored one.
	want := map[CompareOp][3]bool{
		CompareNever: {}, CompareLess: {true, false, false}, CompareEqual: {false, true, false}, CompareLessOrEqual: {true, true, false},
		CompareGreater: {false, false, true}, CompareNotEqual: {true, false, true}, CompareGreaterOrEqual: {false, true, true}, CompareAlways: {true, true, true},
	}
	for _, format := range []string{"D16_UNORM", "X8_D24_UNORM_PACK32", "D32_SFLOAT", "D16_UNORM_S8_UINT", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT"} {
		for op, w := range want {
			for i, stored := range []float32{0.75, 0.5, 0.25} {
				for _, late := range []bool{false, true} {
					fs := constantColor(1, 1, 1, 1)
					fs.io.UsesDiscard = late
					p := onePixel(t, "R8_UNORM", [4]uint32{}, fs)
					p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName(format)})
					if err := p.DepthStencil.View.Clear([4]uint32{fb(stored), 0x5a}); err != nil {
						t.Fatal(err)
					}
					p.Depth = DepthState{Test: true, Write: true, Compare: op}
					name := fmt.Sprintf("%s op %d stored %v late %v", format, op, stored, late)
					if got := draw(t, p, 4).SamplesPassed == 1; got != w[i] {
						t.Errorf("%s: passed %v", name, got)
					}
					z := stored
					if w[i] {
						z = 0.5
					}
					if got := bf(p.DepthStencil.View.Load(0, 0, 0, 0, 0)[0]); !(math.Abs(float64(got-z)) <= 1e-4) {
						t.Errorf("%s: depth is %v, want %v", name, got, z)
					}
					if f := FormatByName(format); f.StencilBits != 0 {
						s := ImageView{Image: p.DepthStencil.View.Image, Stencil: true}
						if got := s.Load(0, 0, 0, 0, 0)[0]; got != 0x5a {
							t.Errorf("%s: stencil became %#x", name, got)
						}
					}
				}
			}
		}
	}
}

func TestStencilOps(t *testing.T) {
	for _, c := range []struct {
		op        StencilOp
		old, want uint32
	}{
		{StencilKeep, 5, 5}, {StencilZero, 5, 0}, {StencilReplace, 5, 0xc3}, {StencilIncrementClamp, 255, 255}, {StencilIncrementClamp, 4, 5},
		{StencilDecrementClamp, 0, 0}, {StencilDecrementClamp, 4, 3}, {StencilInvert, 0xf0, 0x0f}, {StencilIncrementWrap, 255, 0}, {StencilDecrementWrap, 0, 255},
	} {
		for which := range 3 { // fail, depth fail, pass
			p := onePixel(t, "R8_UNORM", [4]uint32{}, constantColor(1, 1, 1, 1))
			p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("D24_UNORM_S8_UINT")})
			if err := p.DepthStencil.View.Clear([4]uint32{fb(0.5), c.old}); err != nil {
				t.Fatal(err)
			}
			face := StencilFace{Compare: CompareAlways, CompareMask: 255, WriteMask: 255, Reference: 0xc3}
			p.Depth = DepthState{Test: true, Compare: CompareEqual, StencilTest: true}
			switch which {
			case 0:
				face.Fail, face.Compare = c.op, CompareNever
			case 1:
				face.DepthFail, p.Depth.Compare = c.op, CompareLess
			case 2:
				face.Pass = c.op
			}
			p.Depth.Front, p.Depth.Back = face, face
			if got := draw(t, p, 4).SamplesPassed == 1; got != (which == 2) {
				t.Errorf("op %d, case %d: passed %v", c.op, which, got)
			}
			v := ImageView{Image: p.DepthStencil.View.Image, Stencil: true}
			if got := v.Load(0, 0, 0, 0, 0)[0]; got != c.want {
				t.Errorf("op %d of %#x, case %d: %#x, want %#x", c.op, c.old, which, got, c.want)
			}
		}
	}
}

func TestStencilMasks(t *testing.T) {
	p := onePixel(t, "R8_UNORM", [4]uint32{}, constantColor(1, 1, 1, 1))
	p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("S8_UINT")})
	if err := p.DepthStencil.View.Clear([4]uint32{0, 0x35}); err != nil {
		t.Fatal(err)
	}
	// Only the low nibbles are equal, and only the high one is written.
	f := StencilFace{Compare: CompareEqual, CompareMask: 0x0f, WriteMask: 0xf0, Reference: 0xc5, Pass: StencilReplace}
	p.Depth = DepthState{StencilTest: true, Front: f, Back: f}
	draw(t, p, 4)
	if got := p.DepthStencil.View.Load(0, 0, 0, 0, 0)[0]; got != 0xc5 {
		t.Errorf("stencil is %#x, want 0xc5", got)
	}
	f.WriteMask, f.Reference = 0x03, 0xfa
	p.Depth.Front, p.Depth.Back = f, f
	if st := draw(t, p, 4); st.SamplesPassed != 0 {
		t.Error("0xa passed for 0x5")
	}
}

func TestShaderDepthBoundsAndBias(t *testing.T) {
	depth := func(p *Pipeline, stored float32) float32 {
		p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("D32_SFLOAT")})
		if err := p.DepthStencil.View.Clear([4]uint32{fb(stored)}); err != nil {
			t.Fatal(err)
		}
		st := draw(t, p, 4)
		z := bf(p.DepthStencil.View.Load(0, 0, 0, 0, 0)[0])
		if (st.SamplesPassed == 1) != (z != stored) {
			t.Errorf("%d samples passed, depth went from %v to %v", st.SamplesPassed, stored, z)
		}
		return z
	}
	always := DepthState{Test: true, Write: true, Compare: CompareAlways}
	fs := fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
		out[ir.SlotDepth][0] = fb(0.125)
		return true
	})
	fs.io.WritesDepth = true
	p := onePixel(t, "R8_UNORM", [4]uint32{}, fs)
	p.Depth = always
	if z := depth(p, 1); z != 0.125 {
		t.Errorf("shader depth: %v", z)
	}
	fs.io.EarlyFragmentTests = true
	if z := depth(p, 1); z != 0.5 {
		t.Errorf("shader depth after early tests: %v", z)
	}
	p = onePixel(t, "R8_UNORM", [4]uint32{}, constantColor(1, 1, 1, 1))
	p.Depth = always
	p.Depth.BoundsTest, p.Depth.MinBounds, p.Depth.MaxBounds = true, 0.2, 0.3
	if z := depth(p, 0.25); z != 0.5 {
		t.Errorf("within the bounds: %v", z)
	}
	if z := depth(p, 0.4); z != 0.4 {
		t.Errorf("outside the bounds: %v", z)
	}
	p.Depth = always
	p.Raster.DepthBias, p.Raster.BiasConstant = true, 4
	if z, want := depth(p, 1), float32(0.5+4.0/(1<<24)); z != want {
		t.Errorf("bias: %v, want %v", z, want)
	}
	p.Raster.BiasConstant, p.Raster.BiasClamp = 1e7, 0.25
	if z := depth(p, 1); z != 0.75 {
		t.Errorf("clamped bias: %v", z)
	}
	// Depth grows by 0.25 over the pixel in x.
	flat := p.Bindings[0].Data
	p.Bindings[0].Data = floatBytes(-1, -1, 0.25, 1, 1, -1, 0.5, 1, -1, 1, 0.25, 1, 1, 1, 0.5, 1)
	p.Raster.BiasConstant, p.Raster.BiasClamp, p.Raster.BiasSlope = 0, 0, 0.5
	if z := depth(p, 1); z != 0.375+0.125 {
		t.Errorf("slope bias: %v, want 0.5", z)
	}
	p.Bindings[0].Data = flat
	p.Raster.DepthBias = false
	p.Viewports = []Viewport{{0, 0, 1, 1, 0.5, 1}}
	if z := depth(p, 1); z != 0.75 {
		t.Errorf("depth range: %v", z)
	}
}

func TestBlendFactors(t *testing.T) {
	src, src1, dst, con := [4]float32{0.5, 0.25, 0.75, 0.625}, [4]float32{0.1, 0.2, 0.3, 0.4}, [4]float32{0.375, 0.5, 0.125, 0.25}, [4]float32{0.6, 0.7, 0.8, 0.9}
	for f, want := range map[ir.BlendFactor][2]float32{ // components 1 and 3
		ir.BlendZero: {0, 0}, ir.BlendOne: {1, 1}, ir.BlendSrcColor: {0.25, 0.625}, ir.BlendOneMinusSrcColor: {0.75, 0.375},
		ir.BlendDstColor: {0.5, 0.25}, ir.BlendOneMinusDstColor: {0.5, 0.75}, ir.BlendSrcAlpha: {0.625, 0.625}, ir.BlendOneMinusSrcAlpha: {0.375, 0.375},
		ir.BlendDstAlpha: {0.25, 0.25}, ir.BlendOneMinusDstAlpha: {0.75, 0.75}, ir.BlendConstantColor: {0.7, 0.9}, ir.BlendOneMinusConstantColor: {1 - float32(0.7), 1 - float32(0.9)},
		ir.BlendConstantAlpha: {0.9, 0.9}, ir.BlendOneMinusConstantAlpha: {1 - float32(0.9), 1 - float32(0.9)}, ir.BlendSrcAlphaSaturate: {0.625, 1},
		ir.BlendSrc1Color: {0.2, 0.4}, ir.BlendOneMinusSrc1Color: {1 - float32(0.2), 1 - float32(0.4)}, ir.BlendSrc1Alpha: {0.4, 0.4}, ir.BlendOneMinusSrc1Alpha: {1 - float32(0.4), 1 - float32(0.4)},
	} {
		for k, c := range []int{1, 3} {
			if got := factor(f, c, &src, &src1, &dst, &con); got != want[k] {
				t.Errorf("factor %d component %d: %v, want %v", f, c, got, want[k])
			}
			// Through the pipeline: source times factor, dual source in slot 7.
			fs := fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
				for i := range src {
					out[ir.SlotData0][i], out[ir.SlotData0+7][i] = fb(src[i]), fb(src1[i])
				}
				return true
			})
			fs.io.Outputs = append(fs.io.Outputs, OutputSlot{Slot: ir.SlotData0 + 7, Mask: 15, Index: 1})
			p := onePixel(t, "R32G32B32A32_SFLOAT", [4]uint32{fb(dst[0]), fb(dst[1]), fb(dst[2]), fb(dst[3])}, fs)
			p.Blend.Constants = con
			p.Blend.Attachments = []AttachmentBlend{{Enable: true, SrcColor: f, SrcAlpha: f, WriteMask: WriteAll}}
			draw(t, p, 4)
			if got := bf(p.Color[0].View.Load(0, 0, 0, 0, 0)[c]); got != src[c]*want[k] {
				t.Errorf("factor %d component %d: wrote %v, want %v", f, c, got, src[c]*want[k])
			}
		}
	}
}

func TestAlphaSaturate(t *testing.T) {
	src, dst := [4]float32{0, 0, 0, 0.75}, [4]float32{0, 0, 0, 0.5}
	if got := factor(ir.BlendSrcAlphaSaturate, 0, &src, &src, &dst, &dst); got != 0.5 {
		t.Errorf("saturated by the destination: %v, want 0.5", got)
	}
}

// TestStencilFacesAndExport tests front and back against different values, and
// a reference that the fragment stage writes.
func TestStencilFacesAndExport(t *testing.T) {
	p := onePixel(t, "R8_UNORM", [4]uint32{}, constantColor(1, 1, 1, 1))
	p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("S8_UINT")})
	stencil := func() byte { return p.DepthStencil.View.Texel(0, 0, 0, 0, 0)[0] }
	face := StencilFace{Compare: CompareAlways, Pass: StencilReplace, WriteMask: 255, CompareMask: 255, Reference: 1}
	p.Depth = DepthState{StencilTest: true, Front: face, Back: face}
	p.Depth.Back.Reference = 2
	for clockwise, want := range map[bool]byte{true: 1, false: 2} {
		p.Raster.FrontClockwise = clockwise
		if draw(t, p, 4); stencil() != want {
			t.Errorf("front clockwise %v: stencil %d, want %d", clockwise, stencil(), want)
		}
	}
	fs := fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
		out[ir.SlotStencil][0] = 0x1a5
		return true
	})
	fs.io.WritesStencil = true
	p.Fragment = fs
	if draw(t, p, 4); stencil() != 0xa5 {
		t.Errorf("exported reference: stencil %#x, want 0xa5", stencil())
	}
}

// TestLogicOpSkipsFloats: float and sRGB attachments are written as they are.
func TestLogicOpSkipsFloats(t *testing.T) {
	for _, format := range []string{"R32_SFLOAT", "R8G8B8A8_SRGB"} {
		p := onePixel(t, format, [4]uint32{fb(1)}, constantColor(0, 0, 0, 0))
		p.Blend.LogicEnable, p.Blend.Logic = true, ir.LogicSet
		draw(t, p, 4)
		if got := p.Color[0].View.Load(0, 0, 0, 0, 0)[0]; got != 0 {
			t.Errorf("%s: wrote %#x", format, got)
		}
	}
}

func TestBlendOps(t *testing.T) {
	for op, want := range map[ir.BlendOp]float32{ir.BlendAdd: 0.75, ir.BlendSubtract: 0.25, ir.BlendReverseSubtract: -0.25, ir.BlendMin: 0.25, ir.BlendMax: 0.5} {
		p := onePixel(t, "R32_SFLOAT", [4]uint32{fb(0.25)}, constantColor(0.5, 0, 0, 0))
		p.Blend.Attachments = []AttachmentBlend{{Enable: true, SrcColor: ir.BlendOne, DstColor: ir.BlendOne, ColorOp: op, WriteMask: WriteAll}}
		draw(t, p, 4)
		if got := bf(p.Color[0].View.Load(0, 0, 0, 0, 0)[0]); got != want {
			t.Errorf("op %d: %v, want %v", op, got, want)
		}
	}
	// Fixed point limits the source before blending: 2 counts as 1.
	p := onePixel(t, "R8G8B8A8_UNORM", [4]uint32{}, constantColor(2, 0, 0, 0.5))
	p.Blend.Attachments = []AttachmentBlend{{Enable: true, SrcColor: ir.BlendSrcAlpha, SrcAlpha: ir.BlendOne, WriteMask: WriteAll}}
	draw(t, p, 4)
	if got := p.Color[0].View.Texel(0, 0, 0, 0, 0); got[0] != 128 || got[3] != 128 {
		t.Errorf("limited source: %v", got)
	}
	// sRGB blends linear values.
	p = onePixel(t, "R8G8B8A8_SRGB", [4]uint32{fb(1), 0, 0, fb(1)}, constantColor(0, 0, 0, 0.5))
	p.Blend.Attachments = []AttachmentBlend{{Enable: true, SrcColor: ir.BlendSrcAlpha, DstColor: ir.BlendOneMinusSrcAlpha, WriteMask: 7}}
	draw(t, p, 4)
	if got := p.Color[0].View.Texel(0, 0, 0, 0, 0); got[0] != 188 || got[3] != 255 {
		t.Errorf("sRGB half: %v, want 188 and 255", got)
	}
}

func TestLogicOps(t *testing.T) {
	const s, d = 0b1100, 0b1010
	want := []byte{0, 0b1000, 0b0100, 0b1100, 0b0010, 0b1010, 0b0110, 0b1110, 0b0001, 0b1001, 0b0101, 0b1101, 0b0011, 0b1011, 0b0111, 0b1111}
	for op, w := range want {
		fs := fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
			out[ir.SlotData0] = Vec4{s, s, s, s}
			return true
		})
		p := onePixel(t, "R8G8B8A8_UINT", [4]uint32{d, d, d, d}, fs)
		p.Blend.LogicEnable, p.Blend.Logic = true, ir.LogicOp(op)
		p.Blend.Attachments = []AttachmentBlend{{WriteMask: 0b1011}}
		draw(t, p, 4)
		got := p.Color[0].View.Texel(0, 0, 0, 0, 0)
		if got[0]&15 != w || got[2] != d || got[3]&15 != w {
			t.Errorf("logic op %d: %04b, want %04b (and the masked %04b)", op, got[0], w, got[2])
		}
	}
}

func TestAttachmentsAndIntegers(t *testing.T) {
	fs := fragmentShader(64, func(_ *FragmentLane, out *Slots) bool {
		out[ir.SlotData0] = Vec4{uint32(FloatToHalf(0.5)), uint32(FloatToHalf(1))}
		out[ir.SlotData0+1] = Vec4{0xfffe, 7} // 16-bit -2
		out[ir.SlotData0+2] = Vec4{0xffffffff, 1, 2, 3}
		return true
	})
	fs.io.Outputs = []OutputSlot{{Slot: ir.SlotData0, Mask: 3, Bits: 16}, {Slot: ir.SlotData0 + 1, Mask: 3, Bits: 16}, {Slot: ir.SlotData0 + 2, Mask: 15}}
	p := onePixel(t, "R8G8_UNORM", [4]uint32{}, fs)
	for _, f := range []string{"R32G32_SINT", "R32G32B32A32_UINT", "R8_UNORM"} {
		p.Color = append(p.Color, Attachment{View: mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName(f)})})
	}
	draw(t, p, 4)
	for i, want := range [][4]uint32{{fb(float32(128.0 / 255)), fb(1), 0, fb(1)}, {0xfffffffe, 7, 0, 1}, {0xffffffff, 1, 2, 3}, {0, 0, 0, fb(1)}} {
		if got := p.Color[i].View.Load(0, 0, 0, 0, 0); got != want {
			t.Errorf("attachment %d: %x, want %x", i, got, want)
		}
	}
}

// TestOrderAndDiscard overlaps primitives in one wave: the last one that lives
// wins, and a discarded lane changes neither colour nor depth.
func TestOrderAndDiscard(t *testing.T) {
	var data []float32
	for range 4 {
		q := quad(0.5)
		data = append(data, q[0:12]...)
		data = append(data, q[4:16]...)
	}
	fs := fragmentShader(128, func(l *FragmentLane, out *Slots) bool {
		out[ir.SlotData0] = Vec4{l.Prim.PrimitiveID}
		return l.Prim.PrimitiveID < 6
	})
	fs.io.UsesDiscard = true
	p := testPipeline(t, 2, 2, 1, "R32_UINT", 1, data, fs)
	if st := draw(t, p, 24); st.SamplesPassed != 12 {
		t.Errorf("%d samples passed, want 12", st.SamplesPassed)
	}
	for i := range 4 {
		if got := p.Color[0].View.Load(i&1, i>>1, 0, 0, 0)[0]; got != 4 && got != 5 {
			t.Errorf("pixel %d is primitive %d's", i, got)
		}
	}
}

func TestSampleMaskOutput(t *testing.T) {
	fs := fragmentShader(64, func(l *FragmentLane, out *Slots) bool {
		out[ir.SlotSampleMask][0] = 0b0110
		out[ir.SlotData0][0] = fb(1)
		return true
	})
	fs.io.WritesSampleMask = true
	p := testPipeline(t, 1, 1, 4, "R8_UNORM", 1, quad(0), fs)
	p.Topology = TriangleStrip
	draw(t, p, 4)
	for s, want := range []byte{0, 255, 255, 0} {
		if got := p.Color[0].View.Texel(0, 0, 0, 0, s)[0]; got != want {
			t.Errorf("sample %d is %d, want %d", s, got, want)
		}
	}
}

// TestWiden: of halves in registers the low 16 bits count, as the format has numbers.
func TestWiden(t *testing.T) {
	for name, want := range map[string]uint32{
		"R16G16B16A16_UINT": 0xbc00, "R16G16B16A16_SINT": 0xffffbc00, "R16G16B16A16_SFLOAT": math.Float32bits(-1), "R8G8B8A8_UNORM": math.Float32bits(-1),
	} {
		v := [4]uint32{0xbc00, 0x1234bc00, 0xffffbc00, 0x8000bc00}
		widen(&v, FormatByName(name))
		if v != [4]uint32{want, want, want, want} {
			t.Errorf("%s: %x, want %#x", name, v, want)
		}
	}
}
