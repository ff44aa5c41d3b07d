package core

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"nirc/backend/agx/isa"
)

// exactFma rounds a*b+c by big numbers.
func exactFma(a, b, c float64, half bool) uint32 {
	p := new(big.Float).SetPrec(600)
	p.Mul(big.NewFloat(a).SetPrec(300), big.NewFloat(b).SetPrec(300))
	p.Add(p, new(big.Float).SetPrec(600).SetFloat64(c))
	if p.Sign() == 0 {
		return 0
	}
	if half {
		// To a multiple of the last bit, by hand: big has no f16.
		e := max(p.MantExp(nil)-11, -24)
		q := new(big.Float).SetMantExp(p, -e)
		n, _ := q.Int(nil)
		rest, _ := new(big.Float).Sub(q, new(big.Float).SetInt(n)).Float64()
		v := float64(n.Int64())
		if r := math.Abs(rest); r > 0.5 || r == 0.5 && n.Bit(0) != 0 {
			v += math.Copysign(1, rest)
		}
		return round16(math.Ldexp(v, e))
	}
	if lim := big.NewFloat(minNormal); new(big.Float).Abs(p).Cmp(lim) < 0 {
		return uint32(p.Sign()) & 0x80000000
	}
	f, _ := p.Float32()
	return fbits(f)
}

// anyFloat is a number of any size, or one of few digits, near 1, or near the smallest.
func anyFloat(r *rand.Rand) uint32 {
	u := r.Uint32()
	switch r.Intn(4) {
	case 0:
		u = u&0x807fffff | uint32(120+r.Intn(16))<<23
	case 1:
		u &= 0xff000000 | 0xffe<<r.Intn(13)
	case 2:
		u = u&0x807fffff | uint32(1+r.Intn(70))<<23
	}
	if u>>23&255 == 255 {
		u ^= 1 << 30
	}
	return ftz(u)
}

// TestSums: sums, differences and products of any numbers are rounded once, as big numbers say, of those too whose digits lie just where a float's end.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 60000 {
		a, b := anyFloat(r), anyFloat(r)
		if e := a >> 23 & 255; r.Intn(2) == 0 && e > 30 { // halfway, or nearly: half of the last digit of a, and something
			b = b&0x80000000 | (e-24-uint32(r.Intn(3)))<<23 | b&(1<<r.Intn(24)-1)
		}
		var sum, product vec
		addLanes(&sum, &vec{a}, &vec{b}, nil)
		mulLanes(&product, &vec{a}, &vec{b}, nil)
		for _, c := range []struct {
			name           string
			got, alone     uint32
			x, times, with float64
		}{{"sum", sum[0], add32(a, b, 0), wideF(a), 1, wideF(b)}, {"product", product[0], mul32(a, b, 0), wideF(a), wideF(b), 0}} {
			if want := exactFma(c.x, c.times, c.with, false); (c.got != want || c.alone != want) && c.got<<1|want<<1 != 0 {
				t.Fatalf("the %s of %x and %x is %x, alone %x, want %x", c.name, a, b, c.got, c.alone, want)
			}
		}
	}
}

