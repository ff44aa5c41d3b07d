package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// levels are 8x8 texels of 4 levels and 3 layers, each its own float: level*1000 + layer*100 + 10*y + x.
func levels(t *testing.T, d emu.ImageDesc) emu.Descriptor {
	t.Helper()
	d.Format = emu.FormatByName("R32_SFLOAT")
	img, err := emu.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for level := range max(1, d.Mips) {
		for layer := range max(1, d.Layers) {
			for y := range 8 >> level {
				for x := range 8 >> level {
					for s := range max(1, d.Samples) {
						v.Store(x, y, layer, level, s, [4]uint32{f(float32(level*1000 + layer*100 + 10*y + x + 2000*s))})
					}
				}
			}
		}
	}
	return emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: v, Sampler: &emu.Sampler{MaxLod: 100}}
}

// gatherAt makes a lookup a gather of the first component, and texel k of it the result.
func gatherAt(k int) func(x *isa.Texture) {
	return func(x *isa.Texture) { x.Mode, x.Swizzle = isa.TexGatherX, isa.Swz(k, k, k, k) }
}

// TestLookup holds where a lookup takes each operand from: as a number in the word, or of a register's halves or words.
func TestLookup(t *testing.T) {
	plain := emu.ImageDesc{Width: 8, Height: 8, Layers: 3, Mips: 4}
	views := []struct {
		dim   ir.Dim
		array bool
		d     emu.Descriptor
	}{
		{dim: ir.Dim2D, d: levels(t, plain)},
		{dim: ir.Dim2D, array: true, d: levels(t, plain)},
		{dim: ir.DimMS, d: levels(t, emu.ImageDesc{Width: 8, Height: 8, Samples: 2})},
		{dim: ir.DimBuf},
	}
	views[1].d.Sampler = &emu.Sampler{MaxLod: 2, LodBias: 1}
	m := newMachine(64)
	row := m.env.Mem.Alloc(4 << 16)
	emu.StoreBytes(row.Data[4<<16-4:], 4, uint64(f(77)))
	views[3].d = emu.Descriptor{Type: emu.DescUniformTexelBuffer, Format: emu.FormatByName("R32_SFLOAT"), Addr: row.Addr, Size: 4 << 16}
	full := func(sel, c uint8) isa.TexReg { return isa.TexReg{Full: true, Select: sel, Comp: c} }
	half := func(sel, c uint8) isa.TexReg { return isa.TexReg{Select: sel, Upper: c > 3, Comp: c & 3} }
	minus := func(n uint16) uint32 { return uint32(-n) }
	lookup := func(c *isa.Texture, r0, r1 [4]uint32, alias, broken bool) (float32, error) {
		meta := computeMeta()
		meta.FetchSampler, meta.Alias, meta.BrokenLOD = true, alias, broken
		for i, v := range views {
			r := abi.Range{Binding: uint32(1 + i), First: uint32(1 + i), Stride: 1, Count: 1}
			meta.Textures, meta.Samplers = append(meta.Textures, abi.Texture{Range: r, Dim: v.dim, Array: v.array}), append(meta.Samplers, r)
			m.env.Bindings.Set(0, r.Binding, []emu.Descriptor{v.d})
		}
		in, out := uint8(isa.RegTex0), uint8(isa.RegTex0)
		if alias {
			in, out = isa.RegConst, 0
		}
		prog := []isa.Bundle{constants(in, r0), constants(in+1, r1), {Tag: isa.TagTexVtx, Tex: *c},
			alu(func(b *isa.Bundle) { b.Add(isa.UnitVMUL, move(4, out, isa.XYZW)) })}
		err := m.compute(load(t, meta, append(prog, output(4, 0)...)...))
		return getF(m.buf.Data, 0), err
	}
	plainForm := func(op isa.TexOp) isa.Texture {
		return isa.Texture{Op: op, Texture: 1, Sampler: 1, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true, CoordSwizzle: isa.XYZW, Full: true,
			Type: isa.TexTypeFloat, Mask: 15, Swizzle: isa.XYZW}
	}
	for _, c := range []struct {
		name   string
		op     isa.TexOp
		r0, r1 [4]uint32
		set    func(x *isa.Texture)
		want   float32
	}{
		{"level 0", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, func(x *isa.Texture) {}, 52},
		{"level 1 and a bit", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, func(x *isa.Texture) { x.Lod = 0x1c0 }, 2010},
		{"a level below the first", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, func(x *isa.Texture) { x.Lod = 0xff00 }, 52},
		{"a level of a word", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7), 0, f(2)}, [4]uint32{}, func(x *isa.Texture) { x.LodReg, x.Lod = true, full(0, 3).Selector() }, 2010},
		{"a level of a low half", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{0x4000_3c00, f(3)}, func(x *isa.Texture) { x.LodReg, x.Lod = true, half(1, 1).Selector() }, 2010},
		{"a level of a high half", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{0x4000_4000, 0x4000_4000, 0x3c00_4000, 0x4000_4000},
			func(x *isa.Texture) { x.LodReg, x.Lod = true, half(1, 5).Selector() }, 1021},
		{"halves as coordinates", isa.TexSampleLod, [4]uint32{}, [4]uint32{0, 0, 0, 0x39a0_34e0},
			func(x *isa.Texture) {
				x.CoordFull, x.CoordUpper, x.CoordSel, x.CoordSwizzle = false, true, 1, isa.Swz(2, 3, 0, 0)
			}, 52},
		{"offsets", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, func(x *isa.Texture) { x.Offset = 0x0e3 }, 35},
		{"offsets of words", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{7, 2, ^uint32(0), 0},
			func(x *isa.Texture) {
				x.OffsetReg, x.Offset = true, isa.OffsetSelector(full(1, 0), isa.Swz(1, 2, 3, 3))
			}, 44},
		{"offsets of halves", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{0, 0, minus(1)<<16 | 2, 0},
			func(x *isa.Texture) {
				x.OffsetReg, x.Offset = true, isa.OffsetSelector(half(1, 4), isa.Swz(1, 0, 2, 2))
			}, 71},
		{"a layer", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7), f(9), f(2)}, [4]uint32{}, func(x *isa.Texture) { x.Texture = 2 }, 252},
		{"a texture and a sampler of a register", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7), f(9), f(1)}, [4]uint32{9, 2, 3, 9},
			func(x *isa.Texture) {
				x.TextureReg, x.Texture, x.SamplerReg, x.Sampler = true, full(1, 1).Selector(), true, full(1, 2).Selector()
			}, 152},
		{"a sampler of the word, which adds to the level", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, func(x *isa.Texture) { x.Sampler, x.Lod = 2, 0x100 }, 2010},
		{"a texel", isa.TexFetch, [4]uint32{5, 6}, [4]uint32{}, func(x *isa.Texture) {}, 65},
		{"the last texel of a level", isa.TexFetch, [4]uint32{3, 3}, [4]uint32{}, func(x *isa.Texture) { x.Lod = 1 }, 1033},
		{"a texel beside it", isa.TexFetch, [4]uint32{4, 3}, [4]uint32{}, func(x *isa.Texture) { x.Lod = 1 }, 0},
		{"a texel of a level of a word", isa.TexFetch, [4]uint32{1, 1, 0, 2}, [4]uint32{}, func(x *isa.Texture) { x.LodReg, x.Lod = true, full(0, 3).Selector() }, 2011},
		{"a texel of a level of a half", isa.TexFetch, [4]uint32{1, 1}, [4]uint32{0, 2 << 16}, func(x *isa.Texture) { x.LodReg, x.Lod = true, half(1, 3).Selector() }, 2011},
		{"a texel beside the first, by an offset in halves", isa.TexFetch, [4]uint32{1, 1}, [4]uint32{minus(1) & 0xffff, minus(2) & 0xffff, 0, 0},
			func(x *isa.Texture) {
				x.OffsetReg, x.Offset = true, isa.OffsetSelector(half(1, 0), isa.Swz(0, 1, 1, 1))
			}, 10},
		{"the last texel of a buffer", isa.TexFetch, [4]uint32{1<<16 - 1}, [4]uint32{}, func(x *isa.Texture) { x.Texture, x.Dim = 4, isa.Tex1D }, 77},
		{"a texel beyond what coordinates of a buffer reach", isa.TexFetch, [4]uint32{1 << 16}, [4]uint32{}, func(x *isa.Texture) { x.Texture, x.Dim = 4, isa.Tex1D }, 0},
		{"a texel by halves", isa.TexFetch, [4]uint32{0, 4<<16 | 2}, [4]uint32{}, func(x *isa.Texture) { x.CoordFull, x.CoordSwizzle = false, isa.Swz(2, 3, 0, 0) }, 42},
		{"a texel left of the first, by halves, and an offset", isa.TexFetch, [4]uint32{4<<16 | minus(1)&0xffff}, [4]uint32{},
			func(x *isa.Texture) { x.CoordFull, x.CoordSwizzle, x.Offset = false, isa.Swz(0, 1, 2, 2), 0x0f2 }, 31},
		{"a texel of a layer", isa.TexFetch, [4]uint32{1, 2, 9, 2}, [4]uint32{}, func(x *isa.Texture) { x.Texture, x.Lod = 2, 1 }, 1221},
		{"the first texel of a gather", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, gatherAt(0), 51},
		{"the second texel of a gather", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, gatherAt(1), 52},
		{"the third texel of a gather", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, gatherAt(2), 61},
		{"the fourth texel of a gather", isa.TexSampleLod, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, gatherAt(3), 62},
		{"a sample", isa.TexFetch, [4]uint32{1, 2, 1, 9}, [4]uint32{}, func(x *isa.Texture) { x.Texture = 3 }, 2021},
	} {
		x := plainForm(c.op)
		c.set(&x)
		for _, alias := range []bool{false, true} {
			if v, err := lookup(&x, c.r0, c.r1, alias, false); err != nil || v != c.want {
				t.Errorf("%s, aliased %v: %v, %v, want %v", c.name, alias, v, err, c.want)
			}
		}
	}
	x := plainForm(isa.TexSampleLod)
	x.Sampler, x.Lod = 2, 0x100
	if v, err := lookup(&x, [4]uint32{f(0.3), f(0.7)}, [4]uint32{}, false, true); err != nil || v != 1021 {
		t.Errorf("a GPU that does not take a sampler's level adds it: %v, %v", v, err)
	}
	for _, c := range []struct {
		want string
		set  func(x *isa.Texture)
	}{
		{"texture -1: the pipeline's layout has none there", func(x *isa.Texture) { x.TextureReg, x.Texture = true, full(1, 2).Selector() }},
		{"sampler -1: the pipeline's layout has none there", func(x *isa.Texture) { x.SamplerReg, x.Sampler = true, full(1, 2).Selector() }},
		{"texture 0 is none of the metadata's", func(x *isa.Texture) { x.Texture = 0 }},
		{"texture 1 has the dimension code", func(x *isa.Texture) { x.Dim = isa.Tex3D }},
		{"the texture mode is not supported", func(x *isa.Texture) { x.Mode = isa.TexGatherX + 4 }},
	} {
		x := plainForm(isa.TexSampleLod)
		c.set(&x)
		if _, err := lookup(&x, [4]uint32{}, [4]uint32{0, 0, ^uint32(0)}, false, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
