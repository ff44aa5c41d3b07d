package optab

import mathbits "math/bits"

// Evaluations of integer arithmetic. Sources are zero-extended, so unsigned
// operations compute on them directly.

func uint2(f func(a, b uint64) uint64) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 { return f(s[0], s[1]) & maskOf(bits) }
}

func int2(f func(a, b int64) int64) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 {
		return uint64(f(sext(s[0], bits), sext(s[1], bits))) & maskOf(bits)
	}
}

func uint3(f func(a, b, c uint64) uint64) evalFn {
	return func(_ Mode, bits uint8, s *[4]uint64) uint64 { return f(s[0], s[1], s[2]) & maskOf(bits) }
}

// word2 and word3 are for operations on 32-bit sources whose result has 32 bits.
func word2(f func(a, b uint32) uint32) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 { return uint64(f(uint32(s[0]), uint32(s[1]))) }
}

func word3(f func(a, b, c uint32) uint32) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 {
		return uint64(f(uint32(s[0]), uint32(s[1]), uint32(s[2])))
	}
}

func iadd(a, b uint64) uint64     { return a + b }
func isub(a, b uint64) uint64     { return a - b }
func imul(a, b uint64) uint64     { return a * b }
func imad(a, b, c uint64) uint64  { return a*b + c }
func iadd3(a, b, c uint64) uint64 { return a + b + c }

func evalIneg(_ Mode, bits uint8, s *[4]uint64) uint64 { return -s[0] & maskOf(bits) }

func evalIabs(_ Mode, bits uint8, s *[4]uint64) uint64 {
	v := sext(s[0], bits)
	if v < 0 {
		v = -v
	}
	return uint64(v) & maskOf(bits)
}

func evalIsign(_ Mode, bits uint8, s *[4]uint64) uint64 {
	v := sext(s[0], bits)
	return (uint64(v>>63) | b2u(v > 0)) & maskOf(bits)
}

func evalUmulHigh(_ Mode, bits uint8, s *[4]uint64) uint64 {
	hi, lo := mathbits.Mul64(s[0], s[1])
	if bits == 64 {
		return hi
	}
	return lo >> bits
}

func evalImulHigh(_ Mode, bits uint8, s *[4]uint64) uint64 {
	a, b := sext(s[0], bits), sext(s[1], bits)
	if bits < 64 {
		return uint64(a*b>>bits) & maskOf(bits)
	}
	hi, _ := mathbits.Mul64(s[0], s[1])
	return hi - uint64(a>>63)&s[1] - uint64(b>>63)&s[0]
}

func evalImul2x32(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return uint64(int64(int32(s[0])) * int64(int32(s[1])))
}
func evalUmul2x32(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] * s[1] }

func sext24(v uint32) uint32 { return uint32(int32(v<<8) >> 8) }
func zext24(v uint32) uint32 { return v & 0xffffff }

func umulLow(a, b uint32) uint32        { return a & 0xffff * (b & 0xffff) }
func imul32x16(a, b uint32) uint32      { return a * uint32(int32(int16(b))) }
func umul32x16(a, b uint32) uint32      { return a * (b & 0xffff) }
func imul24(a, b uint32) uint32         { return sext24(a) * sext24(b) }
func umul24(a, b uint32) uint32         { return zext24(a) * zext24(b) }
func umad24(a, b, c uint32) uint32      { return zext24(a)*zext24(b) + c }
func imad24(a, b, c uint32) uint32      { return sext24(a)*sext24(b) + c }
func mul32(a, b uint32) uint32          { return a * b }
func mad32(a, b, c uint32) uint32       { return a*b + c }
func imadshMix16(a, b, c uint32) uint32 { return (a&0xffff*(b>>16))<<16 + c }

func evalImadshl(_ Mode, bits uint8, s *[4]uint64) uint64 {
	return (s[0]*s[1] + s[2]<<s[3]) & maskOf(bits)
}

func evalImsubshl(_ Mode, bits uint8, s *[4]uint64) uint64 {
	return (s[0]*s[1] - s[2]<<s[3]) & maskOf(bits)
}

