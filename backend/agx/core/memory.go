package core

import (
	"errors"
	"fmt"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/backend/layout"
	"nirc/internal/emu"
)

// Where the texels of images are in memory, as far as code can tell: image atomics, and stores to
// multisampled images, compute it by what descriptors say (abi.PlaceWord). The software GPU keeps
// images in rows; here they have tiles, and addresses of their own.

// imageMemory is the memory of a level.
type imageMemory struct {
	tileW, tileH  int // log2
	width, height int // in pixels, of whole tiles
	stride        int // pixels from layer to layer
	samples       int
	start         int // bytes before the level
}

// memoryOf lays out the level that a view begins at. Tiles are smaller than hardware's, so that
// small images have several.
func memoryOf(v *emu.ImageView) imageMemory {
	w, h, _ := v.Size(0)
	m := imageMemory{samples: max(1, v.Image.Samples)}
	m.tileW = min(3, bits.Len(uint(max(1, min(w, h))-1)))
	m.tileH = m.tileW
	if m.tileH > 2 {
		m.tileH--
	}
	m.width, m.height = alignTo(w, m.tileW), alignTo(h, m.tileH)
	m.stride = m.width*m.height + 64
	if m.samples == 1 {
		m.start = (3 + v.BaseMip) << abi.PlaceShift
	}
	return m
}

func alignTo(n, log2 int) int { return (n + 1<<log2 - 1) >> log2 << log2 }

// texel finds what stands at a place, counted in samples.
func (m *imageMemory) texel(n int) (x, y, z, sample int, ok bool) {
	n, sample = n/m.samples, n%m.samples
	n, z = n%m.stride, n/m.stride
	if n >= m.width*m.height {
		return 0, 0, 0, 0, false
	}
	tile, row := n>>(m.tileW+m.tileH), m.width>>m.tileW
	x, y = tile%row<<m.tileW, tile/row<<m.tileH
	for k := range m.tileW {
		x |= n >> (2 * k) & 1 << k
	}
	for k := range m.tileH {
		y |= n >> (2*k + 1) & 1 << k
	}
	return x, y, z, sample, true
}

// maxImages is how many images of a wave have addresses.
const maxImages = 127

// describeMemory puts the address and the layout of an image, or of a texel buffer, into its write
// descriptor.
func (w *wave) describeMemory(b descBits, d *emu.Descriptor, e *layout.Entry) {
	addr, place, stride := d.Addr, d.Addr&15, 0
	switch {
	case d.Type == emu.DescNone:
		if w.lacking = w.missing(e); w.lacking == nil {
			return
		}
		addr = abi.ImageAddr + maxImages<<32
	case d.Format == nil:
		if d.Image == nil {
			return
		}
		k := 0
		for k < len(w.images) && *w.images[k] != *d.Image {
			k++
		}
		if k == maxImages {
			w.fault = errors.New("atomics on more images than have addresses are not supported")
			return
		}
		if k == len(w.images) {
			w.images = append(w.images, d.Image)
		}
		m := memoryOf(d.Image)
		addr, stride = abi.ImageAddr+uint64(k)<<32, m.stride
		place = uint64(m.start)
		if m.samples > 1 {
			place = uint64(m.width) << abi.PlaceShift
		}
		place |= uint64(m.tileW | m.tileH<<3)
	}
	b.put(64, 32, uint32(addr>>4))
	b.put(96, 4, uint32(addr>>36))
	b.put(32*abi.PlaceWord, 32, uint32(place))
	b.put(32*abi.StrideWord, 32, uint32(stride))
}

// imageAtomic is an atomic on the texel at an address from abi.ImageAddr on.
func (w *wave) imageAtomic(in *inst, lane int, addr uint64, f func(old uint64) uint64) (uint64, error) {
	k, off := int((addr-abi.ImageAddr)>>32), int(addr&(1<<32-1))
	if k == maxImages && w.lacking != nil {
		return 0, w.lacking
	}
	if w.reachesMissing(addr) {
		return 0, nil
	}
	if k >= len(w.images) {
		return 0, fmt.Errorf("address %#x is no image's", addr)
	}
	v := w.images[k]
	if f := v.TexelFormat(); f.Bytes != 4 {
		return 0, fmt.Errorf("atomics on texels of format %s are not supported", f.Name)
	}
	m := memoryOf(v)
	x, y, z, sample, ok := m.texel((off - m.start) / 4)
	if off < m.start || !ok {
		return 0, nil // no texel's: undefined by Vulkan
	}
	w.wroteImage(v.Image, lane, sawAtomic)
	w.tellTexel(in, lane, emu.Texel{D: &emu.Descriptor{Image: v}, X: x, Y: y, Z: z, Sample: sample}, emu.AccessAtomic, nil)
	return v.Atomic(x, y, z, sample, f), nil
}