func TestFma(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	value := func() uint32 { return anyFloat(r) }
	for i := 0; i < 60000; i++ {
		a, b, c := value(), value(), value()
		want := exactFma(wideF(a), wideF(b), wideF(c), false)
		var res vec
		fmaLanes(&res, &vec{a}, &vec{b}, &vec{c})
		if got := res[0]; got != want && got<<1|want<<1 != 0 {
			t.Fatalf("fma(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
		ha, hb, hc := uint32(r.Intn(0x7c00)), uint32(r.Intn(0x7c00))|0x8000, uint32(r.Intn(0x7c00))
		a, b, c = halfToSingle(ha), halfToSingle(hb), halfToSingle(hc)
		want = exactFma(wideF(a), wideF(b), wideF(c), true)
		if got := fma16(a, b, c); got != want && got<<17|want<<17 != 0 {
			t.Fatalf("fma16(%x, %x, %x) = %x, want %x", ha, hb, hc, got, want)
		}
	}
}

// TestHalf: all f16 survive; rounding goes to the nearest, ties to even.
func TestHalf(t *testing.T) {
	for h := uint32(0); h < 1<<16; h++ {
		if h&0x7c00 == 0x7c00 && h&0x3ff != 0 {
			continue
		}
		f := wideF(halfToSingle(h))
		if got := round16(f); got != h {
			t.Fatalf("%#x widens to %v, which rounds to %#x", h, f, got)
		}
		if h&0x7fff >= 0x7bff {
			continue
		}
		next := wideF(halfToSingle(h + 1))
		if got, want := round16((f+next)/2), h+h&1; got != want {
			t.Fatalf("between %#x and the next: %#x, want %#x", h, got, want)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, negInf := uint32(0x7f800000), uint32(0xff800000)
	negZero := uint32(1 << 31)
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"rcp(inf)", approx32(isa.OpRcp, inf), 0}, {"rcp(-0)", approx32(isa.OpRcp, negZero), negInf}, {"rcp(2)", approx32(isa.OpRcp, fbits(2)), fbits(0.5)},
		{"rcp of a large number", approx32(isa.OpRcp, fbits(0x1.8p127)), 0},
		{"rsqrt(0)", approx32(isa.OpRsqrt, 0), inf}, {"rsqrt(4)", approx32(isa.OpRsqrt, fbits(4)), fbits(0.5)}, {"rsqrt(-1)", approx32(isa.OpRsqrt, fbits(-1)), nan32},
		{"rsqrt_special(0)", approx32(isa.OpRsqrtSpecial, 0), fbits(1)}, {"rsqrt_special(inf)", approx32(isa.OpRsqrtSpecial, inf), fbits(1)},
		{"log2(0)", approx32(isa.OpLog2, 0), negInf}, {"log2(8)", approx32(isa.OpLog2, fbits(8)), fbits(3)}, {"log2(-1)", approx32(isa.OpLog2, fbits(-1)), nan32},
		{"exp2(-150)", approx32(isa.OpExp2, fbits(-150)), 0}, {"exp2(3)", approx32(isa.OpExp2, fbits(3)), fbits(8)}, {"exp2(inf)", approx32(isa.OpExp2, inf), inf},
		{"floor(-0)", floor32(negZero), negZero}, {"ceil(-0.5)", ceil32(fbits(-0.5)), negZero}, {"rint(2.5)", rint32(fbits(2.5)), fbits(2)},
		{"-0 * 1", mul32(negZero, fbits(1), 0), negZero}, {"-0 + -0", add32(negZero, negZero, 0), negZero}, {"1 - 1", add32(fbits(1), fbits(-1), 0), 0},
		{"sat NaN", saturate32(nan32), 0}, {"sat -0", saturate32(negZero), 0}, {"sat 2", saturate32(fbits(2)), fbits(1)}, {"sat16", saturate16(0xbc00), 0},
		{"f_to_u32(-1)", floatToInt(isa.FToU32, -1, isa.RoundZero), 0}, {"f_to_s16 of a large number", floatToInt(isa.FToS16, 1e9, isa.RoundZero), 32767},
		{"f_to_u32 rounded", floatToInt(isa.FToU32, 2.5, isa.RoundEven), 2}, {"f_to_s32(NaN)", floatToInt(isa.FToS32, math.NaN(), 0), 0},
		{"u32_to_f, rte", intToFloat(16777219, 32, isa.RoundEven), fbits(16777220)}, {"u32_to_f, rtz", intToFloat(16777219, 32, isa.RoundZero), fbits(16777218)},
		{"u32_to_f16, rtz", intToFloat(70000, 16, isa.RoundZero), 0x7bff},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, c.got, c.want)
		}
	}
	for q := 0.0; q < 4; q += 1.0 / 64 {
		p := sinPt1(fbits(float32(q)))
		s := wideF(p) * wideF(approx32(isa.OpSinPt2, p))
		if !(math.Abs(s-math.Sin(q*math.Pi/2)) <= 1e-6) {
			t.Errorf("sine of %v quadrants: %v", q, s)
		}
	}
}

// TestFormats: what is stored in a format and loaded comes back.
func TestFormats(t *testing.T) {
	for _, f := range []isa.Format{isa.FormatU8Norm, isa.FormatS8Norm, isa.FormatU16Norm, isa.FormatS16Norm, isa.FormatSRGBA8, isa.FormatF16} {
		for v := uint32(0); v < 1<<(8*f.Size()); v++ {
			want := v
			switch {
			case f == isa.FormatS8Norm && v == 0x80:
				want = 0x81
			case f == isa.FormatS16Norm && v == 0x8000:
				want = 0x8001
			}
			bits := fromMemory(f, 32, 0, v)
			if f == isa.FormatF16 {
				if v&0x7c00 == 0x7c00 && v&0x3ff != 0 {
					continue
				}
				bits = halfToSingle(bits) // f16 is loaded as it is
			}
			if got := toMemory(f, 32, 0, bits) & (1<<(8*f.Size()) - 1); got != want {
				t.Fatalf("%s: %#x comes back as %#x", f, v, got)
			}
		}
	}
	r := rand.New(rand.NewSource(2))
	for _, f := range []isa.Format{isa.FormatRGB10A2, isa.FormatRG11B10F, isa.FormatRG11B10FTrunc} {
		for i := 0; i < 20000; i++ {
			v := r.Uint32()
			c := unpackFloats(f, v)
			if c[0] != c[0] || c[1] != c[1] || c[2] != c[2] {
				continue
			}
			if got := packFloats(f, &c); got != v {
				t.Fatalf("%s: %#x (%v) comes back as %#x", f, v, c, got)
			}
		}
	}
	for i := 0; i < 20000; i++ {
		v := r.Uint32() | 1<<8 // the first mantissa has its top bit
		c := unpackFloats(isa.FormatRGB9E5, v)
		if got := packFloats(isa.FormatRGB9E5, &c); got != v {
			t.Fatalf("rgb9e5: %#x (%v) comes back as %#x", v, c, got)
		}
	}
	if got := smallFloat(1+1.0/128+1e-9, 6, false); got != 15<<6|1 {
		t.Errorf("a bit above the middle rounds to %#x", got)
	}
	if got := smallFloat(math.NaN(), 6, false); got != 31<<6|1<<5 {
		t.Errorf("not a number is %#x", got)
	}
	if got := smallFloat(math.Inf(1), 5, true); got != 31<<5 {
		t.Errorf("infinity is %#x", got)
	}
	if got := smallFloat(1e9, 6, true); got != 31<<6-1 {
		t.Errorf("a large number truncates to %#x", got)
	}
}

// approx32 is the rounded result of an approximate operation.
func approx32(op isa.Op, a uint32) uint32 { return round32(approxOps.Get()[op].At(0, 32, wideF(a))) }
