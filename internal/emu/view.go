package emu

import (
	"errors"
	"fmt"
)

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
	// Swizzle maps the components of what is sampled and fetched; Load and Store,
	// which storage images and attachments use, have none.
	Swizzle [4]Select
	// Weights, unless nil, says how the view holds the weights of a filter.
	Weights *SampleWeights
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
	off := v.offset(x, y, z, mip, sample)
	switch {
	case off < 0:
		return nil
	case len(m.Unbound) > 0 && m.unbound(off):
		return make([]byte, m.Format.Bytes)
	}
	return m.Data[off : off+m.Format.Bytes]
}

// offset is the place of a texel in the image's bytes, -1 if there is none.
func (v *ImageView) offset(x, y, z, mip, sample int) int {
	m := v.Image
	if m == nil || mip < 0 || mip >= v.NumMips() {
		return -1
	}
	layer := 0
	if m.Depth <= 1 {
		layer, z = z, 0
	}
	if layer < 0 || layer >= v.NumLayers() {
		return -1
	}
	return m.Offset(x, y, z, v.BaseLayer+layer, v.BaseMip+mip, sample)
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
	v.aspect(f, &t)
	return t
}

// Store writes a texel; outside the image nothing happens.
func (v *ImageView) Store(x, y, z, mip, sample int, t [4]uint32) {
	if b := v.Texel(x, y, z, mip, sample); b != nil {
		v.TexelFormat().Pack(b, &t)
	}
}

// Atomic replaces the raw 16-, 32- or 64-bit texel by f(old) and returns old;
// nothing else runs between. Outside the image, and for texels of another
// size, it returns 0 and calls nothing.
func (v *ImageView) Atomic(x, y, z, sample int, f func(old uint64) uint64) uint64 {
	b := v.Texel(x, y, z, 0, sample)
	if len(b) != 2 && len(b) != 4 && len(b) != 8 {
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
