package ir

import (
	"math"
	"math/rand/v2"
	"testing"
)

// aluTypes are the types that values are converted between.
func aluTypes() (list []ALUType) {
	for _, bits := range []uint8{8, 16, 32, 64} {
		list = append(list, ALUType{ClassInt, bits}, ALUType{ClassUint, bits})
		if bits > 8 {
			list = append(list, ALUType{ClassFloat, bits})
		}
	}
	return list
}

// TestConvertBits has cases at the limits of types, then random ones.
func TestConvertBits(t *testing.T) {
	h, f, d := ALUType{ClassFloat, 16}, ALUType{ClassFloat, 32}, ALUType{ClassFloat, 64}
	i8, i16, i32, i64 := ALUType{ClassInt, 8}, ALUType{ClassInt, 16}, ALUType{ClassInt, 32}, ALUType{ClassInt, 64}
	u8, u16, u32, u64 := ALUType{ClassUint, 8}, ALUType{ClassUint, 16}, ALUType{ClassUint, 32}, ALUType{ClassUint, 64}
	b := ALUType{ClassBool, 1}
	bits := func(x float64, t ALUType) uint64 { return FloatBits(x, t.Bits) }
	nan, inf := math.NaN(), math.Inf(1)
	const none, even, up, down, zero = RoundUndef, RoundNearestEven, RoundUp, RoundDown, RoundTowardZero
	for _, c := range []struct {
		v        uint64
		from, to ALUType
		mode     RoundingMode
		saturate bool
		want     uint64
	}{
		{bits(nan, f), f, i32, none, false, 0},
		{bits(nan, f), f, b, none, false, 1},
		{bits(nan, d), d, h, none, false, bits(nan, h)},
		{bits(inf, f), f, h, down, false, bits(inf, h)},
		{bits(-inf, f), f, d, up, false, bits(-inf, d)},
		{bits(inf, f), f, i8, none, false, 0x7f},
		{bits(-inf, h), h, i64, none, false, 1 << 63},
		{bits(-inf, h), h, u64, none, false, 0},
		{bits(300, f), f, u8, none, false, 255},
		{bits(-1, f), f, u8, none, false, 0},
		{bits(-129, f), f, i8, none, false, 0x80},
		{bits(2.5, f), f, i32, none, false, 2},
		{bits(2.5, f), f, i32, even, false, 2},
		{bits(3.5, f), f, i32, even, false, 4},
		{bits(2.75, f), f, i32, even, false, 3},
		{bits(2.25, f), f, i32, up, false, 3},
		{bits(2.75, f), f, i32, down, false, 2},
		{bits(2.75, f), f, i32, zero, false, 2},
		{bits(3, f), f, i32, down, false, 3},
		{bits(-3, f), f, i16, up, false, 0xfffd},
		{bits(-4, f), f, i16, down, false, 0xfffc},
		{bits(4, f), f, i32, up, false, 4},
		{bits(-2.5, f), f, i16, even, false, 0xfffe},
		{bits(-3.5, f), f, i16, even, false, 0xfffc},
		{bits(-2.25, f), f, i16, down, false, 0xfffd},
		{bits(-2.75, f), f, i16, up, false, 0xfffe},
		{bits(-2.75, f), f, i16, none, false, 0xfffe},
		{0x1ff, i32, u8, none, false, 0xff},
		{0x17f, i32, i8, none, true, 0x7f},
		{0xffffff00, i32, i8, none, true, 0x80},
		{0xffffff00, i32, u8, none, true, 0},
		{0xffffff00, u32, u16, none, true, 0xffff},
		{0x80, i8, i32, none, false, 0xffffff80},
		{0x80, u8, i32, none, false, 0x80},
		{0x80, i8, u64, none, true, 0},
		{1 << 63, u64, i64, none, true, 1<<63 - 1},
		{0x10000, u32, b, none, false, 1},
		{0, i64, b, none, false, 0},
		{bits(math.Copysign(0, -1), f), f, h, none, false, 0x8000},
		{bits(math.Copysign(0, -1), f), f, b, none, false, 0},
		{0, i32, f, down, false, 0},
		{bits(65520, f), f, h, none, false, bits(inf, h)},
		{bits(65519, f), f, h, none, false, bits(65504, h)},
		{bits(70000, f), f, h, zero, false, bits(65504, h)},
		{bits(70000, f), f, h, down, false, bits(65504, h)},
		{bits(70000, f), f, h, up, false, bits(inf, h)},
		{bits(-70000, f), f, h, up, false, bits(-65504, h)},
		{bits(-70000, f), f, h, down, false, bits(-inf, h)},
		{bits(-70000, f), f, h, even, false, bits(-inf, h)},
		{bits(0x1p-25, f), f, h, none, false, 0},
		{bits(0x1p-25, f), f, h, up, false, 1},
		{bits(0x1.8p-24, f), f, h, none, false, 2},
		{bits(-0x1p-30, f), f, h, down, false, 0x8001},
		{bits(-0x1p-30, f), f, h, zero, false, 0x8000},
		{bits(0x1p-149, f), f, d, none, false, bits(0x1p-149, d)},
		{bits(0x1p-150, d), d, f, none, false, 0},
		{bits(0x1p-150, d), d, f, up, false, 1},
		{1<<53 + 1, u64, d, none, false, bits(1<<53, d)},
		{1<<53 + 1, u64, d, up, false, bits(1<<53+2, d)},
		{1<<24 + 1, i32, f, zero, false, bits(1<<24, f)},
		{1<<64 - 1, u64, h, none, false, bits(inf, h)},
		{1<<64 - 1, u64, h, zero, false, bits(65504, h)},
	} {
		if got := ConvertBits(c.v, c.from, c.to, c.mode, c.saturate); got != c.want && !(c.to == h && math.IsNaN(FloatValue(c.want, 16)) && math.IsNaN(FloatValue(got, 16))) {
			t.Errorf("%#x from %s to %s, mode %d, saturate %v: %#x, want %#x", c.v, c.from, c.to, c.mode, c.saturate, got, c.want)
		}
	}
}

