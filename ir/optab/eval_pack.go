package optab

import "math"

// Evaluations of packing and unpacking.

// packVec joins the components of source 0, each of width bits.
func packVec(width uint8) vecFn {
	return func(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
		var r uint64
		for k, v := range src[0] {
			r |= v << (uint8(k) * width)
		}
		dst[0] = r
	}
}

func unpackVec(width uint8) vecFn {
	return func(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
		for k := range dst {
			dst[k] = src[0][0] >> (uint8(k) * width) & maskOf(width)
		}
	}
}

func evalPack64(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] | s[1]<<32 }
func evalPack32(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] | s[1]<<16 }

func evalPack4x8(_ Mode, _ uint8, s *[4]uint64) uint64 {
	return s[0] | s[1]<<8 | s[2]<<16 | s[3]<<24
}

// field reads width bits at a place of source 0.
func field(at, width uint8) evalFn {
	return func(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] >> at & maskOf(width) }
}

func toHalf(m Mode, v uint64) uint64 { return fstore(m, 16, fload(m, 32, v)) }

func evalPackHalf(m Mode, _ uint8, src [][]uint64, dst []uint64) {
	dst[0] = toHalf(m, src[0][0]) | toHalf(m, src[0][1])<<16
}

func evalPackHalfSplit(m Mode, _ uint8, src [][]uint64, dst []uint64) {
	dst[0] = toHalf(m, src[0][0]) | toHalf(m, src[1][0])<<16
}

func evalPackHalfRTZ(m Mode, _ uint8, src [][]uint64, dst []uint64) {
	m.RTZ |= sizeBit(16)
	dst[0] = toHalf(m, src[0][0]) | toHalf(m, src[1][0])<<16
}

func evalUnpackHalf(m Mode, _ uint8, src [][]uint64, dst []uint64) {
	for k := range dst {
		dst[k] = fstore(m, 32, fload(m, 16, src[0][0]>>(16*k)&0xffff))
	}
}

func unpackHalfAt(at uint8) evalFn {
	return func(m Mode, _ uint8, s *[4]uint64) uint64 { return fstore(m, 32, fload(m, 16, s[0]>>at&0xffff)) }
}

// packNorm makes the packing of normalised floats into fields of width bits:
// clamp, scale, round. The product of 32-bit sources is rounded as that of the
// lowered form is; that of halves is exact, as their range does not hold it.
func packNorm(width uint8, signed bool) vecFn {
	scale, low := float64(maskOf(width)), 0.0
	if signed {
		scale, low = float64(maskOf(width)>>1), -1
	}
	return func(m Mode, bits uint8, src [][]uint64, dst []uint64) {
		var r uint64
		for k, v := range src[0] {
			x := fload(m, bits, v)
			if x != x {
				x = 0
			}
			p := clampTo(low, x) * scale
			if bits != 16 {
				p = fvalue(fstore(m, bits, p), bits)
			}
			p = math.RoundToEven(p)
			r |= uint64(int64(p)) & maskOf(width) << (uint8(k) * width)
		}
		dst[0] = r
	}
}

func unpackNorm(width uint8, signed bool) vecFn {
	return func(m Mode, _ uint8, src [][]uint64, dst []uint64) {
		for k := range dst {
			v := src[0][0] >> (uint8(k) * width) & maskOf(width)
			if !signed {
				dst[k] = div(m, 32, float64(v), float64(maskOf(width)))
				continue
			}
			one := float64(maskOf(width) >> 1)
			dst[k] = div(m, 32, max(-one, float64(sext(v, width))), one)
		}
	}
}

func evalPackUint(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
	dst[0] = min(src[0][0], 0xffff) | min(src[0][1], 0xffff)<<16
}

func evalPackSint(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
	clamp := func(v uint64) uint64 { return uint64(uint16(max(-0x8000, min(0x7fff, int32(v))))) }
	dst[0] = clamp(src[0][0]) | clamp(src[0][1])<<16
}

func evalPackUvec2(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
	dst[0] = src[0][0]&0xffff | src[0][1]<<16&0xffffffff
}

func evalPackUvec4(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
	v := src[0]
	dst[0] = (v[0] | v[1]<<8 | v[2]<<16 | v[3]<<24) & 0xffffffff
}
