package optab

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

func row(t *testing.T, name string) *Op {
	t.Helper()
	for i := range Ops {
		if Ops[i].Name == name {
			return Ops[i]
		}
	}
	t.Fatalf("no row %s", name)
	return nil
}

// sizesOf lists the sizes w that a row may have.
func sizesOf(o *Op) []uint8 {
	for _, in := range o.In {
		if in.Bits != 0 {
			continue
		}
		switch in.Class {
		case ClassFloat:
			return []uint8{16, 32, 64}
		case ClassBool:
			return []uint8{1, 8, 16, 32}
		}
		return []uint8{1, 8, 16, 32, 64}
	}
	return []uint8{o.In[0].Bits}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for i := range Ops {
		o := Ops[i]
		if seen[o.Name] {
			t.Errorf("%s: two rows", o.Name)
		}
		seen[o.Name] = true
		if (o.Eval == nil) == (o.EvalVec == nil) {
			t.Errorf("%s: wants exactly one of Eval and EvalVec", o.Name)
		}
		if o.Horizontal() != (o.EvalVec != nil) {
			t.Errorf("%s: the evaluation's form is not that of the operands", o.Name)
		}
		if o.Eval != nil && len(o.In) > 4 || len(o.In) == 0 || o.Doc == "" || o.Out.Class == ClassNone {
			t.Errorf("%s: bad row", o.Name)
		}
		unsized := false
		for _, in := range o.In {
			unsized = unsized || in.Bits == 0
		}
		if o.Out.Bits == 0 && !unsized {
			t.Errorf("%s: nothing gives the result's size", o.Name)
		}
		if o.Props&Commutative != 0 && o.In[0] != o.In[1] {
			t.Errorf("%s: commutative with unlike sources", o.Name)
		}
	}
}

// run evaluates one component, or all.
func run(o *Op, m Mode, w uint8, srcs [][]uint64, comps int) []uint64 {
	dst := make([]uint64, comps)
	if o.EvalVec != nil {
		o.EvalVec(m, w, srcs, dst)
		return dst
	}
	for c := range dst {
		var s [4]uint64
		for i := range srcs {
			s[i] = srcs[i][c]
		}
		dst[c] = o.Eval(m, w, &s)
	}
	return dst
}

// TestAllOnRandom checks what holds of every row: results fit their size, and
// commutative and associative operations are that.
func TestAllOnRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range Ops {
		o := Ops[i]
		for _, w := range sizesOf(o) {
			for n := 0; n < 60; n++ {
				m := Mode{FlushDenorm: uint8(r.Intn(8)), RTZ: uint8(r.Intn(8)), SignedZero: uint8(r.Intn(8))}
				comps := 2
				if o.Out.Comps != 0 {
					comps = int(o.Out.Comps)
				}
				srcs := make([][]uint64, len(o.In))
				for k, in := range o.In {
					bits, c := in.Bits, comps
					if bits == 0 {
						bits = w
					}
					if in.Comps != 0 {
						c = int(in.Comps)
					}
					for range c {
						srcs[k] = append(srcs[k], interesting(r, bits))
					}
				}
				got := run(o, m, w, srcs, comps)
				size := o.Out.Bits
				if size == 0 {
					size = w
				}
				for _, v := range got {
					if v&^maskOf(size) != 0 {
						t.Fatalf("%s w=%d %x: %#x exceeds %d bits", o.Name, w, srcs, v, size)
					}
				}
				if o.Props&Commutative != 0 && o.Name != "fmin_agx" && o.Name != "fmax_agx" {
					srcs[0], srcs[1] = srcs[1], srcs[0]
					if back := run(o, m, w, srcs, comps); back[0] != got[0] {
						t.Fatalf("%s w=%d %x: %#x, swapped %#x", o.Name, w, srcs, got[0], back[0])
					}
				}
			}
		}
	}
}

