package abi

import (
	"math/bits"
	"strconv"
	"strings"

	"nirc/internal/lazy"
)

// Forms that the fixed functions know: four bytes in the order of the components, channels of less than
// eight bits in the high bits of theirs (midgard.md §9.5). All others are raw.
const (
	TileRGBA8   = "R8G8B8A8"
	TileRGB10A2 = "R10G10B10A2"
	TileRGBA4   = "R4G4B4A4"
	TileRGB565  = "R5G6B5A0"
	TileRGB5A1  = "R5G5B5A1"
	tileRaw     = "RAW"
)

// tileForms are the forms of the formats that fixed functions blend: Mesa 25.0.7, panfrost/lib/pan_format.c,
// panfrost_blendable_formats, by Vulkan's names.
var tileForms = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"R8_UNORM": TileRGBA8, "R8_SRGB": TileRGBA8, "A8_UNORM": TileRGBA8, "R8G8_UNORM": TileRGBA8, "R8G8_SRGB": TileRGBA8,
		"R8G8B8_UNORM": TileRGBA8, "R8G8B8_SRGB": TileRGBA8, "R8G8B8A8_UNORM": TileRGBA8, "R8G8B8A8_SRGB": TileRGBA8,
		"B8G8R8A8_UNORM": TileRGBA8, "B8G8R8A8_SRGB": TileRGBA8, "A8B8G8R8_UNORM_PACK32": TileRGBA8, "A8B8G8R8_SRGB_PACK32": TileRGBA8,
		"R5G6B5_UNORM_PACK16": TileRGB565, "B5G6R5_UNORM_PACK16": TileRGB565,
		"R4G4B4A4_UNORM_PACK16": TileRGBA4, "B4G4R4A4_UNORM_PACK16": TileRGBA4, "A4R4G4B4_UNORM_PACK16": TileRGBA4, "A4B4G4R4_UNORM_PACK16": TileRGBA4,
		"A2R10G10B10_UNORM_PACK32": TileRGB10A2, "A2B10G10R10_UNORM_PACK32": TileRGB10A2,
		"A1R5G5B5_UNORM_PACK16": TileRGB5A1, "A1B5G5R5_UNORM_PACK16": TileRGB5A1,
	}
}}

// TileForm names the form in which the tile holds pixels of a format of so many bytes: that of the fixed functions, to
// which the render target's descriptor swizzles, or RAW with the bits of the next power of two, of which
// they know nothing.
func TileForm(format string, bytes int) string {
	if form := tileForms.Get()[format]; form != "" {
		return form
	}
	return tileRaw + strconv.Itoa(8<<bits.Len(uint(bytes-1)))
}

// TileRaw reports whether fixed functions know nothing of a form: it has the bytes of the format.
func TileRaw(form string) bool { return strings.HasPrefix(form, tileRaw) }

// TileBits is how many bits a pixel of the form has.
func TileBits(form string) int {
	if n, err := strconv.Atoi(strings.TrimPrefix(form, tileRaw)); err == nil {
		return n
	}
	return 32
}
