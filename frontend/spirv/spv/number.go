package spv

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// floatFormat is the layout of a binary floating-point format below its sign bit.
type floatFormat struct {
	exp, mant int
	finiteTop bool // the top exponent holds numbers too, and only the all-ones mantissa is a NaN
}

func (n Number) float() floatFormat {
	switch {
	case n.Encoding == BFloat16:
		return floatFormat{exp: 8, mant: 7}
	case n.Encoding == Float8E4M3:
		return floatFormat{exp: 4, mant: 3, finiteTop: true}
	case n.Encoding == Float8E5M2:
		return floatFormat{exp: 5, mant: 2}
	case n.Bits == 16:
		return floatFormat{exp: 5, mant: 10}
	case n.Bits == 64:
		return floatFormat{exp: 11, mant: 52}
	}
	return floatFormat{exp: 8, mant: 23}
}

func (f floatFormat) bias() int { return 1<<(f.exp-1) - 1 }
func (f floatFormat) top() int  { return 1<<f.exp - 1 }

// appendNumber appends a literal as spirv-dis writes it. ok is false, and nothing appended, when the unused high bits of its words are
// not those that the assembler gives, so that no text of a number stands for it.
func appendNumber(b []byte, v uint64, n Number) (_ []byte, ok bool) {
	unused := 64 - uint(n.Bits)
	switch n.Encoding {
	case Unsigned:
		if v<<unused>>unused != v {
			return b, false
		}
		return strconv.AppendUint(b, v, 10), true
	case Signed:
		s := int64(v) << unused >> unused
		if canon(uint64(s), n) != v {
			return b, false
		}
		return strconv.AppendInt(b, s, 10), true
	}
	if v<<unused>>unused != v {
		return b, false
	}
	f := n.float()
	field := int(v>>f.mant) & f.top()
	decimal := n.Encoding == Float && n.Bits >= 32 && field != f.top() && (field != 0 || v<<(unused+1) == 0)
	switch {
	case !decimal:
		return appendHexFloat(b, v, n, f), true
	case n.Bits == 32: // as many digits as tell any two floats apart, in the way of C's %g
		return strconv.AppendFloat(b, float64(math.Float32frombits(uint32(v))), 'g', 9, 64), true
	}
	return strconv.AppendFloat(b, math.Float64frombits(v), 'g', 17, 64), true
}

// canon cuts a sign-extended number to the words that a literal of the type has: narrow ones stay extended to 32 bits.
func canon(v uint64, n Number) uint64 {
	if n.Bits <= 32 {
		return v & math.MaxUint32
	}
	return v
}

// appendHexFloat writes the bits as a hexadecimal float. Infinities and NaNs are written as if the top exponent were one more.
func appendHexFloat(b []byte, v uint64, n Number, f floatFormat) []byte {
	if v>>(n.Bits-1)&1 != 0 {
		b = append(b, '-')
	}
	mant := v & (1<<f.mant - 1)
	field := int(v>>f.mant) & f.top()
	exp := field - f.bias()
	if field == 0 {
		if mant == 0 {
			return append(b, "0x0p+0"...)
		}
		shift := f.mant + 1 - bits.Len64(mant)
		mant = mant << shift & (1<<f.mant - 1)
		exp = 1 - f.bias() - shift
	}
	b = append(b, "0x1"...)
	if mant != 0 {
		b = append(b, '.')
		for frac := mant << (64 - f.mant); frac != 0; frac <<= 4 {
			b = append(b, "0123456789abcdef"[frac>>60])
		}
	}
	b = append(b, 'p')
	if exp >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

// parseNumber reads a literal of a type as spirv-as does. The result has the bits of the literal's words; msg is empty when it is good.
func parseNumber(s string, n Number) (v uint64, msg string) {
	if n.Encoding > Signed {
		return parseFloat(s, n)
	}
	return parseInt(s, n)
}

func parseInt(s string, n Number) (uint64, string) {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	mag, hex, ok := parseMagnitude(digits)
	if !ok {
		return 0, "invalid integer literal " + strconv.Quote(s)
	}
	if negative && n.Encoding == Unsigned {
		return 0, "negative literal " + s + " for an unsigned integer"
	}
	limit := uint64(math.MaxUint64) >> (64 - n.Bits)
	if n.Encoding == Signed {
		switch half := limit >> 1; {
		case negative:
			limit = half + 1
		case !hex: // a hexadecimal literal may give the sign bit
			limit = half
		}
	}
	if mag > limit {
		return 0, "integer " + s + " does not fit in " + strconv.Itoa(int(n.Bits)) + " bits"
	}
	if negative {
		mag = -mag
	} else if n.Encoding == Signed {
		mag = uint64(int64(mag<<(64-n.Bits)) >> (64 - n.Bits))
	}
	return canon(mag, n), ""
}

// parseMagnitude reads digits: hexadecimal after 0x, octal after 0, decimal else.
func parseMagnitude(s string) (v uint64, hex, ok bool) {
	if len(s) == 0 || s[0] < '0' || s[0] > '9' || strings.Contains(s, "_") {
		return 0, false, false
	}
	var err error
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		hex = true
		v, err = strconv.ParseUint(s[2:], 16, 64)
	case s[0] == '0':
		v, err = strconv.ParseUint(s, 8, 64)
	default:
		v, err = strconv.ParseUint(s, 10, 64)
	}
	return v, hex, err == nil
}

