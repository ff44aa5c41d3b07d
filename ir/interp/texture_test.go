package interp

import (
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

var floatTexture = &ir.Type{Base: ir.BaseSampledImage, Dim: ir.Dim2D, Texel: ir.BaseFloat, TexelBits: 32}

// picture makes an image whose texel (x, y, layer) of a level is 1000*mip +
// 100*layer + 10*y + x, in red, and its negation in green.
func picture(t *testing.T, d emu.ImageDesc, format string) *emu.ImageView {
	t.Helper()
	d.Format = emu.FormatByName(format)
	img, err := emu.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for mip := range v.NumMips() {
		w, h, depth := v.Size(mip)
		for z := range max(depth, v.NumLayers()) {
			for i := range w * h * img.Samples {
				s, x, y := i%img.Samples, i/img.Samples%w, i/img.Samples/w
				n := int32(1000*mip + 100*z + 10*y + x + 10000*s)
				texel := [4]uint32{uint32(n), uint32(-n)}
				if !d.Format.IsInteger() {
					texel = [4]uint32{math.Float32bits(float32(n)), math.Float32bits(float32(-n)), 0, math.Float32bits(1)}
				}
				v.Store(x, y, z, mip, s, texel)
			}
		}
	}
	return v
}

// texDesc says what a texture operation under test looks like.
type texDesc struct {
	op    ir.TexOp
	dim   ir.Dim
	array bool
	class ir.TypeClass
	comps uint8
	bits  uint8
	edit  func(*ir.TexInfo)
}

type texSrc struct {
	kind ir.TexSrc
	def  *ir.Def
}

// tex inserts a texture operation.
func insertTex(b *ir.Builder, d texDesc, srcs ...texSrc) *ir.Def {
	if d.bits == 0 {
		d.bits = 32
	}
	x := b.Shader.NewTex(d.op, d.comps, d.bits)
	i := x.TexInfo()
	i.Dim, i.IsArray, i.DestType = d.dim, d.array, ir.ALUType{Class: d.class, Bits: d.bits}
	for _, s := range srcs {
		if s.kind == ir.TexSrcCoord {
			i.CoordComponents = s.def.NumComponents
		}
		if s.kind == ir.TexSrcComparator {
			i.IsShadow, i.NewStyleShadow = true, d.op != ir.TexOpTg4
		}
		b.Shader.AddTexSrc(x, s.kind, s.def)
	}
	if d.edit != nil {
		d.edit(i)
	}
	return &b.Insert(x).Def
}

func floats(b *ir.Builder, v ...float64) *ir.Def {
	var c []*ir.Def
	for _, x := range v {
		c = append(c, b.ImmFloat(x, 32))
	}
	return b.Vec(c...)
}

func fl(x float64) uint32 { return math.Float32bits(float32(x)) }

// TestTextureForms reads one texture through a deref, an index and a handle,
// with combined and separate samplers.
func TestTextureForms(t *testing.T) {
	k := newBench(t, 8)
	b := k.b
	combined := k.s.NewVariable(ir.ModeUniform, floatTexture, "tex")
	combined.Binding = 1
	smp := k.s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampler}, "smp")
	smp.Binding = 2
	arr := k.s.NewVariable(ir.ModeUniform, ir.ArrayType(ir.ArrayType(floatTexture, 2, 0), 2, 0), "arr")
	arr.Binding = 3
	img := emu.ImageDesc{Width: 4, Height: 4, Mips: 2}
	near := &emu.Sampler{MaxLod: emu.LodNone}
	k.bind = func(bind *emu.Bindings, _ *emu.Memory) {
		v := picture(t, img, "R32G32_SFLOAT")
		bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: near}})
		bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescSampler, Sampler: &emu.Sampler{Mag: emu.FilterLinear}}})
		var list []emu.Descriptor
		for i := range 4 {
			one := picture(t, emu.ImageDesc{Width: 1, Height: 1}, "R32G32_SFLOAT")
			one.Store(0, 0, 0, 0, 0, [4]uint32{fl(float64(i))})
			list = append(list, emu.Descriptor{Image: one, Sampler: near})
		}
		bind.Set(0, 3, list)
	}
	txl := texDesc{op: ir.TexOpTxl, dim: ir.Dim2D, class: ir.ClassFloat, comps: 4}
	coord := texSrc{ir.TexSrcCoord, b.Vec(b.Fmul(b.U2f32(k.lane), b.ImmFloat(0.25, 32)), b.ImmFloat(0.3, 32))}
	lod := texSrc{ir.TexSrcLod, b.ImmFloat(0, 32)}
	first := func(d *ir.Def) { k.out(b.Channel(d, 0)) }
	dt := b.DerefVar(combined)
	first(insertTex(b, txl, texSrc{ir.TexSrcTextureDeref, dt}, texSrc{ir.TexSrcSamplerDeref, dt}, coord, lod))
	first(insertTex(b, txl, texSrc{ir.TexSrcTextureDeref, dt}, texSrc{ir.TexSrcSamplerDeref, b.DerefVar(smp)}, coord, lod))
	// Handles: binding 0 of set 0 is 0, so these are 1 and 2.
	byIndex := txl
	byIndex.edit = func(i *ir.TexInfo) { i.TextureIndex, i.SamplerIndex = 1, 2 }
	first(insertTex(b, byIndex, coord, lod))
	byIndex.edit = func(i *ir.TexInfo) { i.SamplerIndex = 1 }
	first(insertTex(b, byIndex, coord, lod, texSrc{ir.TexSrcTextureOffset, b.Imm32(1)}))
	first(insertTex(b, txl, coord, lod, texSrc{ir.TexSrcTextureHandle, b.Imm32(1)}, texSrc{ir.TexSrcSamplerHandle, b.Imm32(2)}))
	// An element of an array of arrays, another in every lane.
	el := b.DerefArray(b.DerefArray(b.DerefVar(arr), b.Iand(b.Ushr(k.lane, b.Imm32(1)), b.Imm32(1))), b.Iand(k.lane, b.Imm32(1)))
	first(insertTex(b, txl, texSrc{ir.TexSrcTextureDeref, el}, texSrc{ir.TexSrcSamplerDeref, el}, coord, lod))
	first(insertTex(b, txl, coord, lod, texSrc{ir.TexSrcTextureHandle, b.Imm32(99)}, texSrc{ir.TexSrcSamplerHandle, b.Imm32(2)}))
	r := k.run(4)
	texel := func(l int) uint32 { return fl(float64(10 + l%4)) }
	between := func(l int) uint32 { // left of texel l: the mean of it and the one before; y is at 0.7
		return fl(float64(7) + (float64(l%4)+float64((l+3)%4))/2)
	}
	for word, want := range []func(int) uint32{texel, between, between, texel, between, func(l int) uint32 { return fl(float64(l & 3)) }, func(int) uint32 { return 0 }} {
		for l := range 8 {
			got, w := math.Float32frombits(r.at(l, word)), math.Float32frombits(want(l))
			if !(math.Abs(float64(got-w)) <= 1e-5) {
				t.Errorf("word %d lane %d: %g, want %g", word, l, got, w)
			}
		}
	}
}

