package emu

import (
	"encoding/binary"
	"math"
)

// ChannelKind is how the bits of a channel stand for a number.
type ChannelKind uint8

// Channel kinds, with Vulkan's numeric format names. KindNone is padding.
const (
	KindNone ChannelKind = iota
	KindUnorm
	KindSnorm
	KindUscaled
	KindSscaled
	KindUint
	KindSint
	KindUfloat
	KindSfloat
	KindSrgb
)

// Comp is the component that a channel holds.
type Comp uint8

// Components. Depth takes the place of R and stencil that of G in a texel.
const (
	CompR Comp = iota
	CompG
	CompB
	CompA
	CompD
	CompS
	CompX // padding
)

// Channel is one field of a texel.
type Channel struct {
	Comp Comp
	Kind ChannelKind
	// Offset is the first bit, counted from the least significant bit of the
	// first byte; Width is 1..64 bits.
	Offset, Width uint8
}

// index returns the channel's place in an unpacked texel.
func (c Comp) index() int {
	switch c {
	case CompD:
		return 0
	case CompS:
		return 1
	}
	return int(c) & 3
}

// Format describes the memory form of a texel or vertex attribute.
type Format struct {
	Name  string // Vulkan's, without VK_FORMAT_: "R8G8B8A8_UNORM"
	Bytes int
	// Vk is VkFormat's number.
	Vk uint32
	// Channels in the order of the name.
	Channels []Channel
	// DepthBits and StencilBits are the sizes of these aspects, 0 for none.
	DepthBits, StencilBits int
	// SharedExponent marks the one format whose channels share an exponent.
	SharedExponent bool

	fast fastPath
	fill [4]uint32 // what Unpack gives for channels that are not there
}

// fastPath names the formats that get by without the loop over channels.
type fastPath uint8

const (
	fastNone fastPath = iota
	fastWords
	fastRGBA8
	fastBGRA8
)

// first returns the first channel, or the zero one of a format without any.
func (f *Format) first() (c Channel) {
	if len(f.Channels) > 0 {
		c = f.Channels[0]
	}
	return c
}

// IsInteger reports whether unpacked components are integers.
func (f *Format) IsInteger() bool {
	k := f.first().Kind
	return k == KindUint && f.DepthBits == 0 || k == KindSint
}

// IsSigned reports whether the components are signed integers.
func (f *Format) IsSigned() bool { return f.first().Kind == KindSint }

// IsSrgb reports whether the colour components are sRGB encoded.
func (f *Format) IsSrgb() bool { return f.first().Kind == KindSrgb }

// IsFloat reports whether the components are stored as floating point.
func (f *Format) IsFloat() bool {
	k := f.first().Kind
	return k == KindSfloat || k == KindUfloat || f.SharedExponent
}

// IsDepthStencil reports whether the format has a depth or stencil aspect.
func (f *Format) IsDepthStencil() bool { return f.DepthBits|f.StencilBits != 0 }

// IsWide reports whether the channels have 64 bits. Unpack and Pack take such a
// format's first two channels, two raw words each.
func (f *Format) IsWide() bool { return f.first().Width == 64 }

// Has reports whether the format has a channel for the component.
func (f *Format) Has(c Comp) bool {
	for _, ch := range f.Channels {
		if ch.Comp == c {
			return true
		}
	}
	return false
}

// Unpack reads the texel in src (at least Bytes long) as four 32-bit words:
// normalised, scaled and float channels as float bits, integers as they are,
// zero- or sign-extended. sRGB colours come out linear. Missing colours are 0
// and missing alpha is 1. Depth is word 0 and stencil word 1, an integer.
func (f *Format) Unpack(src []byte, dst *[4]uint32) {
	switch f.fast {
	case fastRGBA8:
		_ = src[3]
		dst[0], dst[1], dst[2], dst[3] = unorm8.Get()[src[0]], unorm8.Get()[src[1]], unorm8.Get()[src[2]], unorm8.Get()[src[3]]
		return
	case fastBGRA8:
		_ = src[3]
		dst[0], dst[1], dst[2], dst[3] = unorm8.Get()[src[2]], unorm8.Get()[src[1]], unorm8.Get()[src[0]], unorm8.Get()[src[3]]
		return
	case fastWords:
		*dst = f.fill
		for i := range f.Bytes / 4 {
			dst[i] = binary.LittleEndian.Uint32(src[4*i:])
		}
		return
	}
	*dst = f.fill
	if f.SharedExponent {
		unpackSharedExp(binary.LittleEndian.Uint32(src), dst)
		return
	}
	for i := range f.Channels {
		c := &f.Channels[i]
		if c.Width == 64 {
			if i < 2 {
				v := binary.LittleEndian.Uint64(src[8*i:])
				dst[2*i], dst[2*i+1] = uint32(v), uint32(v>>32)
			}
			continue
		}
		if c.Kind != KindNone {
			dst[c.Comp.index()] = c.decode(c.bits(src))
		}
	}
}

