package ir3

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// texWorld is what shaders of these tests see: textures, a sampler of its own
// set, a texel buffer and a storage image.
func texWorld(t *testing.T, env *emu.Env) {
	t.Helper()
	linear := &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, Mip: emu.MipLinear, MaxLod: emu.LodNone}
	shadow := *linear
	shadow.CompareOp = emu.CompareLess
	view := func(d emu.ImageDesc, format string) *emu.ImageView {
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
					n := float32(mip)/2 + float32(z)/8 + float32(i%(w*img.Samples))/64 + float32(i/(w*img.Samples))/256
					texel := [4]uint32{math.Float32bits(n), math.Float32bits(1 - n), math.Float32bits(n * n), math.Float32bits(0.5)}
					v.Store(i/img.Samples%w, i/img.Samples/w, z, mip, i%img.Samples, texel)
				}
			}
		}
		return v
	}
	const rgba = "R32G32B32A32_SFLOAT"
	var bind emu.Bindings
	put := func(binding uint32, v *emu.ImageView, s *emu.Sampler) {
		bind.Set(0, binding, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: s}})
	}
	put(0, view(emu.ImageDesc{Width: 16, Height: 8, Mips: 4}, rgba), linear)
	put(1, view(emu.ImageDesc{Width: 8, Height: 8, Layers: 6, Mips: 2}, rgba), linear)
	put(2, view(emu.ImageDesc{Width: 8, Height: 8, Layers: 3}, rgba), linear)
	put(3, view(emu.ImageDesc{Width: 8, Height: 4, Depth: 4}, rgba), linear)
	put(4, view(emu.ImageDesc{Width: 8, Height: 8}, "D32_SFLOAT"), &shadow)
	bind.Set(0, 5, []emu.Descriptor{{Type: emu.DescSampledImage, Image: view(emu.ImageDesc{Width: 8, Height: 8}, rgba)}})
	put(6, view(emu.ImageDesc{Width: 16, Height: 1}, rgba), linear)
	put(7, view(emu.ImageDesc{Width: 4, Height: 4, Samples: 4}, rgba), linear)
	var list []emu.Descriptor
	for i := range 3 {
		list = append(list, emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: view(emu.ImageDesc{Width: 4 << i, Height: 4}, rgba), Sampler: linear})
	}
	bind.Set(0, 8, list)
	buf := env.Mem.Alloc(256)
	for i := range buf.Data {
		buf.Data[i] = byte(i * 37)
	}
	bind.Set(0, 9, []emu.Descriptor{{Type: emu.DescUniformTexelBuffer, Addr: buf.Addr, Size: 256, Format: emu.FormatByName("R8G8B8A8_UNORM")}})
	bind.Set(0, 10, []emu.Descriptor{{Type: emu.DescStorageImage, Image: view(emu.ImageDesc{Width: 64, Height: 2}, "R32_UINT")}})
	bind.Set(0, 11, []emu.Descriptor{{Type: emu.DescStorageTexelBuffer, Addr: buf.Addr, Size: 256, Format: emu.FormatByName("R8G8B8A8_UNORM")}})
	bind.Set(0, 12, []emu.Descriptor{{Type: emu.DescStorageImage, Image: view(emu.ImageDesc{Width: 64, Height: 1}, rgba)}})
	bind.Set(0, 13, []emu.Descriptor{{Type: emu.DescStorageImage, Image: view(emu.ImageDesc{Width: 64, Height: 1, Layers: 2}, rgba)}})
	bind.Set(1, 0, []emu.Descriptor{{Type: emu.DescSampler, Sampler: linear}})
	env.Bindings = &bind
}

// texBuild builds texture operations of one test.
type texBuild struct {
	s *ir.Shader
	b *ir.Builder
	// uv are coordinates that differ in all lanes, id the number of a lane.
	uv, id *ir.Def
}