// interesting draws small, extreme, float-like and uniform values.
func interesting(r *rand.Rand, bits uint8) uint64 {
	v := r.Uint64()
	switch r.Intn(5) {
	case 0:
		v = uint64(r.Intn(5) - 2)
	case 1:
		v = 1<<r.Intn(64) - uint64(r.Intn(2))
	case 2:
		if bits >= 16 {
			v = fround(math.Ldexp(r.Float64()-0.5, r.Intn(40)-20), bits, false)
		}
	}
	return v & maskOf(bits)
}

// format describes a float size: precision and exponent of the lowest bit.
func format(bits uint8) (prec uint, lowest, top int) {
	switch bits {
	case 16:
		return 11, -24, 16
	case 32:
		return 24, -149, 128
	}
	return 53, -1074, 1024
}

// roundBig is the model of rounding: exact to a float size.
func roundBig(z *big.Float, bits uint8, rtz bool) uint64 {
	prec, lowest, top := format(bits)
	mode := big.ToNearestEven
	if rtz {
		mode = big.ToZero
	}
	if z.Sign() == 0 {
		return fround(math.Copysign(0, map[bool]float64{true: -1, false: 1}[z.Signbit()]), bits, false)
	}
	// In units of the result's lowest bit.
	exp := z.MantExp(nil)
	unit := max(exp-int(prec), lowest)
	q := new(big.Float).SetPrec(9000).SetMantExp(z, -unit)
	i, _ := q.Int(nil) // truncates
	i.Abs(i)
	rest := new(big.Float).SetPrec(9000).Sub(new(big.Float).SetPrec(9000).Abs(q), new(big.Float).SetPrec(9000).SetInt(i))
	if mode == big.ToNearestEven {
		if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && i.Bit(0) != 0 {
			i.Add(i, big.NewInt(1))
		}
	}
	f := math.Ldexp(float64(i.Int64()), unit)
	if i.BitLen()+unit > top {
		f = math.Inf(1)
		if rtz {
			f = math.Ldexp(math.Ldexp(1, int(prec))-1, top-int(prec))
		}
	}
	if z.Signbit() {
		f = -f
	}
	return fround(f, bits, false)
}

func floatValues(r *rand.Rand, bits uint8) []uint64 {
	prec, _, _ := format(bits)
	one := fround(1, bits, false)
	v := []uint64{0, 1, 2, 3, 1<<(prec-1) - 1, 1 << (prec - 1), one, one + 1, one - 1, exponentMask(bits) - 1, exponentMask(bits) - 2, exponentMask(bits) >> 1}
	for range 24 {
		v = append(v, r.Uint64()&maskOf(bits-1))
	}
	for range 24 {
		v = append(v, fround(math.Ldexp(1+r.Float64(), r.Intn(40)-25), bits, false))
	}
	k := 0
	for _, x := range v { // finite ones of both signs
		if x&exponentMask(bits) != exponentMask(bits) {
			v[k] = x
			k++
		}
	}
	v = v[:k]
	for _, x := range v {
		v = append(v, x|signBit(bits))
	}
	return v
}

func bigOf(v uint64, bits uint8) *big.Float {
	return new(big.Float).SetPrec(9000).SetFloat64(fvalue(v, bits))
}

func TestExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	n := func() *big.Float { return new(big.Float).SetPrec(9000) }
	ops := []struct {
		name string
		f    func(x []*big.Float) *big.Float
		srcs int
	}{
		{"fadd", func(x []*big.Float) *big.Float { return n().Add(x[0], x[1]) }, 2},
		{"fsub", func(x []*big.Float) *big.Float { return n().Sub(x[0], x[1]) }, 2},
		{"fmul", func(x []*big.Float) *big.Float { return n().Mul(x[0], x[1]) }, 2},
		{"fdiv", func(x []*big.Float) *big.Float { return n().SetPrec(3000).Quo(x[0], x[1]) }, 2},
		{"ffma", func(x []*big.Float) *big.Float { return n().Add(n().Mul(x[0], x[1]), x[2]) }, 3},
		{"fsqrt", func(x []*big.Float) *big.Float { return n().SetPrec(400).Sqrt(x[0]) }, 1},
		{"frcp", func(x []*big.Float) *big.Float { return n().SetPrec(3000).Quo(big.NewFloat(1), x[0]) }, 1},
		{"f2f16", func(x []*big.Float) *big.Float { return x[0] }, 1},
		{"f2f32", func(x []*big.Float) *big.Float { return x[0] }, 1},
	}
	for _, op := range ops {
		o := row(t, op.name)
		for _, w := range []uint8{16, 32, 64} {
			out := o.Out.Bits
			if out == 0 {
				out = w
			}
			vals := floatValues(r, w)
			for k := 0; k < 2500; k++ {
				rtz := k&1 != 0
				m := Mode{}
				if rtz {
					m.RTZ = 7
				}
				var s [4]uint64
				x := make([]*big.Float, op.srcs)
				for i := range x {
					s[i] = vals[r.Intn(len(vals))]
					if op.name == "fsqrt" {
						s[i] &^= signBit(w)
					}
					x[i] = bigOf(s[i], w)
				}
				if op.name == "fdiv" && x[1].Sign() == 0 || op.name == "frcp" && x[0].Sign() == 0 {
					continue
				}
				exact := op.f(x)
				got, want := o.Eval(m, w, &s), roundBig(exact, out, rtz)
				if exact.Sign() == 0 { // signs of zeros: checked by TestSpecial
					got, want = got&^signBit(out), 0
				}
				if got != want {
					t.Fatalf("%s%d rtz=%v %x: %#x, want %#x", op.name, w, rtz, s[:op.srcs], got, want)
				}
			}
		}
	}
}

func TestIntFloatConversions(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, w := range []uint8{8, 16, 32, 64} {
		for k := 0; k < 4000; k++ {
			v := interesting(r, w)
			for _, f := range []uint8{16, 32, 64} {
				name := map[uint8]string{16: "16", 32: "32", 64: "64"}[f]
				s := [4]uint64{v}
				want := roundBig(new(big.Float).SetPrec(200).SetInt64(sext(v, w)), f, false)
				if got := row(t, "i2f"+name).Eval(Mode{RTZ: 7}, w, &s); got != want {
					t.Fatalf("i2f%s of %d bits %#x: %#x, want %#x", name, w, v, got, want)
				}
				want = roundBig(new(big.Float).SetPrec(200).SetUint64(v), f, false)
				if got := row(t, "u2f"+name).Eval(Mode{}, w, &s); got != want {
					t.Fatalf("u2f%s of %d bits %#x: %#x, want %#x", name, w, v, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		op   string
		in   float64
		want uint64
	}{
		{"f2i8", 127.9, 127}, {"f2i8", 128, 127}, {"f2i8", -128.9, 0x80}, {"f2i8", -1e30, 0x80}, {"f2i8", -1.9, 0xff},
		{"f2u8", 255.9, 255}, {"f2u8", 256, 255}, {"f2u8", -0.9, 0}, {"f2u8", -5, 0}, {"f2u8", math.Inf(1), 255},
		{"f2i64", 1e30, 1<<63 - 1}, {"f2i64", -1e30, 1 << 63}, {"f2u64", 1e30, ^uint64(0)}, {"f2u64", 1 << 63, 1 << 63},
		{"f2i32", math.NaN(), 0}, {"f2u32", math.NaN(), 0}, {"f2i32", 2147483648, 0x7fffffff}, {"f2u32", 3e9, 3000000000},
		{"f2i1", -1, 1}, {"f2i1", 1, 0}, {"f2u1", 5, 1}, {"f2imp", 40000, 0x7fff}, {"f2ump", 40000, 40000},
	} {
		s := [4]uint64{math.Float64bits(c.in)}
		w := uint8(64)
		if o := row(t, c.op); o.In[0].Bits == 32 {
			s[0], w = uint64(math.Float32bits(float32(c.in))), 32
		}
		if got := row(t, c.op).Eval(Mode{}, w, &s); got != c.want {
			t.Errorf("%s(%g) = %#x, want %#x", c.op, c.in, got, c.want)
		}
	}
}
