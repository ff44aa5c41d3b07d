package emu

import (
	"errors"
	"fmt"
	"math"
)

// ResolveTo makes one sample of every pixel of level 0 of v and stores it in
// dst, which has the same size and format and one sample: the average of
// colours (of linear values in sRGB formats), the first sample of integers and
// of depth and stencil.
func (v *ImageView) ResolveTo(dst *ImageView) error {
	if v.Image == nil || dst.Image == nil {
		return errors.New("emu: resolve of a view without an image")
	}
	f := v.TexelFormat()
	w, h, _ := v.Size(0)
	dw, dh, _ := dst.Size(0)
	if w != dw || h != dh || v.NumLayers() > dst.NumLayers() || dst.Image.Samples > 1 || dst.TexelFormat().Bytes != f.Bytes {
		return fmt.Errorf("emu: resolve of %dx%d %s to %dx%d %s with %d samples is not supported", w, h, f.Name, dw, dh, dst.TexelFormat().Name, dst.Image.Samples)
	}
	samples := max(1, v.Image.Samples)
	first := f.IsInteger() || f.IsDepthStencil() || f.IsWide() || samples == 1
	for layer := range v.NumLayers() {
		for y := range h {
			for x := range w {
				out := dst.Texel(x, y, layer, 0, 0)
				in := v.Texel(x, y, layer, 0, 0)
				if out == nil || in == nil {
					return errors.New("emu: resolve of an image without storage")
				}
				if first {
					copy(out, in)
				} else {
					v.average(out, x, y, layer, samples)
				}
			}
		}
	}
	return nil
}

// average packs the mean of a pixel's samples into out.
func (v *ImageView) average(out []byte, x, y, layer, samples int) {
	var sum [4]float64
	f := v.TexelFormat()
	var t [4]uint32
	for s := range samples {
		f.Unpack(v.Texel(x, y, layer, 0, s), &t)
		for c := range sum {
			sum[c] += float64(math.Float32frombits(t[c]))
		}
	}
	for c := range sum {
		t[c] = math.Float32bits(float32(sum[c] / float64(samples)))
	}
	f.Pack(out, &t)
}
