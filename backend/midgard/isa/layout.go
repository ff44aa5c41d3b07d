package isa

import (
	"fmt"
	"unsafe"
)

// word is up to 128 bits of an instruction, bit 0 first.
type word [2]uint64

func (w *word) get(lo, n uint8) uint64 {
	i, s := lo>>6, lo&63
	v := w[i] >> s
	if s+n > 64 {
		v |= w[1] << (64 - s)
	}
	return v & (1<<n - 1)
}

func (w *word) put(lo, n uint8, v uint64) {
	i, s := lo>>6, lo&63
	m := uint64(1)<<n - 1
	w[i] = w[i]&^(m<<s) | v&m<<s
	if s+n > 64 {
		w[1] = w[1]&^(m>>(64-s)) | v&m>>(64-s)
	}
}

// fill is put of a v that n bits hold, where w has zeros.
func (w *word) fill(lo, n uint8, v uint64) {
	s := lo & 63
	w[lo>>6&1] |= v << s
	if s+n > 64 {
		w[1] |= v >> (-s & 63)
	}
}

// field is one bit field of an instruction word and the member of T that it
// holds: the one description of both directions. It knows where the member stands: a call for each field, which a
// processor seldom foresees, was a fiftieth of a small shader's compile.
type field[T any] struct {
	name  string
	lo, n uint8
	form  form
	at    uintptr // of the member in T
}

// form says how a member is stored.
type form uint8

const (
	formByte form = iota // a uint8, or a bool
	formUint16
	formUint32
	formInt8
	formInt32
	formSigned8  // two's complement in its field too
	formSigned32 // the same
)

// number is what a field's member may be.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~int8 | ~int32
}

// place is where the member that at gives stands in a T.
func place[T, V any](at func(*T) *V) uintptr {
	t := new(T)
	return uintptr(unsafe.Pointer(at(t))) - uintptr(unsafe.Pointer(t))
}

// num describes an unsigned field.
func num[T any, V number](name string, lo, n uint8, at func(*T) *V) field[T] {
	forms := [...]form{1: formByte, 2: formUint16, 4: formUint32}
	if negative := V(0) - 1; negative < 0 {
		forms = [...]form{1: formInt8, 4: formInt32}
	}
	return field[T]{name, lo, n, forms[unsafe.Sizeof(V(0))], place(at)}
}

// signed describes a two's complement field.
func signed[T any, V ~int8 | ~int32](name string, lo, n uint8, at func(*T) *V) field[T] {
	forms := [...]form{1: formSigned8, 4: formSigned32}
	return field[T]{name, lo, n, forms[unsafe.Sizeof(V(0))], place(at)}
}

// flag describes a field of one bit.
func flag[T any](name string, lo uint8, at func(*T) *bool) field[T] {
	return field[T]{name, lo, 1, formByte, place(at)}
}

// of is where the member of t is.
func (f *field[T]) of(t *T) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(t), f.at) }

// get is the value of the member of t, as the field holds it if that has room.
func (f *field[T]) get(t *T) uint64 {
	if f.form == formByte {
		return uint64(*(*uint8)(f.of(t)))
	}
	return f.wide(f.of(t))
}

// unfit is what a signed field gives for a value that it has no room for.
const unfit = 1 << 63

// wide is get of a member at p of another form than a byte's.
func (f *field[T]) wide(p unsafe.Pointer) uint64 {
	var v int64
	switch f.form {
	case formUint16:
		return uint64(*(*uint16)(p))
	case formUint32:
		return uint64(*(*uint32)(p))
	case formInt8:
		return uint64(*(*int8)(p))
	case formInt32:
		return uint64(*(*int32)(p))
	case formSigned8:
		v = int64(*(*int8)(p))
	case formSigned32:
		v = int64(*(*int32)(p))
	}
	if v >= -1<<(f.n-1) && v < 1<<(f.n-1) {
		return uint64(v) & (1<<f.n - 1)
	}
	return unfit
}

// set gives the member of t the value v of the field.
func (f *field[T]) set(t *T, v uint64) {
	p := f.of(t)
	switch f.form {
	case formByte:
		*(*uint8)(p) = uint8(v)
	case formUint16:
		*(*uint16)(p) = uint16(v)
	case formUint32:
		*(*uint32)(p) = uint32(v)
	case formInt8:
		*(*int8)(p) = int8(v)
	case formInt32:
		*(*int32)(p) = int32(v)
	case formSigned8:
		*(*int8)(p) = int8(signExtend(v, f.n))
	case formSigned32:
		*(*int32)(p) = int32(signExtend(v, f.n))
	}
}

func signExtend(v uint64, n uint8) int64 { return int64(v<<(64-n)) >> (64 - n) }

// unpackFields fills t from w.
func unpackFields[T any](t *T, fields []field[T], w *word) {
	for i := range fields {
		f := &fields[i]
		f.set(t, w.get(f.lo, f.n))
	}
}

// packFields builds the word of t in w, which has zeros there: most fields are zero and stay so, and none has 64 bits. A value too
// large for its field is an error.
func packFields[T any](t *T, fields []field[T], w *word) error {
	for i := range fields {
		f := &fields[i]
		v := uint64(*(*uint8)(f.of(t)))
		if f.form != formByte { // few
			v = f.wide(f.of(t))
		}
		if v == 0 {
			continue
		}
		if v>>(f.n&63) != 0 {
			return f.tooLarge(v)
		}
		w.fill(f.lo, f.n, v)
	}
	return nil
}

func (f *field[T]) tooLarge(v uint64) error {
	if v == unfit {
		return fmt.Errorf("%s does not fit %d bits with a sign", f.name, f.n)
	}
	return fmt.Errorf("%s %#x does not fit %d bits", f.name, v, f.n)
}
