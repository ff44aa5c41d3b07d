package passes

import (
	"fmt"
	"strings"
)

// PixelKind is how the bits of a channel stand for a number; the names are
// Vulkan's numeric formats.
type PixelKind uint8

// Kinds of channels. PixelNone is padding.
const (
	PixelNone PixelKind = iota
	PixelUnorm
	PixelSnorm
	PixelUscaled
	PixelSscaled
	PixelUint
	PixelSint
	PixelUfloat
	PixelSfloat
	PixelSrgb
)

var pixelKinds = [...]string{"NONE", "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "UFLOAT", "SFLOAT", "SRGB"}

// PixelChannel is a field of a texel: Width bits from bit Offset on, counted
// from the lowest bit of the first word. Comp is 0 to 3 of red to alpha.
type PixelChannel struct {
	Comp          uint8
	Kind          PixelKind
	Offset, Width uint8
}

// PixelFormat is the memory form of a colour.
type PixelFormat struct {
	Name     string // Vulkan's, without VK_FORMAT_
	Bits     int
	Channels []PixelChannel
	// SharedExponent: three mantissas and, in the highest bits, an exponent.
	SharedExponent bool
}

// ParsePixelFormat returns the colour format of that name, R8G8B8A8_UNORM for
// one, of channels of at most 32 bits. By Vulkan's naming rules the channels
// stand in memory in the order of the name, or with _PACKn are fields of an
// n-bit word, the first in the highest bits.
func ParsePixelFormat(name string) (*PixelFormat, error) {
	bad := fmt.Errorf("%q is no uncompressed colour format of channels up to 32 bits", name)
	parts := strings.Split(name, "_")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, bad
	}
	kind := PixelNone
	for i, n := range pixelKinds {
		if n == parts[1] {
			kind = PixelKind(i)
		}
	}
	f := &PixelFormat{Name: name, SharedExponent: strings.HasPrefix(name, "E5")}
	for s := parts[0]; s != ""; {
		comp := strings.IndexByte("RGBAXE", s[0])
		width := 0
		for s = s[1:]; s != "" && s[0] >= '0' && s[0] <= '9'; s = s[1:] {
			width = width*10 + int(s[0]-'0')
		}
		if comp < 0 || width < 1 || width > 32 {
			return nil, bad
		}
		c := PixelChannel{Comp: uint8(comp), Kind: kind, Width: uint8(width)}
		switch {
		case comp == 4 || comp == 5:
			c.Comp, c.Kind = 3, PixelNone
		case kind == PixelSrgb && comp == 3:
			c.Kind = PixelUnorm
		}
		f.Channels = append(f.Channels, c)
		f.Bits += width
	}
	if kind == PixelNone || !f.place(len(parts) == 3) {
		return nil, bad
	}
	return f, nil
}

// place gives the channels their offsets and reports whether their sizes are
// some that a format has.
func (f *PixelFormat) place(packed bool) bool {
	at := 0
	if packed {
		at = f.Bits
	}
	if len(f.Channels) > 4 || packed && f.Bits > 32 {
		return false
	}
	for i := range f.Channels {
		c := &f.Channels[i]
		if packed {
			at -= int(c.Width)
		}
		c.Offset = uint8(at)
		if !packed {
			at += int(c.Width)
		}
		switch {
		case c.Offset/32 != (c.Offset+c.Width-1)/32:
			return false
		case c.Kind == PixelSfloat && c.Width != 16 && c.Width != 32:
			return false
		case c.Kind == PixelUfloat && !f.SharedExponent && c.Width != 10 && c.Width != 11:
			return false
		case (c.Kind == PixelUnorm || c.Kind == PixelSnorm || c.Kind == PixelSrgb || c.Kind == PixelUscaled || c.Kind == PixelSscaled) && c.Width > 16:
			return false // 32-bit floats would not hold them
		}
	}
	return true
}

// Has reports whether the format has a channel of component c.
func (f *PixelFormat) Has(c int) bool {
	for _, x := range f.Channels {
		if int(x.Comp) == c && x.Kind != PixelNone {
			return true
		}
	}
	return false
}

// kind returns the kind of the colour channels.
func (f *PixelFormat) kind() PixelKind {
	for _, c := range f.Channels {
		if c.Kind != PixelNone && (c.Comp != 3 || c.Kind != PixelUnorm) {
			return c.Kind
		}
	}
	return PixelUnorm
}

// IsInteger reports whether colours are integers.
func (f *PixelFormat) IsInteger() bool { k := f.kind(); return k == PixelUint || k == PixelSint }

// IsFloat reports whether colours are stored as floats.
func (f *PixelFormat) IsFloat() bool { k := f.kind(); return k == PixelUfloat || k == PixelSfloat }

// Words is the number of 32-bit words of a texel.
func (f *PixelFormat) Words() int { return (f.Bits + 31) / 32 }
