package core

import (
	"math"
	"math/big"
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
)

// aluFn computes one lane: raw operands and result of n bits.
type aluFn func(n uint, r isa.Round, a, b uint64) uint64

func mask(n uint) uint64 { return ^uint64(0) >> (64 - n) }

func sx(n uint, v uint64) int64 { return int64(v<<(64-n)) >> (64 - n) }

func truth(n uint, c bool) uint64 {
	if c {
		return mask(n)
	}
	return 0
}

// aluFns holds the operations of one lane. Reductions and selects are made of
// them elsewhere.
var aluFns = lazy.Value[*aluTable]{Make: makeALU}

// aluTable has a function for each opcode that computes.
type aluTable [256]aluFn

func floatFn(f func(a, b float64) (v, err float64)) aluFn {
	return func(n uint, r isa.Round, a, b uint64) uint64 {
		v, err := f(toF(n, a), toF(n, b))
		return fromF(n, r, v, err)
	}
}

func unaryFn(f func(a float64) float64) aluFn {
	return func(n uint, _ isa.Round, a, _ uint64) uint64 { return fromF(n, isa.RoundE, f(toF(n, a)), 0) }
}

func compareFn(f func(a, b float64) bool) aluFn {
	return func(n uint, _ isa.Round, a, b uint64) uint64 { return truth(n, f(toF(n, a), toF(n, b))) }
}

func intFn(f func(n uint, a, b uint64) uint64) aluFn {
	return func(n uint, _ isa.Round, a, b uint64) uint64 { return f(n, a, b) }
}

func makeALU() *aluTable {
	t := new(aluTable)
	t.floats()
	t.ints()
	t.comparisons()
	// A known opcode with a suffix computes as its base does.
	for _, base := range [...]isa.Op{isa.OpFadd, isa.OpFmul, isa.OpFmov, isa.OpF2i, isa.OpF2u, isa.OpI2f, isa.OpU2f} {
		for k := isa.Op(1); k < 4; k++ {
			t[base+k] = t[base]
		}
	}
	return t
}

// fast32 are operations on 32-bit floats that round to nearest as Go does.
var fast32 = [256]aluFn{
	isa.OpFadd: func(_ uint, _ isa.Round, a, b uint64) uint64 { return uint64(fbits(f32(uint32(a)) + f32(uint32(b)))) },
	isa.OpFmul: func(_ uint, _ isa.Round, a, b uint64) uint64 { return uint64(fbits(f32(uint32(a)) * f32(uint32(b)))) },
	isa.OpFeq:  func(_ uint, _ isa.Round, a, b uint64) uint64 { return truth(32, f32(uint32(a)) == f32(uint32(b))) },
	isa.OpFlt:  func(_ uint, _ isa.Round, a, b uint64) uint64 { return truth(32, f32(uint32(a)) < f32(uint32(b))) },
	isa.OpFle:  func(_ uint, _ isa.Round, a, b uint64) uint64 { return truth(32, f32(uint32(a)) <= f32(uint32(b))) },
}

func mul(a, b float64) (float64, float64) {
	p := a * b
	return p, math.FMA(a, b, -p)
}

func (t *aluTable) floats() {
	t[isa.OpFadd] = floatFn(twoSum)
	t[isa.OpFmul] = floatFn(mul)
	for i, nan := range [...]bool{false, true} {
		k := isa.Op(i)
		t[isa.OpFmin+k] = minmax(false, nan, false)
		t[isa.OpFabsmin+k] = minmax(false, nan, true)
		t[isa.OpFmax+k] = minmax(true, nan, false)
		t[isa.OpFabsmax+k] = minmax(true, nan, true)
	}
	t[isa.OpFmov] = func(_ uint, _ isa.Round, _, b uint64) uint64 { return b }
	for op, f := range map[isa.Op]func(float64) float64{
		isa.OpFroundeven: math.RoundToEven, isa.OpFtrunc: math.Trunc, isa.OpFfloor: math.Floor, isa.OpFceil: math.Ceil,
		isa.OpFroundaway: math.Round,
	} {
		t[op] = unaryFn(f)
	}
	for op, f := range lutOps.Get() {
		t[op] = unaryFn(f.F)
	}
	t[isa.OpF2i] = func(n uint, r isa.Round, a, _ uint64) uint64 {
		top := math.Ldexp(1, int(n)-1)
		return toInt(integral(r, toF(n, a)), -top, top) & mask(n)
	}
	t[isa.OpF2u] = func(n uint, r isa.Round, a, _ uint64) uint64 {
		return toInt(integral(r, toF(n, a)), 0, math.Ldexp(1, int(n))) & mask(n)
	}
	t[isa.OpI2f] = func(n uint, r isa.Round, a, _ uint64) uint64 {
		v := sx(n, a)
		if n <= 32 {
			return fromF(n, r, float64(v), 0)
		}
		return intToF(n, r, new(big.Float).SetInt64(v), float64(v))
	}
	t[isa.OpU2f] = func(n uint, r isa.Round, a, _ uint64) uint64 {
		if n <= 32 {
			return fromF(n, r, float64(a), 0)
		}
		return intToF(n, r, new(big.Float).SetUint64(a), float64(a))
	}
}

