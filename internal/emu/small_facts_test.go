package emu

import (
	"math"
	"testing"
)

// TestUfloatRounds: floats of 10 and 11 bits without sign are the nearest that there are, the even one of two.
func TestUfloatRounds(t *testing.T) {
	for _, m := range []uint32{5, 6} {
		value := func(b uint32) float64 { // of the format's bits
			e, f := int(b>>m), float64(b&(1<<m-1))
			if e == 0 {
				return math.Ldexp(f, -14-int(m))
			}
			return math.Ldexp(f+float64(uint32(1)<<m), e-15-int(m))
		}
		top := uint32(31)<<m - 1
		check := func(x float32, want uint32) {
			if got := floatToUfloat(x, uint(m)+5); got != want {
				t.Errorf("%d bits of mantissa: %g becomes %#x, want %#x", m, x, got, want)
			}
		}
		for b := range top {
			low, high := value(b), value(b+1)
			half := (low + high) / 2
			check(float32(low), b)
			check(math.Nextafter32(float32(half), 0), b)
			check(float32(half), b+b&1)
			check(math.Nextafter32(float32(half), math.MaxFloat32), b+1)
		}
		check(float32(value(top)), top)
		check(math.MaxFloat32, top)
		check(float32(math.Inf(1)), 31<<m)
		check(float32(math.Inf(-1)), 0)
		check(-1, 0)
	}
}

// TestLayerBytes: a layer of a view is all of its slices in the view's first level.
func TestLayerBytes(t *testing.T) {
	for _, d := range []ImageDesc{{Width: 8, Height: 4, Layers: 3, Mips: 3}, {Width: 4, Height: 4, Depth: 4, Mips: 2}, {Width: 5, Height: 3}} {
		d.Format = FormatByName("R8G8B8A8_UNORM")
		img, err := NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range img.Data {
			img.Data[i] = byte(i*7 + i>>8)
		}
		layers := max(1, d.Layers)
		for mip := range max(1, d.Mips) {
			level := img.LevelBytes(mip)
			n := len(level) / layers
			for base := range layers {
				v := &ImageView{Image: img, BaseMip: mip, BaseLayer: base}
				for l := -2; l < layers+2; l++ {
					got := v.layerBytes(l)
					at := base + l
					switch {
					case at < 0 || at >= layers:
						if got != nil {
							t.Errorf("%+v level %d: there is a layer %d", d, mip, at)
						}
					case len(got) != n || &got[0] != &level[at*n]:
						t.Errorf("%+v level %d: layer %d is not at byte %d", d, mip, at, at*n)
					}
				}
			}
		}
	}
}

// TestImageSizes: an image has 1 to so many texels on a side, and as many levels as halving makes.
func TestImageSizes(t *testing.T) {
	rgba := FormatByName("R8G8B8A8_UNORM")
	for _, c := range []struct {
		d  ImageDesc
		ok bool
	}{
		{ImageDesc{Width: 1, Height: 1}, true}, {ImageDesc{Width: -1, Height: 1}, false}, {ImageDesc{Width: 1, Height: -1}, false},
		{ImageDesc{Width: 1, Height: 1, Layers: -1}, false}, {ImageDesc{Width: 1, Height: 1, Depth: -1}, false},
		{ImageDesc{Width: 8, Height: 2, Mips: 4}, true}, {ImageDesc{Width: 8, Height: 2, Mips: 5}, false}, {ImageDesc{Width: 7, Height: 2, Mips: 3}, true},
		{ImageDesc{Width: 7, Height: 2, Mips: 4}, false}, {ImageDesc{Width: 1, Height: 8, Mips: 4}, true}, {ImageDesc{Width: 1, Height: 1, Depth: 4, Mips: 3}, true},
		{ImageDesc{Width: 1, Height: 1, Depth: 4, Mips: 4}, false}, {ImageDesc{Width: 4, Height: 4, Mips: -1}, false}, {ImageDesc{Width: 4, Height: 4, Mips: 40}, false},
		{ImageDesc{Width: 4, Height: 4, Samples: 4}, true}, {ImageDesc{Width: 4, Height: 4, Samples: 3}, false},
		{ImageDesc{Width: 1 << 15, Height: 1 << 15, Layers: 64}, false},
	} {
		c.d.Format = rgba
		if _, err := NewImage(c.d); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
}

// TestUnboundTexels: a texel lacks memory if a byte of it does.
func TestUnboundTexels(t *testing.T) {
	img, err := NewImage(ImageDesc{Width: 8, Height: 4, Mips: 3, Layers: 2, Format: FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []Unbound{{From: 0, To: 4}, {From: 3, To: 5}, {From: 127, To: 129}, {From: 256, To: 300}, {From: 20, To: 20}} {
		img.Unbound = []Unbound{u}
		v := &ImageView{Image: img}
		for mip := range 3 {
			w, h := 8>>mip, 4>>mip
			for layer := range 2 {
				for y := range h {
					for x := range w {
						at := img.levelOffset(mip) + ((layer*h+y)*w+x)*4
						want := uint32(Resident)
						for b := at; b < at+4; b++ {
							if b >= u.From && b < u.To {
								want = NotResident
							}
						}
						if got := v.Residency(Tex2D, x, y, 0, layer, mip, 0); got != want {
							t.Errorf("unbound %v, level %d, layer %d, %d,%d: %d, want %d", u, mip, layer, x, y, got, want)
						}
					}
				}
			}
		}
	}
}

// TestHalves: a float becomes the nearest half, the even one of two; what is no number stays none, with the upper bits that it has.
func TestHalves(t *testing.T) {
	for h := range uint32(0x7c00) {
		x, next := HalfToFloat(uint16(h)), HalfToFloat(uint16(h+1))
		if h == 0x7bff {
			next = 65536
		}
		half := float32((float64(x) + float64(next)) / 2)
		for _, c := range []struct {
			x    float32
			want uint32
		}{{x, h}, {math.Nextafter32(half, 0), h}, {half, h + h&1}, {math.Nextafter32(half, math.MaxFloat32), h + 1}} {
			if got := FloatToHalf(c.x); uint32(got) != c.want {
				t.Errorf("%g: %#x, want %#x", c.x, got, c.want)
			}
			if got := FloatToHalf(-c.x); uint32(got) != c.want|0x8000 && c.x != 0 {
				t.Errorf("%g: %#x, want %#x", -c.x, got, c.want|0x8000)
			}
		}
	}
	for _, c := range []struct {
		bits uint32
		want uint16
	}{{0x7fc00000, 0x7e00}, {0xffc00000, 0xfe00}, {0x7f800001, 0x7e00}, {0x7f802000, 0x7e01}, {0x7fbfe000, 0x7fff}, {0x7f800000, 0x7c00}, {0xff800000, 0xfc00}} {
		if got := FloatToHalf(math.Float32frombits(c.bits)); got != c.want {
			t.Errorf("%#x: %#x, want %#x", c.bits, got, c.want)
		}
	}
}
