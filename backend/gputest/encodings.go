package gputest

import (
	"fmt"
	"reflect"
	"regexp"
)

// EachMember sets each exported number and flag below a struct, one at a time, to the lowest value, the highest, each power of two and the
// number before it, calls f, and puts back what was there.
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

// Codings are what becomes of many forms of one instruction.
type Codings struct {
	taken, refused int
	digest         Digest
}

// Add adds a form: what it became, or why it was refused.
func (c *Codings) Add(err error, what ...any) {
	if err != nil {
		c.refused++
		c.digest.Text(err)
		return
	}
	c.taken++
	c.digest.Text(what)
}

// String is a cell of a held table.
func (c *Codings) String() string {
	return fmt.Sprintf("%d taken, %d refused, %016x", c.taken, c.refused, uint64(c.digest))
}
