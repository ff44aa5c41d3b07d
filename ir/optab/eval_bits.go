package optab

import mathbits "math/bits"

// Evaluations of bit operations.

func iand(a, b uint64) uint64 { return a & b }
func ior(a, b uint64) uint64  { return a | b }
func ixor(a, b uint64) uint64 { return a ^ b }

func evalInot(_ Mode, bits uint8, s *[4]uint64) uint64 { return ^s[0] & maskOf(bits) }

// count reads a shift count: only the low log2(w) bits of source 1 matter.
func count(bits uint8, s *[4]uint64) uint8 { return uint8(s[1]) & (bits - 1) }

func evalIshl(_ Mode, bits uint8, s *[4]uint64) uint64 {
	return s[0] << count(bits, s) & maskOf(bits)
}
func evalUshr(_ Mode, bits uint8, s *[4]uint64) uint64 { return s[0] >> count(bits, s) }
func evalIshr(_ Mode, bits uint8, s *[4]uint64) uint64 {
	return uint64(sext(s[0], bits)>>count(bits, s)) & maskOf(bits)
}

func evalUrol(_ Mode, bits uint8, s *[4]uint64) uint64 {
	n := count(bits, s)
	return (s[0]<<n | s[0]>>(bits-n)) & maskOf(bits)
}

func evalUror(_ Mode, bits uint8, s *[4]uint64) uint64 {
	n := count(bits, s)
	return (s[0]>>n | s[0]<<(bits-n)) & maskOf(bits)
}

func evalShfr(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return (s[0]<<32 | s[1]) >> (s[2] & 31) & 0xffffffff
}

func evalExtrAGX(_ Mode, _ uint8, s *[4]uint64) uint64 {
	n, k := s[2]&127, s[3]&31
	if k == 0 {
		k = 32
	}
	return (s[1]<<32 | s[0]) >> n & (1<<k - 1)
}

func bitfieldSelect(m, a, b uint64) uint64 { return m&a | ^m&b }

func bfi(m, b, c uint32) uint32 {
	if m == 0 {
		return c
	}
	return c&^m | b<<mathbits.TrailingZeros32(m)&m
}

func bfm(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) }

func ubfe(a, o, n uint32) uint32 {
	o, n = o&31, n&31
	switch {
	case n == 0:
		return 0
	case o+n < 32:
		return a << (32 - o - n) >> (32 - n)
	}
	return a >> o
}

func ibfe(a, o, n uint32) uint32 {
	o, n = o&31, n&31
	switch {
	case n == 0:
		return 0
	case o+n < 32:
		return uint32(int32(a<<(32-o-n)) >> (32 - n))
	}
	return uint32(int32(a) >> o)
}

// fieldOK reports whether n bits at o lie inside a word, n not 0.
func fieldOK(o, n uint32) bool {
	return int32(o) >= 0 && int32(n) > 0 && uint64(o)+uint64(n) <= 32
}

func ubitfieldExtract(a, o, n uint32) uint32 {
	if !fieldOK(o, n) {
		return 0
	}
	return a << (32 - o - n) >> (32 - n)
}

func ibitfieldExtract(a, o, n uint32) uint32 {
	if !fieldOK(o, n) {
		return 0
	}
	return uint32(int32(a<<(32-o-n)) >> (32 - n))
}

func evalBitfieldInsert(_ Mode, _ uint8, s *[4]uint64) uint64 {
	o, n := uint32(s[2]), uint32(s[3])
	switch {
	case n == 0:
		return s[0]
	case !fieldOK(o, n):
		return 0
	}
	m := maskOf(uint8(n)) << o
	return s[0]&^m | s[1]<<o&m
}

func evalBitfieldReverse(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return uint64(mathbits.Reverse32(uint32(s[0])))
}

func evalBitCount(_ Mode, _ uint8, s *[4]uint64) uint64 { return uint64(mathbits.OnesCount64(s[0])) }

const minusOne = 0xffffffff

func evalFindLsb(_ Mode, _ uint8, s *[4]uint64) uint64 {
	if s[0] == 0 {
		return minusOne
	}
	return uint64(mathbits.TrailingZeros64(s[0]))
}

func evalUfindMsb(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return uint64(uint32(mathbits.Len64(s[0]) - 1))
}

func evalIfindMsb(_ Mode, _ uint8, s *[4]uint64) uint64 {
	v := int32(s[0])
	return uint64(uint32(mathbits.Len32(uint32(v^v>>31)) - 1))
}

// rev counts a find_msb result from the top of a word of 32 or 64 bits.
func rev(find evalFn) evalFn {
	return func(m Mode, bits uint8, s *[4]uint64) uint64 {
		r := find(m, bits, s)
		if r == minusOne {
			return r
		}
		return uint64(max(bits, 32)) - 1 - r
	}
}

func evalUclz(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return uint64(mathbits.LeadingZeros32(uint32(s[0])))
}

// piece reads field n of the given width; fields beyond the value are 0.
func piece(s *[4]uint64, width uint8) uint64 {
	if s[1] >= 64/uint64(width) {
		return 0
	}
	return s[0] >> (s[1] * uint64(width)) & maskOf(width)
}

func extractU(width uint8) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 { return piece(s, width) & maskOf(bits) }
}

func extractI(width uint8) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 {
		return uint64(sext(piece(s, width), width)) & maskOf(bits)
	}
}

func insertU(width uint8) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 {
		if s[1] >= 64/uint64(width) {
			return 0
		}
		return s[0] & maskOf(width) << (s[1] * uint64(width)) & maskOf(bits)
	}
}

// spread puts bit k of a 16-bit value at 2k.
func spread(v uint64) uint64 {
	v &= 0xffff
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	v = (v | v<<2) & 0x33333333
	return (v | v<<1) & 0x55555555
}

func evalInterleave(_ Mode, _ uint8, s *[4]uint64) uint64 { return spread(s[0]) | spread(s[1])<<1 }

func evalShrm(m Mode, bits uint8, s *[4]uint64) uint64 { return evalUshr(m, bits, s) & s[2] }
func evalShlm(m Mode, bits uint8, s *[4]uint64) uint64 { return evalIshl(m, bits, s) & s[2] }
func evalShrg(m Mode, bits uint8, s *[4]uint64) uint64 { return evalUshr(m, bits, s) | s[2] }
func evalShlg(m Mode, bits uint8, s *[4]uint64) uint64 { return evalIshl(m, bits, s) | s[2] }
func andg(a, b, c uint64) uint64                       { return a&b | c }

func evalBitnz(_ Mode, bits uint8, s *[4]uint64) uint64 { return s[0] >> count(bits, s) & 1 }
func evalBitz(_ Mode, bits uint8, s *[4]uint64) uint64  { return ^(s[0] >> count(bits, s)) & 1 }