// TestConvertBitsAgainstGo compares with the conversions of Go, which are to nearest even among floats and toward zero to integers; and
// holds the other modes to what they promise.
func TestConvertBitsAgainstGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	d, f := ALUType{ClassFloat, 64}, ALUType{ClassFloat, 32}
	i64, u64 := ALUType{ClassInt, 64}, ALUType{ClassUint, 64}
	for range 20000 {
		x := math.Ldexp(r.Float64()*2-1, r.IntN(300)-160)
		v := math.Float64bits(x)
		if got, want := ConvertBits(v, d, f, RoundUndef, false), uint64(math.Float32bits(float32(x))); got != want {
			t.Fatalf("%g to 32 bits: %#x, want %#x", x, got, want)
		}
		lo, hi := FloatValue(ConvertBits(v, d, f, RoundDown, false), 32), FloatValue(ConvertBits(v, d, f, RoundUp, false), 32)
		toZero := FloatValue(ConvertBits(v, d, f, RoundTowardZero, false), 32)
		if lo > x || hi < x || lo != hi && math.Nextafter32(float32(lo), float32(math.Inf(1))) != float32(hi) || math.Abs(toZero) > math.Abs(x) || toZero != lo && toZero != hi {
			t.Fatalf("%g lies between %g and %g, toward zero %g", x, lo, hi, toZero)
		}
		if math.Abs(x) < 1<<62 {
			if got := ConvertBits(v, d, i64, RoundUndef, false); got != uint64(int64(x)) {
				t.Fatalf("%g to an integer: %d", x, int64(got))
			}
		}
		n := r.Uint64() >> r.IntN(64)
		if got := ConvertBits(n, u64, d, RoundNearestEven, false); got != math.Float64bits(float64(n)) {
			t.Fatalf("%d to 64 bits: %g", n, FloatValue(got, 64))
		}
		if got := ConvertBits(n, i64, f, RoundNearestEven, false); got != uint64(math.Float32bits(float32(int64(n)))) {
			t.Fatalf("%d to 32 bits: %g", int64(n), FloatValue(got, 32))
		}
	}
	for _, from := range aluTypes() {
		for _, to := range aluTypes() { // a number that both have is kept
			v := ConvertBits(100, ALUType{ClassInt, 32}, from, RoundUndef, false)
			if got, want := ConvertBits(v, from, to, RoundUndef, false), ConvertBits(100, ALUType{ClassInt, 32}, to, RoundUndef, false); got != want {
				t.Errorf("100 from %s to %s: %#x, want %#x", from, to, got, want)
			}
		}
	}
}