// minmax makes min and max: without nan a single NaN is ignored.
func minmax(larger, nan, abs bool) aluFn {
	return func(n uint, _ isa.Round, a, b uint64) uint64 {
		if abs {
			a, b = a&mask(n-1), b&mask(n-1)
		}
		x, y := toF(n, a), toF(n, b)
		switch {
		case x != x:
			if nan {
				return a
			}
			return b
		case y != y:
			if nan {
				return b
			}
			return a
		}
		less := x < y || x == y && math.Signbit(x)
		if less != larger {
			return a
		}
		return b
	}
}

func integral(r isa.Round, v float64) float64 {
	switch r {
	case isa.RoundZ:
		return math.Trunc(v)
	case isa.RoundN:
		return math.Floor(v)
	case isa.RoundP:
		return math.Ceil(v)
	}
	return math.RoundToEven(v)
}

// toInt converts an integral value of [lo, hi). What hardware makes of others, and of NaN, nobody has written down: here it
// is nothing that code could count on (midgard.md §4.2).
func toInt(v, lo, hi float64) uint64 {
	const garbage = 0x5a5a5a5a5a5a5a5a
	switch {
	case v != v:
		return garbage + 1
	case v >= hi:
		return garbage
	case v < lo:
		return garbage - 1
	case v < 0:
		return uint64(int64(v))
	}
	return uint64(v)
}

// intToF rounds an integer, whose nearest float64 is v.
func intToF(n uint, r isa.Round, exact *big.Float, v float64) uint64 {
	rest, _ := new(big.Float).Sub(exact, big.NewFloat(v)).Float64()
	return fromF(n, r, v, rest)
}

func (t *aluTable) comparisons() {
	eq := func(a, b float64) bool { return a == b }
	ne := func(a, b float64) bool { return a != b }
	lt := func(a, b float64) bool { return a < b }
	le := func(a, b float64) bool { return a <= b }
	for i, f := range [...]func(a, b float64) bool{eq, ne, lt, le} {
		k := isa.Op(i)
		t[isa.OpFeq+k] = compareFn(f)
		t[isa.OpFballEq+k], t[isa.OpFbanyEq+k] = t[isa.OpFeq+k], t[isa.OpFeq+k]
	}
	for i, f := range [...]func(n uint, a, b uint64) bool{
		func(_ uint, a, b uint64) bool { return a == b },
		func(_ uint, a, b uint64) bool { return a != b },
		func(_ uint, a, b uint64) bool { return a < b },
		func(_ uint, a, b uint64) bool { return a <= b },
		func(n uint, a, b uint64) bool { return sx(n, a) < sx(n, b) },
		func(n uint, a, b uint64) bool { return sx(n, a) <= sx(n, b) },
	} {
		k := isa.Op(i)
		t[isa.OpIeq+k] = intFn(func(n uint, a, b uint64) uint64 { return truth(n, f(n, a, b)) })
		t[isa.OpIballIeq+k], t[isa.OpIbanyIeq+k] = t[isa.OpIeq+k], t[isa.OpIeq+k]
	}
}

