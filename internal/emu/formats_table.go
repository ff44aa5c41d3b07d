package emu

import (
	"math"
	"strings"
	"sync"

	"nirc/internal/lazy"
)

// formatRow is one format: its name, from which the layout follows by Vulkan's
// naming rules, and VkFormat's number.
type formatRow struct {
	name string
	vk   uint32
}

// formatRows are Vulkan's uncompressed colour and depth/stencil formats, by
// VkFormat. Without _PACKn the channels stand in memory in the order of the
// name; with it they are fields of an n-bit word, the first in the highest
// bits.
var formatRows = []formatRow{
	{"R4G4_UNORM_PACK8", 1},
	{"R4G4B4A4_UNORM_PACK16", 2},
	{"B4G4R4A4_UNORM_PACK16", 3},
	{"R5G6B5_UNORM_PACK16", 4},
	{"B5G6R5_UNORM_PACK16", 5},
	{"R5G5B5A1_UNORM_PACK16", 6},
	{"B5G5R5A1_UNORM_PACK16", 7},
	{"A1R5G5B5_UNORM_PACK16", 8},
	{"R8_UNORM", 9},
	{"R8_SNORM", 10},
	{"R8_USCALED", 11},
	{"R8_SSCALED", 12},
	{"R8_UINT", 13},
	{"R8_SINT", 14},
	{"R8_SRGB", 15},
	{"R8G8_UNORM", 16},
	{"R8G8_SNORM", 17},
	{"R8G8_USCALED", 18},
	{"R8G8_SSCALED", 19},
	{"R8G8_UINT", 20},
	{"R8G8_SINT", 21},
	{"R8G8_SRGB", 22},
	{"R8G8B8_UNORM", 23},
	{"R8G8B8_SNORM", 24},
	{"R8G8B8_USCALED", 25},
	{"R8G8B8_SSCALED", 26},
	{"R8G8B8_UINT", 27},
	{"R8G8B8_SINT", 28},
	{"R8G8B8_SRGB", 29},
	{"B8G8R8_UNORM", 30},
	{"B8G8R8_SNORM", 31},
	{"B8G8R8_USCALED", 32},
	{"B8G8R8_SSCALED", 33},
	{"B8G8R8_UINT", 34},
	{"B8G8R8_SINT", 35},
	{"B8G8R8_SRGB", 36},
	{"R8G8B8A8_UNORM", 37},
	{"R8G8B8A8_SNORM", 38},
	{"R8G8B8A8_USCALED", 39},
	{"R8G8B8A8_SSCALED", 40},
	{"R8G8B8A8_UINT", 41},
	{"R8G8B8A8_SINT", 42},
	{"R8G8B8A8_SRGB", 43},
	{"B8G8R8A8_UNORM", 44},
	{"B8G8R8A8_SNORM", 45},
	{"B8G8R8A8_USCALED", 46},
	{"B8G8R8A8_SSCALED", 47},
	{"B8G8R8A8_UINT", 48},
	{"B8G8R8A8_SINT", 49},
	{"B8G8R8A8_SRGB", 50},
	{"A8B8G8R8_UNORM_PACK32", 51},
	{"A8B8G8R8_SNORM_PACK32", 52},
	{"A8B8G8R8_USCALED_PACK32", 53},
	{"A8B8G8R8_SSCALED_PACK32", 54},
	{"A8B8G8R8_UINT_PACK32", 55},
	{"A8B8G8R8_SINT_PACK32", 56},
	{"A8B8G8R8_SRGB_PACK32", 57},
	{"A2R10G10B10_UNORM_PACK32", 58},
	{"A2R10G10B10_SNORM_PACK32", 59},
	{"A2R10G10B10_USCALED_PACK32", 60},
	{"A2R10G10B10_SSCALED_PACK32", 61},
	{"A2R10G10B10_UINT_PACK32", 62},
	{"A2R10G10B10_SINT_PACK32", 63},
	{"A2B10G10R10_UNORM_PACK32", 64},
	{"A2B10G10R10_SNORM_PACK32", 65},
	{"A2B10G10R10_USCALED_PACK32", 66},
	{"A2B10G10R10_SSCALED_PACK32", 67},
	{"A2B10G10R10_UINT_PACK32", 68},
	{"A2B10G10R10_SINT_PACK32", 69},
	{"R16_UNORM", 70},
	{"R16_SNORM", 71},
	{"R16_USCALED", 72},
	{"R16_SSCALED", 73},
	{"R16_UINT", 74},
	{"R16_SINT", 75},
	{"R16_SFLOAT", 76},
	{"R16G16_UNORM", 77},
	{"R16G16_SNORM", 78},
	{"R16G16_USCALED", 79},
	{"R16G16_SSCALED", 80},
	{"R16G16_UINT", 81},
	{"R16G16_SINT", 82},
	{"R16G16_SFLOAT", 83},
	{"R16G16B16_UNORM", 84},
	{"R16G16B16_SNORM", 85},
	{"R16G16B16_USCALED", 86},
	{"R16G16B16_SSCALED", 87},
	{"R16G16B16_UINT", 88},
	{"R16G16B16_SINT", 89},
	{"R16G16B16_SFLOAT", 90},
	{"R16G16B16A16_UNORM", 91},
	{"R16G16B16A16_SNORM", 92},
	{"R16G16B16A16_USCALED", 93},
	{"R16G16B16A16_SSCALED", 94},
	{"R16G16B16A16_UINT", 95},
	{"R16G16B16A16_SINT", 96},
	{"R16G16B16A16_SFLOAT", 97},
	{"R32_UINT", 98},
	{"R32_SINT", 99},
	{"R32_SFLOAT", 100},
	{"R32G32_UINT", 101},
	{"R32G32_SINT", 102},
	{"R32G32_SFLOAT", 103},
	{"R32G32B32_UINT", 104},
	{"R32G32B32_SINT", 105},
	{"R32G32B32_SFLOAT", 106},
	{"R32G32B32A32_UINT", 107},
	{"R32G32B32A32_SINT", 108},
	{"R32G32B32A32_SFLOAT", 109},
	{"R64_UINT", 110},
	{"R64_SINT", 111},
	{"R64_SFLOAT", 112},
	{"R64G64_UINT", 113},
	{"R64G64_SINT", 114},
	{"R64G64_SFLOAT", 115},
	{"R64G64B64_UINT", 116},
	{"R64G64B64_SINT", 117},
	{"R64G64B64_SFLOAT", 118},
	{"R64G64B64A64_UINT", 119},
	{"R64G64B64A64_SINT", 120},
	{"R64G64B64A64_SFLOAT", 121},
	{"B10G11R11_UFLOAT_PACK32", 122},
	{"E5B9G9R9_UFLOAT_PACK32", 123},
	{"D16_UNORM", 124},
	{"X8_D24_UNORM_PACK32", 125},
	{"D32_SFLOAT", 126},
	{"S8_UINT", 127},
	{"D16_UNORM_S8_UINT", 128},
	{"D24_UNORM_S8_UINT", 129},
	{"D32_SFLOAT_S8_UINT", 130},
	{"A4R4G4B4_UNORM_PACK16", 1000340000},
	{"A4B4G4R4_UNORM_PACK16", 1000340001},
	{"A1B5G5R5_UNORM_PACK16", 1000470000},
	{"A8_UNORM", 1000470001},
}

