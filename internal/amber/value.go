package amber

import (
	"encoding/binary"
	"math"

	"nirc/internal/emu"
)

// put writes a literal as a number of type s.
func (s Scalar) put(dst []byte, n Number) {
	if s.Kind != ScalarFloat {
		u := n.U
		if n.IsFloat {
			u = uint64(int64(n.F))
		}
		putUint(dst, s.Bits, u)
		return
	}
	switch s.Bits {
	case 16:
		binary.LittleEndian.PutUint16(dst, halfTowardsZero(float32(n.F)))
	case 32:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(float32(n.F)))
	default:
		binary.LittleEndian.PutUint64(dst, math.Float64bits(n.F))
	}
}

// halfTowardsZero makes a half of a literal as Amber does: what does not fit is
// cut off. Scripts' expectations go by that.
func halfTowardsZero(f float32) uint16 {
	h := emu.FloatToHalf(f)
	if g := emu.HalfToFloat(h); math.Abs(float64(g)) > math.Abs(float64(f)) && !math.IsInf(float64(g), 0) {
		h-- // the next towards 0, of either sign
	}
	return h
}

func putUint(dst []byte, bits uint8, u uint64) {
	if bits == 24 {
		dst[0], dst[1], dst[2] = byte(u), byte(u>>8), byte(u>>16)
		return
	}
	emu.StoreBytes(dst, int(bits)/8, u)
}

// bitsOf reads the number's bits, sign-extended if it is signed.
func (s Scalar) bitsOf(src []byte) uint64 {
	if s.Bits == 24 {
		return uint64(src[0]) | uint64(src[1])<<8 | uint64(src[2])<<16
	}
	u := emu.LoadBytes(src, int(s.Bits)/8)
	if s.Kind == ScalarInt {
		sh := 64 - uint(s.Bits)
		u = uint64(int64(u<<sh) >> sh)
	}
	return u
}

// float reads the number as a float64.
func (s Scalar) float(src []byte) float64 {
	u := s.bitsOf(src)
	switch {
	case s.Kind == ScalarInt:
		return float64(int64(u))
	case s.Kind == ScalarUint:
		return float64(u)
	case s.Bits == 16:
		return float64(emu.HalfToFloat(uint16(u)))
	case s.Bits == 32:
		return float64(math.Float32frombits(uint32(u)))
	}
	return math.Float64frombits(u)
}

// putElement writes the leaves of one element; v has as many.
func (f *Format) putElement(dst []byte, v []Number) {
	for i := range f.Leaves {
		l := &f.Leaves[i]
		l.Scalar.put(dst[l.Offset:], v[i])
	}
}

// initial writes the first contents of the buffer's level 0 that are not in a
// file.
func (b *Buffer) initial(dst []byte) {
	f := b.Format
	switch b.Init {
	case InitData:
		copy(dst, b.Data)
	case InitFill:
		if len(dst) < f.Size {
			return
		}
		v := make([]Number, len(f.Leaves))
		for i := range v {
			v[i] = b.Fill
		}
		f.putElement(dst, v)
		for n := f.Size; n < len(dst); n *= 2 {
			copy(dst[n:], dst[:n])
		}
	case InitSeries:
		n := b.Fill
		s := f.Leaves[0]
		for off := 0; off+f.Size <= len(dst); off += f.Size {
			s.Scalar.put(dst[off+int(s.Offset):], n)
			n.U += b.Inc.U
			n.F += b.Inc.F
		}
	}
}
