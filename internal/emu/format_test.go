package emu

import (
	"bytes"
	"math"
	"testing"
)

func TestFormatSizes(t *testing.T) {
	want := map[string]int{
		"R4G4_UNORM_PACK8": 1, "R8_SRGB": 1, "R8G8B8_SNORM": 3, "B10G11R11_UFLOAT_PACK32": 4, "R16G16B16_SFLOAT": 6,
		"R64G64B64A64_SFLOAT": 32, "D16_UNORM": 2, "X8_D24_UNORM_PACK32": 4, "D32_SFLOAT_S8_UINT": 8, "D16_UNORM_S8_UINT": 4, "S8_UINT": 1, "E5B9G9R9_UFLOAT_PACK32": 4,
	}
	for name, n := range want {
		f := FormatByName("VK_FORMAT_" + name)
		if f == nil || f.Bytes != n {
			t.Errorf("%s: %+v, want %d bytes", name, f, n)
		}
	}
	for _, f := range Formats() {
		bits := 0
		for _, c := range f.Channels {
			if int(c.Offset)+int(c.Width) > 8*f.Bytes || c.Width == 0 {
				t.Errorf("%s: channel %+v outside the texel", f.Name, c)
			}
			bits += int(c.Width)
		}
		if bits > 8*f.Bytes || bits < 8*f.Bytes-24 {
			t.Errorf("%s: %d bits in %d bytes", f.Name, bits, f.Bytes)
		}
	}
	if vk := FormatByName("D32_SFLOAT_S8_UINT").Vk; vk != 130 {
		t.Errorf("D32_SFLOAT_S8_UINT is VkFormat %d, want 130", vk)
	}
	if vk := FormatByName("R32G32B32A32_SFLOAT").Vk; vk != 109 {
		t.Errorf("R32G32B32A32_SFLOAT is VkFormat %d, want 109", vk)
	}
}

// TestFormatRoundTrip unpacks and packs every value of every channel of up to
// 16 bits, and checks the meaning of the unpacked value by its definition.
func TestFormatRoundTrip(t *testing.T) {
	for _, f := range Formats() {
		if f.SharedExponent {
			continue
		}
		for i := range f.Channels {
			c := &f.Channels[i]
			if c.Kind == KindNone || c.Width > 16 {
				continue
			}
			src, dst := make([]byte, f.Bytes), make([]byte, f.Bytes)
			for b := range uint32(1) << c.Width {
				clear(src)
				c.putBits(src, b)
				var v [4]uint32
				f.Unpack(src, &v)
				got := v[c.Comp.index()]
				if !meansField(c, b, got) {
					t.Fatalf("%s channel %d: field %#x unpacks to %#x", f.Name, i, b, got)
				}
				f.Pack(dst, &v)
				if c.Kind == KindSnorm && b == 1<<(c.Width-1) {
					b++ // -1 has two codes
					clear(src)
					c.putBits(src, b)
				}
				nan := (c.Kind == KindUfloat || c.Kind == KindSfloat) && bf(got) != bf(got)
				if !bytes.Equal(src, dst) && !nan {
					t.Fatalf("%s channel %d: field %#x comes back as %x, not %x", f.Name, i, b, dst, src)
				}
			}
		}
	}
}

// meansField reports whether an unpacked word is what Vulkan says of a field.
func meansField(c *Channel, b, got uint32) bool {
	signed := int64(b)
	if b>>(c.Width-1) != 0 {
		signed -= 1 << c.Width
	}
	var want float64
	switch c.Kind {
	case KindUint:
		return got == b
	case KindSint:
		return got == uint32(signed)
	case KindUscaled:
		want = float64(b)
	case KindSscaled:
		want = float64(signed)
	case KindUnorm:
		want = float64(b) / (math.Exp2(float64(c.Width)) - 1)
	case KindSnorm:
		want = math.Max(-1, float64(signed)/(math.Exp2(float64(c.Width-1))-1))
	case KindSrgb:
		s := float64(b) / 255
		want = s / 12.92
		if s > 0.04045 {
			want = math.Pow((s+0.055)/1.055, 2.4)
		}
	default: // floats: sign, 5 bits of exponent of bias 15, mantissa
		m := int(c.Width) - 5
		sign := 1.0
		if c.Kind == KindSfloat {
			m--
			if signed < 0 {
				sign = -1
			}
		}
		e, frac := int(b>>m)&31, float64(b&(1<<m-1))/math.Exp2(float64(m))
		switch e {
		case 31:
			if frac != 0 {
				return bf(got) != bf(got)
			}
			want = math.Inf(1)
		case 0:
			want = frac * math.Exp2(-14)
		default:
			want = (1 + frac) * math.Exp2(float64(e-15))
		}
		want *= sign
	}
	return float64(bf(got)) == float64(float32(want))
}