var kindNames = lazy.Value[map[string]ChannelKind]{Make: func() map[string]ChannelKind {
	return map[string]ChannelKind{
		"UNORM": KindUnorm, "SNORM": KindSnorm, "USCALED": KindUscaled, "SSCALED": KindSscaled, "UINT": KindUint,
		"SINT": KindSint, "UFLOAT": KindUfloat, "SFLOAT": KindSfloat, "SRGB": KindSrgb,
	}
}}

var formatsByName = sync.OnceValue(func() map[string]*Format {
	m := make(map[string]*Format, len(formatRows))
	for _, r := range formatRows {
		m[r.name] = newFormat(r)
	}
	return m
})

// FormatByName returns the format of that name, with or without VK_FORMAT_,
// or nil if there is none.
func FormatByName(name string) *Format {
	return formatsByName()[strings.TrimPrefix(name, "VK_FORMAT_")]
}

// Formats returns all formats in the order of VkFormat.
func Formats() []*Format {
	out := make([]*Format, len(formatRows))
	for i, r := range formatRows {
		out[i] = formatsByName()[r.name]
	}
	return out
}

// setKind gives channels the kind that is named after them; CompX has none.
func setKind(channels []Channel, k ChannelKind) {
	for i := range channels {
		if channels[i].Comp != CompX {
			channels[i].Kind = k
		}
	}
}

