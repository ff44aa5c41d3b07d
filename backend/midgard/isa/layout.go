package isa

import "fmt"

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

// field is one bit field of an instruction word and the member of T that it
// holds: the one description of both directions.
type field[T any] struct {
	name  string
	lo, n uint8
	get   func(*T) uint64
	set   func(*T, uint64)
}

// number is what a field's member may be.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~int8 | ~int32
}

// num describes an unsigned field.
func num[T any, V number](name string, lo, n uint8, at func(*T) *V) field[T] {
	return field[T]{name, lo, n,
		func(t *T) uint64 { return uint64(*at(t)) },
		func(t *T, v uint64) { *at(t) = V(v) }}
}

// unfit is what signed gives for a value that its field has no room for.
const unfit = 1 << 63

// signed describes a two's complement field.
func signed[T any, V ~int8 | ~int32](name string, lo, n uint8, at func(*T) *V) field[T] {
	return field[T]{name, lo, n,
		func(t *T) uint64 {
			v := int64(*at(t))
			if v >= -1<<(n-1) && v < 1<<(n-1) {
				return uint64(v) & (1<<n - 1)
			}
			return unfit
		},
		func(t *T, v uint64) { *at(t) = V(signExtend(v, n)) }}
}

// flag describes a field of one bit.
func flag[T any](name string, lo uint8, at func(*T) *bool) field[T] {
	return field[T]{name, lo, 1,
		func(t *T) uint64 {
			if *at(t) {
				return 1
			}
			return 0
		},
		func(t *T, v uint64) { *at(t) = v != 0 }}
}

func signExtend(v uint64, n uint8) int64 { return int64(v<<(64-n)) >> (64 - n) }

// unpackFields fills t from w.
func unpackFields[T any](t *T, fields []field[T], w *word) {
	for i := range fields {
		f := &fields[i]
		f.set(t, w.get(f.lo, f.n))
	}
}

// packFields builds the word of t in w, which has zeros there: most fields are zero and stay so. A value too large for its
// field is an error.
func packFields[T any](t *T, fields []field[T], w *word) error {
	for i := range fields {
		f := &fields[i]
		v := f.get(t)
		if v == 0 {
			continue
		}
		if v>>f.n != 0 {
			return f.tooLarge(v)
		}
		w.put(f.lo, f.n, v)
	}
	return nil
}

func (f *field[T]) tooLarge(v uint64) error {
	if v == unfit {
		return fmt.Errorf("%s does not fit %d bits with a sign", f.name, f.n)
	}
	return fmt.Errorf("%s %#x does not fit %d bits", f.name, v, f.n)
}
