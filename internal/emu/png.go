package emu

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

// EncodePNG writes level 0 of one layer of a colour or depth view as a PNG of
// 8 bits a component: colours are limited to 0..1, missing components are 0
// and alpha 1; depth is a grey value. Of several samples the average is shown.
func EncodePNG(w io.Writer, v *ImageView, layer int) error {
	if v.Image == nil {
		return errors.New("emu: PNG of a view without an image")
	}
	f := v.TexelFormat()
	if f.IsInteger() || f.IsWide() {
		return fmt.Errorf("emu: PNG of format %s is not supported", f.Name)
	}
	width, height, _ := v.Size(0)
	samples := max(1, v.Image.Samples)
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var sum [4]float64
			for s := range samples {
				b := v.Texel(x, y, layer, 0, s)
				if b == nil {
					return fmt.Errorf("emu: PNG of layer %d, which the image does not have", layer)
				}
				c := pngColor(f, b)
				for i := range sum {
					sum[i] += c[i] / float64(samples)
				}
			}
			var out [4]uint8
			for i := range sum {
				out[i] = uint8(math.RoundToEven(clampNum(sum[i], 0, 1) * 255))
			}
			img.SetNRGBA(x, y, color.NRGBA{R: out[0], G: out[1], B: out[2], A: out[3]})
		}
	}
	return png.Encode(w, img)
}

// pngColor reads a texel as the picture shows it. PNG's values are sRGB coded,
// which those of an sRGB format are already.
func pngColor(f *Format, b []byte) (out [4]float64) {
	var t [4]uint32
	f.Unpack(b, &t)
	for c := range out {
		out[c] = float64(math.Float32frombits(t[c]))
	}
	if f.DepthBits != 0 {
		return [4]float64{out[0], out[0], out[0], 1}
	}
	if f.IsSrgb() {
		for c := range 3 {
			out[c] = float64(linearToSrgb8(float32(out[c]))) / 255
		}
	}
	return out
}
