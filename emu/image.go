package emu

import (
	"errors"
	"fmt"
	"sync"
)

// Image holds the texels of one format: mip levels, layers or depth slices,
// rows, samples. An image made by hand has one level and no depth; NewImage
// makes any.
type Image struct {
	Width, Height, Layers, Samples int
	Format                         *Format
	// Data holds texels, Format.Bytes each: level after level, in a level index
	// (((layer*depth+z)*height+y)*width+x)*Samples+sample of that level's size.
	Data []byte
	// Depth is the number of slices of a 3D image, and Mips of levels; 0 counts
	// as 1.
	Depth, Mips int

	mu sync.Mutex // serialises atomics
}

// ImageDesc says what NewImage makes; every zero but Width, Height and Format
// counts as 1.
type ImageDesc struct {
	Width, Height, Depth, Layers, Mips, Samples int
	Format                                      *Format
}

// MaxImageBytes bounds the storage of one image.
const MaxImageBytes = 1 << 31

// NewImage returns a zeroed image, or an error if the description makes none.
func NewImage(d ImageDesc) (*Image, error) {
	if d.Format == nil {
		return nil, errors.New("emu: image without a format")
	}
	one := func(n int) int {
		if n == 0 {
			return 1
		}
		return n
	}
	img := &Image{Width: d.Width, Height: d.Height, Depth: one(d.Depth), Layers: one(d.Layers), Mips: one(d.Mips), Samples: one(d.Samples), Format: d.Format}
	const lim = 1 << 16
	for _, n := range []int{img.Width, img.Height, img.Depth, img.Layers} {
		if n < 1 || n > lim {
			return nil, fmt.Errorf("emu: image size %dx%dx%d with %d layers is outside 1..%d", img.Width, img.Height, img.Depth, img.Layers, lim)
		}
	}
	if _, ok := sampleTables[img.Samples]; !ok {
		return nil, fmt.Errorf("emu: %d samples a texel are not supported", img.Samples)
	}
	if max := max(img.Width, img.Height, img.Depth); img.Mips < 1 || img.Mips > 31 || max>>(img.Mips-1) == 0 {
		return nil, fmt.Errorf("emu: %d mip levels are too many for %dx%dx%d", img.Mips, img.Width, img.Height, img.Depth)
	}
	// The factors are at most 2^16 each, so check while multiplying.
	size := img.Width * img.Height
	for _, n := range []int{img.Depth, img.Layers, img.Samples * img.Format.Bytes, 2} {
		if size > MaxImageBytes/n*2 {
			return nil, fmt.Errorf("emu: image of %dx%dx%d, %d layers, %d samples is too large", img.Width, img.Height, img.Depth, img.Layers, img.Samples)
		}
		size *= n
	}
	img.Data = make([]byte, img.levelOffset(img.Mips))
	return img, nil
}

// LevelSize returns the size in texels of a mip level, 0 below level 0.
func (m *Image) LevelSize(mip int) (w, h, d int) {
	if mip < 0 {
		return 0, 0, 0
	}
	return max(1, m.Width>>mip), max(1, m.Height>>mip), max(1, m.Depth>>mip)
}

// LevelBytes returns the storage of a mip level: all its layers, slices and
// samples.
func (m *Image) LevelBytes(mip int) []byte {
	if mip < 0 || mip >= max(1, m.Mips) {
		return nil
	}
	a, b := m.levelOffset(mip), m.levelOffset(mip+1)
	if b > len(m.Data) {
		return nil
	}
	return m.Data[a:b]
}

func (m *Image) levelOffset(mip int) int {
	off := 0
	for i := range mip {
		w, h, d := m.LevelSize(i)
		off += w * h * d * max(1, m.Layers) * max(1, m.Samples) * m.Format.Bytes
	}
	return off
}

// Offset returns the place in Data of a texel, or -1 if there is none. z is
// the slice of a 3D image and layer the array layer.
func (m *Image) Offset(x, y, z, layer, mip, sample int) int {
	w, h, d := m.Width, m.Height, max(1, m.Depth)
	base := 0
	if mip != 0 {
		if mip < 0 || mip >= m.Mips {
			return -1
		}
		base = m.levelOffset(mip)
		w, h, d = m.LevelSize(mip)
	}
	ns := max(1, m.Samples)
	if uint(x) >= uint(w) || uint(y) >= uint(h) || uint(z) >= uint(d) || uint(layer) >= uint(max(1, m.Layers)) || uint(sample) >= uint(ns) {
		return -1
	}
	off := base + (((((layer*d+z)*h+y)*w+x)*ns)+sample)*m.Format.Bytes
	if off+m.Format.Bytes > len(m.Data) {
		return -1
	}
	return off
}