func (x *texBuild) variable(set, binding uint32, base ir.Base, dim ir.Dim, array, ms bool, n uint32) *ir.Def {
	t := &ir.Type{Base: base, Dim: dim, Arrayed: array, MS: ms, Texel: ir.BaseFloat, TexelBits: 32}
	mode := ir.ModeUniform
	if base == ir.BaseImage {
		mode = ir.ModeImage
	}
	if n > 0 {
		t = ir.ArrayType(t, n, 0)
	}
	v := x.s.NewVariable(mode, t, "t")
	v.Set, v.Binding, v.HasBinding = set, binding, true
	return x.b.DerefVar(v)
}

type texSource struct {
	kind ir.TexSrc
	def  *ir.Def
}

func (x *texBuild) op(op ir.TexOp, comps uint8, dim ir.Dim, array bool, srcs ...texSource) *ir.Instr {
	in := x.s.NewTex(op, comps, 32)
	i := in.TexInfo()
	i.Dim, i.IsArray, i.DestType = dim, array, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	switch op {
	case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		i.DestType.Class = ir.ClassInt
	}
	for _, s := range srcs {
		switch s.kind {
		case ir.TexSrcCoord:
			i.CoordComponents = s.def.NumComponents
		case ir.TexSrcComparator:
			i.IsShadow, i.NewStyleShadow = true, comps == 1
		}
		x.s.AddTexSrc(in, s.kind, s.def)
	}
	return x.b.Insert(in)
}

// at is a combined image and sampler.
func at(d *ir.Def) []texSource {
	return []texSource{{ir.TexSrcTextureDeref, d}, {ir.TexSrcSamplerDeref, d}}
}

func (x *texBuild) xyz(z *ir.Def) *ir.Def {
	return x.b.Vec(x.b.Channel(x.uv, 0), x.b.Channel(x.uv, 1), z)
}