// TestTextureOps runs each operation on images of its own shape.
func TestTextureOps(t *testing.T) {
	k := newBench(t, 64)
	b := k.b
	k.bind = func(bind *emu.Bindings, mem *emu.Memory) {
		smp := &emu.Sampler{MaxLod: emu.LodNone, CompareOp: emu.CompareLess, Address: [3]emu.AddressMode{2, 2, 2}}
		for i, v := range []*emu.ImageView{
			picture(t, emu.ImageDesc{Width: 8, Height: 4, Layers: 3, Mips: 3}, "R32G32_SFLOAT"),
			picture(t, emu.ImageDesc{Width: 4, Height: 4, Samples: 4}, "R32G32_SINT"),
			picture(t, emu.ImageDesc{Width: 4, Height: 4, Layers: 12}, "R32_SFLOAT"),
		} {
			bind.Set(0, uint32(i+1), []emu.Descriptor{{Image: v, Sampler: smp}})
		}
		buf := mem.Alloc(6)
		copy(buf.Data, []byte{1, 2, 3, 4, 5, 6})
		bind.Set(0, 4, []emu.Descriptor{{Addr: buf.Addr, Size: 6, Format: emu.FormatByName("R8_SINT")}})
	}
	var want []uint32
	expect := func(d *ir.Def, w ...uint32) {
		t.Helper()
		if int(d.NumComponents) > len(w) {
			d = b.Channels(d, 0, len(w))
		}
		if d.BitSize == 16 {
			d = b.U2u32(d)
		}
		if d.BitSize == 1 {
			d = b.B2i32(d)
		}
		k.out(d)
		want = append(want, w...)
	}
	src := func(k ir.TexSrc, d *ir.Def) texSrc { return texSrc{k, d} }
	at := func(h uint64) []texSrc {
		return []texSrc{{ir.TexSrcTextureHandle, b.Imm32(uint32(h))}, {ir.TexSrcSamplerHandle, b.Imm32(uint32(h))}}
	}
	ints := func(v ...uint32) *ir.Def {
		var c []*ir.Def
		for _, x := range v {
			c = append(c, b.Imm32(x))
		}
		return b.Vec(c...)
	}
	const f, i = ir.ClassFloat, ir.ClassInt
	tex := func(op ir.TexOp, dim ir.Dim, array bool, class ir.TypeClass, comps uint8, h uint64, srcs ...texSrc) *ir.Def {
		return insertTex(b, texDesc{op: op, dim: dim, array: array, class: class, comps: comps}, append(at(h), srcs...)...)
	}
	arrayed := src(ir.TexSrcCoord, floats(b, 0.3, 0.6, 1.2)) // texel (2, 2) of layer 1
	expect(tex(ir.TexOpTex, ir.Dim2D, true, f, 4, 1, arrayed), fl(122), fl(-122), 0, fl(1))
	expect(tex(ir.TexOpTxb, ir.Dim2D, true, f, 4, 1, arrayed, src(ir.TexSrcBias, floats(b, 1))), fl(1111))
	expect(tex(ir.TexOpTxl, ir.Dim2D, true, f, 4, 1, arrayed, src(ir.TexSrcLod, floats(b, 1.7))), fl(2100))
	expect(tex(ir.TexOpTxl, ir.Dim2D, true, f, 4, 1, arrayed, src(ir.TexSrcLod, floats(b, 0)), src(ir.TexSrcOffset, ints(1, ^uint32(0)))), fl(113))
	expect(tex(ir.TexOpTxd, ir.Dim2D, true, f, 4, 1, arrayed, src(ir.TexSrcDdx, floats(b, 0.25, 0)), src(ir.TexSrcDdy, floats(b, 0, 0.01))), fl(1111))
	expect(tex(ir.TexOpTxd, ir.Dim2D, true, f, 4, 1, arrayed, src(ir.TexSrcDdx, floats(b, 0, 0)), src(ir.TexSrcDdy, floats(b, 0, 0)), src(ir.TexSrcMinLod, floats(b, 2))), fl(2100))
	expect(tex(ir.TexOpTxl, ir.Dim2D, true, f, 4, 1, src(ir.TexSrcCoord, floats(b, 0.6, 1.2, 1)), src(ir.TexSrcProjector, floats(b, 2)), src(ir.TexSrcLod, floats(b, 0))), fl(122))
	expect(tex(ir.TexOpTxf, ir.Dim2D, true, f, 4, 1, src(ir.TexSrcCoord, ints(3, 1, 2)), src(ir.TexSrcLod, ints(1))), fl(1213))
	expect(tex(ir.TexOpTxf, ir.Dim2D, true, f, 4, 1, src(ir.TexSrcCoord, ints(4, 1, 2)), src(ir.TexSrcLod, ints(1))), 0, 0, 0, fl(1))
	expect(tex(ir.TexOpTxfMs, ir.DimMS, false, i, 4, 2, src(ir.TexSrcCoord, ints(3, 1)), src(ir.TexSrcMsIndex, ints(2))), 20013, uint32(1<<32-20013), 0, 1)
	expect(tex(ir.TexOpTxf, ir.DimBuf, false, i, 4, 4, src(ir.TexSrcCoord, ints(4))), 5, 0, 0, 1)
	expect(tex(ir.TexOpTxf, ir.DimBuf, false, i, 4, 4, src(ir.TexSrcCoord, ints(6))), 0)
	expect(tex(ir.TexOpTxs, ir.Dim2D, true, i, 3, 1, src(ir.TexSrcLod, ints(1))), 4, 2, 3)
	expect(tex(ir.TexOpTxs, ir.DimCube, true, i, 3, 3, src(ir.TexSrcLod, ints(0))), 4, 4, 2)
	expect(tex(ir.TexOpTxs, ir.DimBuf, false, i, 1, 4), 6)
	expect(tex(ir.TexOpTxs, ir.DimMS, false, i, 2, 2), 4, 4)
	expect(tex(ir.TexOpQueryLevels, ir.Dim2D, true, i, 1, 1), 3)
	expect(tex(ir.TexOpTextureSamples, ir.DimMS, false, i, 1, 2), 4)
	expect(tex(ir.TexOpLod, ir.Dim2D, true, f, 2, 1, src(ir.TexSrcCoord, floats(b, 0, 0))), 0, 0)
	// Gathers at the corner of texels (1..2, 1..2) of layer 0.
	corner := src(ir.TexSrcCoord, floats(b, 0.25, 0.5, 0))
	expect(tex(ir.TexOpTg4, ir.Dim2D, true, f, 4, 1, corner), fl(21), fl(22), fl(12), fl(11))
	green := texDesc{op: ir.TexOpTg4, dim: ir.Dim2D, array: true, class: f, comps: 4, edit: func(i *ir.TexInfo) {
		i.Component, i.HasOffsets, i.Offsets = 1, true, [4][2]int8{{0, 0}, {1, 0}, {0, 1}, {-1, -1}}
	}}
	expect(insertTex(b, green, append(at(1), corner)...), fl(-11), fl(-12), fl(-21), 0)
	// Shadow: cube 1, face +X, whose texel (2, 2) is 622.
	shadow := src(ir.TexSrcCoord, floats(b, 1, -0.1, -0.1, 1))
	expect(tex(ir.TexOpTxl, ir.DimCube, true, f, 1, 3, shadow, src(ir.TexSrcComparator, floats(b, 621)), src(ir.TexSrcLod, floats(b, 0))), fl(1))
	expect(tex(ir.TexOpTxl, ir.DimCube, true, f, 1, 3, shadow, src(ir.TexSrcComparator, floats(b, 622)), src(ir.TexSrcLod, floats(b, 0))), 0)
	// Sparse and 16-bit results.
	sparse := texDesc{op: ir.TexOpTxl, dim: ir.Dim2D, array: true, class: f, comps: 5, edit: func(i *ir.TexInfo) { i.IsSparse = true }}
	r5 := insertTex(b, sparse, append(at(1), arrayed, src(ir.TexSrcLod, floats(b, 0)))...)
	expect(r5, fl(122), fl(-122), 0, fl(1))
	both := b.Intrinsic(ir.IntrSparseResidencyCodeAnd, 1, 32, b.Channel(r5, 4), b.Channel(r5, 4))
	expect(&b.Intrinsic(ir.IntrIsSparseTexelsResident, 1, 1, &both.Def).Def, 1)
	half := texDesc{op: ir.TexOpTxl, dim: ir.Dim2D, array: true, class: f, comps: 4, bits: 16}
	expect(insertTex(b, half, append(at(1), arrayed, src(ir.TexSrcLod, floats(b, 0)))...), 0x57a0, 0xd7a0, 0, 0x3c00)
	r := k.run(8)
	for w, x := range want {
		k.want(r, w, func(int) uint32 { return x })
	}
}