func TestFormatLayout(t *testing.T) {
	one, half := fb(1), fb(0.5)
	for _, c := range []struct {
		name string
		in   [4]uint32
		want []byte
	}{
		{"R8G8B8A8_UNORM", [4]uint32{one, half, 0, fb(0.2)}, []byte{255, 128, 0, 51}},
		{"B8G8R8A8_UNORM", [4]uint32{one, half, 0, fb(0.2)}, []byte{0, 128, 255, 51}},
		{"A8B8G8R8_UNORM_PACK32", [4]uint32{one, half, 0, fb(0.2)}, []byte{255, 128, 0, 51}},
		{"R5G6B5_UNORM_PACK16", [4]uint32{one, 0, 0, 0}, []byte{0, 0xf8}},
		{"B5G6R5_UNORM_PACK16", [4]uint32{one, 0, 0, 0}, []byte{0x1f, 0}},
		{"R4G4_UNORM_PACK8", [4]uint32{one, 0, 0, 0}, []byte{0xf0}},
		{"A2B10G10R10_UINT_PACK32", [4]uint32{1, 2, 3, 1}, []byte{0x01, 0x08, 0x30, 0x40}},
		{"A2R10G10B10_SNORM_PACK32", [4]uint32{fb(-1), 0, 0, 0}, []byte{0, 0, 0x10, 0x20}},
		{"B10G11R11_UFLOAT_PACK32", [4]uint32{one, 0, fb(2), 0}, []byte{0xc0, 0x03, 0, 0x80}},
		{"R8G8B8A8_SRGB", [4]uint32{fb(0.2140411), one, 0, half}, []byte{127, 255, 0, 128}},
		{"R16_SFLOAT", [4]uint32{fb(-2)}, []byte{0, 0xc0}},
		{"E5B9G9R9_UFLOAT_PACK32", [4]uint32{one, half, 0}, []byte{0, 1, 1, 0x80}},
		{"D24_UNORM_S8_UINT", [4]uint32{one, 7}, []byte{255, 255, 255, 7}},
		{"X8_D24_UNORM_PACK32", [4]uint32{one}, []byte{255, 255, 255, 0}},
		{"D32_SFLOAT_S8_UINT", [4]uint32{half, 9}, []byte{0, 0, 0, 0x3f, 9, 0, 0, 0}},
		{"R32G32_UINT", [4]uint32{1, 2, 3, 4}, []byte{1, 0, 0, 0, 2, 0, 0, 0}},
	} {
		got := make([]byte, len(c.want))
		FormatByName(c.name).Pack(got, &c.in)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
}

func TestFormatFill(t *testing.T) {
	var v [4]uint32
	FormatByName("R8G8_UNORM").Unpack([]byte{255, 0}, &v)
	if v != [4]uint32{fb(1), 0, 0, fb(1)} {
		t.Errorf("R8G8_UNORM: %x", v)
	}
	FormatByName("R32_UINT").Unpack([]byte{7, 0, 0, 0}, &v)
	if v != [4]uint32{7, 0, 0, 1} {
		t.Errorf("R32_UINT: %x", v)
	}
	FormatByName("R8_SINT").Unpack([]byte{0x80}, &v)
	if v != [4]uint32{0xffffff80, 0, 0, 1} {
		t.Errorf("R8_SINT: %x", v)
	}
	FormatByName("E5B9G9R9_UFLOAT_PACK32").Unpack([]byte{0, 1, 1, 0x80}, &v)
	if v != [4]uint32{fb(1), fb(0.5), 0, fb(1)} {
		t.Errorf("E5B9G9R9: %x", v)
	}
}

func TestFormatClamp(t *testing.T) {
	nan := fb(float32(math.NaN()))
	in := [4]uint32{nan, fb(2), fb(-3), fb(float32(math.Inf(1)))}
	for name, want := range map[string][]byte{
		"R8G8B8A8_UNORM": {0, 255, 0, 255}, "R8G8B8A8_SNORM": {0, 127, 0x81, 127}, "R8G8B8A8_SRGB": {0, 255, 0, 255},
		"R8G8B8A8_USCALED": {0, 2, 0, 255}, "R8G8B8A8_SSCALED": {0, 2, 0xfd, 127},
	} {
		got := make([]byte, 4)
		FormatByName(name).Pack(got, &in)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
}

// TestHalfRounding compares with a search for the nearest half.
func TestHalfRounding(t *testing.T) {
	for h := range uint16(0x7bff) {
		a, b := float64(HalfToFloat(h)), float64(HalfToFloat(h+1))
		mid := float32((a + b) / 2)
		even := h + h&1
		if got := FloatToHalf(mid); got != even {
			t.Fatalf("%v between %#x and %#x rounds to %#x", mid, h, h+1, got)
		}
		if got := FloatToHalf(math.Nextafter32(mid, -1)); got != h {
			t.Fatalf("below %v rounds to %#x, want %#x", mid, got, h)
		}
		if got := FloatToHalf(-math.Nextafter32(mid, 1e9)); got != h+1|0x8000 {
			t.Fatalf("above %v rounds to %#x, want %#x", mid, got, h+1)
		}
	}
	if FloatToHalf(65520) != 0x7c00 || FloatToHalf(65519) != 0x7bff {
		t.Error("overflow of halves")
	}
}
