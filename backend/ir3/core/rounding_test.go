package core

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"nirc/backend/ir3/isa"
)

// TestToSingle rounds doubles by each mode as arbitrary precision does.
func TestToSingle(t *testing.T) {
	modes := map[isa.Round]big.RoundingMode{isa.RoundEven: big.ToNearestEven, isa.RoundZero: big.ToZero, isa.RoundPosInf: big.ToPositiveInf, isa.RoundNegInf: big.ToNegativeInf}
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		f := math.Ldexp(r.Float64()-0.5, r.IntN(200)-100)
		if r.IntN(4) == 0 {
			f = float64(float32(f))
		}
		for mode, m := range modes {
			want, _ := new(big.Float).SetPrec(24).SetMode(m).SetFloat64(f).Float32()
			if got := toSingle(f, mode); got != math.Float32bits(want) {
				t.Fatalf("%g by mode %d: %#x, want %#x", f, mode, got, math.Float32bits(want))
			}
		}
	}
	if got := toSingle(math.NaN(), isa.RoundZero); !math.IsNaN(float64(math.Float32frombits(got))) {
		t.Errorf("NaN is rounded to %#x", got)
	}
}

// TestCountsAndLimits: leading zeros and saturation of both sizes.
func TestCountsAndLimits(t *testing.T) {
	for k := range 32 {
		if got := clz(1<<k, 0); got != uint32(31-k) {
			t.Errorf("clz of bit %d: %d", k, got)
		}
		if got := clz(1<<k, 16); k < 16 && got != uint32(15-k) {
			t.Errorf("clz of bit %d of 16: %d", k, got)
		}
	}
	if clz(0, 0) != 0xffffffff || clz(0, 16) != 0xffffffff {
		t.Error("clz of 0")
	}
	for _, c := range []struct {
		ext     uint
		v, want int64
	}{{0, 1 << 31, 1<<31 - 1}, {0, -1<<31 - 1, -1 << 31}, {0, 5, 5}, {16, 1 << 15, 1<<15 - 1}, {16, -1<<15 - 1, -1 << 15}, {16, -1 << 15, -1 << 15}} {
		if got := (&inst{ext: c.ext}).satS(c.v); got != c.want {
			t.Errorf("%d of %d bits: %d, want %d", c.v, 32-c.ext, got, c.want)
		}
	}
	if s24(0x7fffff) != 0x7fffff || s24(0x800000) != -0x800000 || s24(-1) != -1 {
		t.Error("signs of 24 bits")
	}
}