// TestImplicitLod samples in a quad whose coordinates step by two texels along
// x and four along y.
func TestImplicitLod(t *testing.T) {
	s, b, in, out := newFragment()
	v := b.LoadVar(in) // x, y are 0.5 and 1.5
	tv := s.NewVariable(ir.ModeUniform, floatTexture, "tex")
	coord := b.Fmul(b.Channels(v, 0, 2), floats(b, 2.0/16, 4.0/16))
	d := b.DerefVar(tv)
	srcs := []texSrc{{ir.TexSrcTextureDeref, d}, {ir.TexSrcSamplerDeref, d}, {ir.TexSrcCoord, coord}}
	sample := insertTex(b, texDesc{op: ir.TexOpTex, dim: ir.Dim2D, class: ir.ClassFloat, comps: 4}, srcs...)
	lod := insertTex(b, texDesc{op: ir.TexOpLod, dim: ir.Dim2D, class: ir.ClassFloat, comps: 2}, srcs...)
	bias := insertTex(b, texDesc{op: ir.TexOpTxb, dim: ir.Dim2D, class: ir.ClassFloat, comps: 4}, append(srcs, texSrc{ir.TexSrcBias, floats(b, -1)})...)
	b.StoreVar(out, b.Vec(b.Channel(sample, 0), b.Channel(lod, 0), b.Channel(lod, 1), b.Channel(bias, 0)), 0)
	view := picture(t, emu.ImageDesc{Width: 16, Height: 16, Mips: 5}, "R32G32_SFLOAT")
	l := fragmentWith(t, s, Options{}, func(bind *emu.Bindings) {
		bind.Set(0, 0, []emu.Descriptor{{Image: view, Sampler: &emu.Sampler{MaxLod: emu.LodNone, LodBias: 0.25}}})
	})
	for i := range 4 {
		x, y := i&1, i>>1
		got := l.Out[i][ir.SlotData0]
		// Level 2 has texels of 4: x is 1 or 3 texels of level 0, y 2 or 6.
		want := [4]uint32{fl(float64(2000 + 10*y)), fl(2), fl(2.25), fl(float64(1000 + 10*(1+2*y) + x))}
		if got != want {
			t.Errorf("lane %d: %v, want %v", i, got, want)
		}
	}
	if p, err := New(s, Options{}); err != nil || !p.IO().NeedsQuads {
		t.Errorf("implicit derivatives need quads: %v", err)
	}
}

