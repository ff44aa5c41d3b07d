package core

import (
	"fmt"
	"math"
	"math/bits"

	"nirc/backend/agx/isa"
)

// Memory formats (agx.md §2.9).

func popcount(v uint32) uint32 { return uint32(bits.OnesCount32(v)) }

// checkFormat refuses what no register can hold.
func (x *inst) checkFormat() error {
	data := &x.Dst
	if data.Kind == isa.None {
		data = &x.Srcs[0]
	}
	if x.Format == isa.FormatI32 && data.Size == 16 && data.Count > 0 {
		return fmt.Errorf("format i32 with 16-bit registers does not exist")
	}
	if x.Format.Packed() {
		if n := packedCount(x.Format); int(data.Count) < n {
			return fmt.Errorf("format %s moves %d components, the mask names %d", x.Format, n, data.Count)
		}
	}
	return nil
}

// packedCount is the number of components of a packed format.
func packedCount(f isa.Format) int {
	if f == isa.FormatRGB10A2 {
		return 4
	}
	return 3
}

// fromMemory converts component k of a format to a register of size bits.
// f16 elements stay as they are.
func fromMemory(f isa.Format, size uint8, k int, v uint32) uint32 {
	var x float64
	switch f {
	case isa.FormatU8Norm:
		x = float64(v) / 255
	case isa.FormatS8Norm:
		x = float64(max(int8(v), -127)) / 127
	case isa.FormatU16Norm:
		x = float64(v) / 65535
	case isa.FormatS16Norm:
		x = float64(max(int16(v), -32767)) / 32767
	case isa.FormatSRGBA8:
		x = float64(v) / 255
		if k < 3 {
			x = fromSRGB(x)
		}
	default:
		return v
	}
	return floatOf(x, size)
}

// toMemory is the opposite: floats are converted to normalised formats, and
// to f16 from 32-bit registers; integers are truncated by the store.
func toMemory(f isa.Format, size uint8, k int, v uint32) uint32 {
	if size == 16 {
		switch f {
		case isa.FormatI8, isa.FormatI16, isa.FormatI32, isa.FormatF16:
			return v
		}
		v = halfToSingle(v)
	}
	x := wideF(ftz(v))
	switch f {
	case isa.FormatF16:
		return round16(x)
	case isa.FormatU8Norm:
		return normalise(x, 0, 255)
	case isa.FormatS8Norm:
		return normalise(x, -127, 127)
	case isa.FormatU16Norm:
		return normalise(x, 0, 65535)
	case isa.FormatS16Norm:
		return normalise(x, -32767, 32767)
	case isa.FormatSRGBA8:
		if k < 3 {
			x = toSRGB(x)
		}
		return normalise(x, 0, 255)
	}
	return v
}

// normalise scales [lo/hi, 1] to integers, to nearest even; NaN gives 0.
func normalise(x, lo, hi float64) uint32 {
	if x != x {
		return 0
	}
	return uint32(int32(math.RoundToEven(min(max(x*hi, lo), hi))))
}

func fromSRGB(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func toSRGB(x float64) float64 {
	switch {
	case !(x > 0): // NaN too
		return 0
	case x < 0.0031308:
		return x * 12.92
	case x >= 1:
		return 1
	}
	return 1.055*math.Pow(x, 1/2.4) - 0.055
}

// unpackWord puts all components of a packed word into registers.
func (w *wave) unpackWord(x *inst, lane int, v uint32) {
	c := unpackFloats(x.Format, v)
	step := int(x.Dst.Size) / 16
	for k := 0; k < packedCount(x.Format); k++ {
		w.set(int(x.Dst.Val)+k*step, x.Dst.Size, lane, floatOf(c[k], x.Dst.Size))
	}
}

// packWord packs the registers of a packed store.
func (w *wave) packWord(x *inst, o *isa.Operand, lane int) uint32 {
	var c [4]float64
	step := int(o.Size) / 16
	for k := 0; k < packedCount(x.Format); k++ {
		v := w.get(int(o.Val)+k*step, o.Size, lane)
		if o.Size == 16 {
			v = halfToSingle(v)
		}
		c[k] = wideF(ftz(v))
	}
	return packFloats(x.Format, &c)
}

func unpackFloats(f isa.Format, v uint32) (c [4]float64) {
	switch f {
	case isa.FormatRGB10A2:
		return [4]float64{float64(v&1023) / 1023, float64(v>>10&1023) / 1023, float64(v>>20&1023) / 1023, float64(v>>30) / 3}
	case isa.FormatRG11B10F, isa.FormatRG11B10FTrunc:
		return [4]float64{wideF(halfToSingle(v & 0x7ff << 4)), wideF(halfToSingle(v >> 11 & 0x7ff << 4)), wideF(halfToSingle(v >> 22 << 5))}
	}
	for k := range 3 {
		c[k] = math.Ldexp(float64(v>>(9*k)&511), int(v>>27)-24)
	}
	return c
}

func packFloats(f isa.Format, c *[4]float64) uint32 {
	switch f {
	case isa.FormatRGB10A2:
		return normalise(c[0], 0, 1023) | normalise(c[1], 0, 1023)<<10 | normalise(c[2], 0, 1023)<<20 | normalise(c[3], 0, 3)<<30
	case isa.FormatRG11B10F, isa.FormatRG11B10FTrunc:
		t := f == isa.FormatRG11B10FTrunc
		return smallFloat(c[0], 6, t) | smallFloat(c[1], 6, t)<<11 | smallFloat(c[2], 5, t)<<22
	}
	return packShared(c, f == isa.FormatRGB9E5Trunc)
}

// smallFloat makes an unsigned float of 5 exponent bits and m mantissa bits.
func smallFloat(x float64, m int, trunc bool) uint32 {
	inf := uint32(31) << m
	switch {
	case x != x:
		return inf | 1<<(m-1)
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return inf
	}
	_, e := math.Frexp(x)
	e = max(e-1, -14)          // exponent of the unit 2^e
	q := math.Ldexp(x, m-e)    // in units of the last bit
	n := uint32(min(q, 1<<20)) // toward zero
	if r := q - math.Trunc(q); !trunc && q < 1<<20 && (r > 0.5 || r == 0.5 && n&1 != 0) {
		n++
	}
	// The leading bit, if there is one, adds 1 to the exponent field.
	v := uint32(e+14)<<m + n
	if v >= inf {
		if trunc {
			return inf - 1
		}
		return inf
	}
	return v
}

// packShared makes three mantissas of 9 bits with a shared exponent.
func packShared(c *[4]float64, trunc bool) uint32 {
	const largest = 511 * 128.0 // 511/512 * 2^16
	var v [3]float64
	top := 0.0
	for k := range v {
		if c[k] > 0 {
			v[k] = min(c[k], largest)
		}
		top = max(top, v[k])
	}
	e := 0
	if top > 0 {
		_, fe := math.Frexp(top)
		e = max(fe+15, 0)
	}
	round := math.RoundToEven
	if trunc {
		round = math.Trunc
	}
	if round(math.Ldexp(top, 24-e)) > 511 {
		e++
	}
	w := uint32(e) << 27
	for k := range v {
		w |= uint32(round(math.Ldexp(v[k], 24-e))) << (9 * k)
	}
	return w
}
