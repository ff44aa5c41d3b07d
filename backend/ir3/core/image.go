package core

import (
	"fmt"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// isImage reports whether the descriptor of a category 6 instruction, its
// source i, is an image or a texel buffer in the first active lane.
func (w *wave) isImage(x *inst, i int) bool {
	lane := first(&w.exec)
	if lane < 0 {
		return false
	}
	d, _, err := w.descriptor(int(x.Set)-1, w.index(x.Srcs[i], lane), false)
	return err == nil && d.Kind == abi.Texture
}

// texelAt is the place of a texel: an element of a buffer, or x, y and slice
// or layer, and the sample of an image, whose samples are bound as layers.
func (w *wave) texelAt(x *inst, i, lane int, d *abi.Descriptor, res *emu.Descriptor) (c [4]int) {
	for k := range min(int(x.Dims), 3) {
		c[k] = int(int32(w.laneGet(int(x.Srcs[i].Val)+k, lane, false)))
	}
	if d.View.Dim == ir.Dim1D {
		c[1], c[2] = 0, c[1]
	}
	if d.View.MS {
		c[2], c[3] = sampleAt(d, res, c[2])
	}
	return c
}

// sampleAt is the layer and the sample of what is bound as a layer of a multisampled image.
func sampleAt(d *abi.Descriptor, res *emu.Descriptor, bound int) (layer, sample int) {
	if n := int(res.Image.QuerySamples()); d.View.Array && n > 0 && bound >= 0 {
		return bound / n, bound % n
	}
	return 0, bound
}

// lineCoords is how many coordinates a view has whose images are lines or buffers, 0 of others.
func lineCoords(d *abi.Descriptor) int {
	switch {
	case d.View.Dim == ir.DimBuf:
		return 1
	case d.View.Dim == ir.Dim1D && d.View.Array:
		return 2
	case d.View.Dim == ir.Dim1D:
		return 1
	}
	return 0
}

// eachImage calls f for every lane of m with its descriptor and texel.
func (w *wave) eachImage(x *inst, m emu.Mask, coord, desc int, f func(lane int, d *abi.Descriptor, res *emu.Descriptor, c [4]int)) error {
	for lane := range w.n {
		if !m.Get(lane) {
			continue
		}
		d, res, err := w.descriptor(int(x.Set)-1, w.index(x.Srcs[desc], lane), false)
		if err != nil {
			return err
		}
		w.reaches(lane, int(x.Set)-1, w.index(x.Srcs[desc], lane), res)
		if n := lineCoords(d); w.check != nil && n > 0 && int(x.Dims) != n {
			return fmt.Errorf("an access by %d coordinates, the descriptor's view has %d", x.Dims, n)
		}
		f(lane, d, res, w.texelAt(x, coord, lane, d, res))
	}
	return nil
}

func (w *wave) loadImage(x *inst) error {
	w.landAll()
	return w.eachImage(x, w.exec, 0, 1, func(lane int, d *abi.Descriptor, res *emu.Descriptor, c [4]int) {
		var t [4]uint32
		w.noteTexel(lane, d, res, c, emu.AccessRead, nil)
		switch {
		case d.View.Dim == ir.DimBuf:
			t = res.LoadTexel(w.l.Env.Mem, uint64(uint32(c[0])))
		case res.Image != nil:
			t = res.Image.Load(c[0], c[1], c[2], 0, c[3])
		}
		for k := 0; k < int(x.Size) && k < 4; k++ {
			v := t[k]
			if x.Type == isa.F16 {
				v = w.texelHalf(v)
			}
			w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, v)
		}
	})
}

func (w *wave) storeImage(x *inst) error {
	data := x.Srcs[0]
	return w.eachImage(x, w.writers(), 1, 2, func(lane int, d *abi.Descriptor, res *emu.Descriptor, c [4]int) {
		var t [4]uint32
		for k := 0; k < int(x.Size) && k < 4; k++ {
			t[k] = w.laneGet(int(data.Val)+k, lane, data.IsHalf())
			switch x.Type {
			case isa.F16:
				t[k] = floatBits(h2f(t[k]))
			case isa.S16:
				t[k] = uint32(int32(int16(t[k])))
			}
		}
		for k := int(x.Size); k < texelChannels(res); k++ {
			t[k] = w.garbage.Word()
		}
		w.noteTexel(lane, d, res, c, emu.AccessWrite, &t)
		switch {
		case d.View.Dim == ir.DimBuf:
			w.lateTexel(func() { res.StoreTexel(w.l.Env.Mem, uint64(uint32(c[0])), t) })
		case res.Image != nil:
			w.lateTexel(func() { res.Image.Store(c[0], c[1], c[2], 0, c[3], t) })
		}
	})
}

// texelChannels is how many components the texels of an image or a texel buffer have.
func texelChannels(res *emu.Descriptor) int {
	switch {
	case res.Format != nil:
		return len(res.Format.Channels)
	case res.Image != nil && res.Image.TexelFormat() != nil:
		return len(res.Image.TexelFormat().Channels)
	}
	return 0
}

func (w *wave) atomicImage(x *inst) error {
	w.landAll()
	live := w.writers()
	data, n := int(x.Srcs[0].Val), 4
	if x.Type == isa.U64 {
		n = 8
	}
	return w.eachImage(x, w.exec, 1, 2, func(lane int, d *abi.Descriptor, res *emu.Descriptor, c [4]int) {
		op1, op2 := w.wide(data+n/4, lane, n), w.wide(data+n/2, lane, n)
		step := func(v uint64) uint64 { return atomic(x.atomicOp(), x.Type, v, op1, op2) }
		old := uint64(0)
		if live.Get(lane) {
			w.noteTexel(lane, d, res, c, emu.AccessAtomic, nil)
		}
		switch {
		case !live.Get(lane):
		case d.View.Dim == ir.DimBuf:
			old = res.AtomicTexel(w.l.Env.Mem, uint64(uint32(c[0])), step)
		case res.Image != nil:
			old = res.Image.Atomic(c[0], c[1], c[2], c[3], step)
		}
		w.setWide(data, lane, n, old)
	})
}

// imageInfo is resinfo of an image: its size, layers after the dimensions.
func (w *wave) imageInfo(x *inst) error {
	for lane := range w.exec.Lanes() {
		d, res, err := w.descriptor(int(x.Set)-1, w.index(x.Srcs[0], lane), false)
		if err != nil {
			return err
		}
		for k, v := range imageSize(d.View, res) {
			w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, v)
		}
	}
	return nil
}

func imageSize(v abi.View, res *emu.Descriptor) (size [3]uint32) {
	if v.Dim == ir.DimBuf {
		return [3]uint32{uint32(res.NumTexels()), 1, 1}
	}
	if res.Image == nil || res.Image.Image == nil {
		return size
	}
	a, b, c := res.Image.Size(0)
	layers := res.Image.NumLayers()
	switch v.Dim {
	case ir.Dim1D:
		return [3]uint32{uint32(a), uint32(layers), 1}
	case ir.Dim3D:
		return [3]uint32{uint32(a), uint32(b), uint32(c)}
	}
	if v.MS {
		layers *= int(res.Image.QuerySamples())
	}
	return [3]uint32{uint32(a), uint32(b), uint32(layers)}
}