var texTests = []struct {
	name  string
	build func(x *texBuild) *ir.Def
}{
	{"tex 2D", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		return &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv})...).Def
	}},
	{"txb with offset", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		off := x.b.Vec(x.b.Imm32(1), x.b.Imm32(0xffffffff))
		return &x.op(ir.TexOpTxb, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcBias, x.b.ImmFloat(0.5, 32)}, texSource{ir.TexSrcOffset, off})...).Def
	}},
	{"txl", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		return &x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, x.b.Channel(x.uv, 0)})...).Def
	}},
	{"txd cube", func(x *texBuild) *ir.Def {
		d := x.variable(0, 1, ir.BaseSampledImage, ir.DimCube, false, false, 0)
		dir := x.xyz(x.b.ImmFloat(-0.75, 32))
		ddx := x.b.Vec(x.b.ImmFloat(0.2, 32), x.b.ImmFloat(0, 32), x.b.ImmFloat(0, 32))
		ddy := x.b.Vec(x.b.ImmFloat(0, 32), x.b.ImmFloat(0.3, 32), x.b.ImmFloat(0, 32))
		return &x.op(ir.TexOpTxd, 4, ir.DimCube, false, append(at(d), texSource{ir.TexSrcCoord, dir}, texSource{ir.TexSrcDdx, ddx}, texSource{ir.TexSrcDdy, ddy})...).Def
	}},
	{"tex array", func(x *texBuild) *ir.Def {
		d := x.variable(0, 2, ir.BaseSampledImage, ir.Dim2D, true, false, 0)
		return &x.op(ir.TexOpTex, 4, ir.Dim2D, true, append(at(d), texSource{ir.TexSrcCoord, x.xyz(x.b.ImmFloat(1.6, 32))})...).Def
	}},
	{"tex 3D", func(x *texBuild) *ir.Def {
		d := x.variable(0, 3, ir.BaseSampledImage, ir.Dim3D, false, false, 0)
		return &x.op(ir.TexOpTxl, 4, ir.Dim3D, false, append(at(d), texSource{ir.TexSrcCoord, x.xyz(x.b.Channel(x.uv, 1))}, texSource{ir.TexSrcLod, x.b.ImmFloat(0, 32)})...).Def
	}},
	{"shadow", func(x *texBuild) *ir.Def {
		d := x.variable(0, 4, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		r := &x.op(ir.TexOpTex, 1, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcComparator, x.b.ImmFloat(0.06, 32)})...).Def
		return x.b.Vec(r, r, r, r)
	}},
	{"sampler of another set", func(x *texBuild) *ir.Def {
		d := x.variable(0, 5, ir.BaseTexture, ir.Dim2D, false, false, 0)
		m := x.variable(1, 0, ir.BaseSampler, ir.Dim2D, false, false, 0)
		return &x.op(ir.TexOpTex, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, m}, texSource{ir.TexSrcCoord, x.uv}).Def
	}},
	{"1D", func(x *texBuild) *ir.Def {
		d := x.variable(0, 6, ir.BaseSampledImage, ir.Dim1D, false, false, 0)
		return &x.op(ir.TexOpTex, 4, ir.Dim1D, false, append(at(d), texSource{ir.TexSrcCoord, x.b.Channel(x.uv, 0)})...).Def
	}},
	{"gathers", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		a := x.op(ir.TexOpTg4, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv})...)
		a.TexInfo().Component = 1
		c := x.op(ir.TexOpTg4, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv})...)
		c.TexInfo().HasOffsets, c.TexInfo().Offsets = true, [4][2]int8{{0, 1}, {2, -1}, {-2, 0}, {1, 1}}
		return x.b.Fadd(&a.Def, &c.Def)
	}},
	{"fetches", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseTexture, ir.Dim2D, false, false, 0)
		c := x.b.Vec(x.b.Iand(x.id, x.b.Imm32(7)), x.b.Iand(x.id, x.b.Imm32(3)))
		a := x.op(ir.TexOpTxf, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, c}, texSource{ir.TexSrcLod, x.b.Imm32(0)})
		e := x.op(ir.TexOpTxf, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, c}, texSource{ir.TexSrcLod, x.b.Iand(x.id, x.b.Imm32(1))})
		m := x.variable(0, 7, ir.BaseTexture, ir.DimMS, false, true, 0)
		f := x.op(ir.TexOpTxfMs, 4, ir.DimMS, false, texSource{ir.TexSrcTextureDeref, m}, texSource{ir.TexSrcCoord, c}, texSource{ir.TexSrcMsIndex, x.b.Iand(x.id, x.b.Imm32(3))})
		return x.b.Fadd(x.b.Fadd(&a.Def, &e.Def), &f.Def)
	}},
	{"texel buffer", func(x *texBuild) *ir.Def {
		d := x.variable(0, 9, ir.BaseTexture, ir.DimBuf, false, false, 0)
		return &x.op(ir.TexOpTxf, 4, ir.DimBuf, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, x.id}).Def
	}},
	{"array of textures", func(x *texBuild) *ir.Def {
		d := x.b.DerefArray(x.variable(0, 8, ir.BaseSampledImage, ir.Dim2D, false, false, 3), x.b.Iand(x.id, x.b.Imm32(1)))
		in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, x.b.ImmFloat(0, 32)})...)
		in.TexInfo().TextureNonUniform = true
		return &in.Def
	}},
	{"queries", func(x *texBuild) *ir.Def {
		d := x.variable(0, 0, ir.BaseTexture, ir.Dim2D, false, false, 0)
		a := x.variable(0, 2, ir.BaseTexture, ir.Dim2D, true, false, 0)
		m := x.variable(0, 7, ir.BaseTexture, ir.DimMS, false, true, 0)
		buf := x.variable(0, 9, ir.BaseTexture, ir.DimBuf, false, false, 0)
		size := x.op(ir.TexOpTxs, 2, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcLod, x.b.Imm32(1)})
		layers := x.op(ir.TexOpTxs, 3, ir.Dim2D, true, texSource{ir.TexSrcTextureDeref, a}, texSource{ir.TexSrcLod, x.b.Imm32(0)})
		levels := x.op(ir.TexOpQueryLevels, 1, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d})
		samples := x.op(ir.TexOpTextureSamples, 1, ir.DimMS, false, texSource{ir.TexSrcTextureDeref, m})
		elems := x.op(ir.TexOpTxs, 1, ir.DimBuf, false, texSource{ir.TexSrcTextureDeref, buf})
		v := x.b.Vec(x.b.Channel(&size.Def, 0), x.b.Iadd(x.b.Channel(&size.Def, 1), &elems.Def), x.b.Channel(&layers.Def, 2), x.b.Iadd(x.b.IMulImm(&levels.Def, 16), &samples.Def))
		return x.b.U2f32(v)
	}},
	{"uniform fetches", func(x *texBuild) *ir.Def { return x.b.Fadd(x.texelOf(0, ir.Dim2D, 3), x.texelOf(9, ir.DimBuf, 5)) }},
	{"storage image", func(x *texBuild) *ir.Def {
		d := x.variable(0, 10, ir.BaseImage, ir.Dim2D, false, false, 0)
		u := x.b.Undef(1, 32)
		zero := x.b.Imm32(0)
		c := x.b.Vec(x.id, zero, u, u)
		set := func(in *ir.Instr) *ir.Instr { return in.Set(ir.IdxImageDim, uint64(ir.Dim2D)) }
		typ := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
		v := x.b.Vec(x.b.IMulImm(x.id, 3), zero, zero, zero)
		set(x.b.Intrinsic(ir.IntrImageDerefStore, 0, 0, d, c, zero, v, zero)).Set(ir.IdxSrcType, typ)
		old := set(x.b.Intrinsic(ir.IntrImageDerefAtomic, 1, 32, d, c, zero, x.b.Imm32(5))).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
		back := set(x.b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, d, c, zero, zero)).Set(ir.IdxDestType, typ)
		size := set(x.b.Intrinsic(ir.IntrImageDerefSize, 2, 32, d, zero))
		return x.b.U2f32(x.b.Vec(&old.Def, x.b.Channel(&back.Def, 0), x.b.Channel(&size.Def, 0), x.b.Channel(&size.Def, 1)))
	}},
	{"a level of a buffer, which has none", levelOfBuffer},
	{"storage images of lines and buffers", linesAndBuffers},
	{"samples by derivatives at one place, of which one is chosen", func(x *texBuild) *ir.Def {
		a := x.chosenTexel(0, func() *ir.Def { return x.sampledAt(0.375) })
		b := x.chosenTexel(1, func() *ir.Def { return x.sampledAt(0.625) })
		return x.b.Fadd(x.b.Fadd(a, x.b.Fadd(b, b)), x.b.U2f32(x.b.Vec(x.id, x.id, x.id, x.id)))
	}},
	{"choices in choices", func(x *texBuild) *ir.Def {
		inner := func() *ir.Def {
			v := x.chosenTexel(1, func() *ir.Def { return x.sampledAt(0.625) })
			return x.b.Fadd(v, x.chosenTexel(2, func() *ir.Def { return x.b.Fsqrt(x.sampleOf(0.25)) }))
		}
		v := x.chosenTexel(0, inner)
		return x.b.Fadd(x.b.Fadd(v, x.chosenTexel(1, inner)), x.b.U2f32(x.b.Vec(x.id, x.id, x.id, x.id)))
	}},
	{"a side that the program has more of", func(x *texBuild) *ir.Def {
		v := x.chosenTexel(0, func() *ir.Def {
			return x.b.Fmul(x.sampledAt(0.375), x.b.U2f32(x.b.Vec(x.id, x.id, x.id, x.id)))
		})
		return x.b.Fadd(v, x.chosenTexel(1, func() *ir.Def { return x.b.Fmul(x.sampledAt(0.125), v) }))
	}},
	{"a level at one place", func(x *texBuild) *ir.Def {
		return x.b.Fadd(x.sampleOf(0.375), x.b.U2f32(x.b.Vec(x.id, x.id, x.id, x.id)))
	}},
	{"read-only images", func(x *texBuild) *ir.Def {
		d := x.variable(0, 10, ir.BaseImage, ir.Dim2D, false, false, 0)
		buf := x.variable(0, 9, ir.BaseImage, ir.DimBuf, false, false, 0)
		load := func(d, c *ir.Def, dim ir.Dim, class ir.TypeClass) *ir.Def {
			in := x.b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, d, c, x.b.Imm32(0), x.b.Imm32(0)).Set(ir.IdxImageDim, uint64(dim))
			return &in.Set(ir.IdxDestType, ir.ALUType{Class: class, Bits: 32}.Pack()).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder)).Def
		}
		u := x.b.Undef(1, 32)
		y := x.b.Iand(x.id, x.b.Imm32(1))
		texel := load(d, x.b.Vec(x.id, y, u, u), ir.Dim2D, ir.ClassUint)
		return x.b.Fadd(x.b.U2f32(texel), load(buf, x.b.Vec(x.id, u, u, u), ir.DimBuf, ir.ClassFloat))
	}},
}

