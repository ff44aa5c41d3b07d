package gputest

import (
	"fmt"

	"nirc/internal/emu"
	"nirc/ir"
)

// Shape is a texture of one of the shapes that instructions tell apart, with a sampler.
type Shape struct {
	Dim       ir.Dim
	Array, MS bool
	emu.Descriptor
}

// shapes are sizes and formats of small textures.
var shapes = []struct {
	dim            ir.Dim
	array          bool
	w, h, d        int
	layers, mips   int
	samples        int
	format         string
	linear, border bool
}{
	{dim: ir.Dim2D, w: 8, h: 4, mips: 3, format: "R8G8B8A8_UNORM", linear: true},
	{dim: ir.Dim2D, array: true, w: 4, h: 4, layers: 3, mips: 2, format: "R16G16B16A16_SFLOAT"},
	{dim: ir.Dim1D, w: 8, h: 1, mips: 2, format: "R32_SFLOAT", linear: true},
	{dim: ir.Dim1D, array: true, w: 8, h: 1, layers: 2, format: "R32_UINT"},
	{dim: ir.Dim3D, w: 4, h: 4, d: 4, mips: 2, format: "R8G8B8A8_SNORM", linear: true, border: true},
	{dim: ir.DimCube, w: 4, h: 4, layers: 6, mips: 2, format: "R8G8B8A8_UNORM", linear: true},
	{dim: ir.DimCube, array: true, w: 4, h: 4, layers: 12, format: "R32_SFLOAT"},
	{dim: ir.DimMS, w: 4, h: 4, samples: 4, format: "R8G8B8A8_UNORM"},
	{dim: ir.DimMS, array: true, w: 4, h: 2, layers: 2, samples: 2, format: "R32_SINT"},
	{dim: ir.DimBuf, w: 16, format: "R32_UINT"},
	{dim: ir.DimBuf, w: 16, format: "R8G8B8A8_UNORM"},
}

// Shapes are textures of all shapes, storage images too if store is set, whose texels all differ.
func Shapes(m *emu.Memory, store bool) (list []Shape) {
	for k, s := range shapes {
		f := emu.FormatByName(s.format)
		d := emu.Descriptor{Type: emu.DescCombinedImageSampler, Sampler: &emu.Sampler{MaxLod: 4, CompareOp: emu.CompareOp(k % 8)}}
		if store {
			d = emu.Descriptor{Type: emu.DescStorageImage}
		}
		if s.linear && !store {
			d.Sampler.Mag, d.Sampler.Min, d.Sampler.Mip = emu.FilterLinear, emu.FilterLinear, emu.MipLinear
		}
		var texels []byte
		if s.dim == ir.DimBuf {
			buf := m.Alloc(s.w * f.Bytes)
			d.Type, d.Format, d.Addr, d.Size, d.Sampler = emu.DescUniformTexelBuffer, f, buf.Addr, uint64(len(buf.Data)), nil
			if store {
				d.Type = emu.DescStorageTexelBuffer
			}
			texels = buf.Data
		} else {
			img, err := emu.NewImage(emu.ImageDesc{Width: s.w, Height: s.h, Depth: s.d, Layers: s.layers, Mips: s.mips, Samples: s.samples, Format: f})
			if err != nil {
				panic(fmt.Sprintf("gputest: %v", err)) // the numbers above are wrong
			}
			d.Image, texels = &emu.ImageView{Image: img}, img.Data
		}
		for i := range texels {
			texels[i] = byte(i*37>>2 + i*k)
			if f.Bytes == 4 && !f.IsInteger() && i%4 == 3 {
				texels[i] = 0x3f // no float is NaN
			}
			if f.Bytes == 8 && i%2 == 1 {
				texels[i] = 0x3c
			}
		}
		list = append(list, Shape{s.dim, s.array, s.samples > 1, d})
	}
	return list
}

// ShapeDim is the dimension of texture k of Shapes.
func ShapeDim(k int) ir.Dim { return shapes[k].dim }
