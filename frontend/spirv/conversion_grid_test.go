package spirv

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

// numberFormat is a type of numbers: of floats, the bits of the significand with the hidden one, and the exponent of the least normal number.
type numberFormat struct {
	name      string
	bits      int
	precision int // 0: an integer
	least     int
}

var (
	gridInts   = []numberFormat{{name: "t8", bits: 8}, {name: "t16", bits: 16}, {name: "t32", bits: 32}, {name: "t64", bits: 64}}
	gridFloats = []numberFormat{{"f16", 16, 11, -14}, {"f32", 32, 24, -126}, {"f64", 64, 53, -1022}}
)

// value is the number that a word is; nil where it is none or infinite.
func (f *numberFormat) value(x uint64, sign bool) *big.Float {
	if f.precision == 0 {
		return new(big.Float).SetPrec(3000).SetInt(extended(x, f.bits, sign))
	}
	fraction := lowest(x, f.precision-1)
	e := int(lowest(x>>(f.precision-1), f.bits-f.precision))
	switch e {
	case 1<<(f.bits-f.precision) - 1:
		return nil
	case 0:
		e = 1
	default:
		fraction |= 1 << (f.precision - 1)
	}
	v := new(big.Float).SetPrec(3000).SetInt(new(big.Int).SetUint64(fraction))
	v.SetMantExp(v, e-1+f.least-(f.precision-1))
	if x>>(f.bits-1)&1 != 0 {
		v.Neg(v)
	}
	return v
}

// whole rounds to an integer as a mode of SPIR-V says.
func whole(v *big.Float, mode string) *big.Int {
	down, _ := v.Int(nil) // toward zero
	part := new(big.Float).SetPrec(3000).Sub(v, new(big.Float).SetPrec(3000).SetInt(down))
	away := new(big.Int).Add(down, big.NewInt(int64(part.Sign())))
	switch {
	case part.Sign() == 0 || mode == "RTZ" || mode == "RTP" && part.Sign() < 0 || mode == "RTN" && part.Sign() > 0:
		return down
	case mode != "RTE":
		return away
	}
	switch c := part.Abs(part).Cmp(big.NewFloat(0.5)); {
	case c > 0 || c == 0 && down.Bit(0) != 0:
		return away
	}
	return down
}

// rounded is the word of a float that a number rounds to.
func (f *numberFormat) rounded(v *big.Float, mode string) uint64 {
	e := max(v.MantExp(nil)-1, f.least) // of the last place, where the first is the hidden bit
	n := whole(new(big.Float).SetPrec(3000).SetMantExp(v, f.precision-1-e), mode)
	word, top := new(big.Int).Abs(n).Uint64(), uint64(1)<<(f.bits-1)
	if word>>f.precision != 0 {
		word, e = word>>1, e+1
	}
	if word>>(f.precision-1) != 0 {
		word += uint64(e-f.least) << (f.precision - 1)
	}
	if infinite := uint64(1<<(f.bits-f.precision)-1) << (f.precision - 1); word >= infinite {
		word = infinite
		if mode == "RTZ" || mode == "RTP" && v.Signbit() || mode == "RTN" && !v.Signbit() {
			word--
		}
	}
	if v.Signbit() {
		word |= top
	}
	return word
}

// words are numbers of a format: edges, halves, what lies beside powers of two, and what is none.
func (f *numberFormat) words() (list []uint64) {
	if f.precision == 0 {
		for _, x := range append([]uint64{127, 128, 255, 256, 2047, 2049, 2051, 4097, 65504, 65519, 65520, 65535, 1<<24 + 1, 1<<24 + 3, 1<<25 + 6, 1<<53 + 1, 1<<53 + 3, 1<<62 + 513, 1<<31 - 1, 1 << 31}, gridWords...) {
			list = append(list, x, -x)
		}
		return list
	}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 100.5, 126.5, 127, 127.5, 128, 254.5, 255, 255.5, 256, 1023.5, 32767.5, 32768, 65504, 65519, 65520, 65536, 0x1p31, 0x1p32, 0x1p63, 0x1p64, 1 + 0x1p-11, 1 + 0x1p-24,
		1 + 0x1p-11 + 0x1p-20, 1 + 0x3p-11, 0x1p-14, 0x1p-15, 0x1.8p-24, 0x1p-25, 0x1p-26, 0x1.002p-14, 1e20, 0x1p127, 0x1.ffffffp127, 0x1p-126, 0x1.8p-149, 0x1p-151, 1e300, 1e-300, 2147483647.5, 4294967294.5} {
		for _, v := range []float64{v, -v} {
			list = append(list, f.rounded(new(big.Float).SetPrec(3000).SetFloat64(v), "RTZ"))
		}
	}
	infinite := uint64(1<<(f.bits-f.precision)-1) << (f.precision - 1)
	return append(list, infinite, infinite|1<<(f.bits-1), infinite|1<<(f.precision-2))
}

