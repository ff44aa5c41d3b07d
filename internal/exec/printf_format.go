package exec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nirc/frontend/spirv"
)

// printSpec is a conversion of a format, as C writes it: flags, width and precision, the length in letters, and the letter.
type printSpec struct {
	flags, length string
	verb          byte
}

// printValue is a component that is printed: a float, or the bits of an integer.
type printValue struct {
	real    float64
	bits    uint64
	width   uint8 // 32 or 64
	isFloat bool
	signed  bool
}

// formatPrintf writes a call's text: conversions are C's, with vN after width and precision for a vector, and h and l for sizes.
func formatPrintf(c *spirv.PrintfCall, words []uint32) string {
	var b strings.Builder
	args, text, comma := c.Args, c.Format, ", "
	if c.Kernel {
		comma = ","
	}
	for {
		before, rest, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if strings.HasPrefix(rest, "%") {
			b.WriteByte('%')
			text = rest[1:]
			continue
		}
		spec, tail := cutSpec(rest)
		if spec.verb == 0 || len(args) == 0 {
			b.WriteString("%" + rest)
			return b.String()
		}
		a := &args[0]
		args, text = args[1:], tail
		if spec.verb == 's' {
			fmt.Fprintf(&b, "%"+spec.flags+"s", a.Text)
			continue
		}
		for i, v := range takeArg(a, &words) {
			if i > 0 {
				b.WriteString(comma)
			}
			b.WriteString(spec.write(v))
		}
	}
}

// cutSpec takes a conversion off a text that begins after its percent sign; the letter is 0 if there is none.
func cutSpec(text string) (s printSpec, tail string) {
	tail = strings.TrimLeft(text, "-+ #0123456789.")
	s.flags = text[:len(text)-len(tail)]
	if strings.HasPrefix(tail, "v") {
		tail = strings.TrimLeft(tail[1:], "0123456789")
	}
	rest := strings.TrimLeft(tail, "hlLjzt")
	s.length, tail = tail[:len(tail)-len(rest)], rest
	if tail == "" {
		return s, ""
	}
	s.verb = tail[0]
	return s, tail[1:]
}

// takeArg takes an argument's components off the words.
func takeArg(a *spirv.PrintfArg, words *[]uint32) (values []printValue) {
	for range a.Components {
		n := int(a.Bits / 32)
		if len(*words) < n {
			return values
		}
		v := printValue{bits: uint64((*words)[0]), width: a.Bits, isFloat: a.Float, signed: a.Signed}
		if n > 1 {
			v.bits |= uint64((*words)[1]) << 32
		}
		*words = (*words)[n:]
		switch {
		case a.Float && n > 1:
			v.real = math.Float64frombits(v.bits)
		case a.Float:
			v.real = float64(math.Float32frombits(uint32(v.bits)))
		}
		values = append(values, v)
	}
	return values
}

// whole is the value as an integer of a length: sign extended, or not.
func (v printValue) whole(length string, signed bool) uint64 {
	if v.isFloat {
		return uint64(int64(v.real))
	}
	width := v.width
	switch length {
	case "hh":
		width = 8
	case "h":
		width = 16
	}
	bits := v.bits << (64 - width)
	if signed {
		return uint64(int64(bits) >> (64 - width))
	}
	return bits >> (64 - width)
}

// float is the value as a float.
func (v printValue) float() float64 {
	switch {
	case v.isFloat:
		return v.real
	case v.signed:
		return float64(int64(v.whole("", true)))
	}
	return float64(v.whole("", false))
}

// write writes a value; one of another class is converted to what the conversion asks for.
func (s printSpec) write(v printValue) string {
	flags := "%" + s.flags
	switch s.verb {
	case 'd', 'i':
		return fmt.Sprintf(flags+"d", int64(v.whole(s.length, true)))
	case 'u', 'o', 'x', 'X':
		if v.whole(s.length, false) == 0 && s.verb != 'o' { // which has no 0x
			flags = strings.ReplaceAll(flags, "#", "")
		}
		return fmt.Sprintf(flags+strings.Replace(string(s.verb), "u", "d", 1), v.whole(s.length, false))
	case 'c':
		return fmt.Sprintf(flags+"s", string([]byte{byte(v.whole("hh", false))}))
	case 'p':
		return fmt.Sprintf(flags+"s", fmt.Sprintf("%#x", v.whole("", false)))
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		return s.writeFloat(v.float())
	}
	return flags + string(s.verb)
}

// writeFloat writes a float as C does: Go's g knows no precision of its own, its hexadecimal exponents have two digits at least, and its infinities capitals.
func (s printSpec) writeFloat(x float64) string {
	upper := s.verb < 'a'
	if math.IsInf(x, 0) || math.IsNaN(x) {
		text := strings.TrimPrefix(strings.ToLower(fmt.Sprint(x)), "+")
		return s.pad(text, upper)
	}
	verb, precision := s.verb, strings.Contains(s.flags, ".")
	switch {
	case verb == 'a' || verb == 'A':
		return s.pad(hexFloat(x, s.flags), upper)
	case (verb == 'g' || verb == 'G') && !precision:
		return fmt.Sprintf("%"+s.flags+".6"+string(verb), x)
	}
	return fmt.Sprintf("%"+s.flags+string(verb), x)
}

// hexFloat is %a of C, to the precision that the flags have, or as many digits as the value has.
func hexFloat(x float64, flags string) string {
	digits := -1
	if _, text, ok := strings.Cut(flags, "."); ok {
		digits, _ = strconv.Atoi(text)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'x', digits, 64), "p")
	if len(exponent) == 3 && exponent[1] == '0' {
		exponent = exponent[:1] + exponent[2:]
	}
	return mantissa + "p" + exponent
}

// pad brings the text of a float to the width of the conversion, with its sign.
func (s printSpec) pad(text string, upper bool) string {
	if strings.Contains(s.flags, "+") && text[0] != '-' {
		text = "+" + text
	}
	if upper {
		text = strings.ToUpper(text)
	}
	width, _, _ := strings.Cut(strings.TrimLeft(s.flags, "-+ #0"), ".")
	if strings.Contains(s.flags, "-") {
		width = "-" + width
	}
	return fmt.Sprintf("%"+width+"s", text)
}