func parseFloat(s string, n Number) (uint64, string) {
	bad := func() (uint64, string) {
		return 0, "invalid " + strconv.Itoa(int(n.Bits)) + "-bit float literal " + strconv.Quote(s)
	}
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	var v uint64
	f := n.float()
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		if v, ok = parseHexFloat(hex, f); !ok {
			return bad()
		}
	} else {
		if strings.Trim(digits, "0123456789.eE+-") != "" || digits == "" || digits[0] == '+' || digits[0] == '-' {
			return bad()
		}
		width := 32
		if n.Bits == 64 {
			width = 64
		}
		x, err := strconv.ParseFloat(digits, width)
		if err != nil {
			return bad()
		}
		switch {
		case n.Bits == 64:
			v = math.Float64bits(x)
		case n.Encoding == Float && n.Bits == 32:
			v = uint64(math.Float32bits(float32(x)))
		default: // narrow floats are cut, not rounded
			d := math.Float64bits(x)
			if x != 0 {
				v = f.encode(d&(1<<52-1)<<11|1<<63, int(d>>52)-1023)
			}
			if field := int(v >> f.mant); !f.finiteTop && field >= f.top() || f.finiteTop && v >= 1<<(f.exp+f.mant)-1 {
				return bad()
			}
		}
	}
	if negative {
		v |= 1 << (n.Bits - 1)
	}
	return v, ""
}

// encode makes a float of a mantissa with the top bit of 64 set, and the exponent of that bit; what does not fit is cut off. An exponent
// above the greatest is an infinity; that of infinities keeps its mantissa, which is how NaNs are written.
func (f floatFormat) encode(mant uint64, exp int) uint64 {
	field := exp + f.bias()
	switch {
	case field > f.top():
		if f.finiteTop {
			return 1<<(f.exp+f.mant) - 1
		}
		return uint64(f.top()) << f.mant
	case field <= 0:
		shift := 64 - f.mant - field
		if shift > 63 {
			return 0
		}
		return mant >> shift
	}
	return uint64(field)<<f.mant | mant<<1>>(64-f.mant)
}

// parseHexFloat reads what follows 0x: digits, perhaps with a point, and a mandatory binary exponent.
func parseHexFloat(s string, f floatFormat) (uint64, bool) {
	digits, exponent, ok := strings.Cut(s, "p")
	if !ok {
		return 0, false
	}
	exp, err := strconv.Atoi(exponent)
	if err != nil || exponent[0] != '-' && exponent[0] != '+' && (exponent[0] < '0' || exponent[0] > '9') {
		return 0, false
	}
	exp = min(max(exp, -1<<24), 1<<24)
	var mant uint64
	any, point := false, false
	for i := range len(digits) {
		c := digits[i]
		if c == '.' && !point {
			point = true
			continue
		}
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 {
			return 0, false
		}
		any = true
		full := mant>>60 != 0
		if !full {
			mant = mant<<4 | uint64(d)
		}
		if point && !full {
			exp -= 4
		} else if !point && full {
			exp += 4
		}
	}
	if !any {
		return 0, false
	}
	if mant == 0 {
		return 0, true
	}
	lead := bits.LeadingZeros64(mant)
	return f.encode(mant<<lead, exp+63-lead), true
}
