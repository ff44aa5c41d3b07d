package ir

import (
	"math"
	"math/big"
)

// RoundingMode is the constant index rounding_mode of convert_alu_types.
type RoundingMode uint8

// Rounding modes. RoundUndef leaves the choice: nearest even to floats, toward
// zero to integers.
const (
	RoundUndef RoundingMode = iota
	RoundNearestEven
	RoundUp
	RoundDown
	RoundTowardZero
)

// mantissaBits is the precision of a float of that size, the hidden bit included.
func mantissaBits(bits uint8) uint {
	switch bits {
	case 16:
		return 11
	case 32:
		return 24
	}
	return 53
}

// ConvertBits evaluates convert_alu_types: the value of v, read as type from,
// as a value of type to. Integers too large for an integer result saturate if
// asked for and else lose their high bits; floats always saturate, NaN gives 0.
// It is exact for all pairs of types.
func ConvertBits(v uint64, from, to ALUType, mode RoundingMode, saturate bool) uint64 {
	if from.Class == ClassFloat && math.IsNaN(FloatValue(v, from.Bits)) {
		if to.Class == ClassFloat {
			return FloatBits(math.NaN(), to.Bits)
		}
		return bit(to.Class == ClassBool, 0)
	}
	if from.Class == ClassFloat && math.IsInf(FloatValue(v, from.Bits), 0) && to.Class == ClassFloat {
		return FloatBits(FloatValue(v, from.Bits), to.Bits)
	}
	x := exactValue(v, from)
	switch to.Class {
	case ClassBool:
		return bit(x.Sign() != 0, 0)
	case ClassFloat:
		return roundToFloat(x, from.Class == ClassFloat && FloatBits(FloatValue(v, from.Bits), 64)>>63 != 0, to.Bits, mode)
	}
	n := roundToInt(x, mode)
	if saturate || from.Class == ClassFloat {
		lo, hi := intRange(to)
		if n.Cmp(lo) < 0 {
			n = lo
		} else if n.Cmp(hi) > 0 {
			n = hi
		}
	}
	two := new(big.Int).Lsh(big.NewInt(1), uint(to.Bits))
	return new(big.Int).Mod(n, two).Uint64()
}

// exactValue returns the number that v stands for; infinities as ones beyond
// every integer type.
func exactValue(v uint64, t ALUType) *big.Float {
	x := new(big.Float).SetPrec(2200)
	switch t.Class {
	case ClassFloat:
		f := FloatValue(v, t.Bits)
		if math.IsInf(f, 0) {
			f = math.Copysign(math.MaxFloat64, f)
		}
		return x.SetFloat64(f)
	case ClassInt:
		return x.SetInt64(int64(v<<(64-t.Bits)) >> (64 - t.Bits))
	}
	return x.SetUint64(v << (64 - t.Bits) >> (64 - t.Bits))
}

// Round rounds x to a whole number by mode. RoundTowardZero and the lack of a mode leave it: the operations that convert floats to
// integers cut the fraction off themselves.
func (b *Builder) Round(x *Def, mode RoundingMode) *Def {
	switch mode {
	case RoundNearestEven:
		return b.FroundEven(x)
	case RoundUp:
		return b.Fceil(x)
	case RoundDown:
		return b.Ffloor(x)
	}
	return x
}

// roundToInt returns the integer that x rounds to.
func roundToInt(x *big.Float, mode RoundingMode) *big.Int {
	n, _ := x.Int(nil) // toward zero
	rest := new(big.Float).Sub(x, new(big.Float).SetPrec(2200).SetInt(n))
	away := false
	switch mode {
	case RoundNearestEven:
		c := new(big.Float).Abs(rest).Cmp(big.NewFloat(0.5))
		away = c > 0 || c == 0 && n.Bit(0) == 1
	case RoundUp:
		away = rest.Sign() > 0
	case RoundDown:
		away = rest.Sign() < 0
	}
	if away {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	return n
}

// roundToFloat returns the bits of the float that x rounds to; negative gives
// zero its sign.
func roundToFloat(x *big.Float, negative bool, bits uint8, mode RoundingMode) uint64 {
	if x.Sign() == 0 {
		return bit(negative, uint(bits)-1)
	}
	m := mantissaBits(bits)
	least := map[uint8]int{16: -24, 32: -149, 64: -1074}[bits]
	max := largestFloat(bits)
	// In units of the last place, the number is rounded to an integer.
	unit := x.MantExp(nil) - int(m)
	if unit < least {
		unit = least
	}
	if mode == RoundUndef {
		mode = RoundNearestEven
	}
	scaled := new(big.Float).SetMantExp(x, -unit)
	n := roundToInt(scaled, mode)
	y := new(big.Float).SetMantExp(new(big.Float).SetPrec(2200).SetInt(n), unit)
	if new(big.Float).Abs(y).Cmp(max) > 0 {
		toward := mode == RoundTowardZero || mode == RoundUp && x.Sign() < 0 || mode == RoundDown && x.Sign() > 0
		f, _ := max.Float64()
		if !toward {
			f = math.Inf(1)
		}
		return FloatBits(math.Copysign(f, float64(x.Sign())), bits)
	}
	f, _ := y.Float64()
	return FloatBits(math.Copysign(f, float64(x.Sign())), bits)
}

// largestFloat returns the largest finite value of a float size.
func largestFloat(bits uint8) *big.Float {
	top := map[uint8]int{16: 16, 32: 128, 64: 1024}[bits]
	one := big.NewFloat(1)
	all := new(big.Float).SetPrec(2200).SetMantExp(one, top)
	return all.Sub(all, new(big.Float).SetMantExp(one, top-int(mantissaBits(bits))))
}

// intRange returns the limits of an integer type.
func intRange(t ALUType) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if t.Class == ClassUint {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(t.Bits)), one)
	}
	half := new(big.Int).Lsh(one, uint(t.Bits)-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}