// levelOfBuffer fetches texels of a buffer, of levels that it has not.
func levelOfBuffer(x *texBuild) *ir.Def {
	buf := x.variable(0, 9, ir.BaseTexture, ir.DimBuf, false, false, 0)
	return &x.op(ir.TexOpTxf, 4, ir.DimBuf, false, texSource{ir.TexSrcTextureDeref, buf}, texSource{ir.TexSrcCoord, x.id}, texSource{ir.TexSrcLod, x.b.Iand(x.id, x.b.Imm32(1))}).Def
}

// linesAndBuffers loads from storage images of one dimension, and from a texel buffer.
func linesAndBuffers(x *texBuild) *ir.Def {
	u := x.b.Undef(1, 32)
	load := func(binding uint32, dim ir.Dim, array bool, y *ir.Def) *ir.Def {
		in := x.b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, x.variable(0, binding, ir.BaseImage, dim, array, false, 0), x.b.Vec(x.id, y, u, u), x.b.Imm32(0), x.b.Imm32(0))
		in.Set(ir.IdxImageDim, uint64(dim)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		if array {
			in.Set(ir.IdxImageArray, 1)
		}
		return &in.Def
	}
	texel := x.b.Fadd(load(11, ir.DimBuf, false, u), load(12, ir.Dim1D, false, u))
	return x.b.Fadd(texel, load(13, ir.Dim1D, true, x.b.Iand(x.id, x.b.Imm32(1))))
}

