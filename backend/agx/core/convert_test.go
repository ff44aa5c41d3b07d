package core

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"nirc/backend/agx/isa"
)

// conversion is a mode of convert: the integer's width and sign, and which way it goes (agx.md §5.6).
type conversion struct {
	name     string
	bits     uint
	signed   bool
	integers bool // it gives integers
}

var conversions = []conversion{
	{"u8_to_f", 8, false, false}, {"s8_to_f", 8, true, false}, {"u16_to_f", 16, false, false}, {"s16_to_f", 16, true, false}, {"u32_to_f", 32, false, false}, {"s32_to_f", 32, true, false},
	{"f_to_u16", 16, false, true}, {"f_to_s16", 16, true, true}, {"f_to_u32", 32, false, true}, {"f_to_s32", 32, true, true},
}

// limits are the least and the greatest integer of the mode.
func (c *conversion) limits() (lo, hi int64) {
	if c.signed {
		return -1 << (c.bits - 1), 1<<(c.bits-1) - 1
	}
	return 0, 1<<c.bits - 1
}

// rounded is the integer that a number becomes, exactly: the nearest one, of two the even one, or the next one towards zero, within the limits.
func (c *conversion) rounded(x *big.Rat, round isa.Round) int64 {
	up := new(big.Int).Lsh(x.Denom(), 1)
	n, rest := new(big.Int).QuoRem(new(big.Int).Abs(x.Num()), x.Denom(), new(big.Int))
	if cmp := rest.Lsh(rest, 2).Cmp(up); round == isa.RoundEven && (cmp > 0 || cmp == 0 && n.Bit(0) != 0) {
		n.Add(n, big.NewInt(1))
	}
	if x.Sign() < 0 {
		n.Neg(n)
	}
	lo, hi := c.limits()
	switch {
	case n.Cmp(big.NewInt(lo)) < 0:
		return lo
	case n.Cmp(big.NewInt(hi)) > 0:
		return hi
	}
	return n.Int64()
}

// integer is what the mode gives of the bits of a float of a size: of no number 0, of infinities what is nearest to them.
func (c *conversion) integer(v uint32, size int, round isa.Round) uint32 {
	exponent, digits := uint(8), uint(23)
	if size == 16 {
		exponent, digits = 5, 10
	}
	e, m := int(v>>digits&(1<<exponent-1)), int64(v&(1<<digits-1))
	bias, special := 1<<(exponent-1)-1, e == 1<<exponent-1
	negative := v>>(size-1)&1 != 0
	switch lo, hi := c.limits(); {
	case special && m != 0:
		return 0
	case special && negative:
		return uint32(lo)
	case special:
		return uint32(hi)
	case e != 0:
		m += 1 << digits
	}
	x := new(big.Rat).SetInt64(m)
	scale := new(big.Int).Lsh(big.NewInt(1), uint(max(bias+int(digits)-max(e, 1), max(e, 1)-bias-int(digits))))
	if max(e, 1) < bias+int(digits) {
		x.Quo(x, new(big.Rat).SetInt(scale))
	} else {
		x.Mul(x, new(big.Rat).SetInt(scale))
	}
	if negative {
		x.Neg(x)
	}
	return uint32(c.rounded(x, round))
}

// float is the bits of the float of a size that the mode gives of a register.
func (c *conversion) float(v uint32, size int, round isa.Round) uint32 {
	n := int64(v & uint32(1<<c.bits-1))
	if c.signed && n>>(c.bits-1) != 0 {
		n -= 1 << c.bits
	}
	digits, exponent, mode := uint(23), 8, big.ToNearestEven
	if size == 16 {
		digits, exponent = 10, 5
	}
	if round == isa.RoundZero {
		mode = big.ToZero
	}
	x := new(big.Float).SetPrec(digits + 1).SetMode(mode).SetInt64(n)
	if n == 0 {
		return 0
	}
	sign := uint32(0)
	if n < 0 {
		sign = 1 << (size - 1)
	}
	e := x.MantExp(nil) - 1 // of the first digit
	if largest := 1<<(exponent-1) - 1; e > largest {
		infinity := uint32(1<<exponent-1) << digits
		if round == isa.RoundZero {
			infinity--
		}
		return sign | infinity
	}
	m, _ := new(big.Float).SetMantExp(new(big.Float).Abs(x), int(digits)-e).Uint64()
	return sign | uint32(e+1<<(exponent-1)-1)<<digits | uint32(m)&(1<<digits-1)
}