// asWord and fromWord are the instructions that bring a number of a type into a word and back.
func (f *numberFormat) asWord(of string) string {
	switch {
	case f.name == "t64":
		return fmt.Sprintf("%%r0 = OpCopyObject %%t64 %s\n", of)
	case f.precision == 0:
		return fmt.Sprintf("%%r0 = OpUConvert %%t64 %s\n", of)
	case f.bits == 64:
		return fmt.Sprintf("%%r0 = OpBitcast %%t64 %s\n", of)
	}
	return fmt.Sprintf("%%rw = OpBitcast %%t%d %s\n%%r0 = OpUConvert %%t64 %%rw\n", f.bits, of)
}

func (f *numberFormat) fromWord(to string) string {
	switch {
	case f.name == "t64":
		return fmt.Sprintf("%s = OpCopyObject %%t64 %%x0\n", to)
	case f.precision == 0:
		return fmt.Sprintf("%s = OpUConvert %%%s %%x0\n", to, f.name)
	case f.bits == 64:
		return fmt.Sprintf("%s = OpBitcast %%f64 %%x0\n", to)
	}
	return fmt.Sprintf("%sw = OpUConvert %%t%d %%x0\n%s = OpBitcast %%%s %sw\n", to, f.bits, to, f.name, to)
}

// gridConversion is a conversion of a kernel, with a rounding mode or "" and saturating or not.
type gridConversion struct {
	op, mode             string
	saturates            bool
	signedFrom, signedTo bool
	from, to             numberFormat
}

// TestRoundedConversions: conversions of kernels, between all types, with each rounding mode and with results held to their limits, give what
// numbers of any size give.
func TestRoundedConversions(t *testing.T) {
	modes := []string{"", "RTE", "RTZ", "RTP", "RTN"}
	each := func(c gridConversion, from, to []numberFormat, modes []string, saturates ...bool) {
		for _, c.from = range from {
			for _, c.to = range to {
				for _, c.mode = range modes {
					for _, c.saturates = range saturates {
						if c.from != c.to {
							c.test(t)
						}
					}
				}
			}
		}
	}
	each(gridConversion{op: "ConvertFToU"}, gridFloats, gridInts, modes, false, true)
	each(gridConversion{op: "ConvertFToS", signedTo: true}, gridFloats, gridInts, modes, false, true)
	each(gridConversion{op: "ConvertUToF"}, gridInts, gridFloats, modes, false, true)
	each(gridConversion{op: "ConvertSToF", signedFrom: true}, gridInts, gridFloats, modes, false, true)
	each(gridConversion{op: "FConvert"}, gridFloats, gridFloats, modes, false)
	each(gridConversion{op: "UConvert"}, gridInts, gridInts, modes[:1], false, true)
	each(gridConversion{op: "SConvert", signedFrom: true, signedTo: true}, gridInts, gridInts, modes[:1], false, true)
	each(gridConversion{op: "SatConvertSToU", signedFrom: true}, gridInts, gridInts, modes[:1], true)
	each(gridConversion{op: "SatConvertUToS", signedTo: true}, gridInts, gridInts, modes[:1], true)
}

// test runs the conversion on all words of its operand that have a defined result.
func (c *gridConversion) test(t *testing.T) {
	t.Helper()
	g := valueGrid{name: fmt.Sprintf("%s %s saturates %v %s to %s", c.op, c.mode, c.saturates, c.from.name, c.to.name)}
	if c.mode != "" {
		g.decorate = "OpDecorate %r FPRoundingMode " + c.mode + "\n"
	}
	if c.saturates && !strings.HasPrefix(c.op, "Sat") {
		g.decorate += "OpDecorate %r SaturatedConversion\n"
	}
	g.body = c.from.fromWord("%a") + fmt.Sprintf("%%r = Op%s %%%s %%a\n", c.op, c.to.name) + c.to.asWord("%r")
	for _, x := range c.from.words() {
		if _, ok := c.want(x); ok {
			g.rows = append(g.rows, []uint64{x})
		}
	}
	g.want = func(row []uint64) []uint64 {
		w, _ := c.want(row[0])
		return []uint64{w}
	}
	g.run(t)
}