// texelOf fetches the same texel for all fibers.
func (x *texBuild) texelOf(binding uint32, dim ir.Dim, at uint32) *ir.Def {
	d := x.variable(0, binding, ir.BaseTexture, dim, false, false, 0)
	if dim == ir.DimBuf {
		return &x.op(ir.TexOpTxf, 4, dim, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, x.b.Imm32(at)}).Def
	}
	at2 := x.b.Vec(x.b.Imm32(at), x.b.Imm32(at/2))
	return &x.op(ir.TexOpTxf, 4, dim, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, at2}, texSource{ir.TexSrcLod, x.b.Imm32(1)}).Def
}

// sampleOf samples level 1 at the same place for all fibers.
func (x *texBuild) sampleOf(at float64) *ir.Def {
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	uv := x.b.Vec(x.b.ImmFloat(at, 32), x.b.ImmFloat(at*2, 32))
	lod := texSource{ir.TexSrcLod, x.b.ImmFloat(1, 32)}
	return &x.op(ir.TexOpTxl, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, d}, texSource{ir.TexSrcCoord, uv}, lod).Def
}

// chosenTexel has a texel where another, at k, is small, and zeros elsewhere: so it is at 0, and not at 1.
func (x *texBuild) chosenTexel(k uint32, texel func() *ir.Def) *ir.Def {
	zero := x.b.ImmFloat(0, 32)
	none := x.b.Vec(zero, zero, zero, zero)
	i := x.b.PushIf(x.b.Flt(x.b.Channel(x.texelOf(9, ir.DimBuf, k), 0), x.b.ImmFloat(0.3, 32)))
	v := texel()
	x.b.PopIf(i)
	return x.b.IfPhi(i, v, none)
}

// fetched is a texel that is the same for all.
func (x *texBuild) fetched() *ir.Def { return x.texelOf(9, ir.DimBuf, 5) }

// sampledAt samples at the same place for all fibers, by derivatives.
func (x *texBuild) sampledAt(at float64) *ir.Def {
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	uv := x.b.Vec(x.b.ImmFloat(at, 32), x.b.ImmFloat(at*2, 32))
	return &x.op(ir.TexOpTex, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, d}, texSource{ir.TexSrcCoord, uv}).Def
}

