package ir

// ImageFormat is a storage image's format as SPIR-V declares it; the zero
// value is unknown. The numbers are SPIR-V's (Image Format enumeration).
type ImageFormat uint8

var imageFormatNames = [...]string{"none", "rgba32f", "rgba16f", "r32f", "rgba8", "rgba8_snorm", "rg32f", "rg16f", "r11g11b10f", "r16f",
	"rgba16", "rgb10a2", "rg16", "rg8", "r16", "r8", "rgba16_snorm", "rg16_snorm", "rg8_snorm", "r16_snorm", "r8_snorm",
	"rgba32i", "rgba16i", "rgba8i", "r32i", "rg32i", "rg16i", "rg8i", "r16i", "r8i",
	"rgba32ui", "rgba16ui", "rgba8ui", "r32ui", "rgb10a2ui", "rg32ui", "rg16ui", "rg8ui", "r16ui", "r8ui", "r64ui", "r64i"}

// String returns the format's name as GLSL spells it.
func (f ImageFormat) String() string {
	if int(f) < len(imageFormatNames) {
		return imageFormatNames[f]
	}
	return "format?"
}

// ParseImageFormat returns the format of that name.
func ParseImageFormat(name string) (ImageFormat, bool) {
	for i, n := range imageFormatNames {
		if n == name {
			return ImageFormat(i), true
		}
	}
	return 0, false
}