// integersAround are the integers at which conversions change their ways: powers of two, halves of the last digit of a float, and any.
func integersAround(r *rand.Rand, n int) (list []uint32) {
	for len(list) < n/2 {
		power := uint32(1) << r.Intn(32)
		list = append(list, power+uint32(r.Intn(5))-2, -power+uint32(r.Intn(5))-2)
	}
	for len(list) < n {
		digits := []int{11, 24}[r.Intn(2)]
		v := uint32(1)<<31 | r.Uint32()
		low := 32 - digits // digits that are rounded away
		v = v>>low<<low | 1<<(low-1) + uint32(r.Intn(3)) - 1
		list = append(list, v>>r.Intn(low+1))
	}
	return list
}

// floatsAround are bits of floats of a size at which conversions change their ways: the limits of integers and halves about them, numbers that are none,
// denormals, and any.
func floatsAround(r *rand.Rand, n, size int) (list []uint32) {
	bits := func(f float64) uint32 {
		if size == 32 {
			return math.Float32bits(float32(f))
		}
		return round16(f)
	}
	for _, sign := range []float64{1, -1} {
		list = append(list, bits(math.Inf(int(sign))), bits(0*sign), bits(math.Copysign(0, sign)), bits(sign*0x1p-24), bits(sign*0x1p-126)-1)
	}
	list = append(list, bits(math.NaN()), bits(math.NaN())|1<<(size-1))
	for len(list) < n*3/4 {
		f := math.Ldexp(1, r.Intn(34)-1) + float64(r.Intn(17)-8)/4
		list = append(list, bits(f), bits(-f))
	}
	for len(list) < n {
		list = append(list, r.Uint32())
	}
	return list
}

// TestConversions: every mode of convert, between registers of every size, in both ways of rounding, against numbers without limits (agx.md §5.6).
func TestConversions(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for _, c := range conversions {
		for _, from := range []int{16, 32} {
			for _, to := range []int{16, 32} {
				if c.integers && int(c.bits) > to || !c.integers && from == 16 && c.bits == 32 {
					continue // a result that is cut off, or a source that is extended, is of other tests
				}
				c.check(t, r, from, to, isa.RoundZero, "rtz")
				c.check(t, r, from, to, isa.RoundEven, "rte")
			}
		}
	}
}

// check runs the mode on many values.
func (c *conversion) check(t *testing.T, r *rand.Rand, from, to int, round isa.Round, rounding string) {
	m := newMachine()
	m.waves = 8
	n := m.waves * m.lanes
	values := integersAround(r, n)
	if c.integers {
		values = floatsAround(r, n, from)
	}
	for i := range n {
		binary.LittleEndian.PutUint32(m.in.Data[4*i:], values[i]<<(32-from)>>(32-from))
	}
	half := map[int]string{16: "l", 32: ""}
	name := fmt.Sprintf("convert %s, r2%s, r4%s, %s", c.name, half[to], half[from], rounding)
	m.expect(t, name, "\tmov_imm r2, 0, 0b0\n\tdevice_load 0, i32, x, r4, u2_u3, r10, unsigned\n\twait 0\n\t"+name, func(i int) uint32 {
		v := m.inWord(i)
		if c.integers {
			return c.integer(v, from, round) & uint32(1<<to-1)
		}
		return c.float(v, to, round)
	})
}
