package core

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// randomFloat covers all exponents evenly, and some specials.
func randomFloat(r *rand.Rand) float32 {
	switch r.Intn(20) {
	case 0:
		return float32(math.Inf(1 - 2*r.Intn(2)))
	case 1:
		return float32(r.Intn(5)) - 2
	case 2:
		return 65504 + float32(r.Intn(64))
	}
	return math.Float32frombits(r.Uint32())
}

// TestRounding: every direction gives one of the neighbours of the exact value,
// on the right side.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 200000 {
		v := randomFloat(r)
		if v != v {
			continue
		}
		if got, want := roundHalf(isa.RoundE, float64(v), 0), emu.FloatToHalf(v); got != want {
			t.Fatalf("half of %v: %#x, want %#x", v, got, want)
		}
		lo := toF(16, uint64(roundHalf(isa.RoundN, float64(v), 0)))
		hi := toF(16, uint64(roundHalf(isa.RoundP, float64(v), 0)))
		z := toF(16, uint64(roundHalf(isa.RoundZ, float64(v), 0)))
		if lo > float64(v) || hi < float64(v) || lo == float64(v) != (hi == float64(v)) {
			t.Fatalf("halves around %v: %v, %v", v, lo, hi)
		}
		if want := map[bool]float64{true: lo, false: hi}[v > 0]; z != want && v != 0 {
			t.Fatalf("half of %v toward zero: %v, want %v", v, z, want)
		}
	}
}

// TestDirectedSums compares sums and products in all directions with exact
// ones.
func TestDirectedSums(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	modes := [4]big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToNegativeInf, big.ToPositiveInf}
	for range 100000 {
		a, b := float32(math.Ldexp(r.Float64()-0.5, r.Intn(60)-30)), float32(math.Ldexp(r.Float64()-0.5, r.Intn(60)-30))
		x, y := new(big.Float).SetPrec(600).SetFloat64(float64(a)), new(big.Float).SetPrec(600).SetFloat64(float64(b))
		for op, exact := range map[isa.Op]*big.Float{
			isa.OpFadd: new(big.Float).SetPrec(600).Add(x, y), isa.OpFmul: new(big.Float).SetPrec(600).Mul(x, y)} {
			for k, mode := range modes {
				want, _ := new(big.Float).SetPrec(24).SetMode(mode).Set(exact).Float32()
				o := op + isa.Op(k)
				got := math.Float32frombits(uint32(aluFns.Get()[o](32, o.Info().Round, uint64(fbits(a)), uint64(fbits(b)))))
				if got != want {
					t.Fatalf("%s(%v, %v) = %v, want %v", o, a, b, got, want)
				}
			}
		}
	}
}

// TestFastOps: the short ways give what the long ones give.
func TestFastOps(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for op := range fast32 {
		if fast32[op] == nil {
			continue
		}
		for range 20000 {
			a, b := uint64(fbits(randomFloat(r))), uint64(fbits(randomFloat(r)))
			x, y := aluFns.Get()[op](32, isa.RoundE, a, b), fast32[op](32, isa.RoundE, a, b)
			if x != y && (toF(32, x) == toF(32, x) || toF(32, y) == toF(32, y)) {
				t.Fatalf("%s(%#x, %#x): %#x and %#x", isa.Op(op), a, b, x, y)
			}
		}
	}
}