// TestPreambleFetches: the preamble asks for texels that all fibers want, also those of few: the descriptors are there, as the shader names them. It does
// not behind what ends fibers.
func TestPreambleFetches(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name string
		want bool
		v    func(x *texBuild) *ir.Def
	}{
		{"always", true, func(x *texBuild) *ir.Def { return x.texelOf(9, ir.DimBuf, 5) }},
		{"a sample by derivatives", true, func(x *texBuild) *ir.Def { return x.sampledAt(0.375) }},
		{"a sample of a level", true, func(x *texBuild) *ir.Def { return x.sampleOf(0.375) }},
		{"a sample of a level after a discard", false, func(x *texBuild) *ir.Def {
			x.s.Info.UsesDiscard = true
			x.b.Intrinsic(ir.IntrTerminateIf, 0, 0, x.b.Ilt(x.id, x.b.Imm32(7)))
			return x.sampleOf(0.375)
		}},
		{"in a side of an if by what is the same for all", true, func(x *texBuild) *ir.Def { return x.chosenTexel(0, x.fetched) }},
		{"in a side of an if in an if that is not", true, func(x *texBuild) *ir.Def {
			zero := x.b.ImmFloat(0, 32)
			none := x.b.Vec(zero, zero, zero, zero)
			i := x.b.PushIf(x.b.Ilt(x.id, x.b.Imm32(7)))
			texel := x.chosenTexel(0, x.fetched)
			x.b.PopIf(i)
			return x.b.IfPhi(i, texel, none)
		}},
		{"in a loop", true, func(x *texBuild) *ir.Def {
			l := x.b.PushLoop()
			i := x.b.PushIf(x.b.Ilt(x.id, x.b.Imm32(7)))
			x.b.Jump(ir.JumpBreak)
			x.b.PopIf(i)
			texel := x.texelOf(9, ir.DimBuf, 5)
			outputTo(x.b, texel, ir.SlotData0+1)
			x.b.PopLoop(l)
			return x.b.Vec(x.b.U2f32(x.id), x.b.U2f32(x.id), x.b.U2f32(x.id), x.b.U2f32(x.id))
		}},
		{"in a side of an if", true, func(x *texBuild) *ir.Def {
			zero := x.b.ImmFloat(0, 32)
			none := x.b.Vec(zero, zero, zero, zero)
			i := x.b.PushIf(x.b.Ilt(x.id, x.b.Imm32(7)))
			texel := x.texelOf(9, ir.DimBuf, 5)
			x.b.PopIf(i)
			return x.b.IfPhi(i, texel, none)
		}},
		{"after a discard", false, func(x *texBuild) *ir.Def {
			x.s.Info.UsesDiscard = true
			x.b.Intrinsic(ir.IntrTerminateIf, 0, 0, x.b.Ilt(x.id, x.b.Imm32(7)))
			return x.texelOf(9, ir.DimBuf, 5)
		}},
	} {
		s, b := newStage(ir.StageFragment)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		x := &texBuild{s: s, b: b, id: b.F2u32(b.Channel(pos, 0))}
		outputTo(b, c.v(x), ir.SlotData0)
		if err := lowerToScalar(s); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		bin, err := compile(s, CompileOptions{GPU: "a630"})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		pre, main, has := strings.Cut(disasm(bin), "shpe")
		reads := func(text string) bool { return strings.Contains(text, "sam") }
		if got := has && reads(pre) && !reads(main); got != c.want {
			t.Errorf("%s: a fetch in the preamble: %v\n%s", c.name, got, disasm(bin))
		}
	}
}

// TestTextures runs texture and image operations on the interpreter and on
// the core, in a fragment shader with derivatives from quads.
func TestTextures(t *testing.T) {
	programs.Hold(t)
	for _, c := range texTests {
		for _, gpu := range []string{"a630", "a740"} {
			if err := textureDiffers(c.build, gpu); err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
			}
		}
	}
}

// textureDiffers draws what build makes of textures, interpreted and compiled.
func textureDiffers(build func(x *texBuild) *ir.Def, gpu string) error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	fx, fy := b.Channel(pos, 0), b.Channel(pos, 1)
	x := &texBuild{s: s, b: b, uv: b.Vec(b.Fmul(fx, b.ImmFloat(0.0625, 32)), b.Fmul(fy, b.ImmFloat(0.2, 32)))}
	x.id = b.Iadd(b.F2u32(fx), b.IMulImm(b.F2u32(fy), 16))
	outputTo(b, build(x), ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		return err
	}
	if err := ir.Validate(s); err != nil {
		return err
	}
	return stageDiffer(s, gpu)
}

