package agx

import "math"

// compactFloat returns the 16-bit float of the same value as a 32-bit one, if
// there is one: 32-bit float instructions take either, and the half takes half the
// room among the uniforms.
func compactFloat(bits uint32) (uint32, bool) {
	exp := int(bits>>23&255) - 127
	if bits&(1<<13-1) != 0 || exp > 15 || exp < -14 && bits<<1 != 0 {
		return 0, false
	}
	sign := bits >> 16 & 0x8000
	if bits<<1 == 0 {
		return sign, true
	}
	h := sign | uint32(exp+15)<<10 | bits>>13&0x3ff
	return h, halfToFloat(uint16(h)) == bits && !math.IsNaN(float64(math.Float32frombits(bits)))
}
