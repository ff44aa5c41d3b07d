package optab

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"
)

type ints struct{ sa, sb, ua, ub, w *big.Int }

func bi(v int64) *big.Int { return big.NewInt(v) }

func clampBig(v, low, high *big.Int) *big.Int {
	if v.Cmp(low) < 0 {
		return low
	}
	if v.Cmp(high) > 0 {
		return high
	}
	return v
}

func boolBig(b bool) *big.Int {
	if b {
		return bi(1)
	}
	return bi(0)
}

func pick(c bool, a, b *big.Int) *big.Int {
	if c {
		return a
	}
	return b
}

func (x ints) pow(n int64) *big.Int { return new(big.Int).Lsh(bi(1), uint(x.w.Int64()+n)) }
func (x ints) shift() uint {
	return uint(new(big.Int).And(x.ub, new(big.Int).Sub(x.w, bi(1))).Uint64())
}
func plus(a, b *big.Int) *big.Int  { return new(big.Int).Add(a, b) }
func minus(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func times(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
func shr(a *big.Int, n uint) *big.Int {
	return new(big.Int).Rsh(a, n) // floors
}

// intModel gives the exact integer whose low bits are the result.
var intModel = map[string]func(x ints) *big.Int{
	"iadd":      func(x ints) *big.Int { return plus(x.sa, x.sb) },
	"isub":      func(x ints) *big.Int { return minus(x.sa, x.sb) },
	"imul":      func(x ints) *big.Int { return times(x.sa, x.sb) },
	"amul":      func(x ints) *big.Int { return times(x.ua, x.ub) },
	"ineg":      func(x ints) *big.Int { return new(big.Int).Neg(x.sa) },
	"iabs":      func(x ints) *big.Int { return new(big.Int).Abs(x.sa) },
	"isign":     func(x ints) *big.Int { return bi(int64(x.sa.Sign())) },
	"imul_high": func(x ints) *big.Int { return shr(times(x.sa, x.sb), uint(x.w.Int64())) },
	"umul_high": func(x ints) *big.Int { return shr(times(x.ua, x.ub), uint(x.w.Int64())) },
	"idiv": func(x ints) *big.Int {
		if x.sb.Sign() == 0 {
			return bi(0)
		}
		return new(big.Int).Quo(x.sa, x.sb)
	},
	"irem": func(x ints) *big.Int {
		if x.sb.Sign() == 0 {
			return bi(0)
		}
		return new(big.Int).Rem(x.sa, x.sb)
	},
	"imod": func(x ints) *big.Int {
		if x.sb.Sign() == 0 {
			return bi(0)
		}
		m := new(big.Int).Mod(x.sa, x.sb) // Euclidean: 0 <= m < |b|
		if x.sb.Sign() < 0 && m.Sign() != 0 {
			m.Add(m, x.sb)
		}
		return m
	},
	"udiv": func(x ints) *big.Int {
		if x.ub.Sign() == 0 {
			return bi(0)
		}
		return new(big.Int).Quo(x.ua, x.ub)
	},
	"umod": func(x ints) *big.Int {
		if x.ub.Sign() == 0 {
			return bi(0)
		}
		return new(big.Int).Rem(x.ua, x.ub)
	},
	"udiv_aligned_4": func(x ints) *big.Int { return shr(x.ua, 2) },
	"imin":           func(x ints) *big.Int { return pick(x.sa.Cmp(x.sb) < 0, x.sa, x.sb) },
	"imax":           func(x ints) *big.Int { return pick(x.sa.Cmp(x.sb) > 0, x.sa, x.sb) },
	"umin":           func(x ints) *big.Int { return pick(x.ua.Cmp(x.ub) < 0, x.ua, x.ub) },
	"umax":           func(x ints) *big.Int { return pick(x.ua.Cmp(x.ub) > 0, x.ua, x.ub) },
	"iadd_sat": func(x ints) *big.Int {
		return clampBig(plus(x.sa, x.sb), new(big.Int).Neg(x.pow(-1)), minus(x.pow(-1), bi(1)))
	},
	"isub_sat": func(x ints) *big.Int {
		return clampBig(minus(x.sa, x.sb), new(big.Int).Neg(x.pow(-1)), minus(x.pow(-1), bi(1)))
	},
	"uadd_sat":    func(x ints) *big.Int { return clampBig(plus(x.ua, x.ub), bi(0), minus(x.pow(0), bi(1))) },
	"usub_sat":    func(x ints) *big.Int { return clampBig(minus(x.ua, x.ub), bi(0), x.pow(0)) },
	"uadd_carry":  func(x ints) *big.Int { return boolBig(plus(x.ua, x.ub).Cmp(x.pow(0)) >= 0) },
	"usub_borrow": func(x ints) *big.Int { return boolBig(x.ua.Cmp(x.ub) < 0) },
	"uabs_isub":   func(x ints) *big.Int { return new(big.Int).Abs(minus(x.sa, x.sb)) },
	"uabs_usub":   func(x ints) *big.Int { return new(big.Int).Abs(minus(x.ua, x.ub)) },
	"ihadd":       func(x ints) *big.Int { return shr(plus(x.sa, x.sb), 1) },
	"uhadd":       func(x ints) *big.Int { return shr(plus(x.ua, x.ub), 1) },
	"irhadd":      func(x ints) *big.Int { return shr(plus(plus(x.sa, x.sb), bi(1)), 1) },
	"urhadd":      func(x ints) *big.Int { return shr(plus(plus(x.ua, x.ub), bi(1)), 1) },
	"iand":        func(x ints) *big.Int { return new(big.Int).And(x.ua, x.ub) },
	"ior":         func(x ints) *big.Int { return new(big.Int).Or(x.ua, x.ub) },
	"ixor":        func(x ints) *big.Int { return new(big.Int).Xor(x.ua, x.ub) },
	"inot":        func(x ints) *big.Int { return new(big.Int).Not(x.ua) },
	"ishl":        func(x ints) *big.Int { return new(big.Int).Lsh(x.ua, x.shift()) },
	"ushr":        func(x ints) *big.Int { return shr(x.ua, x.shift()) },
	"ishr":        func(x ints) *big.Int { return shr(x.sa, x.shift()) },
	"urol": func(x ints) *big.Int {
		return new(big.Int).Or(new(big.Int).Lsh(x.ua, x.shift()), shr(x.ua, uint(x.w.Int64())-x.shift()))
	},
	"uror": func(x ints) *big.Int {
		return new(big.Int).Or(shr(x.ua, x.shift()), new(big.Int).Lsh(x.ua, uint(x.w.Int64())-x.shift()))
	},
	"ilt": func(x ints) *big.Int { return boolBig(x.sa.Cmp(x.sb) < 0) },
	"ige": func(x ints) *big.Int { return boolBig(x.sa.Cmp(x.sb) >= 0) },
	"ieq": func(x ints) *big.Int { return boolBig(x.sa.Cmp(x.sb) == 0) },
	"ine": func(x ints) *big.Int { return boolBig(x.sa.Cmp(x.sb) != 0) },
	"ult": func(x ints) *big.Int { return boolBig(x.ua.Cmp(x.ub) < 0) },
	"uge": func(x ints) *big.Int { return boolBig(x.ua.Cmp(x.ub) >= 0) },
	"bit_count": func(x ints) *big.Int {
		n := 0
		for k := range x.ua.BitLen() {
			n += int(x.ua.Bit(k))
		}
		return bi(int64(n))
	},
	"find_lsb": func(x ints) *big.Int {
		for k := range x.ua.BitLen() {
			if x.ua.Bit(k) != 0 {
				return bi(int64(k))
			}
		}
		return bi(-1)
	},
	"ufind_msb": func(x ints) *big.Int { return bi(int64(x.ua.BitLen() - 1)) },
	"bitnz":     func(x ints) *big.Int { return bi(int64(x.ua.Bit(int(x.shift())))) },
	"bitz":      func(x ints) *big.Int { return bi(1 - int64(x.ua.Bit(int(x.shift())))) },
}

func checkInt(t *testing.T, o *Op, w uint8, a, b uint64) {
	t.Helper()
	if len(o.In) > 1 && o.In[1].Bits == 32 {
		b = uint64(uint32(b))
	} else {
		b &= maskOf(w)
	}
	x := ints{bi(sext(a, w)), bi(sext(b, w)), new(big.Int).SetUint64(a), new(big.Int).SetUint64(b), bi(int64(w))}
	size := o.Out.Bits
	if size == 0 {
		size = w
	}
	want := new(big.Int).And(intModel[o.Name](x), new(big.Int).SetUint64(maskOf(size))).Uint64()
	if got := o.Eval(Mode{}, w, &[4]uint64{a, b}); got != want {
		t.Fatalf("%s w=%d %#x %#x: %#x, want %#x", o.Name, w, a, b, got, want)
	}
}

func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for name := range intModel {
		o := row(t, name)
		for a := uint64(0); a < 256; a++ {
			for b := uint64(0); b < 256; b += 1 + uint64(r.Intn(5)) {
				checkInt(t, o, 8, a, b)
			}
		}
		for _, w := range []uint8{16, 32, 64} {
			for k := 0; k < 1500; k++ {
				checkInt(t, o, w, interesting(r, w), interesting(r, w))
			}
			for _, a := range []uint64{0, 1, maskOf(w), maskOf(w) >> 1, 1 << (w - 1)} {
				for _, b := range []uint64{0, 1, maskOf(w), maskOf(w) >> 1, 1 << (w - 1)} {
					checkInt(t, o, w, a, b)
				}
			}
		}
	}
}

func TestOneBit(t *testing.T) {
	for _, c := range []struct {
		op      string
		a, b, w uint64
	}{
		{"iand", 1, 1, 1}, {"iand", 1, 0, 0}, {"ior", 1, 0, 1}, {"ixor", 1, 1, 0}, {"inot", 0, 0, 1}, {"inot", 1, 0, 0},
		{"ieq", 1, 1, 1}, {"ine", 1, 0, 1}, {"ilt", 1, 0, 1}, {"ult", 1, 0, 0}, {"ult", 0, 1, 1}, {"mov", 1, 0, 1},
		{"i2i32", 1, 0, 0xffffffff}, {"u2u32", 1, 0, 1}, {"b2b32", 1, 0, 0xffffffff}, {"b2i32", 1, 0, 1}, {"b2f16", 1, 0, 0x3c00},
	} {
		if got := row(t, c.op).Eval(Mode{}, 1, &[4]uint64{c.a, c.b}); got != c.w {
			t.Errorf("%s(%d, %d) = %#x, want %#x", c.op, c.a, c.b, got, c.w)
		}
	}
}

// TestFields checks the bitfield operations bit by bit.
func TestFields(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	bitsOf := func(v uint64, o, n int, signed bool) uint64 {
		var res uint64
		for k := range 32 {
			src := o + k
			if k >= n {
				if !signed {
					break
				}
				src = o + n - 1
			}
			res |= v >> min(src, 31) & 1 << k
		}
		return res
	}
	for k := 0; k < 20000; k++ {
		a, b := uint64(r.Uint32()), uint64(r.Uint32())
		o, n := r.Intn(33), r.Intn(33)
		s := [4]uint64{a, uint64(o), uint64(n)}
		inside := o+n <= 32 && n > 0
		var wu, wi, wins uint64
		wins = a
		if inside {
			wu, wi = bitsOf(a, o, n, false), bitsOf(a, o, n, true)
			for j := range n {
				wins = wins&^(1<<(o+j)) | b>>j&1<<(o+j)
			}
		} else if n != 0 {
			wins = 0
		}
		check := func(op string, s [4]uint64, want uint64) {
			t.Helper()
			if got := row(t, op).Eval(Mode{}, 32, &s); got != want {
				t.Fatalf("%s %#x: %#x, want %#x", op, s, got, want)
			}
		}
		check("ubitfield_extract", s, wu)
		check("ibitfield_extract", s, wi)
		check("bitfield_insert", [4]uint64{a, b, uint64(o), uint64(n)}, wins)
		if o, n := o&31, n&31; n == 0 {
			check("ubfe", s, 0)
		} else {
			check("ubfe", s, bitsOf(a, o, min(n, 32-o), false))
			check("ibfe", s, bitsOf(a, o, min(n, 32-o), true))
		}
		var il uint64
		for j := range 16 {
			il |= a>>j&1<<(2*j) | b>>j&1<<(2*j+1)
		}
		check("interleave_agx", [4]uint64{a & 0xffff, b & 0xffff}, il)
	}
}

func TestPackedDots(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	ops := []struct {
		name   string
		lane   int
		sa, sb bool
		sc     bool
		sat    bool
	}{
		{"sdot_4x8_iadd", 8, true, true, true, false}, {"udot_4x8_uadd", 8, false, false, false, false},
		{"sudot_4x8_iadd", 8, true, false, true, false}, {"sdot_4x8_iadd_sat", 8, true, true, true, true},
		{"udot_4x8_uadd_sat", 8, false, false, false, true}, {"sudot_4x8_iadd_sat", 8, true, false, true, true},
		{"sdot_2x16_iadd", 16, true, true, true, false}, {"udot_2x16_uadd", 16, false, false, false, false},
		{"sdot_2x16_iadd_sat", 16, true, true, true, true}, {"udot_2x16_uadd_sat", 16, false, false, false, true},
	}
	for _, op := range ops {
		for k := 0; k < 5000; k++ {
			a, b, c := interesting(r, 32), interesting(r, 32), interesting(r, 32)
			lane := func(v uint64, n int, signed bool) *big.Int {
				x := int64(v >> (n * op.lane) & (1<<op.lane - 1))
				if signed && x >= 1<<(op.lane-1) {
					x -= 1 << op.lane
				}
				return bi(x)
			}
			sum := bi(int64(c))
			low, high := bi(0), bi(1<<32-1)
			if op.sc {
				sum = bi(int64(int32(c)))
				low, high = bi(-1<<31), bi(1<<31-1)
			}
			for n := range 32 / op.lane {
				sum.Add(sum, times(lane(a, n, op.sa), lane(b, n, op.sb)))
			}
			if op.sat {
				sum = clampBig(sum, low, high)
			}
			want := new(big.Int).And(sum, bi(1<<32-1)).Uint64()
			if got := row(t, op.name).Eval(Mode{}, 32, &[4]uint64{a, b, c}); got != want {
				t.Fatalf("%s %#x %#x %#x: %#x, want %#x", op.name, a, b, c, got, want)
			}
		}
	}
}

// TestPieces checks bytes and halves of words at all places, and at such as are beyond all and whose bits are more than 64 bits count.
func TestPieces(t *testing.T) {
	const v = 0x8899aabbccddeeff
	for _, width := range []int{8, 16} {
		for _, at := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 1 << 32, 1<<60 + 1, 1<<61 + 1, 1 << 63, 1<<64 - 1} {
			for _, bits := range []uint8{32, 64} {
				in, all := uint64(v)&maskOf(bits), maskOf(bits)
				var out, low uint64
				if at < uint64(64/width) {
					out, low = in>>(at*uint64(width))&(1<<width-1), in&(1<<width-1)<<(at*uint64(width))&all
				}
				signed := uint64(int64(out)<<(64-width)>>(64-width)) & all
				for op, want := range map[string]uint64{"extract_u": out, "extract_i": signed, "insert_u": low} {
					s := [4]uint64{in, at}
					if got := row(t, fmt.Sprint(op, width)).Eval(Mode{}, bits, &s); got != want {
						t.Errorf("%s%d of %d bits at %#x: %#x, want %#x", op, width, bits, at, got, want)
					}
				}
			}
		}
	}
}
