package exec

import (
	"math"
	"math/big"
)

// remainderKernels divide numbers of all sizes by each other.
func remainderKernels(one func(uint32) [3]uint32) []kernelCase {
	const n = 96
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 3, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32 * 5, 0x1p-126, 0x1.fffffep-1, 2, 0x1p100}
	number := func(i int) float64 {
		if i%3 == 0 {
			return odd[mixed(i)>>3%uint32(len(odd))]
		}
		return math.Ldexp(float64(int32(mixed(i*7))), int(mixed(i*5)%230)-150)
	}
	floats := func(from int) []float32 {
		return sequence(2*n, func(i int) float32 {
			if i%8 == 5 && from > 0 { // near to x, or half of it: where the nearest multiple is close
				return float32(number(i)) * []float32{0.5, 1, 0.25, 2, 1. / 3, 0x1.000002p0}[i/8%6]
			}
			return float32(number(i + from))
		})
	}
	doubles := func(from int) []float64 {
		return sequence(n, func(i int) float64 {
			if i%4 == 1 {
				return math.Float64frombits(uint64(mixed(i+from))<<32 | uint64(mixed(i*3+from)))
			}
			return number(i+from) * (1 + float64(mixed(i))*0x1p-52)
		})
	}
	halves := func(from int) []uint16 { return sequence(n, func(i int) uint16 { return uint16(mixed(i+from) >> 5) }) }
	return []kernelCase{{name: "remainders", groups: one(n / 8), size: one(8), want: wantRemainders, args: []Arg{
		{Data: make([]byte, 24*n)}, {Data: make([]byte, 8*n)}, data(floats(0)...), data(floats(1000)...),
		{Data: make([]byte, 24*n)}, {Data: make([]byte, 4*n)}, data(doubles(0)...), data(doubles(500)...),
		{Data: make([]byte, 4*n)}, data(halves(0)...), data(halves(777)...),
	}}}
}

// rests are fmod and remainder of two numbers, and remquo's quotient, by rational numbers.
func rests(x, y float64) (mod, near float64, quotient int32) {
	switch {
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || y == 0:
		return math.NaN(), math.NaN(), 0
	case math.IsInf(y, 0):
		return x, x, 0
	}
	a, b := new(big.Rat).SetFloat64(math.Abs(x)), new(big.Rat).SetFloat64(math.Abs(y))
	q := new(big.Rat).Quo(a, b)
	whole := new(big.Int).Quo(q.Num(), q.Denom())
	rest := new(big.Rat).Sub(a, new(big.Rat).Mul(b, new(big.Rat).SetInt(whole)))
	mod, _ = rest.Float64()
	near = mod
	if c := new(big.Rat).Add(rest, rest).Cmp(b); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
		near, _ = rest.Sub(rest, b).Float64()
	}
	quotient = int32(new(big.Int).And(whole, big.NewInt(127)).Int64())
	if math.Signbit(x) != math.Signbit(y) {
		quotient = -quotient
	}
	if math.Signbit(x) {
		mod, near = -mod, -near
	}
	return mod, near, quotient
}

// quiet is x, or the number that is none which results are.
func quiet(x float64) float32 {
	if x != x {
		return math.Float32frombits(0x7fc00000)
	}
	return float32(x)
}

func wantRemainders(a []Arg) map[int][]byte {
	x, y := get[float32](a[2].Data), get[float32](a[3].Data)
	var floats []float32
	var quotients, long []int32
	for i := 0; i < len(x); i += 2 {
		mod, near, q := rests(float64(x[i]), float64(y[i]))
		mod2, near2, q2 := rests(float64(x[i+1]), float64(y[i+1]))
		floats = append(floats, quiet(mod), quiet(mod2), quiet(near), quiet(near2), quiet(near), quiet(near2))
		quotients = append(quotients, q, q2)
	}
	z, w := get[float64](a[6].Data), get[float64](a[7].Data)
	var doubles []uint64
	for i := range z {
		mod, near, q := rests(z[i], w[i])
		for _, d := range []float64{mod, near, near} {
			bits := math.Float64bits(d)
			if d != d {
				bits = 0x7ff8000000000000
			}
			doubles = append(doubles, bits)
		}
		long = append(long, q)
	}
	h, k := get[uint16](a[9].Data), get[uint16](a[10].Data)
	var halves []uint16
	for i := range h {
		mod, near, _ := rests(halfValue(h[i]), halfValue(k[i]))
		halves = append(halves, halfBits(mod), halfBits(near))
	}
	return map[int][]byte{0: put(floats...), 1: put(quotients...), 4: put(doubles...), 5: put(long...), 8: put(halves...)}
}

// halfValue is the number that 16 bits are.
func halfValue(h uint16) float64 {
	f, e := float64(h&0x3ff), int(h>>10&31)
	switch {
	case e == 31 && f != 0:
		return math.NaN()
	case e == 31:
		f = math.Inf(1)
	case e > 0:
		f += 1 << 10
	}
	return math.Copysign(math.Ldexp(f, max(e, 1)-25), map[bool]float64{true: -1, false: 1}[h>>15 != 0])
}

// halfBits is the reverse, of numbers that have 16 bits exactly.
func halfBits(x float64) uint16 {
	for h := range 1 << 16 {
		if v := halfValue(uint16(h)); v == x && math.Signbit(v) == math.Signbit(x) {
			return uint16(h)
		}
	}
	return 0x7e00
}