func (t *aluTable) ints() {
	for op, f := range map[isa.Op]func(n uint, a, b uint64) uint64{
		isa.OpIadd:    func(_ uint, a, b uint64) uint64 { return a + b },
		isa.OpIshladd: func(_ uint, a, b uint64) uint64 { return a<<1 + b },
		isa.OpIsub:    func(_ uint, a, b uint64) uint64 { return a - b },
		isa.OpIshlsub: func(_ uint, a, b uint64) uint64 { return a<<1 - b },
		isa.OpImul:    func(_ uint, a, b uint64) uint64 { return a * b },
		isa.OpIaddsat: addSat, isa.OpUaddsat: uaddSat, isa.OpIsubsat: subSat, isa.OpUsubsat: usubSat,
		isa.OpImin: func(n uint, a, b uint64) uint64 { return pick(sx(n, a) < sx(n, b), a, b) },
		isa.OpUmin: func(_ uint, a, b uint64) uint64 { return min(a, b) },
		isa.OpImax: func(n uint, a, b uint64) uint64 { return pick(sx(n, a) > sx(n, b), a, b) },
		isa.OpUmax: func(_ uint, a, b uint64) uint64 { return max(a, b) },
		// The averages without overflow: common bits plus half the others.
		isa.OpIavg:  func(n uint, a, b uint64) uint64 { return a&b + uint64(sx(n, a^b)>>1) },
		isa.OpUavg:  func(_ uint, a, b uint64) uint64 { return a&b + (a^b)>>1 },
		isa.OpIravg: func(n uint, a, b uint64) uint64 { return (a | b) - uint64(sx(n, a^b)>>1) },
		isa.OpUravg: func(_ uint, a, b uint64) uint64 { return (a | b) - (a^b)>>1 },
		isa.OpIasr:  func(n uint, a, b uint64) uint64 { return uint64(sx(n, a) >> (b % uint64(n))) },
		isa.OpIlsr:  func(n uint, a, b uint64) uint64 { return a >> (b % uint64(n)) },
		isa.OpIshl:  func(n uint, a, b uint64) uint64 { return a << (b % uint64(n)) },
		isa.OpIshlsat: func(n uint, a, b uint64) uint64 {
			s := b % uint64(n)
			if v := sx(n, a<<s&mask(n)); v>>s == sx(n, a) {
				return uint64(v)
			}
			return limit(n, sx(n, a) < 0)
		},
		isa.OpUshlsat: func(n uint, a, b uint64) uint64 {
			s := b % uint64(n)
			if v := a << s & mask(n); v>>s == a {
				return v
			}
			return mask(n)
		},
		isa.OpIand:     func(_ uint, a, b uint64) uint64 { return a & b },
		isa.OpIor:      func(_ uint, a, b uint64) uint64 { return a | b },
		isa.OpInand:    func(_ uint, a, b uint64) uint64 { return ^(a & b) },
		isa.OpInor:     func(_ uint, a, b uint64) uint64 { return ^(a | b) },
		isa.OpIandnot:  func(_ uint, a, b uint64) uint64 { return a &^ b },
		isa.OpIornot:   func(_ uint, a, b uint64) uint64 { return a | ^b },
		isa.OpIxor:     func(_ uint, a, b uint64) uint64 { return a ^ b },
		isa.OpInxor:    func(_ uint, a, b uint64) uint64 { return ^(a ^ b) },
		isa.OpIclz:     func(n uint, a, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a)) - uint64(64-n) },
		isa.OpIpopcnt:  func(_ uint, a, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) },
		isa.OpImov:     func(_ uint, _, b uint64) uint64 { return b },
		isa.OpIabsdiff: func(n uint, a, b uint64) uint64 { return pick(sx(n, a) < sx(n, b), b-a, a-b) },
		isa.OpUabsdiff: func(_ uint, a, b uint64) uint64 { return pick(a < b, b-a, a-b) },
	} {
		t[op] = func(n uint, _ isa.Round, a, b uint64) uint64 { return f(n, a, b) & mask(n) }
	}
}

func pick(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}

// limit is the largest or the smallest signed number of n bits.
func limit(n uint, negative bool) uint64 {
	if negative {
		return 1 << (n - 1)
	}
	return mask(n - 1)
}

func addSat(n uint, a, b uint64) uint64 {
	v := a + b
	if (a^v)&(b^v)>>(n-1)&1 != 0 {
		return limit(n, sx(n, a) < 0)
	}
	return v
}

func subSat(n uint, a, b uint64) uint64 {
	v := a - b
	if (a^b)&(a^v)>>(n-1)&1 != 0 {
		return limit(n, sx(n, a) < 0)
	}
	return v
}

func uaddSat(n uint, a, b uint64) uint64 {
	if v := (a + b) & mask(n); v >= a {
		return v
	}
	return mask(n)
}

func usubSat(_ uint, a, b uint64) uint64 {
	if a < b {
		return 0
	}
	return a - b
}