// ImageView is an image as a descriptor or an attachment sees it. The zero
// value of all but Image sees the whole image.
type ImageView struct {
	Image *Image
	// Format, unless nil, is used in place of the image's; it has the same size.
	Format *Format
	// BaseMip and BaseLayer are the first level and layer seen; Mips and Layers
	// how many, 0 for all the rest.
	BaseMip, Mips, BaseLayer, Layers int
	// Stencil selects the stencil aspect of a depth/stencil image for reads.
	Stencil bool
}

// TexelFormat returns the format that the view reads and writes in.
func (v *ImageView) TexelFormat() *Format {
	if v.Format != nil {
		return v.Format
	}
	return v.Image.Format
}

// NumMips returns how many levels the view sees.
func (v *ImageView) NumMips() int {
	rest := max(1, v.Image.Mips) - v.BaseMip
	if v.Mips != 0 {
		return max(0, min(v.Mips, rest))
	}
	return max(0, rest)
}

// NumLayers returns how many layers the view sees.
func (v *ImageView) NumLayers() int {
	rest := max(1, v.Image.Layers) - v.BaseLayer
	if v.Layers != 0 {
		return max(0, min(v.Layers, rest))
	}
	return max(0, rest)
}

// Size returns the size in texels of a level of the view.
func (v *ImageView) Size(mip int) (w, h, d int) { return v.Image.LevelSize(v.BaseMip + mip) }

// Texel returns the bytes of a texel of the view, or nil if there is none.
// z is the slice of a 3D image and else the layer; layer is added to it for
// images that have both.
func (v *ImageView) Texel(x, y, z, mip, sample int) []byte {
	m := v.Image
	if m == nil || mip < 0 || mip >= v.NumMips() {
		return nil
	}
	layer := 0
	if m.Depth <= 1 {
		layer, z = z, 0
	}
	if layer < 0 || layer >= v.NumLayers() {
		return nil
	}
	off := m.Offset(x, y, z, v.BaseLayer+layer, v.BaseMip+mip, sample)
	if off < 0 {
		return nil
	}
	return m.Data[off : off+m.Format.Bytes]
}

// Load reads a texel as Unpack gives it, of the aspect that the view selects.
// Outside the image all components are 0.
func (v *ImageView) Load(x, y, z, mip, sample int) (t [4]uint32) {
	b := v.Texel(x, y, z, mip, sample)
	if b == nil {
		return t
	}
	f := v.TexelFormat()
	f.Unpack(b, &t)
	if f.StencilBits != 0 {
		if v.Stencil || f.DepthBits == 0 {
			return [4]uint32{t[1], 0, 0, 1}
		}
		t[1] = 0
	}
	return t
}

// Store writes a texel; outside the image nothing happens.
func (v *ImageView) Store(x, y, z, mip, sample int, t [4]uint32) {
	if b := v.Texel(x, y, z, mip, sample); b != nil {
		v.TexelFormat().Pack(b, &t)
	}
}

// Atomic replaces the raw 32- or 64-bit texel by f(old) and returns old;
// nothing else runs between. Outside the image, and for texels of another
// size, it returns 0 and calls nothing.
func (v *ImageView) Atomic(x, y, z, sample int, f func(old uint64) uint64) uint64 {
	b := v.Texel(x, y, z, 0, sample)
	if len(b) != 4 && len(b) != 8 {
		return 0
	}
	v.Image.mu.Lock()
	defer v.Image.mu.Unlock()
	old := LoadBytes(b, len(b))
	StoreBytes(b, len(b), f(old))
	return old
}

// Clear sets every texel of level 0 of the view, all its layers and samples;
// value is as Pack takes it: floats as bits, integers as they are; depth is
// component 0 and stencil component 1.
func (v *ImageView) Clear(value [4]uint32) error {
	if v.Image == nil {
		return errors.New("emu: clear of a view without an image")
	}
	f := v.TexelFormat()
	texel := make([]byte, f.Bytes)
	f.Pack(texel, &value)
	for layer := range v.NumLayers() {
		data := v.layerBytes(layer)
		if len(data) < len(texel) {
			return fmt.Errorf("emu: the image has %d bytes, too few for layer %d of its size", len(v.Image.Data), v.BaseLayer+layer)
		}
		for n := copy(data, texel); n < len(data); n *= 2 {
			copy(data[n:], data[:n])
		}
	}
	return nil
}

// layerBytes returns level 0 of a layer of the view, all its slices.
func (v *ImageView) layerBytes(layer int) []byte {
	b := v.Image.LevelBytes(v.BaseMip)
	n := len(b) / max(1, v.Image.Layers)
	l := v.BaseLayer + layer
	if n == 0 || l < 0 || (l+1)*n > len(b) {
		return nil
	}
	return b[l*n : (l+1)*n]
}

// Sampler is a texture sampler. Images are read texel by texel here, not
// sampled, so it has no state; it only tells that a sampler is bound.
type Sampler struct{}
