package amber

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"nirc/internal/emu"
)

// TestPictures: a picture's numbers arrive in images of all formats. Those of sRGB keep a picture's bytes, as it is encoded like them, and their alpha is not; those of
// more digits have the same parts of one, and the picture's colours are not multiplied by its alpha.
func TestPictures(t *testing.T) {
	small, wide := image.NewNRGBA(image.Rect(0, 0, 256, 2)), image.NewNRGBA64(image.Rect(0, 0, 64, 4))
	for x := range 256 {
		v := uint8(x)
		small.SetNRGBA(x, 0, color.NRGBA{R: v, G: 255 - v, B: v ^ 0x5a, A: 255})
		small.SetNRGBA(x, 1, color.NRGBA{R: v, G: 255 - v, B: v ^ 0x5a, A: v / 3})
		u := uint16(x*257) ^ 0x1234
		wide.SetNRGBA64(x%64, x/64, color.NRGBA64{R: u, G: 65535 - u, B: u ^ 0x5a5a, A: max(1, uint16(x*x))})
	}
	for _, c := range []struct {
		format  string
		picture image.Image
		bytes   func(i int) []byte
	}{
		{"R8G8B8A8_UNORM", small, func(i int) []byte { return small.Pix[4*i : 4*i+4] }},
		{"R8G8B8A8_SRGB", small, func(i int) []byte { return small.Pix[4*i : 4*i+4] }},
		{"B8G8R8A8_SRGB", small, func(i int) []byte { p := small.Pix[4*i:]; return []byte{p[2], p[1], p[0], p[3]} }},
		{"R8_UNORM", small, func(i int) []byte { return small.Pix[4*i : 4*i+1] }},
		{"R16G16B16A16_UNORM", wide, func(i int) (b []byte) {
			for k := range 4 {
				b = binary.LittleEndian.AppendUint16(b, binary.BigEndian.Uint16(wide.Pix[8*i+2*k:]))
			}
			return b
		}},
		{"R32G32B32A32_SFLOAT", wide, func(i int) (b []byte) {
			for k := range 4 {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(binary.BigEndian.Uint16(wide.Pix[8*i+2*k:]))/65535)))
			}
			return b
		}},
	} {
		var file bytes.Buffer
		if err := png.Encode(&file, c.picture); err != nil {
			t.Fatal(err)
		}
		f := emu.FormatByName(c.format)
		b, box := &Buffer{Format: &Format{Image: f, Size: f.Bytes}}, c.picture.Bounds()
		var size extent
		data, err := b.decodePNG(file.Bytes(), &size)
		if n := box.Dx() * box.Dy(); err != nil || len(data) != n*f.Bytes || size.w != box.Dx() || size.h != box.Dy() || size.d != 1 {
			t.Errorf("%s: %d bytes, %+v, %v", c.format, len(data), size, err)
			continue
		}
		for i := range box.Dx() * box.Dy() {
			if got, want := data[i*f.Bytes:(i+1)*f.Bytes], c.bytes(i); !bytes.Equal(got, want) {
				t.Errorf("%s: texel %d is %x, want %x", c.format, i, got, want)
				break
			}
		}
	}
}