// want is what a word becomes, and whether SPIR-V says so.
func (c *gridConversion) want(x uint64) (w uint64, ok bool) {
	v := c.from.value(x, c.signedFrom)
	if c.to.precision > 0 {
		if v == nil {
			return c.special(x)
		}
		mode := c.mode
		if mode == "" {
			mode = "RTE"
		}
		return c.to.rounded(v, mode), true
	}
	least, most := limits(c.to.bits, c.signedTo)
	n := new(big.Int)
	switch {
	case v == nil && !c.saturates:
		return 0, false
	case v != nil && (c.mode == "" || c.from.precision == 0):
		n = whole(v, "RTZ")
	case v != nil:
		n = whole(v, c.mode)
	case lowest(x, c.from.precision-1) != 0: // NaN is 0
	case x>>(c.from.bits-1)&1 != 0:
		n.Lsh(big.NewInt(-1), 100)
	default:
		n.Lsh(big.NewInt(1), 100)
	}
	if n.Cmp(least) < 0 {
		n, ok = least, true
	} else if n.Cmp(most) > 0 {
		n, ok = most, true
	}
	if ok && !c.saturates {
		if c.from.precision > 0 {
			return 0, false
		}
		return lowest(x, c.to.bits), true // integers are cut
	}
	return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64>>(64-c.to.bits))).Uint64(), true
}

// special is what infinities become; of a NaN which bits are kept is not said.
func (c *gridConversion) special(x uint64) (w uint64, ok bool) {
	if lowest(x, c.from.precision-1) != 0 {
		return 0, false
	}
	return x>>(c.from.bits-1)&1<<(c.to.bits-1) | uint64(1<<(c.to.bits-c.to.precision)-1)<<(c.to.precision-1), true
}

// TestSecondResults: functions of OpenCL.std that store a second result give both, for numbers, infinities and zeros of either sign, in each size of floats.
func TestSecondResults(t *testing.T) {
	for _, f := range gridFloats {
		if f.bits == 16 {
			continue // results of halves are those of floats, cut
		}
		for _, c := range []struct {
			name    string
			integer bool
			want    func(x float64) (first, second float64)
		}{
			{"modf", false, func(x float64) (float64, float64) {
				if math.IsInf(x, 0) {
					return math.Copysign(0, x), x
				}
				return math.Copysign(x-math.Trunc(x), x), math.Trunc(x)
			}},
			{"fract", false, func(x float64) (float64, float64) {
				if math.IsInf(x, 0) {
					return math.Copysign(0, 1), x
				}
				below := 1 - 0x1p-24
				if f.bits == 64 {
					below = 1 - 0x1p-53
				}
				part := x - math.Floor(x)
				if f.bits == 32 {
					part = float64(float32(part))
				}
				return math.Min(part, below), math.Floor(x)
			}},
			{"sincos", false, func(x float64) (float64, float64) { return math.Sin(x), math.Cos(x) }},
			{"frexp", true, func(x float64) (float64, float64) {
				m, e := math.Frexp(x)
				return m, float64(e)
			}},
		} {
			if c.name == "sincos" && f.bits == 64 {
				continue // refused
			}
			g := valueGrid{name: fmt.Sprint(c.name, f.bits), decl: fmt.Sprintf("%%pf = OpTypePointer Function %%%s\n%%pi = OpTypePointer Function %%t32\n", f.name)}
			second := strings.ReplaceAll(f.asWord("%y"), "%r", "%r1_")
			kind := f.name
			if c.integer {
				kind, second = "t32", "%r1_0 = OpSConvert %t64 %y\n"
			}
			pointer := map[bool]string{false: "%pf", true: "%pi"}[c.integer]
			g.body = fmt.Sprintf("%%v = OpVariable %s Function\n", pointer) + f.fromWord("%a") + fmt.Sprintf("%%r = OpExtInst %%%s %%cl %s %%a %%v\n", f.name, c.name) + f.asWord("%r") +
				fmt.Sprintf("%%y = OpLoad %%%s %%v Aligned %d\n", kind, map[bool]int{false: f.bits / 8, true: 4}[c.integer]) + second + "%r1 = OpCopyObject %t64 %r1_0\n"
			for _, x := range []float64{0, 0.3, 0.5, 0.75, 1, 1.5, 2, 2.75, 3, 1e-7, 1e-3, 1023.25, 8388607.5, 1e10, 3e38, 0x1p-126, math.Inf(1)} {
				for _, x := range []float64{x, -x} {
					if math.IsInf(x, 0) && (c.integer || c.name == "sincos") {
						continue // the exponent of infinity is not said, and its sine is no number
					}
					g.rows = append(g.rows, []uint64{f.word(x)})
				}
			}
			g.want = func(row []uint64) []uint64 {
				x := math.Float64frombits(row[0])
				if f.bits == 32 {
					x = float64(math.Float32frombits(uint32(row[0])))
				}
				first, second := c.want(x)
				if c.integer {
					return []uint64{f.word(first), uint64(int64(second))}
				}
				return []uint64{f.word(first), f.word(second)}
			}
			g.run(t)
		}
	}
}

// word is the word of a float of 32 or 64 bits.
func (f *numberFormat) word(x float64) uint64 {
	if f.bits == 32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}
