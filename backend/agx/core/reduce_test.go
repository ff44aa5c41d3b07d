package core

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reduction is an operation over lanes: what it makes of two numbers, and of none (agx.md §5.8). Bits are numbers without a sign, with one, or floats.
type reduction struct {
	name          string
	signed, float bool
	f             func(a, b float64) float64
	none          func(bits int) float64
}

func zero(int) float64          { return 0 }
func allOnes(bits int) float64  { return math.Ldexp(1, bits) - 1 }
func largest(bits int) float64  { return math.Ldexp(1, bits-1) - 1 }
func smallest(bits int) float64 { return -math.Ldexp(1, bits-1) }

// bitwise is an operation on bits as one on numbers.
func bitwise(f func(a, b uint64) uint64) func(a, b float64) float64 {
	return func(a, b float64) float64 { return float64(f(uint64(a), uint64(b))) }
}

var reductions = []reduction{
	{"and", false, false, bitwise(func(a, b uint64) uint64 { return a & b }), allOnes},
	{"or", false, false, bitwise(func(a, b uint64) uint64 { return a | b }), zero},
	{"xor", false, false, bitwise(func(a, b uint64) uint64 { return a ^ b }), zero},
	{"iadd", false, false, func(a, b float64) float64 { return a + b }, zero},
	{"min.u", false, false, math.Min, allOnes},
	{"max.u", false, false, math.Max, zero},
	{"min.s", true, false, math.Min, largest},
	{"max.s", true, false, math.Max, smallest},
	{"fadd", false, true, func(a, b float64) float64 { return a + b }, zero},
	{"fmul", false, true, func(a, b float64) float64 { return a * b }, func(int) float64 { return 1 }},
	{"min.f", false, true, math.Min, func(int) float64 { return math.Inf(1) }},
	{"max.f", false, true, math.Max, func(int) float64 { return math.Inf(-1) }},
}

// bitsOf are a number's bits in a register.
func (o *reduction) bitsOf(v float64, bits int) uint32 {
	switch {
	case o.float && bits == 16:
		return round16(v)
	case o.float:
		return math.Float32bits(float32(v))
	}
	return uint32(int64(v)) & uint32(1<<bits-1)
}

// number is any that the operation keeps exact over all lanes.
func (o *reduction) number(r *rand.Rand, bits int) float64 {
	switch {
	case o.name == "fmul":
		return []float64{1, -1, 2, 0.5}[r.IntN(4)]
	case o.float:
		return float64(r.IntN(63) - 31)
	}
	v := float64(r.Uint32() >> (32 - bits) >> []int{0, 0, bits / 2}[r.IntN(3)])
	if o.signed && v > largest(bits) {
		v -= math.Ldexp(1, bits)
	}
	return v
}

// TestReductions: each operation over the active lanes of the group and of the quad, of all and of those before each lane, of words, halves and immediates, which have the
// size of the result. Lanes that are masked off keep what they have.
func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	for i := range reductions {
		for _, bits := range []int{16, 32} {
			for form := range 8 {
				for _, mask := range []int{-1, 31, 6, 8} {
					reductions[i].check(t, r, bits, mask, form&1 != 0, form&2 != 0, form&4 != 0)
				}
			}
		}
	}
}

// check runs the operation in the lanes whose number has bits of a mask, or in all.
func (o *reduction) check(t *testing.T, r *rand.Rand, bits, mask int, quad, prefix, immediate bool) {
	if o.float && immediate {
		return // small bits are no numbers
	}
	t.Helper()
	const kept = 99
	m := newMachine()
	values := make([]float64, m.lanes)
	same := float64(r.IntN(256))
	for i := range values {
		if values[i] = o.number(r, bits); immediate {
			values[i] = same
		}
		binary.LittleEndian.PutUint32(m.in.Data[4*i:], o.bitsOf(values[i], bits))
	}
	size, name, half, source := 32, "simd_", map[int]string{16: "l"}[bits], "r4"+map[int]string{16: "l"}[bits]
	if quad {
		size, name = 4, "quad_"
	}
	if prefix {
		name += "prefix_"
	}
	if immediate {
		source = fmt.Sprint(same)
	}
	name = fmt.Sprintf("%s%s r2%s, %s", name, o.name, half, source)
	body := fmt.Sprintf("\tmov_imm r2, %d, 0b0\n\tdevice_load 0, i32, x, r4, u2_u3, r10, unsigned\n\twait 0\n\tand r11, r10, %d\n", kept, mask&31)
	if mask < 0 {
		body += "\t" + name
	} else {
		body += "\tif_icmp r0l, nueq, r11, 0, 1\n\t" + name + "\n\tpop_exec r0l, 1"
	}
	active := func(lane int) bool { return mask < 0 || lane&mask != 0 }
	m.expect(t, fmt.Sprintf("%s in lanes of %#x", name, mask), body, func(lane int) uint32 {
		if !active(lane) {
			return kept
		}
		v, first := o.none(bits), lane/size*size
		for k := first; k < first+size; k++ {
			if active(k) && (!prefix || k < lane) {
				v = o.f(v, values[k])
			}
		}
		return o.bitsOf(v, bits)
	})
}