// TestAlterLod replaces what a query of the LOD comes to, each component, and nothing that is sampled.
func TestAlterLod(t *testing.T) {
	s, b, in, out := newFragment()
	v := b.LoadVar(in) // x, y are 0.5 and 1.5
	tv := s.NewVariable(ir.ModeUniform, floatTexture, "tex")
	d := b.DerefVar(tv)
	srcs := []texSrc{{ir.TexSrcTextureDeref, d}, {ir.TexSrcSamplerDeref, d}, {ir.TexSrcCoord, b.Channels(v, 0, 2)}}
	lod := insertTex(b, texDesc{op: ir.TexOpLod, dim: ir.Dim2D, class: ir.ClassFloat, comps: 2}, srcs...)
	sample := insertTex(b, texDesc{op: ir.TexOpTex, dim: ir.Dim2D, class: ir.ClassFloat, comps: 4}, srcs...)
	b.StoreVar(out, b.Vec(b.Channel(lod, 0), b.Channel(lod, 1), b.Channel(sample, 0), b.Channel(sample, 1)), 0)
	view := picture(t, emu.ImageDesc{Width: 16, Height: 16, Mips: 5}, "R32G32_SFLOAT")
	lane := func(opts Options) [4]uint32 {
		l := fragmentWith(t, s, opts, func(bind *emu.Bindings) {
			bind.Set(0, 0, []emu.Descriptor{{Image: view, Sampler: &emu.Sampler{MaxLod: emu.LodNone}}})
		})
		return l.Out[0][ir.SlotData0]
	}
	want := lane(Options{})
	got := lane(Options{Alter: func(in *ir.Instr, srcs *[4]uint64, vecs [][]uint64, result uint64) uint64 {
		if in.Kind == ir.KindTex && in.TexOp == ir.TexOpLod && srcs == nil && vecs == nil {
			return uint64(fl(float64(f32(result)) + 0.5))
		}
		return result
	}})
	for k := range 2 {
		want[k] = fl(float64(f32(uint64(want[k]))) + 0.5)
	}
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPartialQuads takes derivatives and samples where the left lanes of a quad alone
// are active, and where all are: the pattern of what is undefined decides the former.
func TestPartialQuads(t *testing.T) {
	s, b, in, out := newFragment()
	v := b.LoadVar(in) // x, y are 0.5 and 1.5
	tv := s.NewVariable(ir.ModeUniform, floatTexture, "tex")
	coord := b.Fmul(b.Channels(v, 0, 2), floats(b, 2.0/16, 4.0/16))
	d := b.DerefVar(tv)
	lod := func() *ir.Def {
		return b.Channel(insertTex(b, texDesc{op: ir.TexOpLod, dim: ir.Dim2D, class: ir.ClassFloat, comps: 2},
			texSrc{ir.TexSrcTextureDeref, d}, texSrc{ir.TexSrcSamplerDeref, d}, texSrc{ir.TexSrcCoord, coord}), 1)
	}
	ddx := func() *ir.Def { return &b.Intrinsic(ir.IntrDdx, 1, 32, b.Channel(coord, 0)).Def }
	i := b.PushIf(b.Flt(b.Channel(v, 0), b.ImmFloat(1, 32)))
	part, partDdx := lod(), ddx()
	b.PushElse(i)
	other := b.ImmFloat(9, 32)
	b.PopIf(i)
	b.StoreVar(out, b.Vec(b.IfPhi(i, part, other), b.IfPhi(i, partDdx, other), lod(), ddx()), 0)
	view := picture(t, emu.ImageDesc{Width: 16, Height: 16, Mips: 5}, "R32G32_SFLOAT")
	for _, undef := range []float64{0, 0.5, -1} {
		l := fragmentWith(t, s, Options{UndefPattern: uint64(fl(undef))}, func(bind *emu.Bindings) {
			bind.Set(0, 0, []emu.Descriptor{{Image: view, Sampler: &emu.Sampler{MaxLod: emu.LodNone}}})
		})
		for lane := range 4 {
			want := [4]uint32{fl(9), fl(9), fl(2), fl(2.0 / 16)}
			if lane&1 == 0 {
				want[0], want[1] = map[float64]uint32{0: fl(2), 0.5: fl(3.5), -1: fl(4.5)}[undef], fl(undef)
			}
			if got := l.Out[lane][ir.SlotData0]; got != want {
				t.Errorf("undefined as %g, lane %d: %v, want %v", undef, lane, got, want)
			}
		}
	}
}

// TestSamplerQueries asks about samples and about samplers.
func TestSamplerQueries(t *testing.T) {
	k := newBench(t, 8)
	b := k.b
	k.bind = func(bind *emu.Bindings, _ *emu.Memory) {
		ms := picture(t, emu.ImageDesc{Width: 2, Height: 1, Samples: 2}, "R32_SINT")
		ms.Store(0, 0, 0, 0, 1, ms.Load(0, 0, 0, 0, 0))
		smp := &emu.Sampler{LodBias: -1.5, Border: emu.BorderCustom, Custom: [4]uint32{4, 5, 6, 7}}
		bind.Set(0, 1, []emu.Descriptor{{Image: ms, Sampler: smp}})
	}
	h := texSrc{ir.TexSrcTextureHandle, b.Imm32(1)}
	s := texSrc{ir.TexSrcSamplerHandle, b.Imm32(1)}
	coord := texSrc{ir.TexSrcCoord, b.Vec(b.Iand(k.lane, b.Imm32(1)), b.Imm32(0))}
	k.out(b.B2i32(insertTex(b, texDesc{op: ir.TexOpSamplesIdentical, dim: ir.DimMS, comps: 1, bits: 1}, h, coord)))
	k.out(insertTex(b, texDesc{op: ir.TexOpLodBiasAgx, dim: ir.Dim2D, class: ir.ClassFloat, comps: 1}, s))
	k.out(b.U2u32(insertTex(b, texDesc{op: ir.TexOpLodBiasAgx, dim: ir.Dim2D, class: ir.ClassFloat, comps: 1, bits: 16}, s)))
	k.out(b.B2i32(insertTex(b, texDesc{op: ir.TexOpHasCustomBorderColorAgx, dim: ir.Dim2D, comps: 1, bits: 1}, s)))
	k.out(b.Channel(insertTex(b, texDesc{op: ir.TexOpCustomBorderColorAgx, dim: ir.Dim2D, class: ir.ClassUint, comps: 4}, s), 3))
	k.out(insertTex(b, texDesc{op: ir.TexOpLodBiasAgx, dim: ir.Dim2D, class: ir.ClassFloat, comps: 1}, texSrc{ir.TexSrcSamplerHandle, b.Imm32(5)}))
	r := k.run(8)
	k.want(r, 0, func(l int) uint32 { return uint32(1 - l&1) })
	for w, want := range []uint32{fl(-1.5), 0xbe00, 1, 7, 0} {
		k.want(r, w+1, func(int) uint32 { return want })
	}
}

// TestTexturesRefused: what has no meaning is an error of New.
func TestTexturesRefused(t *testing.T) {
	for i, c := range []struct {
		desc texDesc
		srcs func(b *ir.Builder) []texSrc
		want string
	}{
		{texDesc{op: ir.TexOpTex, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc { return nil }, "2 coordinates are needed"},
		{texDesc{op: ir.TexOpTex, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcCoord, floats(b, 0, 0)}, {ir.TexSrcPlane, b.Imm32(1)}}
		}, "planes"},
		{texDesc{op: ir.TexOpTex, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcBackend1, floats(b, 0, 0)}}
		}, "packed for a target"},
		{texDesc{op: ir.TexOpTg4, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcCoord, floats(b, 0, 0)}, {ir.TexSrcBias, floats(b, 1)}}
		}, "gather with a level of detail"},
		{texDesc{op: ir.TexOpTxl, dim: ir.DimBuf, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcCoord, floats(b, 0)}}
		}, "texel buffer"},
		{texDesc{op: ir.TexOpTxd, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcCoord, floats(b, 0, 0)}}
		}, "derivatives of 2 components"},
		{texDesc{op: ir.TexOpTex, dim: ir.Dim2D, comps: 4}, func(b *ir.Builder) []texSrc {
			return []texSrc{{ir.TexSrcCoord, floats(b, 0, 0)}, {ir.TexSrcTextureHandle, b.Imm32(0)}, {ir.TexSrcTextureOffset, b.Imm32(0)}}
		}, "more than one source"},
	} {
		k := newBench(t, 1)
		c.desc.class = ir.ClassFloat
		insertTex(k.b, c.desc, c.srcs(k.b)...)
		if _, err := New(k.s, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("case %d: %v, want %q", i, err, c.want)
		}
	}
}