// TestPrefetch: a lookup at interpolated coordinates is done before the shader starts.
func TestPrefetch(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) { texWorld(t, env) }
	defer func() { stageEnv = nil }()
	for _, gpu := range gpus {
		s := prefetchShader()
		bin := stageBinary(t, s, gpu)
		if p := bin.Meta.Prefetches; len(p) != 1 || p[0].InLoc != 1 || p[0].Mask != 15 || bin.Stats.Cat[5] != 0 || bin.Stats.Instrs != 2 {
			t.Errorf("%s: prefetches %v, code\n%s", gpu, p, disasm(bin))
		}
	}
}

// TestPrefetchSets: image and sampler of a prefetch may be of different sets.
func TestPrefetchSets(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) { texWorld(t, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b, uv: interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 1, 2)}
	d, m := x.variable(0, 5, ir.BaseTexture, ir.Dim2D, false, false, 0), x.variable(1, 0, ir.BaseSampler, ir.Dim2D, false, false, 0)
	c := &x.op(ir.TexOpTex, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, m}, texSource{ir.TexSrcCoord, x.uv}).Def
	outputTo(b, c, ir.SlotData0)
	for _, gpu := range gpus {
		bin := stageBinary(t, s, gpu)
		if p := bin.Meta.Prefetches; len(p) != 1 || p[0].Set != 0 || p[0].SamplerSet != 1 || bin.Stats.Cat[5] != 0 {
			t.Errorf("%s: prefetches %v, code\n%s", gpu, p, disasm(bin))
		}
	}
}

// TestEqualOutputs: outputs with the same components share registers, constants too.
func TestEqualOutputs(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageFragment)
	in := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 0, 3)
	for k := range ir.Slot(3) {
		one := b.ImmFloat([]float64{1, 1, 0.5}[k], 32)
		outputTo(b, b.Vec(b.Channel(in, 0), b.Channel(in, 1), b.Channel(in, 2), one), ir.SlotData0+k)
	}
	for _, gpu := range gpus {
		bin := stageBinary(t, s, gpu)
		if o := bin.Meta.Outputs; len(o) != 3 || o[0].Reg != o[1].Reg || o[1].Reg == o[2].Reg {
			t.Errorf("%s: outputs %+v\n%s", gpu, o, disasm(bin))
		}
	}
}

// TestElementNumbers: of an array of textures whose slots begin at 0 the number of the image is the index shifted, from the const file
// too, and nothing is added; that of the sampler, which comes after it, is a multiply-add of an index that is in a register.
func TestElementNumbers(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name               string
		index              func(b *ir.Builder) *ir.Def
		shifts, mads, adds int
	}{
		{"of each fiber", fiberElement, 1, 1, 0}, {"of a uniform buffer", bufferElement, 1, 0, 1},
	} {
		s, b := newStage(ir.StageFragment)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		x := &texBuild{s: s, b: b, uv: b.Vec(b.Channel(pos, 0), b.Channel(pos, 1))}
		d := b.DerefArray(x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 3), c.index(b))
		in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})...)
		in.TexInfo().TextureNonUniform = true
		outputTo(b, &in.Def, ir.SlotData0)
		if err := lowerToScalar(s); err != nil {
			t.Fatal(err)
		}
		bin, err := compile(s, CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		count := func(what string) int { return strings.Count(text, what) }
		if count("shl.b") != c.shifts || count("mad.u24") != c.mads || count("add.u") != c.adds || regexp.MustCompile(`mov\.u32u32 r\d+\.[xyzw], c`).MatchString(text) {
			t.Errorf("an index %s: %d shifts, %d multiply-adds, %d additions, or a const moved:\n%s", c.name, count("shl.b"), count("mad.u24"), count("add.u"), text)
		}
	}
}