// Pack writes a texel to dst (at least Bytes long) from four words as Unpack
// gives them. Values outside the range of a channel are clamped, NaN becomes 0
// where it has no encoding, and padding is 0.
func (f *Format) Pack(dst []byte, v *[4]uint32) {
	switch f.fast {
	case fastRGBA8:
		_ = dst[3]
		dst[0], dst[1], dst[2], dst[3] = packUnorm8(v[0]), packUnorm8(v[1]), packUnorm8(v[2]), packUnorm8(v[3])
		return
	case fastBGRA8:
		_ = dst[3]
		dst[0], dst[1], dst[2], dst[3] = packUnorm8(v[2]), packUnorm8(v[1]), packUnorm8(v[0]), packUnorm8(v[3])
		return
	case fastWords:
		for i := range f.Bytes / 4 {
			binary.LittleEndian.PutUint32(dst[4*i:], v[i])
		}
		return
	}
	clear(dst[:f.Bytes])
	if f.SharedExponent {
		binary.LittleEndian.PutUint32(dst, packSharedExp(v))
		return
	}
	for i := range f.Channels {
		c := &f.Channels[i]
		if c.Width == 64 {
			if i < 2 {
				binary.LittleEndian.PutUint64(dst[8*i:], uint64(v[2*i])|uint64(v[2*i+1])<<32)
			}
			continue
		}
		if c.Kind != KindNone {
			c.putBits(dst, c.encode(v[c.Comp.index()]))
		}
	}
}

// bits reads the channel's field, at most 32 bits.
func (c *Channel) bits(src []byte) uint32 {
	first, last := int(c.Offset)>>3, (int(c.Offset)+int(c.Width)+7)>>3
	var v uint64
	for i := last - 1; i >= first; i-- {
		v = v<<8 | uint64(src[i])
	}
	return uint32(v >> (c.Offset & 7) & (1<<c.Width - 1))
}

// putBits ors the field into bytes where its bits are clear.
func (c *Channel) putBits(dst []byte, b uint32) {
	v := (uint64(b) & (1<<c.Width - 1)) << (c.Offset & 7)
	for i := int(c.Offset) >> 3; v != 0; i++ {
		dst[i] |= byte(v)
		v >>= 8
	}
}

// decode turns a field into an unpacked word.
func (c *Channel) decode(b uint32) uint32 {
	w := uint(c.Width)
	switch c.Kind {
	case KindUnorm:
		return math.Float32bits(float32(float64(b) / float64(uint64(1)<<w-1)))
	case KindSnorm:
		v := float64(signExtend(b, w)) / float64(uint64(1)<<(w-1)-1)
		return math.Float32bits(float32(max(v, -1)))
	case KindUscaled:
		return math.Float32bits(float32(b))
	case KindSscaled:
		return math.Float32bits(float32(signExtend(b, w)))
	case KindSint:
		return uint32(signExtend(b, w))
	case KindUfloat:
		return math.Float32bits(ufloatToFloat(b, w))
	case KindSfloat:
		if w == 16 {
			return math.Float32bits(HalfToFloat(uint16(b)))
		}
		return b
	case KindSrgb:
		return math.Float32bits(srgb8()[b&255])
	}
	return b
}

// encode turns an unpacked word into a field; bits beyond the width are for
// the caller to cut.
func (c *Channel) encode(v uint32) uint32 {
	w := uint(c.Width)
	x := float64(math.Float32frombits(v))
	top := float64(uint64(1)<<w - 1)
	half := float64(uint64(1)<<(w-1) - 1)
	switch c.Kind {
	case KindUnorm:
		return uint32(math.RoundToEven(clampNum(x, 0, 1) * top))
	case KindSnorm:
		return uint32(int32(math.RoundToEven(clampNum(x, -1, 1) * half)))
	case KindUscaled:
		return uint32(math.RoundToEven(clampNum(x, 0, top)))
	case KindSscaled:
		return uint32(int32(math.RoundToEven(clampNum(x, -half-1, half))))
	case KindUfloat:
		return floatToUfloat(math.Float32frombits(v), w)
	case KindSfloat:
		if w == 16 {
			return uint32(FloatToHalf(math.Float32frombits(v)))
		}
	case KindUint: // out of range is undefined; GPUs saturate
		return min(v, uint32(uint64(1)<<w-1))
	case KindSint:
		return uint32(min(max(int32(v), int32(int64(-1)<<(w-1))), int32(int64(1)<<(w-1)-1)))
	case KindSrgb:
		return uint32(linearToSrgb8(math.Float32frombits(v)))
	}
	return v
}

// signExtend reads the low w bits as a signed number.
func signExtend(b uint32, w uint) int32 { return int32(b<<(32-w)) >> (32 - w) }

// clampNum limits x to lo..hi; NaN becomes 0.
func clampNum(x, lo, hi float64) float64 {
	if x != x {
		return 0
	}
	return min(max(x, lo), hi)
}
