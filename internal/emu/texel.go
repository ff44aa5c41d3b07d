package emu

import "math"

// Select is a component of a view's swizzle, in Vulkan's order.
type Select uint8

// Selections. The zero value selects the component of the same place.
const (
	SelectIdentity Select = iota
	SelectZero
	SelectOne
	SelectR
	SelectG
	SelectB
	SelectA
)

// IsInteger reports whether what the view reads are integers: those of an integer
// format, or the stencil aspect.
func (v *ImageView) IsInteger() bool {
	f := v.TexelFormat()
	return f.IsInteger() || f.StencilBits != 0 && (v.Stencil || f.DepthBits == 0)
}

// swizzle applies the view's component mapping.
func (v *ImageView) swizzle(t *[4]uint32) {
	if v.Swizzle == ([4]Select{}) || v.TexelFormat().IsWide() {
		return
	}
	src := *t
	for i, sel := range v.Swizzle {
		switch {
		case sel == SelectIdentity:
		case sel == SelectZero:
			t[i] = 0
		case sel == SelectOne && v.IsInteger():
			t[i] = 1
		case sel == SelectOne:
			t[i] = math.Float32bits(1)
		case sel <= SelectA:
			t[i] = src[sel-SelectR]
		}
	}
}

// present gives components that the format lacks their defaults in a colour
// that does not come from a texel (Vulkan 1.3, Texel Replacement).
func (v *ImageView) present(t *[4]uint32) {
	f := v.TexelFormat()
	if f.IsDepthStencil() {
		if v.IsInteger() {
			*t = [4]uint32{t[0], 0, 0, 1}
		} else {
			*t = [4]uint32{t[0], 0, 0, math.Float32bits(1)}
		}
		return
	}
	for c := CompR; c <= CompA && !f.IsWide(); c++ {
		if !f.Has(c) {
			t[c] = f.fill[c]
		}
	}
}

// aspect keeps of an unpacked depth/stencil texel what the view reads.
func (v *ImageView) aspect(f *Format, t *[4]uint32) {
	if f.StencilBits == 0 {
		return
	}
	if v.Stencil || f.DepthBits == 0 {
		*t = [4]uint32{t[1], 0, 0, 1}
		return
	}
	t[1] = 0
}

// texLevel is a mip level of a view, ready to be read.
type texLevel struct {
	v          *ImageView
	f          *Format
	data       []byte
	w, h, d    int
	layers     int
	row, slice int // bytes
	texel      int // of all samples
	layer      int
	base       int // of the view's first layer
	start      int // of data in the image, where some of it has no memory
}

// level returns a level of the view; ok is false if it has none such or no
// storage.
func (v *ImageView) level(mip int) (l texLevel, ok bool) {
	if v == nil || v.Image == nil || mip < 0 || mip >= v.NumMips() {
		return l, false
	}
	m := v.Image
	l = texLevel{v: v, f: v.TexelFormat(), layers: v.NumLayers(), data: m.LevelBytes(v.BaseMip + mip)}
	l.w, l.h, l.d = v.Size(mip)
	l.texel = max(1, m.Samples) * m.Format.Bytes
	l.row = l.w * l.texel
	l.slice = l.h * l.row
	l.layer = l.d * l.slice
	l.base = v.BaseLayer * l.layer
	if len(m.Unbound) > 0 {
		l.start = m.levelOffset(v.BaseMip + mip)
	}
	ok = l.f.Bytes <= m.Format.Bytes && v.BaseLayer >= 0 && l.layers > 0 && l.base+l.layers*l.layer <= len(l.data)
	return l, ok
}

// at returns the place of a texel's first sample; the coordinates are inside.
func (l *texLevel) at(x, y, z, layer int) int {
	return l.base + layer*l.layer + z*l.slice + y*l.row + x*l.texel
}

// read unpacks the texel at a place, without the view's swizzle.
func (l *texLevel) read(at int, t *[4]uint32) {
	if l.absent(at) {
		var zeros [16]byte
		l.f.Unpack(zeros[:], t)
	} else {
		l.f.Unpack(l.data[at:], t)
	}
	l.v.aspect(l.f, t)
}

// absent reports whether the texel at a place has no memory.
func (l *texLevel) absent(at int) bool {
	return len(l.v.Image.Unbound) > 0 && l.v.Image.unbound(l.start+at)
}

// TexDim is the shape in which an instruction sees a texture.
type TexDim uint8

// Texture shapes.
const (
	Tex1D TexDim = iota
	Tex2D
	Tex3D
	TexCube
)

// Fetch reads a texel without a sampler: of a level, an array layer (0 unless
// arrayed) and a sample (0 unless multisampled). y counts unless dim is
// Tex1D, and z only in Tex3D; in TexCube z is the face and layer the cube.
// Outside the view it gives transparent black, alpha being 1 if the format has
// none.
func (v *ImageView) Fetch(dim TexDim, x, y, z, layer, lod, sample int) (t [4]uint32) {
	if v == nil || v.Image == nil {
		return t
	}
	if at, l, ok := v.place(dim, x, y, z, layer, lod, sample); ok {
		l.read(at, &t)
	} else {
		v.present(&t)
	}
	v.swizzle(&t)
	return t
}

// place finds the texel that a Fetch reads in its level; ok is false outside the view.
func (v *ImageView) place(dim TexDim, x, y, z, layer, lod, sample int) (at int, l texLevel, ok bool) {
	switch dim {
	case Tex1D:
		y, z = 0, 0
	case Tex2D:
		z = 0
	case TexCube:
		layer, z = 6*layer+z, 0
	}
	l, ok = v.level(lod)
	if !ok || uint(x) >= uint(l.w) || uint(y) >= uint(l.h) || uint(z) >= uint(l.d) || uint(layer) >= uint(l.layers) || uint(sample) >= uint(max(1, v.Image.Samples)) {
		return 0, l, false
	}
	return l.at(x, y, z, layer) + sample*v.Image.Format.Bytes, l, true
}

// QuerySize returns the size of a level in texels: one number for Tex1D, two for
// Tex2D and TexCube, three for Tex3D, and after them, if array is set, the
// number of layers (of cubes for TexCube). A level that the view does not have,
// and no view, have the size 0.
func (v *ImageView) QuerySize(dim TexDim, array bool, lod int) (size [4]uint32) {
	if v == nil || v.Image == nil || lod < 0 || lod >= v.NumMips() {
		return size
	}
	w, h, d := v.Size(lod)
	n := 2
	size[0], size[1] = uint32(w), uint32(h)
	switch dim {
	case Tex1D:
		n, size[1] = 1, 0
	case Tex3D:
		n, size[2] = 3, uint32(d)
	}
	if array {
		layers := v.NumLayers()
		if dim == TexCube {
			layers /= 6
		}
		size[n] = uint32(layers)
	}
	return size
}

// QueryLevels returns the number of the view's mip levels.
func (v *ImageView) QueryLevels() uint32 {
	if v == nil || v.Image == nil {
		return 0
	}
	return uint32(v.NumMips())
}

// QuerySamples returns the number of samples of a texel.
func (v *ImageView) QuerySamples() uint32 {
	if v == nil || v.Image == nil {
		return 0
	}
	return uint32(max(1, v.Image.Samples))
}