// TestQuadByQuadWaits: of the four lookups of a quad in a vertex shader the last two wait, the second does not: it is for
// other fibers than the first.
func TestQuadByQuadWaits(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageVertex)
	in := inputFrom(b, ir.SlotAttrib0, 0, 2)
	x := &texBuild{s: s, b: b, uv: in}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	q := x.op(ir.TexOpTxd, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, in}, texSource{ir.TexSrcDdx, in}, texSource{ir.TexSrcDdy, in})...)
	outputTo(b, &q.Def, ir.SlotPos)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	for op, want := range []bool{false, false, true, true} {
		name := "samgp" + strconv.Itoa(op)
		at := strings.Index(text, name)
		if at < 0 {
			t.Fatalf("no %s:\n%s", name, text)
		}
		if line := text[strings.LastIndex(text[:at], "\n")+1 : at]; strings.Contains(line, "(sy)") != want {
			t.Errorf("(sy) before %s: %v, want %v", name, !want, want)
		}
	}
}

// TestUnreadComponents: what nobody reads of a query is not written, and the registers between the components that are
// written are free at once.
func TestUnreadComponents(t *testing.T) {
	programs.Hold(t)
	in := isa.Instr{Op: isa.OpSam, Type: isa.F32, Dst: isa.R(8), WrMask: 1 | 8}
	var w touch
	w.of(&in)
	var units []int
	for _, s := range w.writes {
		for u := s.unit; u < s.unit+s.n; u++ {
			units = append(units, u)
		}
	}
	if want := []int{16, 17, 22, 23}; !slices.Equal(units, want) {
		t.Errorf("units %v are written, want %v", units, want)
	}
	for lane, want := range []string{"(x)", "(y)"} {
		s, b := newStage(ir.StageFragment)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		x := &texBuild{s: s, b: b}
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		uv := b.Vec(b.Channel(pos, 0), b.Channel(pos, 1))
		q := &x.op(ir.TexOpLod, 2, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, uv})...).Def
		outputTo(b, b.Vec(b.Channel(q, lane), b.Channel(pos, 0), b.Channel(pos, 1), b.ImmFloat(1, 32)), ir.SlotData0)
		if err := lowerToScalar(s); err != nil {
			t.Fatal(err)
		}
		bin, err := compile(s, CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if text := disasm(bin); !strings.Contains(text, "(s32)"+want) {
			t.Errorf("want %s of the level:\n%s", want, text)
		}
	}
}

// TestLeastLod: where coordinates do not change the LOD is one of two numbers, by the seed, and a lower bound holds with either.
func TestLeastLod(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) { texWorld(t, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	at := b.Vec(b.ImmFloat(0.25, 32), b.ImmFloat(0.5, 32))
	srcs := []texSource{{ir.TexSrcTextureDeref, d}, {ir.TexSrcSamplerDeref, d}, {ir.TexSrcCoord, at}}
	lod := x.op(ir.TexOpLod, 2, ir.Dim2D, false, srcs...)
	bounded := x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(srcs, texSource{ir.TexSrcMinLod, b.ImmFloat(3, 32)})...)
	level := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(srcs, texSource{ir.TexSrcLod, b.ImmFloat(3, 32)})...)
	outputTo(b, b.Vec(b.Channel(&lod.Def, 1), b.Channel(&bounded.Def, 0), b.Channel(&level.Def, 0)), ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	p, _, err := loaded(s, CompileOptions{GPU: "a740"})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[float32]bool)
	for seed := range uint64(16) {
		l := stageLaunch(ir.StageFragment)
		l.Approx = seed
		if st, err := p.NewWave(l).Run(1 << 16); err != nil || st != emu.StatusDone {
			t.Fatalf("status %v, %v", st, err)
		}
		out := l.Out[0][ir.SlotData0]
		seen[math.Float32frombits(out[0])] = true
		if out[1] != out[2] {
			t.Errorf("seed %d: with a lower bound of 3 %v, of level 3 %v", seed, math.Float32frombits(out[1]), math.Float32frombits(out[2]))
		}
	}
	if len(seen) != 2 || !seen[-32] || !seen[-16] {
		t.Errorf("the LODs are %v", seen)
	}
}