func evalIlea(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] + uint64(int64(int32(s[1])))<<s[2] }
func evalUlea(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] + s[1]<<s[2] }

func idiv(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func irem(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a % b
}

func imod(a, b int64) int64 {
	r := irem(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

func udiv(a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func umod(a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	return a % b
}

func evalUdivAligned4(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] >> 2 }

func imin(a, b int64) int64   { return min(a, b) }
func imax(a, b int64) int64   { return max(a, b) }
func umin(a, b uint64) uint64 { return min(a, b) }
func umax(a, b uint64) uint64 { return max(a, b) }

// saturate clamps sum, which is exact unless w is 64 and overflow is set;
// negative then tells the sign of the exact result.
func saturate(sum int64, bits uint8, overflow, negative bool) uint64 {
	high := int64(maskOf(bits) >> 1)
	switch {
	case overflow && negative:
		sum = -high - 1
	case overflow:
		sum = high
	default:
		sum = max(-high-1, min(high, sum))
	}
	return uint64(sum) & maskOf(bits)
}

func evalIaddSat(_ Mode, bits uint8, s *[4]uint64) uint64 {
	a, b := sext(s[0], bits), sext(s[1], bits)
	sum := a + b
	return saturate(sum, bits, (a^sum)&(b^sum) < 0, a < 0)
}

func evalIsubSat(_ Mode, bits uint8, s *[4]uint64) uint64 {
	a, b := sext(s[0], bits), sext(s[1], bits)
	diff := a - b
	return saturate(diff, bits, (a^b)&(a^diff) < 0, a < 0)
}

func evalUaddSat(_ Mode, bits uint8, s *[4]uint64) uint64 {
	sum, carry := mathbits.Add64(s[0], s[1], 0)
	if carry != 0 || sum > maskOf(bits) {
		return maskOf(bits)
	}
	return sum
}

func usubSat(a, b uint64) uint64 { return a - min(a, b) }

func evalUaddCarry(_ Mode, bits uint8, s *[4]uint64) uint64 {
	return b2u((s[0]+s[1])&maskOf(bits) < s[0])
}

func usubBorrow(a, b uint64) uint64 { return b2u(a < b) }

func uabsUsub(a, b uint64) uint64 { return max(a, b) - min(a, b) }
func uabsIsub(a, b int64) int64   { return max(a, b) - min(a, b) }

func ihadd(a, b int64) int64    { return a&b + (a^b)>>1 }
func uhadd(a, b uint64) uint64  { return a&b + (a^b)>>1 }
func irhadd(a, b int64) int64   { return (a | b) - (a^b)>>1 }
func urhadd(a, b uint64) uint64 { return (a | b) - (a^b)>>1 }

func evalBoundsAGX(_ Mode, _ uint8, s *[4]uint64) uint64 {
	if s[1] <= s[2] {
		return s[0]
	}
	return 0
}

// dotSpec says how a packed dot product reads its lanes.
type dotSpec struct {
	lane             uint8 // bits
	signedA, signedB bool
	signedC          bool
	sat              bool
}

func packedDot(d dotSpec) evalFn {
	read := func(v uint64, signed bool) int64 {
		if signed {
			return sext(v, d.lane)
		}
		return int64(v & maskOf(d.lane))
	}
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 {
		sum := int64(uint32(s[2]))
		if d.signedC {
			sum = int64(int32(s[2]))
		}
		for k := uint8(0); k < 32; k += d.lane {
			sum += read(s[0]>>k, d.signedA) * read(s[1]>>k, d.signedB)
		}
		switch {
		case d.sat && d.signedC:
			sum = max(-1<<31, min(1<<31-1, sum))
		case d.sat:
			sum = min(1<<32-1, sum)
		}
		return uint64(uint32(sum))
	}
}

func msad4x8(a, b, c uint32) uint32 {
	for k := 0; k < 32; k += 8 {
		x, y := a>>k&0xff, b>>k&0xff
		if x != 0 {
			c += max(x, y) - min(x, y)
		}
	}
	return c
}
