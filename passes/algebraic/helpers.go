package algebraic

import "math/bits"

// Helpers of the rules' replacements: constants computed from constants that
// the pattern bound. size is that of the first.

// helpSizeMinus1 is the number of the sign bit.
func helpSizeMinus1(size uint8, _ *[3]uint64) uint64 { return uint64(size - 1) }

// helpSizeMinusLog2 is the size less the power of two that v[0] is.
func helpSizeMinusLog2(size uint8, v *[3]uint64) uint64 {
	return uint64(size) - uint64(bits.TrailingZeros64(v[0]))
}

// helpByteTop is how far left byte v[0] is from the top.
func helpByteTop(size uint8, v *[3]uint64) uint64 { return uint64(size) - 8 - 8*v[0] }

// helpByteRest is the size less 8.
func helpByteRest(size uint8, _ *[3]uint64) uint64 { return uint64(size) - 8 }

// helpWordTop is how far left half v[0] is from the top.
func helpWordTop(size uint8, v *[3]uint64) uint64 { return uint64(size) - 16 - 16*v[0] }

// helpWordRest is the size less 16.
func helpWordRest(size uint8, _ *[3]uint64) uint64 { return uint64(size) - 16 }

// helpTimes8 and helpTimes16 give the place of a byte or half in bits.
func helpTimes8(_ uint8, v *[3]uint64) uint64 { return 8 * v[0] }

func helpTimes16(_ uint8, v *[3]uint64) uint64 { return 16 * v[0] }
