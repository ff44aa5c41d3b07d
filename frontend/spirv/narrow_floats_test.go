package spirv

import (
	"math"
	"testing"

	"nirc/ir"
)

// narrowValue is the number that a code of a narrow format is, by the formats' own definitions: a sign, an exponent with a bias, a mantissa.
func narrowValue(f narrowFloat, code uint32) float64 {
	bits, mantissa, bias := uint32(8), uint32(2), 15
	switch f {
	case bfloat16:
		bits, mantissa, bias = 16, 7, 127
	case e4m3:
		mantissa, bias = 3, 7
	}
	sign := 1.0
	if code>>(bits-1)&1 != 0 {
		sign = -1
	}
	code &= 1<<(bits-1) - 1
	e, m := int(code>>mantissa), float64(code&(1<<mantissa-1))
	one := math.Ldexp(1, int(mantissa))
	all := 1<<(bits-1-mantissa) - 1
	switch {
	case f == e4m3 && code == 0x7f, f != e4m3 && e == all && m != 0:
		return math.NaN()
	case f != e4m3 && e == all:
		return sign * math.Inf(1)
	case e == 0:
		return sign * math.Ldexp(m, 1-bias-int(mantissa))
	}
	return sign * math.Ldexp(one+m, e-bias-int(mantissa))
}

// narrowBits is the size of a format.
func narrowBits(f narrowFloat) uint8 {
	if f == bfloat16 {
		return 16
	}
	return 8
}

// TestFromNarrow: each code of each format is the number that the format says.
func TestFromNarrow(t *testing.T) {
	for _, f := range []narrowFloat{bfloat16, e4m3, e5m2} {
		bits := narrowBits(f)
		for first := uint32(0); first < 1<<bits; first += 16 {
			tr := scratchTranslator()
			codes := make([]uint64, 16)
			for i := range codes {
				codes[i] = uint64(first) + uint64(i)
			}
			r := tr.fromNarrow(tr.f.constant(bits, codes...), f)
			for i := range codes {
				got, want := float64(math.Float32frombits(uint32(tr.run(t, r, i)))), narrowValue(f, uint32(codes[i]))
				if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(want) {
					t.Errorf("format %d: %#x is %g, want %g", f, codes[i], got, want)
				}
			}
			if bits == 16 && first%0x1000 == 0x100 { // of the many codes of 16 bits those near the ends of exponents
				first += 0xe00 - 16
			}
		}
	}
}

// nearestCode is the code nearest to a number, or the even one of two, among those that are numbers of its sign; ok is false if it is larger
// than half a step beyond the largest.
func nearestCode(f narrowFloat, x float64) (code uint32, ok bool) {
	sign := uint32(0)
	if math.Signbit(x) {
		sign, x = 0x80, -x
	}
	best, off := uint32(0), math.Inf(1)
	last := uint32(0)
	for c := uint32(0); c < 0x80; c++ {
		v := narrowValue(f, c)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			break
		}
		last = c
		if d := math.Abs(v - x); d < off || d == off && c&1 == 0 {
			best, off = c, d
		}
	}
	step := narrowValue(f, last) - narrowValue(f, last-1)
	beyond := x - narrowValue(f, last)
	return best | sign, beyond < step/2 || beyond == step/2 && last&1 == 0
}

// TestToNarrow: floats go to the nearest code, halfway to the even one; beyond the largest to infinity, or what the format has for it, or
// to the largest where that is wanted.
func TestToNarrow(t *testing.T) {
	for _, f := range []narrowFloat{e4m3, e5m2} {
		var xs []float64
		for c := range uint32(0x7f) {
			v, next := narrowValue(f, c), narrowValue(f, c+1)
			if math.IsInf(v, 0) || math.IsNaN(v) {
				break
			}
			if math.IsInf(next, 0) || math.IsNaN(next) {
				next = v + (v - narrowValue(f, c-1))
			}
			mid := (v + next) / 2
			near := float32(mid)
			for _, x := range []float64{v, mid, float64(math.Nextafter32(near, 0)), float64(math.Nextafter32(near, math.MaxFloat32)), v + (next-v)/8} {
				xs = append(xs, x, -x)
			}
		}
		xs = append(xs, 1e-40, 1e30, -1e30, math.Inf(1), math.Inf(-1), math.NaN())
		large, nan := map[narrowFloat]uint32{e4m3: 0x7f, e5m2: 0x7c}[f], map[narrowFloat]uint32{e4m3: 0x7f, e5m2: 0x7e}[f]
		most := map[narrowFloat]uint32{e4m3: 0x7e, e5m2: 0x7b}[f]
		for _, saturates := range []bool{false, true} {
			for _, x := range xs {
				tr := scratchTranslator()
				got := uint32(tr.run(t, tr.toNarrow(tr.f.float(x, 32), f, saturates), 0))
				want, ok := nearestCode(f, x)
				switch {
				case math.IsNaN(x):
					want = nan
					got &= 0x7f
				case !ok && saturates:
					want = want&0x80 | most
				case !ok:
					want = want&0x80 | large
				}
				if got != want {
					t.Errorf("format %d, saturates %t: %g becomes %#x, want %#x", f, saturates, x, got, want)
				}
			}
		}
	}
}

// TestToBrain: floats go to the nearest bfloat16, halfway to the even one.
func TestToBrain(t *testing.T) {
	for _, x := range []uint32{0, 0x80000000, 0x3f800000, 0x3f807fff, 0x3f808000, 0x3f808001, 0x3f818000, 0x3f817fff, 0xbf818000, 0x7f7fffff, 0x7f7f7fff, 0x7f800000, 0xff800000, 0x00018000, 0x7fc00000, 0x7f800001} {
		tr := scratchTranslator()
		v := math.Float32frombits(x)
		got := uint32(tr.run(t, tr.toNarrow(tr.f.constant(32, uint64(x)), bfloat16, false), 0))
		if v != v {
			if !math.IsNaN(narrowValue(bfloat16, got)) {
				t.Errorf("%#x becomes %#x, which is a number", x, got)
			}
			continue
		}
		want := x >> 16
		if low := x & 0xffff; low > 0x8000 || low == 0x8000 && want&1 != 0 {
			want++
		}
		if got != want {
			t.Errorf("%#x becomes %#x, want %#x", x, got, want)
		}
	}
}

// TestOddFloat: a double that is rounded to odd before it is rounded to 16 bits is rounded once.
func TestOddFloat(t *testing.T) {
	for _, x := range []float64{1, 1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11 - 0x1p-40, -1 - 0x1p-11 - 0x1p-40, 1 + 0x1p-24, 1 - 0x1p-25, 0x1p-14 + 0x1p-25 + 0x1p-60, math.Inf(1), 0, 3, 1e-3} {
		tr := scratchTranslator()
		odd := float64(math.Float32frombits(uint32(tr.run(t, tr.oddFloat(tr.f.float(x, 64)), 0))))
		if got, want := ir.FloatBits(odd, 16), ir.FloatBits(x, 16); got != want {
			t.Errorf("%g becomes %g, and %#x of 16 bits, want %#x", x, odd, got, want)
		}
		if float64(float32(x)) == x && odd != x {
			t.Errorf("%g, which is exact, becomes %g", x, odd)
		}
	}
}
