package mangle

import (
	"math"
	"reflect"
	"regexp"
)

// EachMember sets each exported member below what v points to, one at a time, to other values, calls f, and puts back what was there.
// Integers become the lowest, the highest, each power of two and the number before it; what is pointed to becomes nothing, lists lose
// an element or have it twice.
func EachMember(v any, f func()) { eachMember(reflect.ValueOf(v).Elem(), f) }

func eachMember(v reflect.Value, f func()) {
	if !v.CanSet() {
		return
	}
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachMember(v.Field(i), f)
		}
		return
	case reflect.Array:
		for i := range v.Len() {
			eachMember(v.Index(i), f)
		}
		return
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		eachMember(v.Elem(), f)
		v.SetZero()
		f()
	case reflect.Slice:
		for i := range v.Len() {
			eachMember(v.Index(i), f)
		}
		for i := range v.Len() {
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())))
			f()
			v.Set(was)
		}
		if n := v.Len(); n > 0 {
			v.Set(reflect.Append(v.Slice3(0, n, n), v.Index(n-1)))
			f()
		}
	case reflect.String:
		for _, s := range []string{"", "x"} {
			v.SetString(s)
			f()
		}
	case reflect.Float32, reflect.Float64:
		for _, x := range []float64{0, -1, 0.5, 1, 2, 1 << 16, 1<<16 + 1, 1e30, math.Inf(1), math.NaN()} {
			v.SetFloat(x)
			f()
		}
	case reflect.Bool:
		v.SetBool(!v.Bool())
		f()
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		for _, n := range around(v.Type().Bits() - 1) {
			v.SetInt(int64(n))
			f()
			v.SetInt(^int64(n))
			f()
		}
	default:
		for _, n := range around(v.Type().Bits()) {
			v.SetUint(n)
			f()
		}
	}
	v.Set(was)
}

// around lists 0, the powers of two of as many bits, and the numbers before them.
func around(bits int) []uint64 {
	list := []uint64{0, 1}
	for b := 1; b < bits; b++ {
		if b > 1 {
			list = append(list, 1<<b-1)
		}
		list = append(list, 1<<b)
	}
	return append(list, 1<<bits-1)
}

// aWord is a word, a number or a sign of an assembler's text.
var aWord = regexp.MustCompile(`\w+|[^\w\s]`)

// spellings take the place of a word.
var spellings = []string{"", "x", "r0", "0", "1", "-1", "3.5", "256", "65536", "4294967296", "99999999999999999999", ".", ",", "#", "(", "]"}

// EachSpelling calls f with each text in which a word or a sign of the given one is missing, stands twice, or is another.
func EachSpelling(text string, f func(string)) {
	for _, at := range aWord.FindAllStringIndex(text, -1) {
		f(text[:at[1]] + text[at[0]:])
		for _, s := range spellings {
			f(text[:at[0]] + s + text[at[1]:])
		}
	}
}

// EachBit calls f with code of which one bit is another.
func EachBit(code []byte, f func()) {
	for i := range 8 * len(code) {
		code[i/8] ^= 1 << (i % 8)
		f()
		code[i/8] ^= 1 << (i % 8)
	}
}
