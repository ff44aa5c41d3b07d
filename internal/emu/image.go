package emu

import (
	"errors"
	"fmt"
	"math"
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
	// Unbound are the parts without memory of an image that is partially resident.
	Unbound []Unbound

	mu sync.Mutex // serialises atomics
}

// ImageDesc says what NewImage makes; every zero but Width, Height and Format
// counts as 1.
type ImageDesc struct {
	Width, Height, Depth, Layers, Mips, Samples int
	Format                                      *Format
}

// MaxImageBytes bounds the storage of one level 0; with its smaller levels an image has less than twice as much.
const MaxImageBytes int64 = min(1<<31, math.MaxInt/2)

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
	if _, ok := sampleTables.Get()[img.Samples]; !ok {
		return nil, unsupported("%d samples a texel are not supported", img.Samples)
	}
	if max := max(img.Width, img.Height, img.Depth); img.Mips < 1 || img.Mips > 31 || max>>(img.Mips-1) == 0 {
		return nil, fmt.Errorf("emu: %d mip levels are too many for %dx%dx%d", img.Mips, img.Width, img.Height, img.Depth)
	}
	// The factors are at most 2^16 each, so check while multiplying.
	size := int64(img.Width) * int64(img.Height)
	for _, n := range []int{img.Depth, img.Layers, img.Samples * img.Format.Bytes, 2} {
		if size > MaxImageBytes/int64(n)*2 {
			return nil, fmt.Errorf("emu: image of %dx%dx%d, %d layers, %d samples is too large", img.Width, img.Height, img.Depth, img.Layers, img.Samples)
		}
		size *= int64(n)
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