// newFormat works out the layout of a row. The names are of the form
// channels_KIND[_channels_KIND][_PACKn].
func newFormat(r formatRow) *Format {
	f := &Format{Name: r.name, Vk: r.vk, fill: [4]uint32{0, 0, 0, math.Float32bits(1)}}
	packed := 0
	var pending []Channel
	for part := range strings.SplitSeq(r.name, "_") {
		if bits, ok := strings.CutPrefix(part, "PACK"); ok {
			packed, _ = leadingInt(bits)
		} else if k, ok := kindNames.Get()[part]; ok {
			setKind(pending, k)
			f.Channels = append(f.Channels, pending...)
			pending = nil
		} else {
			pending = append(pending, parseChannels(part)...)
		}
	}
	f.place(packed)
	f.classify()
	return f
}

// parseChannels reads "R8G8B8A8": letters with widths.
func parseChannels(s string) (out []Channel) {
	for len(s) > 0 {
		c := Channel{Comp: Comp(strings.IndexByte("RGBADSX", s[0]))}
		if s[0] == 'E' { // the shared exponent is no component
			c.Comp = CompX
		}
		w, n := leadingInt(s[1:])
		c.Width = uint8(w)
		out = append(out, c)
		s = s[1+n:]
	}
	return out
}

// leadingInt returns the number at the start of s and its length.
func leadingInt(s string) (v, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		v = v*10 + int(s[n]-'0')
		n++
	}
	return v, n
}

// place gives the channels their bits and the format its size: a texel is
// as large as its channels, but depth with stencil is padded to whole words.
func (f *Format) place(packed int) {
	bit := packed
	for i := range f.Channels {
		c := &f.Channels[i]
		if packed != 0 {
			bit -= int(c.Width)
			c.Offset = uint8(bit)
		} else {
			c.Offset = uint8(bit)
			bit += int(c.Width)
		}
		switch c.Comp {
		case CompD:
			f.DepthBits = int(c.Width)
		case CompS:
			f.StencilBits = int(c.Width)
		}
	}
	if packed != 0 {
		bit = packed
	}
	f.Bytes = bit / 8
	if f.DepthBits != 0 && f.StencilBits != 0 {
		f.Bytes = (f.Bytes + 3) &^ 3
	}
}

// classify sets what follows from the channels.
func (f *Format) classify() {
	f.SharedExponent = strings.HasPrefix(f.Name, "E5")
	if f.IsInteger() {
		f.fill[3] = 1
	}
	if f.IsWide() {
		f.fill = [4]uint32{}
	}
	for i := range f.Channels {
		if c := &f.Channels[i]; c.Kind == KindSrgb && c.Comp == CompA {
			c.Kind = KindUnorm // alpha is linear
		}
	}
	c := f.Channels[0]
	switch {
	case f.Name == "R8G8B8A8_UNORM" || f.Name == "A8B8G8R8_UNORM_PACK32":
		f.fast = fastRGBA8
	case f.Name == "B8G8R8A8_UNORM":
		f.fast = fastBGRA8
	case c.Width == 32 && c.Comp == CompR && (c.Kind == KindUint || c.Kind == KindSint || c.Kind == KindSfloat):
		f.fast = fastWords
	}
}
